import { quote } from '../../diagnostics/index.js';
import type { ListingProblem } from '../wire/listing.js';
import type { ClientErrorCode } from './client-error.js';

/** Why a source of mutators cannot be used: a reason of its own, or that of the client. */
export type SourceErrorCode = 'offline' | 'unreadable' | ListingProblem['code'] | ClientErrorCode;

const READING: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
};

/** A source of mutators cannot be used. The message is for people and names the source. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  /** The source as the user wrote it; of a URL without credentials. */
  readonly source: string;

  constructor(code: SourceErrorCode, source: string, message: string) {
    super(message);
    this.code = code;
    this.source = source;
  }
}

/** The error for a URL when no socket may be opened. */
export function offlineError(source: string): SourceError {
  const message = `${quote(source)} is a URL, and --offline opens no connection: save its listing to a file and name that`;
  return new SourceError('offline', source, message);
}

/** The error for a file that could not be read; `undefined` when what was thrown is a bug. */
export function readError(source: string, thrown: unknown): SourceError | undefined {
  if (!(thrown instanceof Error && 'code' in thrown)) return undefined;
  const code = String(thrown.code);
  const reason = Object.hasOwn(READING, code) ? READING[code] : `reading it failed (${code})`;
  const message = `cannot read mutators from ${quote(source)}: ${reason}`;
  return new SourceError('unreadable', source, message);
}

/** The error for a file that is no listing. */
export function listingError(source: string, { code, problem }: ListingProblem): SourceError {
  return new SourceError(code, source, `${quote(source)} is not a listing of mutators: ${problem}`);
}
