import { type Logger, pino, stdTimeFunctions } from 'pino';
import { escapeActing } from './escape.js';
import { redact } from './redact.js';

export const LOG_FORMATS = ['pretty', 'json'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export interface LogOptions {
  /** For people, or one JSON object a line for programs. */
  readonly format: (typeof LOG_FORMATS)[number];
  readonly level: (typeof LOG_LEVELS)[number];
  readonly color: boolean;
  /** Takes whole lines; false where one was dropped. */
  readonly write: (text: string) => boolean;
  /** What no line may hold, asked for each line: keys change. */
  readonly secrets: () => readonly string[];
}

/** Makes the log of a server. */
export function createLogger({ format, level, color, write, secrets }: LogOptions): Logger {
  const print = format === 'json' ? (line: string) => line : prettyPrinter(color);
  let dropped = 0;
  const put = (line: string): void => {
    if (dropped > 0 && write(print(droppedLine(dropped)))) dropped = 0;
    if (dropped > 0 || !write(print(escapeActing(redact(line, secrets()))))) dropped += 1;
  };
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: put },
  );
}

/** A line for people: `22:50:25 injected wind speed=30.0 (27 ms)`. The fields are those of json. */
function prettyPrinter(color: boolean): (line: string) => string {
  return (line) => `${prettyLine(JSON.parse(line), color)}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

/** What the line says in words, and what only a program asks for. */
const SAID: ReadonlySet<string> = new Set([
  ...['level', 'time', 'msg', 'event', 'request', 'client', 'mutator', 'mutation', 'params'],
  ...['outcome', 'status', 'ms', 'reason', 'reasons', 'err', 'signal', 'cause'],
]);

const LEVEL_COLORS: Readonly<Record<string, number>> = { warn: 33, error: 31, fatal: 31 };

function prettyLine(fields: Fields, color: boolean): string {
  const { level, time, reasons, reason, err, signal, cause, ms } = fields;
  const paint = (text: string, code: number) => (color ? `\x1b[${code}m${text}\x1b[39m` : text);
  const word = level === 'warn' ? 'warning: ' : level === 'info' ? '' : `${level}: `;
  const error = err as { readonly message?: string; readonly stack?: string } | undefined;
  const why = [reasons ?? reason ?? error?.message ?? signal ?? []].flat().join('; ');
  const others = Object.keys(fields).filter((key) => !SAID.has(key));
  const notes = [
    ...(cause === undefined ? [] : [cause === 'shutdown' ? 'at shutdown' : String(cause)]),
    ...(ms === undefined ? [] : [`${ms} ms`]),
  ];
  const text = [
    paint(new Date(String(time)).toTimeString().slice(0, 8), 90),
    ` ${paint(word, LEVEL_COLORS[String(level)] ?? 39)}${subjectOf(fields)}`,
    ...others.map((key) => ` ${valueText(key)}=${valueText(fields[key])}`),
    why === '' ? '' : `: ${valueText(why)}`,
    notes.length === 0 ? '' : ` (${notes.join(', ')})`,
  ];
  const stack = error?.stack?.split('\n').slice(1).map(valueText) ?? [];
  return [text.join(''), ...stack].join('\n');
}

/** What happened to which mutator: `injected wind speed=30.0`, `injection refused: wind`. */
function subjectOf({ msg, event, outcome, mutator, params }: Fields): string {
  if (typeof mutator !== 'string') return valueText(msg);
  const happened =
    outcome === undefined
      ? `${valueText(msg)}:`
      : outcome === 'injected' || outcome === 'reset'
        ? outcome
        : `${event} ${outcome}:`;
  const values = Object.entries((params ?? {}) as Fields).map(
    ([key, value]) => `${valueText(key)}=${valueText(value)}`,
  );
  return [happened, valueText(mutator), ...values].join(' ');
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return escapeActing(text).replaceAll('\n', '\\n');
}

/** The line that stands for lines that nobody was there to read. */
function droppedLine(lines: number): string {
  const time = new Date().toISOString();
  const line = {
    level: 'warn',
    time,
    event: 'dropped',
    lines,
    msg: 'lines of the log were dropped',
  };
  return `${JSON.stringify(line)}\n`;
}
