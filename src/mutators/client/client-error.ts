import { exitCodes, PerturbError } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';

/** Codes of failed requests to a mutator server. */
export type ClientErrorCode = keyof typeof MESSAGES;

/** Messages by code, with remedies. */
const MESSAGES = {
  'bad-url': ({ url, detail }) => `${quote(url)} is not the URL of a mutator server: ${detail}`,
  'bad-key': ({ url }) =>
    `the API key for ${url} cannot be sent: it must consist of printable ASCII, without white space around it`,
  'bad-id': ({ url, detail }) =>
    `the id ${detail} cannot be part of a URL of ${url}: use a different id for the mutator`,
  'unknown-host': ({ url }) =>
    `the host of ${url} is unknown: check the spelling and this machine's name resolution`,
  refused: ({ url }) =>
    `${url} refused the connection: check that the mutator server is running on this port`,
  unreachable: ({ url, detail }) => `${url} cannot be reached (${detail}): check the network`,
  'timed-out': ({ url, detail }) =>
    `the request to ${url} timed out after ${detail}: check the server, or increase --timeout`,
  reset: ({ url }) => `${url} closed the connection before responding: check the server's log`,
  'tls-untrusted': ({ url, detail }) =>
    `the certificate of ${url} is not trusted (${detail}): set NODE_EXTRA_CA_CERTS to its issuer's file`,
  'tls-expired': ({ url, detail }) =>
    `the certificate of ${url} is expired or not yet valid (${detail}): renew the certificate, or check this machine's clock`,
  'tls-wrong-host': ({ url }) =>
    `the certificate of ${url} is for another host: use a host name in the certificate`,
  'tls-failed': ({ url, detail }) =>
    `${url} does not support TLS as expected (${detail}): check whether the URL needs http://`,
  'not-http': ({ url }) =>
    `${url} does not respond with HTTP: check the port, and whether the URL needs https://`,
  redirected: ({ url, detail }) =>
    `${url} redirects to ${detail}: redirects are not followed; use the final URL`,
  'key-missing': ({ url }) =>
    `${url} returned 400: the server requires an API key, but none was sent`,
  rejected: ({ url }) =>
    `${url} returned 400: the server rejected the request; check the server's log for details`,
  unauthorized: ({ url, detail }) => `${url} returned 401: ${detail}`,
  'no-api': ({ url }) =>
    `${url} returned 404: there is no mutator API at this path; check the server's base path`,
  'no-mutator': ({ url, detail }) =>
    `${url} returned 404: the server has no mutator with the id ${detail}; list the mutators to see their ids`,
  'in-use': ({ url, detail }) =>
    `${url} returned 409: another run has been using the server since ${detail}`,
  held: ({ url, detail }) =>
    `${url} returned 500: the server was stopped at ${detail} and refuses mutations until you run "perturb mutators stop --release"`,
  'server-failed': ({ url, detail }) =>
    `${url} returned 500: ${detail}; check the server's log for the cause`,
  undone: ({ url }) =>
    `${url} returned 500: the injection failed and was undone; check the server's log for the cause`,
  'unexpected-status': ({ url, detail }) =>
    `${url} returned the unexpected status ${detail}: check the program at this URL`,
  'too-large': ({ url, detail }) =>
    `${url} sent more than ${detail}, too much for a listing: check the program at this URL`,
  'not-json': ({ url, detail }) =>
    `${url} did not send JSON (${detail}): check that it is a mutator server`,
  'not-a-listing': ({ url, detail }) =>
    `${url} sent JSON that is not a mutator listing (${detail}): check that it is a mutator server`,
  'too-many': ({ url, detail }) => `${url} lists ${detail}: check the program at this URL`,
  failed: ({ url, detail }) => `the request to ${url} failed (${detail})`,
} satisfies Readonly<Record<string, (about: Record<'url' | 'detail', string>) => string>>;

/** Codes for user errors. All other errors come from the server or the network. */
const WRONG_ARGUMENTS = new Set<ClientErrorCode>(['bad-url', 'bad-key', 'bad-id', 'no-mutator']);

/** The error for a failed request to a mutator server. The message is human-readable and contains no secrets. */
export class ClientError extends PerturbError<ClientErrorCode> {
  /**
   * @param url the requested URL, without credentials
   * @param detail the specific cause, included in the message
   */
  constructor(
    code: ClientErrorCode,
    readonly url: string,
    detail = '',
  ) {
    const exitCode = WRONG_ARGUMENTS.has(code) ? exitCodes.usage : exitCodes.unavailable;
    const wantsKey = code === 'key-missing' || code === 'unauthorized';
    const help = wantsKey ? 'Pass the key with --api-key-file or --api-key-env.' : undefined;
    super(code, MESSAGES[code]({ url, detail }), exitCode, help);
  }
}

/** Client error codes, by system, stream or TLS error code. */
const CAUSES: Readonly<Record<string, ClientErrorCode>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timed-out',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ERR_STREAM_PREMATURE_CLOSE: 'reset',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls-untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls-untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls-untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls-untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls-untrusted',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-wrong-host',
  EPROTO: 'tls-failed',
};

/** Returns the client error code for a system, stream, TLS or HTTP error code; undefined for any other code. */
export function causeOf(code: string): ClientErrorCode | undefined {
  if (Object.hasOwn(CAUSES, code)) return CAUSES[code];
  if (code.startsWith('ERR_SSL_')) return 'tls-failed';
  // Codes of Node's HTTP parser.
  return /^HPE_(?!HEADER_OVERFLOW)/.test(code) ? 'not-http' : undefined;
}

/**
 * Converts an exception from sending a request or reading the response. Returns undefined for a bug, which is any
 * exception other than a connection failure.
 */
export function fromRequestError(
  error: unknown,
  url: string,
  timeout: string,
): ClientError | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  const detail = String(error.code);
  const code = causeOf(detail) ?? 'failed';
  if (code === 'not-http') return new ClientError(code, url);
  return new ClientError(code, url, code === 'timed-out' ? timeout : detail);
}
