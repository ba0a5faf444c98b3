/** The header with a client's API key. */
export const KEY_HEADER = 'mutator_apikey';

/**
 * True if the header can carry a key unchanged. The key must consist of printable ASCII characters, without leading or
 * trailing spaces.
 */
export function isApiKey(text: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text);
}

/** The header's value for a server that requires the header but accepts any value. */
const PLACEHOLDER = 'none';

/**
 * The key header's value in accepted requests without an API key, by the server's base URL. Undefined for a server that
 * accepted a request without the header.
 */
const acceptedHeaders = new Map<string, typeof PLACEHOLDER | undefined>();

/**
 * True if a server has accepted a request without an API key.
 *
 * @param base the server's URL
 */
export function acceptsRequestsWithoutKey(base: string): boolean {
  return acceptedHeaders.has(base);
}

/**
 * Returns the header value with which a server accepted a request without an API key. Returns undefined if the server
 * accepted a request without the header, or has not accepted any request.
 */
export function acceptedHeader(base: string): string | undefined {
  return acceptedHeaders.get(base);
}

/** The relevant part of an HTTP response. */
interface Answer {
  readonly statusCode?: number | undefined;
  destroy(): unknown;
}

interface KeyOptions {
  /** The server's base URL. */
  readonly base: string;
  readonly apiKey: string | undefined;
  readonly method: string;
}

/**
 * Sends a request with the client's API key. Without a key, sends the header value that the server last accepted.
 * Without such a value, sends no header and, if the response is 400, retries the request with a placeholder value.
 * Never retries a POST.
 *
 * @returns the response; undefined if the server rejected the request both without and with the header
 */
export async function sendWithKey<A extends Answer>(
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
