import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import type { Database } from '../../evaluation/clickhouse/index.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';
import type { Io } from '../runtime/io.js';
import { readDuration } from '../runtime/read-duration.js';
import type { SourceFlags } from './read-source.js';

/** The flags of every command that can use a ClickHouse server. */
export interface EngineFlags {
  readonly engine: string;
  /** In milliseconds, for one statement. */
  readonly engineTimeout: number;
}

/** What `--engine` names: the one of this process, or a server. */
export type EngineName =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'clickhouse'; readonly url: string };

/** Adds the flag that bounds what a server may take; `--engine` is each command's own. */
export function addEngineTimeout(command: Command): Command {
  return command.addOption(
    new Option('--engine-timeout <duration>', 'how long ClickHouse may take for one statement')
      .argParser(readDuration)
      .default(600_000, '10min'),
  );
}

/**
 * Reads `embedded` or `clickhouse:URL`.
 *
 * @throws Failure (usage), which never repeats a password
 */
export function readEngine(text: string): EngineName {
  if (text === 'embedded') return { kind: 'embedded' };
  const url = /^clickhouse:(https?:\/\/.+)$/i.exec(text)?.[1];
  if (url === undefined || !URL.canParse(url)) {
    throw wrong(
      '--engine takes embedded or a URL, as in clickhouse:http://db.example:8123/perturb',
    );
  }
  if (new URL(url).password !== '') {
    throw wrong(
      'the URL of the engine contains a password: remove it, and set CLICKHOUSE_PASSWORD',
    );
  }
  return { kind: 'clickhouse', url };
}

/**
 * Does work with a server, and closes the connection.
 *
 * @throws Failure (unavailable) for what is wrong with the server
 */
export async function withClickHouse<T>(
  io: Io,
  url: string,
  timeoutMs: number,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { connect, EngineError, LimitReached } = await import(
    '../../evaluation/clickhouse/index.js'
  );
  const password = io.env['CLICKHOUSE_PASSWORD'];
  const db = connect({ url, timeoutMs, ...(password !== undefined && { password }) });
  try {
    return await work(db);
  } catch (error) {
    if (error instanceof EngineError) throw new Failure(exitCodes.unavailable, error.message);
    if (!(error instanceof LimitReached)) throw error;
    const message = `a limit of the ClickHouse server was reached (${error.message})`;
    throw new Failure(exitCodes.unavailable, message);
  } finally {
    await db.close();
  }
}

/**
 * What a file's session is called on a server: its name, and a digest of its bytes and of the flags
 * that make another session of them.
 */
export async function sessionId(
  path: string,
  { from, pattern, delimiter, execution }: Partial<SourceFlags>,
): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  const form = { from, pattern, delimiter, execution };
  if (Object.values(form).some((flag) => flag !== undefined)) hash.update(JSON.stringify(form));
  return `${basename(path)}@${hash.digest('hex').slice(0, 16)}`;
}

function wrong(message: string): Failure {
  return new Failure(exitCodes.usage, message);
}
