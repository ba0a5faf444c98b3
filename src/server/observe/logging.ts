import { type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';
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
    if (dropped > 0 || !write(print(escapeControls(redact(line, secrets()))))) dropped += 1;
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

function prettyPrinter(color: boolean): (line: string) => string {
  const print = pretty.prettyFactory({
    colorize: color,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
  });
  return (line) => print(keepEscapes(line));
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

/** Escapes the control characters that JSON leaves, lest a client's text steer a terminal. */
function escapeControls(line: string): string {
  return line.replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

/** Makes the escapes of control characters in a line of JSON outlast its reading. */
function keepEscapes(line: string): string {
  return line.replace(/\\\\|\\u00[0-9a-f]{2}/g, (found) =>
    found === '\\\\' ? found : `\\${found}`,
  );
}
