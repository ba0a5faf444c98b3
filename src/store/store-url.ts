import { isAbsolute, relative, resolve } from 'node:path';
import { type PostgresLocation, readPostgresUrl } from './postgres-url.js';
import { StoreError } from './store-error.js';

/** Where a store is. */
export type StoreLocation = SqliteLocation | PostgresLocation;

export interface SqliteLocation {
  readonly kind: 'sqlite';
  readonly path: string;
  /** For messages. */
  readonly place: string;
}

/** What relative paths count from, and what messages show them from. */
export interface Directories {
  readonly base: string;
  readonly cwd: string;
}

/**
 * Reads the URL of a store: `sqlite:PATH` or `postgres://...`.
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
  // The text may hold a password, so that it is not repeated.
  throw new StoreError('bad-url', 'write a store as sqlite:PATH or postgres://HOST/DATABASE');
}

/** The store in a file. */
export function sqliteAt(path: string, cwd: string): SqliteLocation {
  const short = relative(cwd, path);
  const outside = short.startsWith('..') || isAbsolute(short);
  return { kind: 'sqlite', path, place: outside ? path : short };
}
