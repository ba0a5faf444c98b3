import { randomBytes } from 'node:crypto';
import { realpathSync, type Stats, statSync } from 'node:fs';
import { codeOf, InputError, readInput, removeFile, replaceFile } from '../../durable/index.js';

/** Returns a random part for the names of a mutator's objects. */
export const newToken = (): string => randomBytes(12).toString('hex');

export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[\da-f]{24}$/.test(value);

/** The record of a mutator's changes, written before the changes are made. */
export interface StateFile<State> {
  /**
   * Returns the recorded state; undefined if nothing is changed.
   * @throws Error unless this user's mutator wrote the file here for the same target
   */
  read(): State | undefined;
  /** Writes the state in one step. The state is on disk once the promise resolves. */
  save(state: State): Promise<void>;
  remove(): Promise<void>;
}

/** A check for each key of a state; a state has no other keys. */
export type StateShape<State> = { readonly [Key in keyof State]: (value: unknown) => boolean };

const MAX_BYTES = 1 << 20;

/**
 * Returns the state file of a mutator, in the working directory. The file is refused unless this user's mutator wrote
 * it here for the same target, because a reset removes, starts or ends the objects that it names.
 *
 * @param target the settings that name the changed object
 */
export function stateFile<State>(
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
          : (distrustReason(input.stats) ??
            sizeReason(input.stats) ??
            mismatchReason(document, target));
      if (reason === undefined && document !== undefined) return document.state;
      throw new Error(
        `refusing ${file}: ${reason}. Nothing was touched. Check what it names, then remove it.`,
      );
    },
    async save(state) {
      const bytes = Buffer.from(JSON.stringify({ place: identifyDirectory(), target, state }));
      await replaceFile(file, bytes, { mode: 0o600, temporary: `${file}.new` });
    },
    remove: () => removeFile(file),
  };
}

/** Returns a file's bytes and stats, or the reason to refuse the file; undefined if it does not exist. */
function readIfPresent(file: string) {
  try {
    return readInput(file, { noFollow: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    const reason = irregularReason(error);
    if (reason === undefined) throw error;
    return reason;
  }
}

const NOT_REGULAR = 'it is not a regular file';

/** Returns the reason why a file could not be opened without following a link; undefined for any other error. */
export function irregularReason(error: unknown): string | undefined {
  // A link, a directory to write to, a socket or a pipe.
  if (['ELOOP', 'EISDIR', 'ENXIO'].includes(codeOf(error) ?? '')) return NOT_REGULAR;
  return error instanceof InputError ? error.message : undefined;
}

/**
 * Returns the reason to distrust an open file that others may have written; undefined if only this user can have
 * written it.
 */
export function distrustReason(stats: Stats): string | undefined {
  const userId = process.geteuid?.() ?? stats.uid;
  if (!stats.isFile()) return NOT_REGULAR;
  if (stats.uid !== userId) return `it belongs to user ${stats.uid}, not to ${userId}`;
  if ((stats.mode & 0o022) !== 0) return 'other users may write to it';
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

/** True for an object with exactly the keys of a shape, and with values that pass its checks. */
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
  if (document === undefined) return 'it does not belong to this mutator';
  if (document.place !== identifyDirectory()) return 'it was written in another directory';
  const changedKey = Object.keys(target).find(
    (key) => (document.target[key] ?? '') !== (target[key] ?? ''),
  );
  if (changedKey === undefined) return undefined;
  return `it was written for another ${changedKey} than ${target[changedKey] || 'none'}`;
}

/** Returns an identity of the working directory, different from any copy's and any other directory's. */
const identifyDirectory = () => `${statSync('.', { bigint: true }).ino}:${realpathSync('.')}`;
