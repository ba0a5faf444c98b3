import { once } from 'node:events';
import {
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
  validateHeaderValue,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { quote } from '../../diagnostics/index.js';
import { codeOf } from '../../durable/index.js';
import { writeJson } from '../../values/index.js';
import type { LiveActuator } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import { type ActuatorContext, expandVariables } from '../context.js';
import { type Interruption, waitFor } from '../scheduling.js';
import { createValueLookup, fillJson, type ValueOf } from '../template.js';
import { fillUrl } from './fill-url.js';
import type { HttpActuator, HttpRequest } from './format.js';

/** Maximum number of bytes to read from a response. Only the status matters. */
const MAX_BYTES = 1024 * 1024;

/**
 * Creates an actuator that sends requests to the system's control endpoint. Each request uses a new connection, because
 * the system may close a kept-alive connection just as a reset is sent. Throws an ActuatorError for invalid headers.
 */
export function createHttpActuator(actuator: HttpActuator, context: ActuatorContext): LiveActuator {
  const { timeoutMs, placeholders } = actuator;
  const injectHeaders = headersOf(actuator.inject, context);
  const resetHeaders = headersOf(actuator.reset, context);
  const post = (message: Message, signal: AbortSignal | undefined) =>
    context.semaphores.requests.run(() => send(message, timeoutMs, signal), signal);
  return {
    async inject({ params }, signal) {
      const valueFor = createValueLookup(placeholders, params);
      await post(messageOf(actuator.inject, injectHeaders, valueFor), signal);
    },
    async reset(signal) {
      await post(
        messageOf(actuator.reset, resetHeaders, () => undefined),
        signal,
      );
    },
    close: async () => {},
  };
}

type Headers = ReadonlyMap<string, string>;

/** Returns a request's headers with environment variables expanded. The values may be secrets. */
export function headersOf({ headers }: HttpRequest, { environment }: ActuatorContext): Headers {
  return new Map(
    [...headers].map(([name, template]) => {
      const text = expandVariables(environment, template, `the header ${quote(name)}`);
      try {
        validateHeaderValue(name, text);
      } catch {
        throw new ActuatorError('bad-header', quote(name));
      }
      return [name.toLowerCase(), text];
    }),
  );
}

/** A request ready for sending. */
type Message = ReturnType<typeof messageOf>;

export function messageOf(request: HttpRequest, headers: Headers, valueFor: ValueOf) {
  const { method } = request;
  const url = fillUrl(request.url, valueFor);
  const { body: json } = request;
  const body = json === undefined ? undefined : writeJson(fillJson(json, valueFor));
  const contentType = body === undefined ? {} : { 'content-type': 'application/json' };
  const lengthHeader =
    method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body ?? '')) };
  return {
    // Excludes the query, which may contain a token.
    subject: `${method} ${url.origin}${url.pathname}`,
    url,
    method,
    headers: { ...contentType, ...Object.fromEntries(headers), ...lengthHeader },
    body,
  };
}

/** The outcome of a request. */
type Exchange =
  | { readonly answer: IncomingMessage }
  | { readonly interruption: Interruption }
  /** The error code, and whether the request's connection was established. */
  | { readonly failure: string; readonly isConnected: boolean };

/** Sends a request, and waits for the response. Never rejects. */
export async function exchange(
  { url, method, headers, body }: Message,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Exchange> {
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  let request: ClientRequest | undefined;
  let isConnected = false;
  try {
    request = start(url, { method, headers, agent: false });
    request.once('socket', (socket) => {
      socket.once('connect', () => {
        isConnected = true;
      });
    });
    // A connection may fail more than once.
    request.on('error', () => {});
    request.end(body);
    const result = await waitFor(awaitResponse(request), timeoutMs, signal);
    return typeof result === 'string' ? { interruption: result } : { answer: result };
  } catch (error) {
    return { failure: codeOf(error) ?? String(error), isConnected };
  } finally {
    request?.destroy();
  }
}

async function send(message: Message, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  const { subject } = message;
  if (signal?.aborted) throw new ActuatorError('aborted', subject);
  const result = await exchange(message, timeoutMs, signal);
  if ('interruption' in result) {
    throw new ActuatorError(result.interruption, subject, `${timeoutMs} ms`, timeoutMs);
  }
  if ('failure' in result) {
    // The system may still be processing the request.
    const lateMs = result.isConnected ? timeoutMs : undefined;
    throw new ActuatorError('no-answer', subject, result.failure, lateMs);
  }
  const failure = failureOf(message, result.answer, timeoutMs);
  if (failure !== undefined) throw failure;
}

/** Waits for the response. For a successful response, also waits for its body, up to the maximum size. */
async function awaitResponse(request: ClientRequest): Promise<IncomingMessage> {
  const answers = ['response', 'upgrade'].map((event) => once(request, event));
  const [response] = (await Promise.race(answers)) as [IncomingMessage];
  if (!hasSucceeded(response)) return response;
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) break;
  }
  return response;
}

export function hasSucceeded({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Gateway statuses after which the system may still be processing the request. */
const GATEWAYS: ReadonlySet<number> = new Set([502, 504]);

/**
 * Returns the failure for an unsuccessful response; undefined for a successful response. Omits the body, which may
 * repeat a secret.
 */
function failureOf(
  { subject, url }: Message,
  answer: IncomingMessage,
  timeoutMs: number,
): ActuatorError | undefined {
  const { statusCode: status = 0, headers } = answer;
  if (hasSucceeded(answer)) return undefined;
  const { location } = headers;
  if (status < 300 || status >= 400 || location === undefined) {
    const lateMs = GATEWAYS.has(status) ? timeoutMs : undefined;
    return new ActuatorError('status', subject, String(status), lateMs);
  }
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  return new ActuatorError(
    'redirected',
    subject,
    target ? target.origin + target.pathname : 'nowhere',
  );
}
