/** The header that carries a client's key. */
export const KEY_HEADER = 'mutator_apikey';

/** True if the header can carry a key unchanged: printable ASCII, no space at either end. */
export function isApiKey(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}

/** The header's value for a server that demands the header, but accepts any value. */
const PLACEHOLDER = 'none';

/**
 * The header that each server accepted from clients without a key in this process, if any, by base
 * URL.
 */
const acceptedHeaders = new Map<string, typeof PLACEHOLDER | undefined>();

/**
 * True if a server has accepted a request of a client without a key.
 *
 * @param base the server's URL
 */
export function acceptsKeyless(base: string): boolean {
  return acceptedHeaders.has(base);
}

/** Returns the value that a server demanded of clients without a key; undefined if it accepted none. */
export function acceptedHeader(base: string): string | undefined {
  return acceptedHeaders.get(base);
}

/** The relevant part of an HTTP response. */
interface Answer {
  readonly statusCode?: number | undefined;
  destroy(): unknown;
}

interface KeyOptions {
  /** The URL of the server. */
  readonly base: string;
  readonly apiKey: string | undefined;
  readonly method: string;
}

/**
 * Sends a request with the client's key. Without a key, sends the header that the server accepted
 * before. If the response is 400, sends the request once more with a placeholder, except a POST,
 * which is never repeated.
 *
 * @returns the response; undefined if the server refused the request with and without the header
 */
export async function sendKeyed<A extends Answer>(
  { base, apiKey, method }: KeyOptions,
  send: (headers: Readonly<Record<string, string>>) => Promise<A>,
): Promise<A | undefined> {
  if (apiKey !== undefined) return send({ [KEY_HEADER]: apiKey });
  const header = acceptedHeaders.get(base);
  const firstResponse = await send(header === undefined ? {} : { [KEY_HEADER]: header });
  if (firstResponse.statusCode !== 400 || header !== undefined || method === 'POST') {
    if (isSuccess(firstResponse)) acceptedHeaders.set(base, header);
    return firstResponse;
  }
  firstResponse.destroy();
  const secondResponse = await send({ [KEY_HEADER]: PLACEHOLDER });
  if (isSuccess(secondResponse)) acceptedHeaders.set(base, PLACEHOLDER);
  if (secondResponse.statusCode !== 400 && secondResponse.statusCode !== 401) return secondResponse;
  secondResponse.destroy();
  return undefined;
}

export function isSuccess({ statusCode = 0 }: Answer): boolean {
  return statusCode >= 200 && statusCode < 300;
}
