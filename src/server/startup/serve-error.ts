import { exitCodes, PerturbError } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import { codeOf, InputError, readInput } from '../../durable/index.js';

/** The reason why a server cannot be started as requested. */
export type ServeErrorCode =
  | 'bad-key'
  | 'bad-base-path'
  | 'bad-tls'
  | 'bad-plugin-config'
  | 'bad-plugin'
  | 'open-to-all'
  /** The next two codes are not mistakes in the request. */
  | 'process'
  | 'address-unusable';

/** The error for a server that cannot be started. The message is for people, and contains no secrets. */
export class ServeError extends PerturbError<ServeErrorCode> {
  /** @param help advice */
  constructor(code: ServeErrorCode, message: string, help?: string) {
    const isMistake = code !== 'address-unusable' && code !== 'process';
    const exitCode = isMistake ? exitCodes.usage : exitCodes.unavailable;
    super(code, message, exitCode, help);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EADDRINUSE: 'the port is already in use',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
};

/** Returns a system error's reason, in words. Rethrows any other error. */
export function explainSystemError(error: unknown): string {
  if (error instanceof InputError) return error.message;
  const code = codeOf(error);
  if (code === undefined) throw error;
  return reasons[code] ?? code;
}

/** Reads a file named by an option. @throws ServeError if it cannot be read */
export function readConfiguredFile(code: ServeErrorCode, path: string, pipe: boolean): Buffer {
  try {
    return readInput(path, { pipe }).bytes;
  } catch (error) {
    throw new ServeError(code, `cannot read ${quote(path)}: ${explainSystemError(error)}`);
  }
}
