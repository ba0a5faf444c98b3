import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a directory and those above it, durably, for this user only: what it holds may be secret. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made !== dirname(first); made = dirname(made)) {
    await syncDirectory(dirname(made));
  }
}

/** Directories that are being synced, and what waits for the next time. */
const syncing = new Map<string, { readonly running: Promise<void>; next?: Promise<void> }>();

/**
 * Makes what was done to the names in a directory durable. Those who ask while
 * it is being synced share the next time.
 */
export function syncDirectory(path: string): Promise<void> {
  const busy = syncing.get(path);
  if (busy !== undefined) {
    busy.next ??= busy.running.catch(() => {}).then(() => begin(path));
    return busy.next;
  }
  return begin(path);
}

function begin(path: string): Promise<void> {
  const running = syncNow(path).finally(() => {
    if (syncing.get(path)?.running === running) syncing.delete(path);
  });
  syncing.set(path, { running });
  return running;
}

async function syncNow(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Whether the system has refused something, such as to open a file. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** The code of an error of Node or the system, such as `ENOENT`; undefined for any other. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
