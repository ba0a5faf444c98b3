import { readFileSync } from 'node:fs';

/** Where the system does not tell: what most systems give at least. */
const USUAL = 1_024;

/** How many files, sockets and pipes this process may have open. */
export function openFileLimit(): number {
  try {
    const [, limit = ''] = /^Max open files +(\d+|unlimited)/m.exec(
      readFileSync('/proc/self/limits', 'latin1'),
    ) as RegExpExecArray;
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit);
  } catch {
    return USUAL;
  }
}

/** What may be done at a time, so that a limit of open files suffices for all of it together. */
export interface Shares {
  /** Commands that run; each has two pipes. */
  readonly commands: number;
  /** Requests to systems. */
  readonly requests: number;
  /** Files that are changed. */
  readonly files: number;
  /** Connections of clients. */
  readonly connections: number;
}

/** Shares a limit of open files out. */
export function shareOut(limit: number): Shares {
  const share = (parts: number, most: number) =>
    Math.max(8, Math.min(most, Math.floor(limit / parts)));
  return {
    commands: share(8, 64),
    requests: share(8, 256),
    files: share(16, 16),
    connections: share(4, 1_000),
  };
}
