import { OWN_PROBE, parseAddress } from '../basics/index.js';
import { quote, type ReportFn } from '../diagnostics/index.js';
import {
  array,
  type ConformingTable,
  enumOf,
  map,
  string,
  type TomlDocument,
  table,
} from '../toml/index.js';
import { defined, durationHint, durationText, durationViolation, toMs } from '../values/index.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A poll's default interval and timeout. */
const DEFAULT_INTERVAL = '1s';
const DEFAULT_TIMEOUT = '2s';
/** Maximum numbers of requests per second, for each poll and for all polls together. */
const MAX_RATE = 1_000;
export const MAX_TOTAL_RATE = 2_000;
/** Maximum number of a poll's pending requests. */
const MAX_PENDING = 10_000;

/** Matches `{env:NAME}`, a placeholder for an environment variable. */
const VARIABLE = /\{env:([^{}]*)\}/g;

/** The format of a table in `[polls]`. */
export const pollFormat = table({
  http: {
    format: string({ nonEmpty: true }),
    description: 'The URL to request, with http:// or https://. Redirects are not followed.',
    example: 'http://127.0.0.1:8000/checkout',
  },
  method: {
    format: enumOf(METHODS),
    default: 'GET',
    description: 'The HTTP method.',
  },
  headers: {
    format: map(string()),
    description:
      'Request headers. `{env:NAME}` in a value stands for an environment variable whose name begins with PERTURB_ and ends with _KEY.',
  },
  body: {
    format: string(),
    description: 'The request body, with `{env:NAME}` as in headers.',
  },
  tcp: {
    format: string({ nonEmpty: true }),
    description: 'HOST:PORT to connect to.',
    example: '127.0.0.1:5432',
  },
  command: {
    format: array(string(), { nonEmpty: 'name a program' }),
    description: 'A program and its arguments, started in the directory of perturb.toml.',
    example: ['./balance.sh'],
  },
  every: {
    format: string({ hint: durationHint }),
    default: DEFAULT_INTERVAL,
    description:
      'Interval between the starts of requests, regardless of response times, as a duration of at least 1ms.',
  },
  timeout: {
    format: string({ hint: durationHint }),
    default: DEFAULT_TIMEOUT,
    description: 'Timeout for each request, as a duration.',
  },
});

type PollDraft = ConformingTable<(typeof pollFormat)['keys']>;
export type PollDrafts = ReadonlyMap<string, PollDraft>;

/** A repeated request, recorded at a probe with the poll's name. */
export interface PollSettings {
  readonly name: string;
  readonly everyMs: number;
  readonly timeoutMs: number;
  readonly http?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tcp?: string;
  readonly command?: readonly string[];
}

/** Converts a valid table to a poll. */
export function toPoll(name: string, { keys }: PollDraft): PollSettings {
  const { http, method, headers, body, tcp, command, every, timeout } = keys;
  return {
    name,
    everyMs: toMs(every ?? DEFAULT_INTERVAL) ?? 0,
    timeoutMs: toMs(timeout ?? DEFAULT_TIMEOUT) ?? 0,
    ...defined({ http, method, body, tcp }),
    ...(headers && { headers: Object.fromEntries(headers.entries) }),
    ...(command && { command: command.filter((word) => word !== undefined) }),
  };
}

/**
 * Parses a poll's address, a URL with http://, https:// or tcp://. Returns the poll, or the problem
 * with the name or address.
 */
export function parsePoll(name: string, address: string): PollSettings | { problem: string } {
  const defaults = {
    name,
    everyMs: toMs(DEFAULT_INTERVAL) ?? 0,
    timeoutMs: toMs(DEFAULT_TIMEOUT) ?? 0,
  };
  const [, tcp] = /^tcp:\/\/(.*)$/.exec(address) ?? [];
  const problem =
    nameProblem(name) ?? (tcp === undefined ? urlProblem(address) : addressProblem(tcp));
  if (problem !== undefined) return { problem };
  return tcp === undefined ? { ...defaults, http: address } : { ...defaults, tcp };
}

function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'a poll needs a name, which becomes the probe of its events';
  if (name !== OWN_PROBE) return undefined;
  return `the probe name "${OWN_PROBE}" is reserved for Perturb's own events`;
}

function urlProblem(url: string): string | undefined {
  // Replaces each variable with a valid host or port, because the variable may contain either.
  const filledUrl = url.replace(VARIABLE, '1');
  if (!/^https?:\/\//i.test(filledUrl))
    return `${quote(url)} is not a URL with http:// or https://`;
  if (!URL.canParse(filledUrl)) return `${quote(url)} has no valid host and port`;
  const { username, password } = new URL(filledUrl);
  return username === '' && password === '' ? undefined : 'credentials do not belong in a URL';
}

function addressProblem(address: string): string | undefined {
  const filledAddress = address.replace(VARIABLE, '1');
  return parseAddress(filledAddress) === undefined
    ? `${quote(address)} is not HOST:PORT`
    : undefined;
}

/** Returns the environment variables in a text's `{env:NAME}` placeholders. */
export function findVariables(text: string): string[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** Reports invalid poll settings. */
export function checkPolls(document: TomlDocument, polls: PollDrafts, report: ReportFn): void {
  for (const [name, draft] of polls) checkPoll(document, name, draft, report);
  const rate = [...polls].reduce((sum, [name, draft]) => {
    const { everyMs } = toPoll(name, draft);
    return everyMs > 0 ? sum + 1_000 / everyMs : sum;
  }, 0);
  if (rate <= MAX_TOTAL_RATE) return;
  report({
    message: `the polls make ${Math.ceil(rate)} requests a second in total, but the maximum is ${MAX_TOTAL_RATE}`,
    help: 'increase "every"',
    span: document.keySpan(['polls']),
  });
}

const KINDS = ['http', 'tcp', 'command'] as const;

function checkPoll(document: TomlDocument, name: string, draft: PollDraft, report: ReportFn): void {
  const { path, keys } = draft;
  const spanOf = (key: string) => document.valueSpan([...path, key]);
  const namingProblem = nameProblem(name);
  if (namingProblem !== undefined) report({ message: namingProblem, span: document.keySpan(path) });
  const kinds = KINDS.filter((kind) => keys[kind] !== undefined);
  if (kinds.length !== 1) {
    const message =
      kinds.length === 0
        ? `poll ${quote(name)} has no request`
        : `poll ${quote(name)} has ${kinds.map(quote).join(' and ')}`;
    report({ message, help: 'set one of http, tcp and command', span: document.keySpan(path) });
  }
  const { http, tcp, method, body, every, timeout } = keys;
  const url = http === undefined ? undefined : urlProblem(http);
  if (url !== undefined) report({ message: url, span: spanOf('http') });
  const address = tcp === undefined ? undefined : addressProblem(tcp);
  if (address !== undefined) report({ message: address, span: spanOf('tcp') });
  for (const key of ['method', 'headers', 'body'] as const) {
    if (keys[key] === undefined || http !== undefined) continue;
    const message = `${quote(key)} applies only to a poll with "http"`;
    report({ message, span: document.keySpan([...path, key]) });
  }
  if (body !== undefined && (method ?? 'GET') === 'GET' && http !== undefined) {
    const help = 'use another method, or remove the body';
    report({ message: 'a GET request cannot have a body', help, span: spanOf('body') });
  }
  for (const [header] of keys.headers?.entries ?? []) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(header)) continue;
    const span = document.keySpan([...path, 'headers', header]);
    report({ message: `${quote(header)} is not a valid header name`, span });
  }
  for (const key of ['every', 'timeout'] as const) {
    const violation = durationViolation(keys[key], () => document.embed([...path, key]));
    if (violation !== undefined)
      report(keys[key] === '' ? { ...violation, span: spanOf(key) } : violation);
  }
  const { everyMs, timeoutMs } = toPoll(name, draft);
  if (everyMs === 0 || timeoutMs === 0) return;
  if (everyMs < 1_000 / MAX_RATE) {
    const message = `a poll sends at most ${MAX_RATE} requests per second`;
    report({ message, help: 'write "1ms" or more', span: spanOf('every') });
  } else if (timeoutMs / everyMs > MAX_PENDING) {
    report({
      message: `with a timeout of ${durationText(timeoutMs)}, more than ${MAX_PENDING} requests could be pending`,
      help: 'decrease "timeout", or increase "every"',
      span: timeout === undefined && every !== undefined ? spanOf('every') : spanOf('timeout'),
    });
  }
}
