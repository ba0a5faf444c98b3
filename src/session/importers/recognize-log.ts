import { LEAST, loggers } from './log-formats.js';
import type { Logger } from './mapping.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's colors begin with one
const COLORS = /\x1b\[[\d;:]*[mK]/g;
/** Colors in the text of a JSON string, without another backslash before them. */
const JSON_COLORS = /(?<=(?<!\\)(?:\\\\)*)\\u001b\[[\d;:]*[mK]/gi;

/** Removes terminal colors, and the carriage return of a Windows line end. */
export function plainLine(line: string): string {
  let plain = line.includes('\x1b') ? line.replace(COLORS, '') : line;
  if (plain.includes('\\u001') && plain.startsWith('{')) plain = plain.replace(JSON_COLORS, '');
  return plain.endsWith('\r') ? plain.slice(0, -1) : plain;
}

/** Maximum number of lines to examine. */
const MOST_LINES = 50;

/** A line and, if it is a JSON object, its keys. */
type HeadLine = readonly [line: string, keys: readonly string[] | undefined];

/** Returns the format that fits most of the first lines, among those with that id. */
export function loggerOf(head: string, id?: string): Logger | undefined {
  const lines = head.split('\n', MOST_LINES + 1).map(plainLine);
  // The last line may be incomplete.
  if (lines.length > 1) lines.pop();
  const recognizable = lines
    .filter((line) => line.trim() !== '')
    .map((line): HeadLine => [line, keysIn(line)]);
  const candidates = loggers().filter((logger) => id === undefined || logger.id === id);
  const sure = candidates.filter((logger) => logger.id !== LEAST);
  return mostOf(sure, recognizable) ?? mostOf(candidates, recognizable);
}

/** Returns the format that fits most lines, if it fits enough of them. */
function mostOf(candidates: readonly Logger[], lines: readonly HeadLine[]): Logger | undefined {
  const fits = candidates.map((logger) => fitOf(logger, lines));
  const most = Math.max(0, ...fits.map(({ count }) => count));
  const index = fits.findIndex(({ count }) => count === most);
  const best = candidates[index];
  const fit = fits[index];
  if (most === 0 || best === undefined || fit === undefined) return undefined;
  // A single line may be followed by a stack trace of any length.
  const isGoing = best.goesOn === true && fit.banner === 0 && lines.length > 1;
  // Programs that write JSON often run with others that write any text.
  const isMost = most * (best.keys === undefined ? 2 : 4) > fit.lines || isGoing;
  return isMost ? best : undefined;
}

/**
 * Counts the lines that a format fits, and all lines. Lines before the first that fits are a banner if others fit
 * as well.
 */
function fitOf(
  logger: Logger,
  all: readonly HeadLine[],
): { readonly count: number; readonly lines: number; readonly banner: number } {
  const { skips, sign } = logger;
  const lines = skips === undefined ? all : all.filter(([line]) => !skips.test(line));
  if (sign !== undefined && !lines.some(([line]) => sign.test(line))) {
    return { count: 0, lines: lines.length, banner: 0 };
  }
  const fitting = lines.map(([line, keys]) => isOf(logger, line, keys));
  const count = fitting.filter((isFit) => isFit).length;
  const first = fitting.indexOf(true);
  const banner = count > 1 ? first : 0;
  return { count, lines: lines.length - banner, banner: Math.max(first, 0) };
}

/**
 * Returns the format of a line of text from a container, or of its first line; the previous line's format, if that
 * fits.
 */
export function textLoggerOf(line: string, before: Logger | undefined): Logger | undefined {
  if (before !== undefined && isOf(before, line, undefined)) return before;
  return loggers().find((logger) => {
    const isLine = logger.keys === undefined && logger.inner === undefined;
    return isLine && (logger.sign?.test(line) ?? true) && isOf(logger, line, undefined);
  });
}

function keysIn(line: string): readonly string[] | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return Object.keys(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function isOf(
  { keys: own, isLogfmt, mapping, first }: Logger,
  line: string,
  keys: readonly string[] | undefined,
): boolean {
  if (own !== undefined) return keys !== undefined && own.every((key) => keys.includes(key));
  if (keys !== undefined) return false;
  if (isLogfmt !== true) return (first ?? mapping.pattern)?.test(line) === true;
  return /^[^\s="]+=/.test(line) && /(?:^|\s)(?:msg|message|level|lvl|ts|time)=/.test(line);
}
