import { setMaxListeners } from 'node:events';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { parseAddress } from '../../basics/index.js';
import { codeOf } from '../../durable/index.js';
import { causeOf } from '../../mutators/index.js';
import { runShortCommand } from '../short-command.js';
import { MAX_RESPONSE_BYTES, type PollResponse } from './answer.js';
import { fillVariables, type Poll, type PollContext } from './poll.js';

/** A sender of a poll's requests. */
export interface PollClient {
  /** Sends a request. Never rejects; an error is a response, too. */
  readonly ask: () => Promise<PollResponse>;
  /** Closes all connections and cancels pending requests. */
  readonly close: () => void;
}

/** Returns a sender of a poll's requests. Does not connect yet. */
export function openPollClient(poll: Poll, context: PollContext): PollClient {
  if (poll.http !== undefined) return httpAsker(poll, poll.http, context);
  if (poll.tcp !== undefined) return tcpAsker(poll, poll.tcp, context);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return {
    ask: () => askCommand(poll, context, closing.signal),
    close: () => closing.abort(),
  };
}

/** Returns one word for the cause of a failed request. */
function errorOf(error: unknown): string {
  const code = codeOf(error) ?? 'failed';
  const cause = causeOf(code) ?? code;
  return cause === 'timed-out' ? 'timeout' : cause;
}

function createError(error: string): PollResponse {
  return { ok: false, error };
}

/** Pending requests, each with a timeout. */
class TimedQuestions {
  readonly #open = new Set<() => void>();

  constructor(private readonly timeoutMs: number) {}

  /** Returns the response to a request. @param begin sends the request and returns a function that cancels it */
  ask(begin: (answer: (answer: PollResponse) => void) => () => void): Promise<PollResponse> {
    return new Promise((resolve) => {
      const settle = (answer: PollResponse): void => {
        clearTimeout(timer);
        this.#open.delete(stop);
        resolve(answer);
        end();
      };
      const stop = () => settle(createError('aborted'));
      const timer = setTimeout(() => settle(createError('timeout')), this.timeoutMs);
      this.#open.add(stop);
      const end = begin(settle);
    });
  }

  close(): void {
    for (const stop of this.#open) stop();
  }
}

/** Safe HTTP methods, whose requests may be retried. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Timeout for an idle connection. Most servers close idle connections soon afterwards. */
const IDLE_MS = 1_000;

/**
 * Returns a sender of HTTP requests. Requests with safe methods reuse connections. If the server closes a connection
 * that a request has just reused, retries the request on a new connection.
 */
function httpAsker(poll: Poll, address: string, { env }: PollContext): PollClient {
  const url = new URL(fillVariables(address, env));
  const isSecure = url.protocol === 'https:';
  const start = isSecure ? requestHttps : requestHttp;
  const { method = 'GET', headers = {}, body, timeoutMs } = poll;
  const questions = new TimedQuestions(timeoutMs);
  const keepAlive = SAFE_METHODS.includes(method);
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive, timeout: IDLE_MS });
  const filledHeaders = Object.entries(headers).map(([name, text]) => [
    name,
    fillVariables(text, env),
  ]);
  const filledBody = body === undefined ? undefined : fillVariables(body, env);
  const options = { method, headers: Object.fromEntries(filledHeaders) };
  /** Sends a request. @returns a function that cancels the request */
  const send = (
    agentOption: HttpAgent | false,
    answer: (answer: PollResponse) => void,
  ): (() => void) => {
    let response: IncomingMessage | undefined;
    let endRetry: (() => void) | undefined;
    const request = start(url, { ...options, agent: agentOption }, (incomingMessage) => {
      response = incomingMessage;
      readAnswer(incomingMessage, answer);
    });
    const fail = (error: string): void => {
      if (response !== undefined || endRetry !== undefined) return;
      if (error === 'reset' && request.reusedSocket) endRetry = send(false, answer);
      else answer(createError(error));
    };
    // A connection may emit several errors.
    request.on('error', (error) => fail(errorOf(error)));
    request.once('close', () => fail('reset'));
    request.end(filledBody);
    return () => {
      // After a complete response, the connection stays open for the next request.
      if (response?.complete !== true) request.destroy();
      endRetry?.();
    };
  };
  return {
    ask: () => questions.ask((answer) => send(agent, answer)),
    close() {
      questions.close();
      agent.destroy();
    },
  };
}

function readAnswer(response: IncomingMessage, answer: (answer: PollResponse) => void): void {
  const { statusCode: status = 0 } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  const end = (isTruncated: boolean): void => {
    const text = Buffer.concat(chunks).toString('utf8');
    answer({ ok: status >= 200 && status < 300, status, text, isTruncated });
  };
  response.on('data', (bytes: Buffer) => {
    size += bytes.length;
    chunks.push(bytes);
    if (size > MAX_RESPONSE_BYTES) end(true);
  });
  response.once('end', () => end(false));
  response.on('error', (error) => answer({ ...createError(errorOf(error)), status }));
}

function tcpAsker({ timeoutMs }: Poll, text: string, { env }: PollContext): PollClient {
  const address = parseAddress(fillVariables(text, env)) ?? { host: '', port: 0 };
  const questions = new TimedQuestions(timeoutMs);
  return {
    ask: () =>
      questions.ask((answer) => {
        const socket = connect(address);
        socket.once('connect', () => answer({ ok: true }));
        socket.on('error', (error) => answer(createError(errorOf(error))));
        return () => void socket.destroy();
      }),
    close: () => questions.close(),
  };
}

async function askCommand(
  { command = [], timeoutMs }: Poll,
  context: PollContext,
  signal: AbortSignal,
): Promise<PollResponse> {
  const setup = { vector: command, timeoutMs, maxBytes: MAX_RESPONSE_BYTES, signal, ...context };
  const { status, error, stdout } = await runShortCommand(setup);
  if (error !== undefined && error !== 'too-long') return createError(error);
  const isTruncated = error === 'too-long';
  const text = stdout.toString('utf8');
  return {
    ok: status === 0,
    ...(status !== undefined && { status }),
    ...(isTruncated && { error }),
    ...{ text, isTruncated },
  };
}
