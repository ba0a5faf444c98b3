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
  const told = lines
    .filter((line) => line.trim() !== '')
    .map((line): HeadLine => [line, keysIn(line)]);
  const candidates = loggers().filter((one) => id === undefined || one.id === id);
  const sure = candidates.filter((one) => one.id !== LEAST);
  return mostOf(sure, told) ?? mostOf(candidates, told);
}

/** Returns the format that fits most lines, if it fits enough of them. */
function mostOf(candidates: readonly Logger[], lines: readonly HeadLine[]): Logger | undefined {
  const fits = candidates.map((one) => fitOf(one, lines));
  const most = Math.max(0, ...fits.map(({ count }) => count));
  const index = fits.findIndex(({ count }) => count === most);
  const found = candidates[index];
  const fit = fits[index];
  if (most === 0 || found === undefined || fit === undefined) return undefined;
  // A single line may be followed by a stack trace of any length.
  const isGoing = found.goesOn === true && fit.banner === 0 && lines.length > 1;
  // Programs that write JSON often run with others that write any text.
  const isMost = most * (found.keys === undefined ? 2 : 4) > fit.lines || isGoing;
  return isMost ? found : undefined;
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
  const count = fitting.filter((one) => one).length;
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
  return loggers().find((one) => {
    const isLine = one.keys === undefined && one.inner === undefined;
    return isLine && (one.sign?.test(line) ?? true) && isOf(one, line, undefined);
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
