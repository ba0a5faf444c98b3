import { logFormats, WEAKEST_FORMAT } from './log-formats.js';
import type { LogFormat } from './mapping.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's colors begin with one
const COLORS = /\x1b\[[\d;:]*[mK]/g;
/** Matches terminal colors in a JSON string, unless their backslash is itself escaped. */
const JSON_COLORS = /(?<=(?<!\\)(?:\\\\)*)\\u001b\[[\d;:]*[mK]/gi;

/** Removes terminal colors, and the carriage return of a Windows line break. */
export function cleanLine(line: string): string {
  let text = line.includes('\x1b') ? line.replace(COLORS, '') : line;
  if (text.includes('\\u001') && text.startsWith('{')) text = text.replace(JSON_COLORS, '');
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** Maximum number of lines for recognizing a format. */
const MAX_LINES = 50;

/** A line, with its keys if the line is a JSON object. */
type HeadLine = readonly [line: string, keys: readonly string[] | undefined];

/** Returns the format that fits the most of the first lines. With an id, considers only formats with that id. */
export function recognizeLogFormat(head: string, id?: string): LogFormat | undefined {
  const lines = head.split('\n', MAX_LINES + 1).map(cleanLine);
  // The last line may be incomplete.
  if (lines.length > 1) lines.pop();
  const headLines = lines
    .filter((line) => line.trim() !== '')
    .map((line): HeadLine => [line, jsonKeys(line)]);
  const candidates = logFormats().filter((logger) => id === undefined || logger.id === id);
  const certainCandidates = candidates.filter((logger) => logger.id !== WEAKEST_FORMAT);
  return bestLogger(certainCandidates, headLines) ?? bestLogger(candidates, headLines);
}

/** Returns the format that fits the most lines; undefined if that format fits too few lines. */
function bestLogger(
  candidates: readonly LogFormat[],
  lines: readonly HeadLine[],
): LogFormat | undefined {
  const fits = candidates.map((logger) => countFits(logger, lines));
  const bestCount = Math.max(0, ...fits.map(({ count }) => count));
  const index = fits.findIndex(({ count }) => count === bestCount);
  const best = candidates[index];
  const fit = fits[index];
  if (bestCount === 0 || best === undefined || fit === undefined) return undefined;
  // A single line may be followed by a stack trace of any length.
  const isGoing = best.hasContinuations === true && fit.banner === 0 && lines.length > 1;
  // Logs of programs that write JSON often contain other programs' text.
  const isEnough = bestCount * (best.keys === undefined ? 2 : 4) > fit.lines || isGoing;
  return isEnough ? best : undefined;
}

/**
 * Counts the lines that a format fits, and all lines after the banner. Lines before the first fitting line are a banner
 * if more than one line fits.
 */
function countFits(
  logger: LogFormat,
  headLines: readonly HeadLine[],
): { readonly count: number; readonly lines: number; readonly banner: number } {
  const { skippedLines: skips, signature: sign } = logger;
  const lines = skips === undefined ? headLines : headLines.filter(([line]) => !skips.test(line));
  if (sign !== undefined && !lines.some(([line]) => sign.test(line))) {
    return { count: 0, lines: lines.length, banner: 0 };
  }
  const fitsLine = lines.map(([line, keys]) => fitsLogger(logger, line, keys));
  const count = fitsLine.filter((isFit) => isFit).length;
  const first = fitsLine.indexOf(true);
  const banner = count > 1 ? first : 0;
  return { count, lines: lines.length - banner, banner: Math.max(first, 0) };
}

/**
 * Returns the format of a container's text line, or of the first line of a two-line event. Prefers the previous line's
 * format.
 */
export function recognizeTextLogFormat(
  line: string,
  previous: LogFormat | undefined,
): LogFormat | undefined {
  if (previous !== undefined && fitsLogger(previous, line, undefined)) return previous;
  return logFormats().find((logger) => {
    const isLine = logger.keys === undefined && logger.outputKey === undefined;
    return isLine && (logger.signature?.test(line) ?? true) && fitsLogger(logger, line, undefined);
  });
}

function jsonKeys(line: string): readonly string[] | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return Object.keys(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function fitsLogger(
  { keys: requiredKeys, isLogfmt, mapping, firstLine: first }: LogFormat,
  line: string,
  keys: readonly string[] | undefined,
): boolean {
  if (requiredKeys !== undefined)
    return keys !== undefined && requiredKeys.every((key) => keys.includes(key));
  if (keys !== undefined) return false;
  if (isLogfmt !== true) return (first ?? mapping.pattern)?.test(line) === true;
  return /^[^\s="]+=/.test(line) && /(?:^|\s)(?:msg|message|level|lvl|ts|time)=/.test(line);
}
