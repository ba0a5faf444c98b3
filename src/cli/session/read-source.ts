import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { quote } from '../../diagnostics/index.js';
import { plural, visible } from '../../reporters/index.js';
import { readSessionFile, readSessionStream } from '../../session/files/index.js';
import {
  type Dropped,
  FORMATS,
  type Session,
  SessionError,
  type SessionFormat,
  type SessionReading,
  SPAN_ORDERS,
  type SpanOptions,
} from '../../session/index.js';
import { defined, nanosecondsText } from '../../values/index.js';
import {
  type CommandContext,
  CommandFailure,
  type ExitCode,
  exitCodes,
  fileFailure,
  usageFailure,
} from '../runtime/command.js';
import { openStdin } from '../runtime/io.js';
import { startByteProgress } from '../runtime/progress.js';

export interface SessionFlags {
  readonly from?: SessionFormat;
  readonly pattern?: string;
  readonly delimiter?: string;
  readonly execution?: string;
  readonly probe?: string;
  readonly order?: NonNullable<SpanOptions['order']>;
  readonly tolerant?: true;
}

export function addFormFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--from <format>', 'the format of the file')
        .choices(FORMATS)
        .default(undefined, 'recognized by its content'),
    )
    .option(
      '--pattern <regex>',
      'for a log with vector clocks: a regular expression with the groups host, clock and event',
    )
    .option(
      '--delimiter <regex>',
      'for a log of several executions: a regular expression of the line above each, whose group trace names it',
    )
    .option('--execution <name>', 'which execution of the log to read: its name or its number')
    .option(
      '--probe <attributes>',
      'for spans: the attributes that name the probe, with commas between; the first that a span has counts, or service.name',
    )
    .addOption(
      new Option(
        '--order <by>',
        'for spans: ordered by cause and effect, or all of an instance by its clock',
      )
        .choices(SPAN_ORDERS)
        .default(undefined, 'trace'),
    );
}

export function addSessionFlags(command: Command): Command {
  return addFormFlags(command).option('--tolerant', 'leave out what is broken, and say how much');
}

/**
 * Reads the session of a file, or of stdin.
 *
 * @param path of the file; - for stdin
 * @throws Failure (usage) when it cannot be read at all, or a regular expression is not valid
 */
export async function readSessionAt(
  { io }: CommandContext,
  path: string,
  { from, pattern, delimiter, execution, probe, order, tolerant }: SessionFlags,
): Promise<SessionReading> {
  const progress = startByteProgress(io.stderr, path === '-' ? 'stdin' : path);
  try {
    const options = {
      ...(from !== undefined && { format: from }),
      ...(pattern !== undefined && { format: 'shiviz' as const, pattern }),
      ...(delimiter !== undefined && { format: 'shiviz' as const, delimiter }),
      ...(execution !== undefined && { execution }),
      spans: defined({ probe: probe?.split(','), order }),
      tolerant: tolerant === true,
      onProgress: progress.at,
    };
    if (path === '-') return await readSessionStream(openStdin(io), options);
    return await readSessionFile(resolve(io.cwd, path), options);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (error instanceof SessionError) throw usageFailure(`${visible(path)}: ${error.message}`);
    if (error instanceof SyntaxError) {
      const flag = error.message.startsWith('the delimiter') ? '--delimiter' : '--pattern';
      throw usageFailure(`${flag}: ${visible(error.message)}`);
    }
    throw fileFailure('read', path, error);
  } finally {
    progress.end();
  }
}

/**
 * Does work with a session, if it is whole or `--tolerant` leaves out what is broken; what is wrong
 * goes to stderr.
 *
 * @param undone what is said first where there is no work
 */
export async function withSession(
  context: CommandContext,
  path: string,
  flags: SessionFlags,
  undone: string,
  work: (session: Session) => Promise<void> | void,
): Promise<ExitCode> {
  const { stderr } = context.io;
  const reading = await readSessionAt(context, path, flags);
  stderr.write(problemLines(path, reading));
  const dropped = droppedText(reading.dropped);
  if (reading.session === undefined) {
    const would = dropped === '' ? 'accept that' : `leave out ${dropped}`;
    stderr.write(`perturb: ${undone}--tolerant would ${would}\n`);
    return exitCodes.findings;
  }
  await work(reading.session);
  if (dropped !== '') stderr.write(`perturb: left out ${dropped}\n`);
  return exitCodes.ok;
}

/** What is to be said of a file, a line each; what is wrong as `FILE:LINE:COLUMN: what`. */
export function problemLines(
  path: string,
  { problems, more, merged, disagreements }: Omit<SessionReading, 'session'>,
): string {
  const lines = problems.map(({ line, column, message }) => {
    const place = [path, line, column].filter((part) => part !== undefined).join(':');
    return `${visible(place)}: ${visible(message)}\n`;
  });
  if (more > 0) lines.push(`${visible(path)}: and ${more} more\n`);
  if (merged > 0) lines.push(`${visible(path)}: merged ${plural(merged, 'repeated span')}\n`);
  for (const { child, parent, returns, offset } of disagreements) {
    const [from, to] = [visible(quote(child)), visible(quote(parent))];
    lines.push(
      `${visible(path)}: the clocks of ${from} and ${to} disagree: ${plural(returns, 'end')} of spans at ${from} ${returns === 1 ? 'is' : 'are'} not ordered before those of their parents at ${to}, which an offset of ${nanosecondsText(offset)} would explain\n`,
    );
  }
  return lines.join('');
}

/** `2 records, 1 event and 3 interactions`. */
export function droppedText(dropped: Dropped): string {
  const parts = (['record', 'event', 'interaction'] as const)
    .filter((part) => dropped[part] > 0)
    .map((part) => plural(dropped[part], part));
  return parts.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}
