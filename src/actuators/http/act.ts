import { request as requestHttp, validateHeaderValue } from 'node:http';
import { request as requestHttps } from 'node:https';
import { quote } from '../../diagnostics/index.js';
import { codeOf } from '../../durable/index.js';
import { writeJson } from '../../values/index.js';
import type { LiveActuator, ParameterValues } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import { type ActuatorContext, fillFrom } from '../context.js';
import { systemClock } from '../scheduling.js';
import { fillJson } from '../template.js';
import { fillUrl } from './fill-url.js';
import type { HttpActuator, HttpRequest } from './format.js';

/** Nothing beyond this is awaited of an answer: only its status counts. */
const MOST_BYTES = 1024 * 1024;

const NO_VALUES: ParameterValues = new Map();

/**
 * Sends requests to the system's own control endpoint, each on a connection of
 * its own: a connection that is kept may be closed by the other side at the
 * moment of a reset. Throws an ActuatorError for headers that cannot be sent.
 */
export function createHttp(actuator: HttpActuator, context: ActuatorContext): LiveActuator {
  const { timeoutMs } = actuator;
  const injectHeaders = headersOf(actuator.inject, context);
  const resetHeaders = headersOf(actuator.reset, context);
  const post = (message: Message, signal: AbortSignal | undefined) => {
    const refuse = () => new ActuatorError('aborted', message.subject);
    return context.gates.requests.run(() => send(message, timeoutMs, signal), signal, refuse);
  };
  return {
    inject: async ({ params }, signal) =>
      post(messageOf(actuator.inject, injectHeaders, params), signal),
    reset: async (signal) => post(messageOf(actuator.reset, resetHeaders, NO_VALUES), signal),
    close: async () => {},
  };
}

type Headers = ReadonlyMap<string, string>;

/** The headers with the values of environment variables, which may be secrets. */
function headersOf({ headers }: HttpRequest, { environment }: ActuatorContext): Headers {
  return new Map(
    [...headers].map(([name, template]) => {
      const text = fillFrom(environment, template, `the header ${quote(name)}`);
      try {
        validateHeaderValue(name, text);
      } catch {
        throw new ActuatorError('bad-header', quote(name));
      }
      return [name.toLowerCase(), text];
    }),
  );
}

/** A request that is ready to be sent. */
type Message = ReturnType<typeof messageOf>;

function messageOf(request: HttpRequest, headers: Headers, values: ParameterValues) {
  const { method } = request;
  const url = fillUrl(request.url, values);
  const body = request.body && writeJson(fillJson(request.body, values));
  const about = body === undefined ? {} : { 'content-type': 'application/json' };
  const length =
    method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body ?? '')) };
  return {
    // Without its query, in which people put tokens.
    subject: `${method} ${url.origin}${url.pathname}`,
    url,
    method,
    headers: { ...about, ...Object.fromEntries(headers), ...length },
    body,
  };
}

function send(message: Message, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  const { subject, url, method, headers, body } = message;
  if (signal?.aborted) return Promise.reject(new ActuatorError('aborted', subject));
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = start(url, { method, headers, agent: false });
    let isConnected = false;
    request.once('socket', (socket) => {
      socket.once('connect', () => {
        isConnected = true;
      });
    });
    const end = (error?: ActuatorError) => {
      disarm();
      signal?.removeEventListener('abort', abort);
      request.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    const abort = () => end(new ActuatorError('aborted', subject, '', timeoutMs));
    const disarm = systemClock.after(timeoutMs, () =>
      end(new ActuatorError('timed-out', subject, `${timeoutMs} ms`, timeoutMs)),
    );
    signal?.addEventListener('abort', abort, { once: true });
    const fail = (error: Error) => {
      // The system may be at work on what it has received.
      const lateMs = isConnected ? timeoutMs : undefined;
      end(new ActuatorError('no-answer', subject, codeOf(error) ?? error.message, lateMs));
    };
    // Stays on: a connection may fail more than once.
    request.on('error', fail);
    request.once('response', (response) => {
      response.on('error', fail);
      const failure = failureOf(subject, url, response.statusCode ?? 0, response.headers.location);
      if (failure !== undefined) return end(failure);
      let bytes = 0;
      response.on('data', (chunk: Uint8Array) => {
        bytes += chunk.byteLength;
        if (bytes > MOST_BYTES) end();
      });
      response.once('end', () => end());
    });
    request.end(body);
  });
}

/** What an answer other than a success means. Its body is not shown: it may repeat a secret. */
function failureOf(
  subject: string,
  url: URL,
  status: number,
  location: string | undefined,
): ActuatorError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status < 300 || status >= 400 || location === undefined) {
    return new ActuatorError('status', subject, String(status));
  }
  const place = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  return new ActuatorError(
    'redirected',
    subject,
    place ? place.origin + place.pathname : 'nowhere',
  );
}
