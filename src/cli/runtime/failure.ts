import type { ExitCode } from './exit-codes.js';

/**
 * Ends a command with a message for the user and an exit code. Whatever else is
 * thrown crosses the edge as a bug.
 */
export class Failure extends Error {
  readonly exitCode: ExitCode;
  /** What to do about it, on a line of its own. */
  readonly help: string | undefined;

  constructor(exitCode: ExitCode, message: string, help?: string) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
    this.help = help;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EEXIST: 'a file of that name exists',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space left on the device',
  EROFS: 'the file system is read-only',
};

/** Whether an error is the system's error of that code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Why the file system refused, in words. Rethrows what is not a system error. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return reasons[error.code] ?? error.code;
  }
  throw error;
}
