import { createStore, type StoreOptions } from './create-store.js';
import type { Driver } from './driver.js';
import { createSession } from './session.js';
import type { WhenMissing } from './sqlite.js';
import type { ObjectiveStore } from './store.js';
import type { StoreLocation } from './store-url.js';

export interface OpenOptions extends StoreOptions {
  /** What to do where there is no SQLite file yet; `fail` when absent. */
  readonly whenMissing?: WhenMissing;
  /** How long a server may take for one answer, where its URL says nothing else; 10 s when absent. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * Opens a store, and brings its schema up to date.
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

/** Loads no more than the driver that is asked for. */
async function driverFor(
  location: StoreLocation,
  { whenMissing = 'fail', timeoutMs = TIMEOUT_MS }: OpenOptions,
): Promise<Driver> {
  if (location.kind === 'postgres') {
    const { postgresDriver } = await import('./postgres.js');
    return postgresDriver(location, timeoutMs);
  }
  const { sqliteDriver } = await import('./sqlite.js');
  return sqliteDriver(location.path, location.place, whenMissing);
}
