import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, resolve } from 'node:path';
import { visible } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import type { Database } from '../../evaluation/clickhouse/index.js';
import type { Engine, Evaluation } from '../../evaluation/index.js';
import { type Excerpt, excerptOf } from '../../excerpt/index.js';
import type { Reading, Session } from '../../session/index.js';
import { isRegularFile } from '../files/walk.js';
import { type CommandContext, CommandFailure, type Io, usageFailure } from '../runtime/command.js';
import { type FlagsOf, option } from '../runtime/declare.js';
import { budgetOption, durationOption } from '../runtime/options.js';
import { evidenceOptions, problemLines, readSessionAt } from './read-source.js';
import { readingsIn } from './reading.js';

/** `--engine-timeout` for commands with an engine. Their `--engine` options differ. */
export const engineTimeoutOption = durationOption(
  '--engine-timeout <duration>',
  'timeout for each ClickHouse statement',
  '10min',
);

/** The options of commands that evaluate expressions on sessions. */
export const evaluationOptions = [
  option('--engine <engine>', 'evaluation engine: embedded, or clickhouse:URL', {
    byDefault: 'embedded',
  }),
  engineTimeoutOption,
  budgetOption,
  ...evidenceOptions,
] as const;

export type EvaluationFlags = FlagsOf<typeof evaluationOptions> & { readonly config?: string };

/**
 * Runs `work` with the engine named by a flag. A server's engine opens only sessions loaded on the
 * server, by file or by the id from `perturb session load`.
 *
 * @throws CommandFailure (usage) if there is no such engine, or (unavailable) if a server cannot be
 *   used
 */
export async function withEngine<T>(
  context: CommandContext,
  flags: EvaluationFlags,
  work: (open: OpenSession) => Promise<T>,
): Promise<T> {
  const { io } = context;
  const url = readEngine(flags.engine);
  if (url === undefined) return work(await openFiles(context, flags));
  return withClickHouse(io, url, flags.engineTimeout, async (db) => {
    const { engineOn, isLoaded } = await import('../../evaluation/clickhouse/index.js');
    const readingOf = await readingsIn(context, flags);
    return work(async (word) => {
      const path = resolve(io.cwd, word);
      const isFile = isRegularFile(path);
      const id = isFile ? await sessionId(path, readingOf(word)) : word;
      if (await isLoaded(db, id)) return engineOn(db, id);
      const message = isFile
        ? `${quote(id)} is not on the server: load it with "perturb session load"`
        : `${quote(word)} is neither a file nor a session on the server`;
      io.stderr.write(`perturb: ${visible(message)}\n`);
      return { unread: [message] };
    });
  });
}

/** Opens a session by its file or id. Prints the session's problems to stderr. */
export type OpenSession = (
  word: string,
) => Promise<OpenedSession | { readonly unread: readonly string[] }>;

/** An engine for an opened session. */
export interface OpenedSession extends Engine {
  /** Absent if the events are on a server. */
  readonly session?: Session;
}

/**
 * Parses `embedded` or `clickhouse:URL`. Returns the URL; undefined for the embedded engine.
 *
 * @throws CommandFailure (usage), without the password if the URL contains one
 */
export function readEngine(text: string): string | undefined {
  if (text === 'embedded') return undefined;
  const url = /^clickhouse:(https?:\/\/.+)$/i.exec(text)?.[1];
  if (url === undefined || !URL.canParse(url)) {
    const example = 'clickhouse:http://db.example:8123/perturb';
    throw usageFailure(`--engine must be embedded or a URL, as in ${example}`);
  }
  if (new URL(url).password === '') return url;
  const help = 'remove the password, and set CLICKHOUSE_PASSWORD';
  throw usageFailure(`the engine's URL contains a password: ${help}`);
}

/**
 * Connects to a server, runs `work`, and closes the connection.
 *
 * @throws CommandFailure (unavailable) if the server cannot be used
 */
export async function withClickHouse<T>(
  io: Io,
  url: string,
  timeoutMs: number,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { connect } = await import('../../evaluation/clickhouse/index.js');
  const password = io.env['CLICKHOUSE_PASSWORD'];
  const db = connect({ url, timeoutMs, ...(password !== undefined && { password }) });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/**
 * Returns the id of a file's session on a server: the file's name with a digest of its bytes and
 * reading. The digest excludes the order, because each evaluation chooses the order.
 */
export async function sessionId(
  path: string,
  { order: _order, skew: _skew, ...reading }: Reading,
): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  if (Object.keys(reading).length > 0) hash.update(JSON.stringify(reading));
  return `${basename(path)}@${hash.digest('hex').slice(0, 16)}`;
}

/** `--baseline` for commands that evaluate expressions. */
export const baselineOption = option(
  '--baseline <file...>',
  'sessions without mutations, for baseline()',
);

/**
 * Reads a baseline's sessions. If a session cannot be read, reports the problem to stderr and
 * returns undefined.
 */
export async function readBaseline(
  context: CommandContext,
  paths: readonly string[],
  flags: EvaluationFlags,
): Promise<readonly Session[] | undefined> {
  if (paths.length === 0) return [];
  const open = await openFiles(context, flags);
  const sessions: Session[] = [];
  for (const path of paths) {
    const opened = await open(path);
    if ('unread' in opened || opened.session === undefined) return undefined;
    sessions.push(opened.session);
  }
  return sessions;
}

/** Returns a function that opens sessions in files with the embedded engine. */
async function openFiles(context: CommandContext, flags: EvaluationFlags): Promise<OpenSession> {
  const { embeddedEngine } = await import('../../evaluation/index.js');
  const readingOf = await readingsIn(context, flags);
  const { stderr } = context.io;
  return async (path) => {
    try {
      const reading = await readSessionAt(context, path, readingOf, flags);
      const lines = problemLines(path, reading);
      stderr.write(lines);
      const { session } = reading;
      if (session === undefined) return { unread: lines.trimEnd().split('\n') };
      return { session, ...embeddedEngine(session, { budget: flags.budget }) };
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      stderr.write(`perturb: ${visible(error.message)}\n`);
      return { unread: [error.message] };
    }
  };
}

/** Returns an excerpt to draw for each binding of the evidence; undefined if the events are on a server. */
export function excerptsOf(
  session: Session | undefined,
  { evidence }: Evaluation,
): readonly Excerpt[] | undefined {
  return session && evidence.map(({ binding }) => excerptOf(session, binding));
}
