import * as Type from 'typebox';
import { mapOf, NUMBER, objectSchema, type RecordOf, TEXT, TEXTS } from '../../records/index.js';

const { Optional: optional } = Type;

/** A poll that sends requests over `http`, `tcp` or `command` at a fixed rate. */
export const POLL_RECORD = objectSchema({
  /** The probe of the poll's events. */
  name: TEXT,
  everyMs: NUMBER,
  timeoutMs: NUMBER,
  /** A URL. `{env:NAME}` stands for an environment variable, here and in `tcp`, `headers` and `body`. */
  http: optional(TEXT),
  method: optional(TEXT),
  headers: optional(mapOf(TEXT)),
  body: optional(TEXT),
  /** The address, as `HOST:PORT`. */
  tcp: optional(TEXT),
  /** The argument vector. */
  command: optional(TEXTS),
});

export type Poll = RecordOf<typeof POLL_RECORD>;

/** The environment of a bench's polls. */
export interface PollContext {
  /** The variables for `{env:NAME}` and for commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory of commands. */
  readonly cwd: string;
}

const VARIABLE = /\{env:(\w+)\}/g;

/** Returns the names of the environment variables in a poll. */
export function variablesOf({ http, tcp, headers = {}, body }: Poll): readonly string[] {
  const texts = [http, tcp, body, ...Object.values(headers)].filter((text) => text !== undefined);
  return texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name));
}

/** Expands the variables in a text. An unset variable is empty. */
export function fillVariables(text: string, env: PollContext['env']): string {
  return text.replace(VARIABLE, (_, name: string) => env[name] ?? '');
}

/** Formats a poll's address or command on one line, without expanding variables. */
export function describePoll({ http, method, tcp, command }: Poll): string {
  if (http !== undefined) return `${method ?? 'GET'} ${http}`;
  return tcp === undefined ? (command ?? []).join(' ') : `tcp ${tcp}`;
}
