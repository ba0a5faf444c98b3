import { resolve } from 'node:path';
import { visible } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import type { OrderRequest } from '../../evaluation/index.js';
import { plural } from '../../reporters/index.js';
import {
  piecesOf,
  readSessionFile,
  readSessionFiles,
  readSessionStream,
} from '../../session/files/index.js';
import {
  type Dropped,
  FORMATS,
  MappingError,
  type Problem,
  parseFields,
  type ReadOptions,
  SESSION_ORDERS,
  type Session,
  SessionError,
  type SessionReading,
} from '../../session/index.js';
import { decodeSource, type SourceFile } from '../../source/index.js';
import { readToml, type TomlDocument } from '../../toml/index.js';
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
import { openStdin, readNamed } from '../runtime/io.js';
import { milliseconds } from '../runtime/options.js';
import { startByteProgress } from '../runtime/progress.js';

/** A part of the help for arguments that name sessions. */
export const IN_ANY_FORMAT = 'in any format that "perturb session import" reads';

/** The options for the order of events. */
export const orderOptions = [
  option(
    '--order <order>',
    'order of events: by messages and timelines (causal), by clocks (time), or by clocks only where nothing could record messages (auto)',
    { choices: SESSION_ORDERS, shownDefault: 'auto' },
  ),
  option('--skew <duration>', 'how far the clocks of recorders may be apart', {
    read: milliseconds,
    shownDefault: '0s',
  }),
] as const;

export const sessionOptions = [
  option('--from <format>', 'the format of the file', {
    choices: FORMATS,
    shownDefault: 'recognized by its content',
  }),
  option(
    '--pattern <regex>',
    'for a log of any kind: a regular expression of a line with the group name and, if known, probe and time; with vector clocks, the groups host, clock and event',
  ),
  option(
    '--map <fields>',
    'for a log of any kind: where the parts of an event are, such as name=$.msg,time=$.ts; or a TOML file that says where',
  ),
  option('--send <place>', 'where an event that sends a message has the key of the message'),
  option('--receive <place>', 'where an event that receives one has the key of the message'),
  option(
    '--probe <attributes>',
    'for spans: the attributes that name the probe, separated by commas; the first that a span has counts, or service.name',
  ),
  ...orderOptions,
  option('--tolerant', 'skip broken entries and report how many'),
] as const;

export type SessionFlags = FlagsOf<typeof sessionOptions>;

/** The options of `session import` alone, for a log of several executions, of which a session is one. */
export const executionOptions = [
  option(
    '--delimiter <regex>',
    'for a log of several executions: a regular expression of the line above each, whose group trace names it',
  ),
  option('--execution <name>', 'which execution of the log to read: its name or its number'),
] as const;

export type ExecutionFlags = FlagsOf<typeof executionOptions>;

type TolerableReading = SessionReading & {
  /** True if `--tolerant` would find events. */
  readonly isTolerable: boolean;
};

/**
 * Reads the session of a file, or of stdin; of several files as one.
 *
 * @param paths of the files; - for stdin
 * @returns also whether `--tolerant` would find events: without any event, any absence would hold
 * @throws Failure (usage) when it cannot be read at all, or a regular expression is not valid
 */
export async function readSessionAt(
  { io }: CommandContext,
  paths: string | readonly string[],
  { from, delimiter, execution, probe, tolerant, ...flags }: SessionFlags & ExecutionFlags,
): Promise<TolerableReading> {
  const path = nameOf(paths);
  const { pattern, map, send, receive } = flags;
  const isFile = map !== undefined && map !== '' && !map.includes('=');
  const document = isFile ? readMappingFile(io.cwd, map) : undefined;
  const own = defined({ map, send, receive, pattern: from === 'shiviz' ? undefined : pattern });
  const [described] = Object.keys(own);
  if (from !== undefined && described !== undefined) {
    throw usageFailure(`--${described} describes a format of its own: leave out --from`);
  }
  const progress = startByteProgress(io, path === '-' ? 'stdin' : path);
  try {
    const options = {
      ...defined({ format: from, delimiter, execution }),
      ...readMapping(document, flags),
      spans: defined({ probe: probe?.split(',') }),
      tolerant: true,
      onProgress: progress.at,
    };
    const { session: read, ...reading } =
      typeof paths !== 'string' && paths.length > 1
        ? await readSessionFiles(paths, (file) => openSource(io, file), options)
        : path === '-'
          ? await readSessionStream(openStdin(io), options)
          : await readSessionFile(resolve(io.cwd, path), options);
    const session = read && withOrder(read, flags);
    const isEmpty = session === undefined || session.size === 0;
    const isTolerated = tolerant === true && !(isEmpty && droppedText(reading.dropped) !== '');
    const isFine = reading.problems.length === 0 || isTolerated;
    return {
      ...{ ...reading, isTolerable: !isEmpty },
      ...defined({ session: isFine ? session : undefined }),
    };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (error instanceof SessionError) throw usageFailure(`${visible(path)}: ${error.message}`);
    if (error instanceof MappingError) throw mappingFailure(document, flags, error);
    if (error instanceof SyntaxError) {
      const flag = error.message.startsWith('the delimiter:') ? 'delimiter' : 'pattern';
      throw usageFailure(`--${flag}: ${visible(error.message)}`);
    }
    throw fileFailure('read', path, error);
  } finally {
    progress.end();
  }
}

/** A session with the order that flags ask for. */
function withOrder(
  { reading, ...session }: Session,
  flags: Pick<SessionFlags, 'order' | 'skew'>,
): Session {
  return { ...session, reading: { isCausal: false, ...reading, ...orderRequest(flags) } };
}

/** The order that flags ask for. */
export function orderRequest({ order, skew }: Pick<SessionFlags, 'order' | 'skew'>): OrderRequest {
  return defined({ order, skew: nanosecondsOf(skew) });
}

/** A number of milliseconds, as flags have it, in nanoseconds. */
function nanosecondsOf(ms: number | undefined): bigint | undefined {
  return ms === undefined ? undefined : BigInt(Math.round(ms * 1e6));
}

/** @throws Failure (usage) when the file cannot be read */
async function* openSource(io: Io, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* path === '-' ? openStdin(io) : piecesOf(resolve(io.cwd, path));
  } catch (error) {
    throw error instanceof CommandFailure ? error : fileFailure('read', path, error);
  }
}

/** What messages call a file, or several. */
function nameOf(paths: string | readonly string[]): string {
  return typeof paths === 'string' ? paths : paths.join(' + ');
}

/** The keys of a mapping file that are not fields. */
const OF_LINES = ['pattern', 'send', 'receive'] as const;

type MappingFlags = Pick<SessionFlags, 'pattern' | 'map' | 'send' | 'receive'>;

/**
 * The mapping that the flags describe; flags take precedence over what its file says.
 *
 * @throws {SyntaxError} for a text that is not a list of fields
 */
function readMapping(
  document: TomlDocument | undefined,
  { pattern, map, send, receive }: MappingFlags,
): Pick<ReadOptions, 'pattern' | 'mapping'> {
  const written = (document?.root ?? {}) as Record<string, string>;
  const fields = Object.entries(written).filter(([key]) => !OF_LINES.some((one) => one === key));
  const given = { ...written, ...defined({ pattern, send, receive }) };
  const mapping = {
    ...(map !== undefined && { fields: document ? Object.fromEntries(fields) : parseFields(map) }),
    ...defined({ send: given['send'], receive: given['receive'] }),
  };
  return {
    ...defined({ pattern: given['pattern'] }),
    ...(Object.keys(mapping).length > 0 && { mapping }),
  };
}

/** What is wrong with a mapping: of a flag, or at its place in the file that `--map` names. */
function mappingFailure(
  document: TomlDocument | undefined,
  flags: MappingFlags,
  { part = 'name', message }: MappingError,
): CommandFailure {
  const own = OF_LINES.find((one) => one === part);
  if (document === undefined || (own !== undefined && flags[own] !== undefined)) {
    return usageFailure(`--${own ?? 'map'}: ${visible(message)}`);
  }
  const place = document.has([part]) ? placeIn(document, part) : '';
  return usageFailure(`${visible(document.file.path)}${place}: ${visible(message)}`);
}

/** `:LINE:COLUMN` of the value of a key. */
function placeIn(document: TomlDocument, key: string): string {
  return placeOf(document.file, document.valueSpan([key]).start);
}

function placeOf(file: SourceFile, offset: number): string {
  const { line, column } = file.lines.position(offset);
  return `:${line}:${column}`;
}

/** The document of a mapping file, whose values are texts. @throws Failure (usage) for any other */
function readMappingFile(cwd: string, path: string): TomlDocument {
  const { document, findings } = readToml(decodeSource(path, readNamed({ cwd }, path)));
  const wrong = findings.find(({ severity }) => severity === 'error');
  if (document === undefined || wrong !== undefined) {
    const place = wrong === undefined ? '' : placeOf(wrong.file, wrong.span.start);
    throw usageFailure(`${visible(path)}${place}: ${visible(wrong?.message ?? 'not TOML')}`);
  }
  const other = Object.keys(document.root).find((key) => typeof document.root[key] !== 'string');
  if (other === undefined) return document;
  const like = 'every value of a mapping is a text, such as name = "$.msg"';
  throw usageFailure(`${visible(path)}${placeIn(document, other)}: ${visible(other)}: ${like}`);
}

/**
 * Does work with a session, if it is valid or `--tolerant` leaves out what is broken; what is wrong
 * goes to stderr.
 *
 * @param undone what is said first if the work is not done
 */
export async function withSession(
  context: CommandContext,
  paths: string | readonly string[],
  flags: SessionFlags & ExecutionFlags,
  undone: string,
  work: (session: Session) => Promise<void> | void,
): Promise<ExitCode> {
  const { stderr } = context.io;
  const reading = await readSessionAt(context, paths, flags);
  stderr.write(problemLines(nameOf(paths), reading));
  const dropped = droppedText(reading.dropped);
  if (reading.session === undefined) {
    stderr.write(`perturb: ${undone}${unreadText(reading)}\n`);
    return exitCodes.findings;
  }
  await work(reading.session);
  if (dropped !== '') stderr.write(`perturb: left out ${dropped}\n`);
  return exitCodes.ok;
}

/** The reason that there is no session: no event at all, or broken entries that `--tolerant` would skip. */
export function unreadText({ dropped, isTolerable }: TolerableReading): string {
  if (!isTolerable) return 'no event was read';
  const skipped = droppedText(dropped);
  return `--tolerant would ${skipped === '' ? 'read the other files' : `leave out ${skipped}`}`;
}

/** What there is to say about a file, one line each; what is wrong as `FILE:LINE:COLUMN: what`. */
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
      `${visible(path)}: the clock of ${visible(quote(clock))} contradicts cause and effect, perhaps because it went back: ${plural(orders, 'order')} of events by that clock ${orders === 1 ? 'is' : 'are'} left out\n`,
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
