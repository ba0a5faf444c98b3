import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { type Mutation, writeMutation } from '../../actuators/index.js';
import { quote } from '../../diagnostics/index.js';
import { defined, durationText } from '../../values/index.js';
import { ACTION_TIMEOUT, durationIn, type Mutator, SERVER_TIMEOUT } from '../model/mutator.js';
import { toServerJson } from '../model/parameter.js';
import { type EndedMutation, readEndedMutations } from '../wire/ended.js';
import { type Listing, readListing } from '../wire/listing.js';
import { ClientError, type ClientErrorCode, fromRequestError } from './client-error.js';
import {
  acceptedHeader,
  acceptsRequestsWithoutKey,
  isApiKey,
  isSuccess,
  sendWithKey,
} from './key-header.js';

/**
 * Returns the base URL for a mutator server's endpoints, without a trailing slash. Throws a ClientError for anything
 * but a plain server URL. Refuses credentials in a URL, because URLs end up in logs and process lists.
 */
function baseOf(text: string): string {
  const displayUrl = withoutCredentials(text);
  if (!/^https?:\/\//i.test(text)) {
    throw new ClientError('bad-url', displayUrl, 'expected it to begin with http:// or https://');
  }
  if (!/^[^/]*\/\/[^/\\?#]/.test(text) || !URL.canParse(text)) {
    throw new ClientError('bad-url', displayUrl, 'it has no valid host and port');
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new ClientError(
      'bad-url',
      displayUrl,
      'credentials in URLs are not supported; use an API key',
    );
  }
  if (/[?#]/.test(text)) {
    throw new ClientError('bad-url', url.origin + url.pathname, 'it has a query or a fragment');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Removes the credentials from a URL for display, even if the URL is malformed. */
export function withoutCredentials(text: string): string {
  return text.replace(/^(.*?\/\/)?.*@/s, '$1');
}

/** Returns the URL for a mutator's mutations. */
function mutationsOf(base: string, id: string): string {
  // URL parsers resolve `.` and `..`, even percent-encoded.
  if (id === '' || id === '.' || id === '..' || /\p{Cs}/u.test(id)) {
    throw new ClientError('bad-id', base, quote(id));
  }
  return `${base}/mutator/${encodeURIComponent(id)}/mutation`;
}

/**
 * Returns the key header's value for requests without an API key, as learned in this process. Returns undefined if the
 * server requires no header, or has not yet accepted a request without a key.
 */
export function keylessHeader(url: string): string | undefined {
  return acceptedHeader(baseOf(url));
}

/** Maximum delay of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** Time allowed for transmitting a request and its response. */
const MARGIN_MS = 5_000;

/** Maximum size of a response. No listing is near this size. The limit keeps a wrong URL from exhausting memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Returns a request's timeout, in milliseconds.
 *
 * @param configuredTimeout the configured timeout
 * @param mutatorTimeout the timeout of the mutator to inject or reset
 */
export function responseTimeout(
  configuredTimeout: number | undefined,
  mutatorTimeout: number | undefined,
): number {
  if (configuredTimeout !== undefined) return configuredTimeout;
  // Twice, because the server may reset after a failed injection, or may finish an injection before a reset.
  return Math.max(
    SERVER_TIMEOUT.ms,
    mutatorTimeout === undefined ? 0 : 2 * mutatorTimeout + MARGIN_MS,
  );
}

export interface ClientOptions {
  /** The API's http or https URL, including the server's base path. */
  readonly url: string;
  /** The API key. Never included in error messages. */
  readonly apiKey?: string;
  /**
   * Timeout for a whole response, from connecting to the last byte of the body (default: `SERVER_TIMEOUT`). By default,
   * injecting or resetting a listed mutator may take longer, depending on the mutator's own timeout.
   */
  readonly timeoutMs?: number;
  /** True if the timeout covers all responses together, starting with the first request. */
  readonly sharesTimeout?: boolean;
  /** The name of the client's run, if any. Perturb's own server lets only one run mutate at a time. */
  readonly run?: string;
  /** Maximum size of a decompressed body (default 64 MiB). */
  readonly maxBytes?: number;
}

/** The header with the server's instance ID. Perturb's own server uses a new ID at each start. */
export const INSTANCE_HEADER = 'perturb-instance';

/** The header with the name of the requesting run. A value with `; end` releases the lease. */
export const RUN_HEADER = 'perturb-run';

/** The header with the time at which another run took the lease. */
export const IN_USE_HEADER = 'perturb-in-use-since';

/** The header that lists a run's mutations that ended without a request from the run. */
export const ENDED_MUTATIONS_HEADER = 'perturb-ended';

/** The DELETE header to stop injections into all of a server's mutators, or to allow injections again. */
export const HOLD_HEADER = 'perturb-hold';

/** The DELETE header to treat a mutator as reset even if the reset fails. */
export const FORGET_HEADER = 'perturb-forget';

/** The header that describes a forgotten mutator's residue. */
export const RESIDUE_HEADER = 'perturb-left';

/** Maximum length of the residue's description in `RESIDUE_HEADER`. */
const MAX_RESIDUE_LENGTH = 2_000;

/** Encodes a residue's description for `RESIDUE_HEADER`. */
export function writeResidue(text: string): string {
  return encodeURIComponent(text.slice(0, MAX_RESIDUE_LENGTH).toWellFormed());
}

/** Decodes a text from `writeResidue`. Returns any other text unchanged. */
function readResidue(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The header with the time at which injections were stopped. */
export const HELD_SINCE_HEADER = 'perturb-held-since';

/** The header to include active mutations in the listing, as attributes. */
export const ACTIVITY_HEADER = 'perturb-activity';

/** The server's status, from a successful response. */
export interface ServerStatus {
  /** The server's instance ID, which changes at each start. Only Perturb's own server reports it. */
  readonly instance?: string;
  /**
   * The time of the latest server restart, detected by a missing response or a new instance ID. In milliseconds since
   * 1970; absent if the server has not restarted.
   */
  readonly restartedAt?: number;
  /** The time at which injections were stopped; absent if they are allowed. Only Perturb's own server reports it. */
  readonly heldSince?: string;
  /** Mutations that ended without a request from their run. Only Perturb's own server reports such mutations. */
  readonly ended?: readonly EndedMutation[];
  /** The residue of a forgotten mutator, which counts as reset although the reset failed. */
  readonly left?: string;
}

/** A client of a mutator server. Its methods reject with a ClientError. */
export type MutatorClient = ReturnType<typeof createClient>;

interface LeaseAnswer extends ServerStatus {
  /** The time at which another run took the lease. */
  readonly inUseSince?: string;
}

interface Answer extends LeaseAnswer {
  readonly body: string;
}

interface Request {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** The value of the run header; absent for requests that need no lease. */
  readonly run?: string | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The affected mutator's id, if any. */
  readonly id?: string;
  /** The id of the mutation to inject, if any. */
  readonly mutation?: string;
}

/** Creates a client without connecting. Throws a ClientError for an unusable URL or key. */
export function createClient(options: ClientOptions) {
  const { apiKey, timeoutMs = SERVER_TIMEOUT.ms, run, maxBytes = MAX_BYTES } = options;
  /** The mutators of the last listing, by id. */
  const knownMutators = new Map<string, Mutator>();
  /** The last known instance ID of Perturb's own server. */
  let instance: string | undefined;
  /**
   * The time of the first request without a response since the last response, and the time of the latest detected
   * restart, both in milliseconds since 1970.
   */
  let silentSince: number | undefined;
  let restartedAt: number | undefined;
  const base = baseOf(options.url);
  if (apiKey !== undefined && !isApiKey(apiKey)) {
    throw new ClientError('bad-key', base);
  }

  let deadline = Number.POSITIVE_INFINITY;
  const remainingMs = (limit: number): number => {
    const now = performance.now();
    const isFirst = options.sharesTimeout !== true || deadline === Number.POSITIVE_INFINITY;
    if (isFirst) deadline = now + limit;
    else if (limit > timeoutMs) deadline = Math.max(deadline, now + limit);
    return Math.min(Math.max(Math.ceil(deadline - now), 0), LONGEST_MS);
  };

  async function send(request: Request): Promise<Answer> {
    const { url, method, body, id = '' } = request;
    const mutator = knownMutators.get(id);
    const mutatorTimeout = mutator && durationIn(mutator, ACTION_TIMEOUT);
    const limit = responseTimeout(options.timeoutMs, mutatorTimeout);
    const timeout =
      mutatorTimeout === undefined || mutatorTimeout < limit
        ? `${limit} ms`
        : `${limit} ms, while its mutator has a timeout of ${durationText(mutatorTimeout)}`;
    const waitMs = remainingMs(limit);
    if (waitMs === 0) throw new ClientError('timed-out', url, timeout);
    // Does not use AbortSignal.timeout, because the signal may be garbage-collected while the body is being read.
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), waitMs);
    try {
      const headers = {
        ...(method === 'GET' && { 'accept-encoding': 'gzip, deflate' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(request.run !== undefined && { [RUN_HEADER]: request.run }),
        ...request.headers,
      };
      const response = await sendWithKey({ base, apiKey, method }, (key) =>
        sendRequest(request, controller.signal, { ...headers, ...key }),
      );
      if (response === undefined) throw new ClientError('key-missing', url);
      recordInstance(response);
      const refusal = findRefusal(response, request, apiKey !== undefined);
      if (refusal !== undefined) {
        response.destroy();
        throw refusal;
      }
      const answer = { ...parseHeaders(response), ...defined({ restartedAt }) };
      return { ...answer, body: await readBody(response, url, maxBytes) };
    } catch (error) {
      if (error instanceof ClientError) throw error;
      silentSince ??= Date.now();
      if (controller.signal.aborted) throw new ClientError('timed-out', url, timeout);
      throw fromRequestError(error, url, timeout) ?? error;
    } finally {
      clearTimeout(timer);
    }
  }

  function recordInstance(response: IncomingMessage): void {
    const { instance: answeringInstance } = parseHeaders(response);
    if (answeringInstance !== undefined && answeringInstance !== instance) {
      if (instance !== undefined) restartedAt = silentSince ?? Date.now();
      instance = answeringInstance;
    }
    silentSince = undefined;
  }

  const listRequest: Request = { url: `${base}/mutator`, method: 'GET' };

  return {
    /** The base URL of the server's endpoints. */
    url: base,

    /**
     * Requests `GET /mutator`.
     *
     * @param activity set to request the active mutations too
     */
    async list(activity?: 'with-activity'): Promise<Listing & ServerStatus> {
      const headers = activity && { headers: { [ACTIVITY_HEADER]: 'true' } };
      const { body, ...answer } = await send({ ...listRequest, ...headers });
      const listing = readListing(body);
      if ('problem' in listing)
        throw new ClientError(listing.code, listRequest.url, listing.problem);
      for (const mutator of listing.mutators) knownMutators.set(mutator.id, mutator);
      return { ...answer, ...listing };
    },

    /**
     * Requests `POST /mutator/{id}/mutation`, with values in the last listing's JSON shapes. Unless the server has
     * already accepted a request, a client without a key first lists the mutators, to find out if the server requires
     * the key header. A POST cannot be used for this, because it is never retried.
     */
    async inject(id: string, mutation: Mutation): Promise<ServerStatus> {
      const parameters = knownMutators.get(id)?.parameters;
      const body = writeMutation(mutation, (key, value) =>
        toServerJson(parameters?.find((candidate) => candidate.key === key) ?? {}, value),
      );
      const url = mutationsOf(base, id);
      if (apiKey === undefined && !acceptsRequestsWithoutKey(base)) await send(listRequest);
      return send({ url, method: 'POST', body, id, mutation: mutation.id, run });
    },

    /**
     * Requests `DELETE /mutator/{id}/mutation`. On Perturb's own server, `hold` stops injections into all mutators or
     * allows them again, and `forget` treats the mutator as reset even if the reset fails.
     */
    async reset(
      id: string,
      { hold, forget }: { readonly hold?: boolean; readonly forget?: boolean } = {},
    ): Promise<ServerStatus> {
      const headers = {
        ...(hold !== undefined && { [HOLD_HEADER]: String(hold) }),
        ...(forget && { [FORGET_HEADER]: 'true' }),
      };
      return send({ url: mutationsOf(base, id), method: 'DELETE', id, run, headers });
    },

    /**
     * Acquires or renews the run's lease on Perturb's own server. Does nothing for any other server, or before the
     * server's first response.
     *
     * @param end set to release the lease
     * @returns the time at which another run took the lease, if any, and the server's report
     */
    async lease(end?: 'end'): Promise<LeaseAnswer> {
      if (run === undefined || instance === undefined) return {};
      const name = end === undefined ? run : `${run}; end`;
      return send({ ...listRequest, method: 'HEAD', run: name });
    },
  };
}

/**
 * Sends a request on a new connection. If the server closed a kept-alive connection just as the request arrived, the
 * client could not determine if the server had processed the request. Does not use `fetch`, because loading `fetch`
 * takes longer than running a whole command.
 *
 * @returns the response, whose body is still unread
 */
function sendRequest(
  { url, method, body }: Request,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  // Loaded only here, because most commands need no server.
  const { request } = process.getBuiltinModule(/^https:/.test(url) ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, signal, agent: false }, resolve);
    // The listener stays, because a connection may fail more than once.
    outgoing.on('error', reject).on('upgrade', resolve).end(body);
  });
}

function parseHeaders({ headers }: IncomingMessage): LeaseAnswer {
  const endedText = headers[ENDED_MUTATIONS_HEADER]?.toString();
  const leftText = headers[RESIDUE_HEADER]?.toString();
  return defined({
    instance: headers[INSTANCE_HEADER]?.toString(),
    heldSince: headers[HELD_SINCE_HEADER]?.toString(),
    inUseSince: headers[IN_USE_HEADER]?.toString(),
    ended: endedText === undefined ? undefined : readEndedMutations(endedText),
    left: leftText === undefined ? undefined : readResidue(leftText),
  });
}

/** Returns the error for an unsuccessful response. */
function findRefusal(
  response: IncomingMessage,
  request: Request,
  hasKey: boolean,
): ClientError | undefined {
  const { headers, statusCode: status = 0 } = response;
  const { url, method, id } = request;
  const createError = (code: ClientErrorCode, detail?: string) =>
    new ClientError(code, url, detail);
  if (isSuccess(response)) return undefined;
  if (status >= 300 && status < 400) {
    return createError('redirected', destinationOf(headers.location, url));
  }
  const { heldSince, inUseSince, ended = [] } = parseHeaders(response);
  switch (status) {
    case 400:
      return createError('rejected');
    case 401:
      if (hasKey) return createError('unauthorized', 'the server does not accept this API key');
      return createError('unauthorized', 'the server requires an API key, but none was sent');
    case 404:
      return id === undefined ? createError('no-api') : createError('no-mutator', quote(id));
    case 409:
      // Other servers may use this status for any purpose.
      if (inUseSince === undefined) break;
      return createError('in-use', inUseSince);
    case 500:
      if (method === 'POST' && heldSince !== undefined) return createError('held', heldSince);
      if (
        ended.some(
          (mutation) => mutation.mutation === request.mutation && mutation.cause === 'undone',
        )
      ) {
        return createError('undone');
      }
      if (id === undefined) return createError('server-failed', 'the server failed');
      return createError('server-failed', 'the mutator failed and may be active');
  }
  return createError('unexpected-status', String(status));
}

function destinationOf(location: string | undefined, baseUrl: string): string {
  if (location === undefined || !URL.canParse(location, baseUrl)) return 'nowhere';
  const { origin, pathname } = new URL(location, baseUrl);
  return origin + pathname;
}

async function readBody(response: IncomingMessage, url: string, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of decompress(response)) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new ClientError('too-large', url, `${maxBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new ClientError('not-json', url, 'the text is not UTF-8');
  }
}

/** Returns a response's body, decompressed if necessary. */
function decompress(response: IncomingMessage): AsyncIterable<Uint8Array> {
  if (!/^(?:x-)?gzip$|^deflate$/i.test(response.headers['content-encoding'] ?? '')) return response;
  const { createUnzip } = process.getBuiltinModule('node:zlib');
  // The body's reader receives any error.
  return pipeline(response, createUnzip(), () => {});
}
