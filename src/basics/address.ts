/** A host and port to listen on or connect to. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses `HOST:PORT` or `[HOST]:PORT`. Returns undefined for any other text, and for port 0. */
export function parseAddress(text: string): Address | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:/\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535 || Number(port) === 0) return undefined;
  return { host, port: Number(port) };
}
