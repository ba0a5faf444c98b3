import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { type Mutation, writeMutation } from '../../actuators/index.js';
import { quote } from '../../diagnostics/index.js';
import { defined, durationText } from '../../values/index.js';
import { ACTION_TIMEOUT, durationIn, type Mutator, SERVER_TIMEOUT } from '../model/mutator.js';
import { toServerJson } from '../model/parameter.js';
import { type EndedMutation, readEnded } from '../wire/ended.js';
import { type Listing, readListing } from '../wire/listing.js';
import { ClientError, type ClientErrorCode, fromRequestError } from './client-error.js';
import { acceptedHeader, acceptsKeyless, isApiKey, isSuccess, sendKeyed } from './key-header.js';

/**
 * Returns the base of a mutator server's endpoints, without a slash at its end. Throws a
 * ClientError for anything but a server's plain URL, including a URL with credentials, because
 * those end up in logs and process lists.
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
    throw new ClientError('bad-url', displayUrl, 'credentials do not belong in it; use an API key');
  }
  if (/[?#]/.test(text)) {
    throw new ClientError('bad-url', url.origin + url.pathname, 'it has a query or a fragment');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Returns a URL, even a malformed one, without the part before an `@`, for display. */
export function withoutCredentials(text: string): string {
  return text.replace(/^(.*?\/\/)?.*@/s, '$1');
}

/** Returns the URL of a mutator's mutations. */
function mutationsOf(base: string, id: string): string {
  // URLs treat these ids as steps in a path, percent-encoded or not.
  if (id === '' || id === '.' || id === '..' || /\p{Cs}/u.test(id)) {
    throw new ClientError('bad-id', base, quote(id));
  }
  return `${base}/mutator/${encodeURIComponent(id)}/mutation`;
}

/**
 * Returns the value of the key header that a server demanded of clients without a key in this
 * process; undefined if the server demanded no header, or received no request without a key.
 */
export function keylessHeader(url: string): string | undefined {
  return acceptedHeader(baseOf(url));
}

/** Maximum delay of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** Transit time of a request and its response. */
const MARGIN_MS = 5_000;

/**
 * Maximum size of a response. No listing is near this size. The limit keeps a wrong URL from
 * filling the memory.
 */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Returns the timeout of a request, in milliseconds.
 *
 * @param configuredTimeout the configured timeout
 * @param mutatorTimeout the timeout of the mutator to inject or reset
 */
export function answerLimit(
  configuredTimeout: number | undefined,
  mutatorTimeout: number | undefined,
): number {
  if (configuredTimeout !== undefined) return configuredTimeout;
  // A server may reset after a failed injection, or finish an injection before a reset.
  return Math.max(
    SERVER_TIMEOUT.ms,
    mutatorTimeout === undefined ? 0 : 2 * mutatorTimeout + MARGIN_MS,
  );
}

export interface ClientOptions {
  /** The API's URL: http or https, with the server's base path. */
  readonly url: string;
  /** Never shown in a message. */
  readonly apiKey?: string;
  /**
   * Timeout for a whole response, from the connection to the last byte of its body. By default
   * `SERVER_TIMEOUT`; an injection or a reset of a listed mutator may take as long as that
   * mutator's own timeout requires.
   */
  readonly timeoutMs?: number;
  /** True if that timeout is for all responses together, starting with the first request. */
  readonly sharesTimeout?: boolean;
  /**
   * The name of the client's run, if any. Perturb's own server lets only one run at a time mutate.
   */
  readonly run?: string;
  /** Maximum size of a decompressed body; 64 MiB by default. */
  readonly maxBytes?: number;
}

/**
 * The header that identifies the start of Perturb's own server. Each start has a different value.
 */
export const INSTANCE_HEADER = 'perturb-instance';

/** The header by which a run names itself to a server; with `; end` it releases the server. */
export const RUN_HEADER = 'perturb-run';

/** The header for the time at which another run began to use the server. */
export const IN_USE_HEADER = 'perturb-in-use-since';

/** The header for a run's mutations that have ended without it. */
export const ENDED_HEADER = 'perturb-ended';

/** The header of a DELETE that stops injections into all mutators of a server, or allows them again. */
export const HOLD_HEADER = 'perturb-hold';

/** The header of a DELETE after which a mutator counts as reset even if that fails. */
export const FORGET_HEADER = 'perturb-forget';

/** The header for the residue of such a mutator. */
export const LEFT_HEADER = 'perturb-left';

/** Maximum length of the residue's description in that header. */
const MAX_LEFT_LENGTH = 2_000;

/** Writes the value of `LEFT_HEADER`. */
export function writeLeft(text: string): string {
  return encodeURIComponent(text.slice(0, MAX_LEFT_LENGTH).toWellFormed());
}

/** Reads a text that `writeLeft` wrote; returns any other text unchanged. */
function readLeft(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The header for the time at which injections were stopped. */
export const HELD_SINCE_HEADER = 'perturb-held-since';

/** The header that requests the active mutations, as attributes of the listing. */
export const ACTIVITY_HEADER = 'perturb-activity';

/** A server's report about itself after a successful request. */
export interface ServerAnswer {
  /** The start of the server that responded; only Perturb's own server reports it. */
  readonly instance?: string;
  /**
   * The time at which the client found that the previous start of the server was gone, in
   * milliseconds since 1970; absent if there was no earlier start.
   */
  readonly restartedAt?: number;
  /** The time at which injections were stopped, if so; only Perturb's own server reports it. */
  readonly heldSince?: string;
  /** The run's mutations that have ended without it; only Perturb's own server reports them. */
  readonly ended?: readonly EndedMutation[];
  /** The residue of a mutator that could not be reset, and counts as reset as requested. */
  readonly left?: string;
}

/** A client of a mutator server. Failures are rejections with a ClientError. */
export type MutatorClient = ReturnType<typeof createClient>;

interface LeaseAnswer extends ServerAnswer {
  /** The time at which another run began to use the server. */
  readonly inUseSince?: string;
}

interface Answer extends LeaseAnswer {
  readonly body: string;
}

interface Request {
  readonly url: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** The header about the client's run; absent for requests that need no lease. */
  readonly run?: string | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The requested mutator, if any. */
  readonly id?: string;
  /** The mutation to inject. */
  readonly mutation?: string;
}

/** Creates a client. Opens no connection yet. Throws a ClientError for an unusable URL or key. */
export function createClient(options: ClientOptions) {
  const { apiKey, timeoutMs = SERVER_TIMEOUT.ms, run, maxBytes = MAX_BYTES } = options;
  /** The mutators of the last listing, by id. */
  const knownMutators = new Map<string, Mutator>();
  /** The start of Perturb's own server that responded last. */
  let instance: string | undefined;
  /**
   * The time since which the server has not responded, and the time at which a start of it was last
   * found to be gone.
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
    const limit = answerLimit(options.timeoutMs, mutatorTimeout);
    const timeout =
      mutatorTimeout === undefined || mutatorTimeout < limit
        ? `${limit} ms`
        : `${limit} ms, while its mutator has a timeout of ${durationText(mutatorTimeout)}`;
    const waitMs = remainingMs(limit);
    if (waitMs === 0) throw new ClientError('timed-out', url, timeout);
    // Not AbortSignal.timeout: it may be garbage-collected while only the body is read.
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), waitMs);
    try {
      const headers = {
        ...(method === 'GET' && { 'accept-encoding': 'gzip, deflate' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(request.run !== undefined && { [RUN_HEADER]: request.run }),
        ...request.headers,
      };
      const response = await sendKeyed({ base, apiKey, method }, (key) =>
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
    /** The base of the server's endpoints. */
    url: base,

    /**
     * Requests `GET /mutator`.
     *
     * @param activity requests the active mutations too
     */
    async list(activity?: 'with-activity'): Promise<Listing & ServerAnswer> {
      const headers = activity && { headers: { [ACTIVITY_HEADER]: 'true' } };
      const { body, ...answer } = await send({ ...listRequest, ...headers });
      const listing = readListing(body);
      if ('problem' in listing)
        throw new ClientError(listing.code, listRequest.url, listing.problem);
      for (const mutator of listing.mutators) knownMutators.set(mutator.id, mutator);
      return { ...answer, ...listing };
    },

    /**
     * Requests `POST /mutator/{id}/mutation`, with values in the shapes of the last listing.
     * Without a key, and before the server has accepted any request, lists the mutators first. The
     * listing finds the header that the server may demand, because a POST is not repeated.
     */
    async inject(id: string, mutation: Mutation): Promise<ServerAnswer> {
      const parameters = knownMutators.get(id)?.parameters;
      const body = writeMutation(mutation, (key, value) =>
        toServerJson(parameters?.find((candidate) => candidate.key === key) ?? {}, value),
      );
      const url = mutationsOf(base, id);
      if (apiKey === undefined && !acceptsKeyless(base)) await send(listRequest);
      return send({ url, method: 'POST', body, id, mutation: mutation.id, run });
    },

    /**
     * Requests `DELETE /mutator/{id}/mutation`. On Perturb's own server, `hold` stops injections
     * into all mutators, or allows them again, and `forget` counts the mutator as reset even if the
     * reset fails.
     */
    async reset(
      id: string,
      { hold, forget }: { readonly hold?: boolean; readonly forget?: boolean } = {},
    ): Promise<ServerAnswer> {
      const headers = {
        ...(hold !== undefined && { [HOLD_HEADER]: String(hold) }),
        ...(forget && { [FORGET_HEADER]: 'true' }),
      };
      return send({ url: mutationsOf(base, id), method: 'DELETE', id, run, headers });
    },

    /**
     * Takes or renews the lease of the client's run at Perturb's own server. Does nothing for any
     * other server, or before the first request to the server.
     *
     * @param end releases the lease
     * @returns the time at which another run took the lease, if any, and the server's report about
     * itself
     */
    async lease(end?: 'end'): Promise<LeaseAnswer> {
      if (run === undefined || instance === undefined) return {};
      const name = end === undefined ? run : `${run}; end`;
      return send({ ...listRequest, method: 'HEAD', run: name });
    },
  };
}

/**
 * Sends a request on its own connection. The server may close a kept-alive connection at the moment
 * of the next request, and then nobody knows whether it processed that request. Does not use
 * `fetch`, which takes longer to load than a whole command.
 *
 * @returns the response, with its body still to be read
 */
function sendRequest(
  { url, method, body }: Request,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  // A command that uses no server starts without these modules.
  const { request } = process.getBuiltinModule(/^https:/.test(url) ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, signal, agent: false }, resolve);
    // The listener stays: a connection may fail more than once.
    outgoing.on('error', reject).on('upgrade', resolve).end(body);
  });
}

function parseHeaders({ headers }: IncomingMessage): LeaseAnswer {
  const endedText = headers[ENDED_HEADER]?.toString();
  const leftText = headers[LEFT_HEADER]?.toString();
  return defined({
    instance: headers[INSTANCE_HEADER]?.toString(),
    heldSince: headers[HELD_SINCE_HEADER]?.toString(),
    inUseSince: headers[IN_USE_HEADER]?.toString(),
    ended: endedText === undefined ? undefined : readEnded(endedText),
    left: leftText === undefined ? undefined : readLeft(leftText),
  });
}

/** Returns the error for a response other than a success. */
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
      if (hasKey) return createError('unauthorized', 'it does not accept this API key');
      return createError('unauthorized', 'it requires an API key, but none was sent');
    case 404:
      return id === undefined ? createError('no-api') : createError('no-mutator', quote(id));
    case 409:
      // From any other server, this status may mean anything.
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

/** Returns a response's body, and decompresses a requested compression. */
function decompress(response: IncomingMessage): AsyncIterable<Uint8Array> {
  if (!/^(?:x-)?gzip$|^deflate$/i.test(response.headers['content-encoding'] ?? '')) return response;
  const { createUnzip } = process.getBuiltinModule('node:zlib');
  // A failure is thrown to the reader of the body.
  return pipeline(response, createUnzip(), () => {});
}
