import { isAbsolute, relative, resolve } from 'node:path';
import { createStore, type StoreOptions } from './create-store.js';
import { type PostgresLocation, readPostgresUrl } from './postgres/url.js';
import type { Driver } from './session.js';
import { createSession } from './session.js';
import type { MissingFileHandling } from './sqlite/driver.js';
import { type ObjectiveStore, StoreError } from './store.js';

/** A store's location. */
export type StoreLocation = SqliteLocation | PostgresLocation;

interface SqliteLocation {
  readonly kind: 'sqlite';
  readonly path: string;
  /** The location as shown in messages. */
  readonly place: string;
}

/**
 * The base directory for relative paths, and the directory to which paths in messages are relative.
 */
export interface Directories {
  readonly base: string;
  readonly cwd: string;
}

/**
 * Parses a store URL: `sqlite:PATH` or `postgres://...`.
 *
 * @throws StoreError (bad-url)
 */
export function readStoreUrl(url: string, { base, cwd }: Directories): StoreLocation {
  if (/^sqlite:/i.test(url)) {
    const path = url.slice('sqlite:'.length);
    if (path !== '' && !path.startsWith('//') && path !== ':memory:') {
      return sqliteAt(resolve(base, path), cwd);
    }
    throw new StoreError('bad-url', 'write a SQLite store as sqlite:PATH');
  }
  if (/^postgres(?:ql)?:/i.test(url)) return readPostgresUrl(url, base);
  // The message omits the URL, which may contain a password.
  throw new StoreError('bad-url', 'write a store as sqlite:PATH or postgres://HOST/DATABASE');
}

/** Returns the location of a SQLite store. */
export function sqliteAt(path: string, cwd: string): SqliteLocation {
  const relativePath = relative(cwd, path);
  const isOutside = relativePath.startsWith('..') || isAbsolute(relativePath);
  return { kind: 'sqlite', path, place: isOutside ? path : relativePath || '.' };
}

export interface OpenOptions extends StoreOptions {
  /** The handling of a missing SQLite file (default `fail`). */
  readonly whenMissing?: MissingFileHandling;
  /** Timeout for each server response (default 10 s). A URL may override it. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * Opens a store, and migrates its schema to the newest version.
 *
 * @throws StoreError
 */
export async function openStore(
  location: StoreLocation,
  options: OpenOptions = {},
): Promise<ObjectiveStore> {
  const session = createSession(await driverFor(location, options));
  try {
    return await createStore(session, options);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/**
 * Returns a StoreError if a driver's native module is missing or unsuitable for this machine.
 * Returns any other error unchanged, because it is a bug.
 */
function toInstallError(error: unknown): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!['MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED'].includes(code)) return error;
  const [line] = message.split('\n');
  const text = `the SQLite module for this machine is not installed (${line}): reinstall Perturb on this machine, without --omit=optional`;
  return new StoreError('not-installed', text);
}

/** Loads only the required driver. */
async function driverFor(
  location: StoreLocation,
  { whenMissing = 'fail', timeoutMs = TIMEOUT_MS }: OpenOptions,
): Promise<Driver> {
  if (location.kind === 'postgres') {
    const { postgresDriver } = await import('./postgres/driver.js');
    return postgresDriver(location, timeoutMs);
  }
  const { sqliteDriver } = await import('./sqlite/driver.js').catch((error: unknown) => {
    throw toInstallError(error);
  });
  return sqliteDriver(location.path, location.place, whenMissing);
}
