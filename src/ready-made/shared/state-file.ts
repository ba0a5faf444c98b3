import { randomBytes } from 'node:crypto';
import { realpathSync, type Stats, statSync } from 'node:fs';
import { codeOf, InputError, readInput, removeFile, replaceFile } from '../../durable/index.js';

/** Returns a random token that makes the names of a mutator's resources unique. */
export const newToken = (): string => randomBytes(12).toString('hex');

export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[\da-f]{24}$/.test(value);

/** A record of a mutator's changes, written before making the changes. */
export interface StateFile<State> {
  /**
   * Returns the recorded state; undefined if there are no changes.
   *
   * @throws Error unless this user's mutator wrote the file in this directory for the same target
   */
  read(): State | undefined;
  /** Writes the state atomically. The state is on disk when the promise resolves. */
  save(state: State): Promise<void>;
  remove(): Promise<void>;
}

/** Checks of a state's values, by key. A state has no other keys. */
export type StateShape<State> = { readonly [Key in keyof State]: (value: unknown) => boolean };

const MAX_BYTES = 1 << 20;

/**
 * Returns a mutator's state file in the working directory. Refuses a file unless this user's mutator wrote it in this
 * directory for the same target, because a reset removes, starts or ends the objects that the file names.
 *
 * @param target the settings that name the changed object
 */
export function openStateFile<State>(
  name: string,
  target: Readonly<Record<string, string | undefined>>,
  shape: StateShape<State>,
): StateFile<State> {
  const file = `${name}.state.json`;
  return {
    read() {
      const input = readIfPresent(file);
      if (input === undefined) return undefined;
      const document = typeof input === 'string' ? undefined : parse(input.bytes.toString(), shape);
      const reason =
        typeof input === 'string'
          ? input
          : (explainDistrust(input.stats) ??
            sizeReason(input.stats) ??
            mismatchReason(document, target));
      if (reason === undefined && document !== undefined) return document.state;
      throw new Error(`refusing to use ${file}: ${reason}. Check its content, then remove it.`);
    },
    async save(state) {
      const bytes = Buffer.from(JSON.stringify({ place: identifyDirectory(), target, state }));
      await replaceFile(file, bytes, { mode: 0o600, temporary: `${file}.new` });
    },
    remove: () => removeFile(file),
  };
}

/** Returns a file's bytes and status, or the reason to refuse the file; undefined if the file does not exist. */
function readIfPresent(file: string) {
  try {
    return readInput(file, { noFollow: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    const reason = explainIrregularFile(error);
    if (reason === undefined) throw error;
    return reason;
  }
}

const NOT_REGULAR = 'it is not a regular file';

/**
 * Returns the reason why a file could not be opened without following a symbolic link; undefined for any other error.
 */
export function explainIrregularFile(error: unknown): string | undefined {
  // The path is a link, a directory opened for writing, a socket or a pipe.
  if (['ELOOP', 'EISDIR', 'ENXIO'].includes(codeOf(error) ?? '')) return NOT_REGULAR;
  return error instanceof InputError ? error.message : undefined;
}

/** Returns the reason to distrust an open file; undefined if only this user can have written it. */
export function explainDistrust(stats: Stats): string | undefined {
  const userId = process.geteuid?.() ?? stats.uid;
  if (!stats.isFile()) return NOT_REGULAR;
  if (stats.uid !== userId) return `it belongs to user ${stats.uid}, not to ${userId}`;
  if ((stats.mode & 0o022) !== 0) return 'other users can write to it';
  return stats.nlink > 1 ? 'it has several hard links' : undefined;
}

const sizeReason = ({ size }: Stats) => (size > MAX_BYTES ? 'it is too large' : undefined);

interface StateDocument<State> {
  readonly place: unknown;
  readonly target: Readonly<Record<string, unknown>>;
  readonly state: State;
}

function parse<State>(text: string, shape: StateShape<State>): StateDocument<State> | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(document) || !isRecord(document['target'])) return undefined;
  return hasShape(document['state'], shape)
    ? { place: document['place'], target: document['target'], state: document['state'] }
    : undefined;
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for an object with exactly the keys of a shape, and with values that pass the shape's checks. */
export function hasShape<State>(value: unknown, shape: StateShape<State>): value is State {
  if (!isRecord(value)) return false;
  const checks: readonly (readonly [string, (value: unknown) => boolean])[] = Object.entries(shape);
  return (
    Object.keys(value).every((key) => Object.hasOwn(shape, key)) &&
    checks.every(([key, accepts]) => accepts(value[key]))
  );
}

function mismatchReason(
  document: StateDocument<unknown> | undefined,
  target: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (document === undefined) return 'it is not a valid state of this mutator';
  if (document.place !== identifyDirectory()) return 'it was written in another directory';
  const changedKey = Object.keys(target).find(
    (key) => (document.target[key] ?? '') !== (target[key] ?? ''),
  );
  if (changedKey === undefined) return undefined;
  return `it was written for another ${changedKey} than ${target[changedKey] || 'none'}`;
}

/** Returns a unique identifier for the working directory, which even a copy does not share. */
const identifyDirectory = () => `${statSync('.', { bigint: true }).ino}:${realpathSync('.')}`;
