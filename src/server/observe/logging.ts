import { type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

export const LOG_FORMATS = ['pretty', 'json'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export interface LogOptions {
  /** For people, or one JSON object a line for programs. */
  readonly format: (typeof LOG_FORMATS)[number];
  readonly level: (typeof LOG_LEVELS)[number];
  readonly color: boolean;
  /** Takes whole lines. */
  readonly write: (text: string) => void;
  /** What no line may hold, asked for each line: keys change. */
  readonly secrets: () => readonly string[];
}

/** Shorter ones would blacken words that happen to hold them, and are no secrets. */
const SHORTEST_SECRET = 4;

/** Makes the log of a server. */
export function createLogger({ format, level, color, write, secrets }: LogOptions): Logger {
  const print = format === 'json' ? (line: string) => line : prettyPrinter(color);
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => write(print(escapeControls(withoutSecrets(line, secrets())))) },
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

/** Replaces secrets in a line of JSON, wherever they come from. */
function withoutSecrets(line: string, secrets: readonly string[]): string {
  let clean = line;
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    clean = clean.replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]');
  }
  return clean;
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
