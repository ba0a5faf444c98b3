import { type LevelWithSilent, type Logger, pino, stdTimeFunctions } from 'pino';
import { escapeAsJson } from '../../basics/index.js';

export interface LogOptions {
  /** `pretty` for people, or `json` with one object per line for programs. */
  readonly format: 'pretty' | 'json';
  readonly level: LevelWithSilent;
  readonly color: boolean;
  /** Writes whole lines. Returns false if a line was dropped. */
  readonly write: (text: string) => boolean;
  /** Secrets to redact, queried for each line because keys change. */
  readonly secrets: () => readonly string[];
}

/** Creates a server's logger. */
export function createLogger({ format, level, color, write, secrets }: LogOptions): Logger {
  const print = (fields: Fields): boolean =>
    write(
      `${format === 'json' ? escapeAsJson(JSON.stringify(fields)) : prettyLine(fields, color)}\n`,
    );
  let droppedLines = 0;
  const writeLine = (line: string): void => {
    if (droppedLines > 0 && print(droppedLine(droppedLines))) droppedLines = 0;
    if (droppedLines > 0 || !print(redactLine(line, secrets()))) droppedLines += 1;
  };
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: writeLine },
  );
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields without a `key=value` pair in pretty output, because they appear in the text or are for programs only. */
const SPOKEN_FIELDS: ReadonlySet<string> = new Set([
  ...['level', 'time', 'msg', 'event', 'request', 'client', 'mutator', 'mutation', 'params'],
  ...['outcome', 'status', 'ms', 'reason', 'reasons', 'err', 'signal', 'cause'],
]);

const LEVEL_COLORS: Readonly<Record<string, number>> = { warn: 33, error: 31, fatal: 31 };

/** Formats a line's fields for people, as in `22:50:25 injected wind speed=30.0 (27 ms)`. */
function prettyLine(fields: Fields, color: boolean): string {
  const { level, time, reasons, reason, err, signal, cause, ms } = fields;
  const paint = (text: string, code: number) => (color ? `\x1b[${code}m${text}\x1b[39m` : text);
  const word = level === 'warn' ? 'warning: ' : level === 'info' ? '' : `${level}: `;
  const error = err as { readonly message?: string; readonly stack?: string } | undefined;
  const reasonText = [reasons ?? reason ?? error?.message ?? signal ?? []].flat().join('; ');
  const otherKeys = Object.keys(fields).filter((key) => !SPOKEN_FIELDS.has(key));
  const notes = [
    ...(cause === undefined ? [] : [cause === 'shutdown' ? 'at shutdown' : String(cause)]),
    ...(ms === undefined ? [] : [`${ms} ms`]),
  ];
  const text = [
    paint(new Date(String(time)).toTimeString().slice(0, 8), 90),
    ` ${paint(word, LEVEL_COLORS[String(level)] ?? 39)}${describeSubject(fields)}`,
    ...otherKeys.map((key) => ` ${valueText(key)}=${valueText(fields[key])}`),
    reasonText === '' ? '' : `: ${valueText(reasonText)}`,
    notes.length === 0 ? '' : ` (${notes.join(', ')})`,
  ];
  const stack = error?.stack?.split('\n').slice(1).map(valueText) ?? [];
  return [text.join(''), ...stack].join('\n');
}

/** Describes an event of a mutator: `injected wind speed=30.0`, `injection refused: wind`. */
function describeSubject({ msg, event, outcome, mutator, params }: Fields): string {
  if (typeof mutator !== 'string') return valueText(msg);
  const outcomeText =
    outcome === undefined
      ? `${valueText(msg)}:`
      : outcome === 'injected' || outcome === 'reset'
        ? outcome
        : `${event} ${outcome}:`;
  const values = Object.entries((params ?? {}) as Fields).map(
    ([key, value]) => `${valueText(key)}=${valueText(value)}`,
  );
  return [outcomeText, valueText(mutator), ...values].join(' ');
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return escapeAsJson(text).replaceAll('\n', '\\n');
}

/** Returns the line that replaces lines dropped because the reader was too slow. */
function droppedLine(lines: number): Fields {
  const time = new Date().toISOString();
  return { level: 'warn', time, event: 'dropped', lines, msg: 'log lines were dropped' };
}

/** Minimum length of a secret to redact. Shorter secrets are not redacted, because they may occur in ordinary words. */
const MIN_SECRET_LENGTH = 4;

/** Maximum number of times that a secret is JSON-encoded, for example in an error message within a reason. */
const MAX_JSON_LEVELS = 3;

/**
 * Redacts secrets in a line's strings. Does not redact numbers and booleans, because a secret may be `1000` or `true`.
 */
function redactLine(line: string, secrets: readonly string[]): Fields {
  const { level, time, ...fields } = JSON.parse(line);
  return { level, time, ...(redactTexts(fields, secrets) as Fields) };
}

function redactTexts(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      return [SPOKEN_FIELDS.has(key) ? key : redact(key, secrets), redactTexts(item, secrets)];
    }),
  );
}

/** Redacts secrets in a text, which may contain JSON. */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  // Longest first, because replacing a prefix of a longer secret would leave the rest of that secret.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    for (const form of encodingsOf(secret)) redacted = redacted.replaceAll(form, '[redacted]');
  }
  return redacted;
}

/** Returns a secret verbatim and JSON-encoded, longest first because one encoding may contain another. */
function encodingsOf(secret: string): string[] {
  const forms = [secret];
  for (let depth = 0; depth < MAX_JSON_LEVELS; depth++) {
    forms.unshift(JSON.stringify(forms[0]).slice(1, -1));
  }
  return [...new Set(forms)];
}

/** Maximum number of buffered characters. A reader that is further behind has stopped reading. */
const MAX_BUFFERED = 256 * 1024;

/**
 * Creates a writer that does not wait for a stream's reader. Node's own writes to a terminal block the whole program
 * while the terminal is paused, which would prevent all resets.
 *
 * @returns a function that writes a text, or returns false and drops the text if the reader is too far behind
 */
export function createTextWriter(
  stream: Pick<NodeJS.WriteStream, 'write' | 'writableLength'>,
): (text: string) => boolean {
  // Node has no public API for nonblocking writes. Without the internal function, writes may block.
  const { _handle } = stream as { _handle?: { setBlocking?: (blocking: boolean) => void } };
  _handle?.setBlocking?.(false);
  return (text) => {
    if (stream.writableLength > MAX_BUFFERED) return false;
    stream.write(text);
    return true;
  };
}
