import { resolve } from 'node:path';
import { plural, visible } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import type { OrderRequest } from '../../evaluation/index.js';
import {
  piecesOf,
  readSessionFile,
  readSessionFiles,
  readSessionStream,
} from '../../session/files/index.js';
import {
  type Dropped,
  type Problem,
  SESSION_ORDERS,
  type Session,
  SessionError,
  type SessionReading,
} from '../../session/index.js';
import { defined, nanosecondsText } from '../../values/index.js';
import {
  type CommandContext,
  CommandFailure,
  type ExitCode,
  exitCodes,
  fileFailure,
  type Io,
  usageFailure,
} from '../runtime/command.js';
import { type FlagsOf, option } from '../runtime/declare.js';
import { openStdin } from '../runtime/io.js';
import { parseMilliseconds } from '../runtime/options.js';
import { startByteProgress } from '../runtime/progress.js';
import { type ReadingFlags, type ReadingOf, readingOption, readingsIn } from './reading.js';

/** Part of the help for arguments that name sessions. */
export const IN_ANY_FORMAT = 'in any format that "perturb session import" reads';

/** The options for the order of events. */
export const orderOptions = [
  option(
    '--order <order>',
    'order of events: causal (by messages and timelines), time (by clocks), or auto (time if nothing could record messages, otherwise causal)',
    { choices: SESSION_ORDERS, shownDefault: 'auto' },
  ),
  option('--skew <duration>', "maximum difference between the recorders' clocks", {
    read: skewMilliseconds,
    shownDefault: '0s',
  }),
] as const;

/**
 * Parses a skew, in milliseconds. Unlike other durations, the skew may be 0, to override a
 * reading's skew.
 */
function skewMilliseconds(text: string): number {
  return /^0\s*(?:ns|us|ms|s)?$/.test(text) ? 0 : parseMilliseconds(text);
}

/** The options of commands that read evidence. */
export const evidenceOptions = [
  readingOption,
  ...orderOptions,
  option('--tolerant', 'skip broken entries and report how many'),
] as const;

export type SessionFlags = ReadingFlags & FlagsOf<typeof evidenceOptions>;

/**
 * The options of `session import` for a log of several executions. One execution becomes the
 * session.
 */
export const executionOptions = [
  option(
    '--delimiter <regex>',
    "for a log of several executions: a regular expression for the line above each execution, with the execution's name in the group trace",
  ),
  option('--execution <name>', 'the execution to read from the log, by name or number'),
] as const;

export type ExecutionFlags = FlagsOf<typeof executionOptions>;

type TolerableReading = SessionReading & {
  /** True if at least one event can be read. Otherwise `--tolerant` does not help. */
  readonly isTolerable: boolean;
};

/**
 * Reads the session in a file or on stdin, or several files as one session.
 *
 * @param paths the files' paths; `-` for stdin
 * @param readingOf returns a file's reading
 * @returns the session if it is valid or tolerated, and the problems. If no event remains, does not
 *   tolerate broken entries, because every claim of absence would then hold.
 * @throws CommandFailure (usage) if a file cannot be read at all, or if a regular expression is
 *   invalid
 */
export async function readSessionAt(
  { io }: CommandContext,
  paths: string | readonly string[],
  readingOf: ReadingOf,
  flags: Omit<SessionFlags, keyof ReadingFlags> & ExecutionFlags,
): Promise<TolerableReading> {
  const { delimiter, execution, tolerant } = flags;
  const path = nameOf(paths);
  const files = [paths].flat().map((one) => ({ path: one, reading: readingOf(one) }));
  const progress = startByteProgress(io, path === '-' ? 'stdin' : path);
  try {
    const options = {
      ...defined({ delimiter, execution }),
      ...(files[0] && { reading: files[0].reading }),
      tolerant: true,
      onProgress: progress.at,
    };
    const { session: read, ...reading } =
      files.length > 1
        ? await readSessionFiles(files, (file) => openSource(io, file), options)
        : path === '-'
          ? await readSessionStream(openStdin(io), options)
          : await readSessionFile(resolve(io.cwd, path), options);
    const session = read && withOrder(read, flags);
    const isEmpty = session === undefined || session.size === 0;
    const isTolerated =
      tolerant === true && !(isEmpty && skippedCountsText(reading.dropped) !== '');
    const isFine = reading.problems.length === 0 || isTolerated;
    return {
      ...{ ...reading, isTolerable: !isEmpty },
      ...defined({ session: isFine ? session : undefined }),
    };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (error instanceof SessionError) throw usageFailure(`${visible(path)}: ${error.message}`);
    if (error instanceof SyntaxError) {
      const flag = error.message.startsWith('the delimiter:') ? 'delimiter' : 'pattern';
      throw usageFailure(`--${flag}: ${visible(error.message)}`);
    }
    throw fileFailure('read', path, error);
  } finally {
    progress.end();
  }
}

/** Returns a session with the order in the flags. */
function withOrder(
  { reading, ...session }: Session,
  flags: Pick<SessionFlags, 'order' | 'skew'>,
): Session {
  return { ...session, reading: { isCausal: false, ...reading, ...orderRequest(flags) } };
}

/** Returns the order requested by flags. */
export function orderRequest({ order, skew }: Pick<SessionFlags, 'order' | 'skew'>): OrderRequest {
  return defined({ order, skew: nanosecondsOf(skew) });
}

/** Converts a flag's milliseconds to nanoseconds. */
function nanosecondsOf(ms: number | undefined): bigint | undefined {
  return ms === undefined ? undefined : BigInt(Math.round(ms * 1e6));
}

/**
 * Reads a file or stdin in pieces.
 *
 * @throws CommandFailure (usage) if the file cannot be read
 */
async function* openSource(io: Io, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* path === '-' ? openStdin(io) : piecesOf(resolve(io.cwd, path));
  } catch (error) {
    throw error instanceof CommandFailure ? error : fileFailure('read', path, error);
  }
}

/** Returns the name of one or several files for messages. */
function nameOf(paths: string | readonly string[]): string {
  return typeof paths === 'string' ? paths : paths.join(' + ');
}

/**
 * Runs `work` with a session if it is valid, or if `--tolerant` skips its broken entries. Prints
 * the session's problems to stderr.
 *
 * @param undone a prefix for the message if the session cannot be used
 */
export async function withSession(
  context: CommandContext,
  paths: string | readonly string[],
  flags: SessionFlags & ExecutionFlags,
  undone: string,
  work: (session: Session, readingOf: ReadingOf) => Promise<void> | void,
): Promise<ExitCode> {
  const { stderr } = context.io;
  const readingOf = await readingsIn(context, flags);
  const reading = await readSessionAt(context, paths, readingOf, flags);
  stderr.write(problemLines(nameOf(paths), reading));
  const dropped = skippedCountsText(reading.dropped);
  if (reading.session === undefined) {
    stderr.write(`perturb: ${undone}${unreadableReason(reading)}\n`);
    return exitCodes.findings;
  }
  await work(reading.session, readingOf);
  if (dropped !== '') stderr.write(`perturb: skipped ${dropped}\n`);
  return exitCodes.ok;
}

/**
 * Returns the reason for a missing session: no events, or broken entries that `--tolerant` would
 * skip.
 */
export function unreadableReason({ dropped, isTolerable }: TolerableReading): string {
  if (!isTolerable) return 'no event was read';
  const skipped = skippedCountsText(dropped);
  return `--tolerant would ${skipped === '' ? 'read the other files' : `skip ${skipped}`}`;
}

/** Returns the notes about a file, one per line. Problems have the form `FILE:LINE:COLUMN: problem`. */
export function problemLines(
  path: string,
  {
    problems,
    more,
    merged,
    orphans,
    disagreements,
    setBacks,
    notes,
  }: Omit<SessionReading, 'session'>,
): string {
  const lineOf = ({ file = path, line, column, message }: Problem) => {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return `${visible(place)}: ${visible(message)}\n`;
  };
  const lines = problems.map(lineOf);
  if (more > 0) lines.push(`${visible(path)}: and ${more} more\n`);
  lines.push(...notes.map(lineOf));
  if (merged > 0) lines.push(`${visible(path)}: merged ${plural(merged, 'repeated span')}\n`);
  if (orphans > 0) {
    const [have, them] = orphans === 1 ? ['has', 'it'] : ['have', 'them'];
    lines.push(
      `${visible(path)}: ${plural(orphans, 'span')} ${have} a parent that is not in the input, so nothing orders ${them} after the caller\n`,
    );
  }
  for (const { child, parent, returns, offset } of disagreements) {
    const [from, to] = [visible(quote(child)), visible(quote(parent))];
    lines.push(
      `${visible(path)}: the clocks of ${from} and ${to} disagree: ${plural(returns, 'end')} of spans at ${from} ${returns === 1 ? 'is' : 'are'} not ordered before those of their parents at ${to}, which an offset of ${nanosecondsText(offset)} would explain\n`,
    );
  }
  for (const { clock, orders } of setBacks) {
    lines.push(
      `${visible(path)}: the clock of ${visible(quote(clock))} contradicts cause and effect, perhaps because it was set back: ${plural(orders, 'order')} of events by that clock ${orders === 1 ? 'is' : 'are'} left out\n`,
    );
  }
  return lines.join('');
}

/** Formats the counts of skipped entries, as in `2 records, 1 event and 3 interactions`. */
export function skippedCountsText(dropped: Dropped): string {
  const parts = (['record', 'event', 'interaction'] as const)
    .filter((part) => dropped[part] > 0)
    .map((part) => plural(dropped[part], part));
  return parts.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}
