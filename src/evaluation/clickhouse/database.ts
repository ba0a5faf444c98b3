import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ClickHouseError, createClient } from '@clickhouse/client';
import { exitCodes, PerturbError } from '../../basics/index.js';
import { Undecided } from '../exact/undecided.js';

/** The subset of a ClickHouse client that the engine needs. */
export interface Database {
  /** Runs a statement that returns no rows. */
  command(statement: string): Promise<void>;
  /** Runs a query. The query must convert numbers that a double cannot hold to strings. */
  rows(query: string): Promise<readonly (readonly unknown[])[]>;
  /** Streams rows into all columns of a table. */
  insert(table: string, rows: Iterable<readonly unknown[]>): Promise<void>;
  close(): Promise<void>;
}

/** The error for a server that cannot be used, or that cannot store or evaluate a session. */
export class EngineError extends PerturbError<'unusable-server'> {
  constructor(message: string) {
    super('unusable-server', message, exitCodes.unavailable);
  }
}

/** The error for a reached server limit, such as time, memory or rows. */
export class LimitReachedError extends PerturbError<'limit-reached'> {
  constructor(
    /** The server's name for the limit. */
    readonly limit: string,
  ) {
    const message = `the ClickHouse server reached a limit (${limit})`;
    super('limit-reached', message, exitCodes.unavailable);
  }
}

/** Converts a text to an SQL literal. */
export function literal(text: string): string {
  const escapedText = text.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0');
  return `'${escapedText}'`;
}

/** Converts an integer to a 256-bit SQL literal. */
export function int256(value: bigint): string {
  return `toInt256('${value}')`;
}

/** Converts a finite double to an exact SQL literal. */
export function float64(value: number): string {
  return `toFloat64('${Object.is(value, -0) ? 0 : value}')`;
}

export interface ConnectOptions {
  /** The server's URL without a password: `http://USER@HOST:8123/DATABASE`, or https. */
  readonly url: string;
  readonly password?: string;
  /** Timeout for each statement, in milliseconds. */
  readonly timeoutMs: number;
}

/** Error codes for exceeded limits on time, rows, memory or statement depth. */
const LIMITS: ReadonlySet<string> = new Set([
  ...['158', '159', '160', '167', '168', '191', '241', '306', '307', '396'],
]);

/**
 * Client settings. In JSON, integers of 64 bits or more are exact strings, and strings are not parsed as dates. The
 * maximum size of a statement allows for long IN lists.
 */
const SETTINGS = {
  output_format_json_quote_64bit_integers: 1,
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  max_query_size: String(2 ** 26),
} as const;

/** Returns a database that accesses a server over HTTP. Does not connect yet. */
export function connect({ url, password, timeoutMs }: ConnectOptions): Database {
  const client = createClient({
    url,
    ...(password !== undefined && { password }),
    application: 'perturb',
    // Temporary tables belong to a session.
    session_id: `perturb-${randomUUID()}`,
    max_open_connections: 1,
    request_timeout: timeoutMs,
    clickhouse_settings: SETTINGS,
    log: { LoggerClass: SilentLogger },
  });
  const location = serverLocation(url);
  const withExplanation = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      throw explain(error, location) ?? error;
    }
  };
  return {
    command: (query) => withExplanation(async () => void (await client.command({ query }))),
    rows: (query) =>
      withExplanation(async () => {
        const result = await client.query({ query, format: 'JSONCompactEachRow' });
        return await result.json<readonly unknown[]>();
      }),
    insert: (table, rows) =>
      withExplanation(async () => {
        const values = Readable.from(rows, { objectMode: true });
        await client.insert({ table, values, format: 'JSONCompactEachRow' });
      }),
    close: () => client.close(),
  };
}

/** Formats a server's URL for a message, without credentials and query. */
function serverLocation(text: string): string {
  if (!URL.canParse(text)) return 'the ClickHouse server';
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/$/, '');
}

function explain(error: unknown, location: string): Error | undefined {
  if (error instanceof EngineError) return error;
  if (error instanceof ClickHouseError) {
    if (LIMITS.has(error.code)) return new LimitReachedError(error.type ?? `code ${error.code}`);
    return new EngineError(`${location} rejected a statement: ${error.message.split('\n')[0]}`);
  }
  if (!(error instanceof Error)) return undefined;
  if (/^Timeout error/.test(error.message)) {
    return new EngineError(
      `${location} did not respond in time: check the server, or increase the timeout`,
    );
  }
  const code = 'code' in error ? String(error.code) : undefined;
  if (code !== undefined) {
    return new EngineError(`${location} cannot be reached (${code}): check the URL and the server`);
  }
  return new EngineError(`${location} does not respond like a ClickHouse server: check the URL`);
}

/** A silent logger. By default, the library writes to the console. */
class SilentLogger {
  trace(): void {}
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
}

/** Returns the reason for an undecided result: a clause that the server cannot evaluate. */
export function unsupportedClause(clause: string): Undecided {
  return new Undecided(
    clause,
    'the ClickHouse engine does not support this yet',
    'use the embedded engine, which is the default',
  );
}
