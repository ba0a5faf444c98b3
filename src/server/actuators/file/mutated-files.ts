import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { quote } from '../../../diagnostics/index.js';
import { removeFile, replaceFile } from '../../state/durable-files.js';
import { ActuatorError } from '../actuator-error.js';
import { applyChange, type FileChange } from './file-change.js';
import { digestOf, type FileState, followLinks, readState } from './file-state.js';
import { type MutatedFile, OriginalStore } from './original-store.js';

type Changes = MutatedFile['changes'];

/** What a file is made with that did not exist. */
const NEW_MODE = 0o644;

/**
 * The files that mutators have changed. Several may change one file: it is
 * always its original with the changes that are in force, so that resetting one
 * leaves the others, and after the last the original's bytes are back. The
 * original, and what the file is about to be, are on the disk before it is
 * touched. A file that somebody else has changed meanwhile is left alone.
 */
export class MutatedFiles {
  readonly #store: OriginalStore;
  /** The last operation on each file, which the next one waits for. */
  readonly #turns = new Map<string, Promise<void>>();

  /** @param directory where originals are kept; exists */
  constructor(directory: string) {
    this.#store = new OriginalStore(directory);
  }

  /** Removes what an earlier process, that was killed, left behind beside its records. */
  async tidy(): Promise<void> {
    await this.#store.tidy();
  }

  /** Puts a change of a mutator in force, in place of an earlier one of the same. */
  async change(mutator: string, path: string, change: FileChange): Promise<void> {
    const target = await followLinks(path);
    await this.#inTurn(target, async () => {
      const state = await stateOf(target);
      const known = await this.#store.find(target);
      if (known !== undefined) this.#judge(known, state);
      // Before anything is kept: a change that can't be made leaves nothing behind.
      if (known === undefined) applyChange(target, state?.bytes, change);
      const file = known ?? (await this.#store.begin(target, state));
      const changes = withChange(file.changes, mutator, change);
      await this.#write({ ...file, changes }, changes, state, mutator);
    });
  }

  /** Takes all changes of a mutator back. */
  async restore(mutator: string): Promise<void> {
    for (const path of await this.#changedBy(mutator)) {
      await this.#inTurn(path, async () => {
        const file = await this.#store.find(path);
        if (file === undefined) return;
        const state = await stateOf(path);
        this.#judge(file, state);
        const changes = without(file.changes, mutator);
        // The change stays on record until the file is rid of it.
        const written = await this.#write(file, changes, state);
        if (changes.length === 0) await this.#store.end(path);
        else await this.#store.save({ ...written, changes });
      });
    }
  }

  /** Takes the changes of a mutator off the records; files and the bytes of originals stay. */
  async forget(mutator: string): Promise<void> {
    for (const path of await this.#changedBy(mutator)) {
      await this.#inTurn(path, async () => {
        const file = await this.#store.find(path);
        if (file === undefined) return;
        const changes = without(file.changes, mutator);
        if (changes.length === 0) await this.#store.forget(path);
        else await this.#store.save({ ...file, changes });
      });
    }
  }

  async #changedBy(mutator: string): Promise<string[]> {
    const files = await this.#store.all();
    return files
      .filter(({ changes }) => changes.some((one) => one.mutator === mutator))
      .map(({ path }) => path);
  }

  /** Throws when a file is not as it was left. */
  #judge(file: MutatedFile, state: FileState): void {
    const original = file.original === 'absent' ? digestOf(undefined) : file.original.digest;
    if ([original, ...file.expected].includes(digestOf(state?.bytes))) return;
    const { kept, record } = this.#store.places(file.path);
    const back =
      file.original === 'absent'
        ? 'it did not exist at first, so remove it'
        : `what it was at first is kept in ${kept}, put that back`;
    const detail = `${back}, or delete ${record} to leave the file as it is, and reset again`;
    throw new ActuatorError('changed-meanwhile', quote(file.path), detail);
  }

  /**
   * Gives a file its content with these changes, having saved a record of what
   * it will be. The change of `mutator` must have an effect.
   */
  async #write(
    file: MutatedFile,
    changes: Changes,
    state: FileState,
    mutator?: string,
  ): Promise<MutatedFile> {
    const { path, original } = file;
    const bytes = applyAll(path, await this.#store.original(file), changes, mutator);
    const [found, next] = [digestOf(state?.bytes), digestOf(bytes)];
    const record = { ...file, expected: [found, next] };
    await this.#store.save(record);
    const temporary = temporaryFor(path);
    // An earlier process may have left it. Where none can be removed none was made.
    await rm(temporary, { force: true }).catch(() => {});
    if (found === next) return record;
    if (bytes === undefined) await removeFile(path);
    else {
      const kept = original === 'absent' ? { mode: NEW_MODE } : original;
      await replaceFile(path, bytes, { ...kept, temporary });
    }
    return record;
  }

  /** Runs operations on one file one after another. */
  #inTurn(path: string, operation: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(path) ?? Promise.resolve()).then(operation);
    const settled = turn
      .catch(() => {})
      .then(() => {
        if (this.#turns.get(path) === settled) this.#turns.delete(path);
      });
    this.#turns.set(path, settled);
    return turn;
  }
}

async function stateOf(path: string): Promise<FileState> {
  const state = await readState(path);
  if (state === 'other') throw new ActuatorError('not-a-file', quote(path));
  return state;
}

/**
 * The content with all changes. One that can't be made has none to make: it
 * was of something that another change had brought, which is gone.
 */
function applyAll(
  path: string,
  original: Uint8Array | undefined,
  changes: Changes,
  required: string | undefined,
): Uint8Array | undefined {
  return changes.reduce((content, { mutator, change }) => {
    try {
      return applyChange(path, content, change);
    } catch (error) {
      if (mutator === required || !(error instanceof ActuatorError)) throw error;
      return content;
    }
  }, original);
}

/** A mutator that injects again keeps its place among the others. */
function withChange(changes: Changes, mutator: string, change: FileChange): Changes {
  const isKnown = changes.some((one) => one.mutator === mutator);
  if (!isKnown) return [...changes, { mutator, change }];
  return changes.map((one) => (one.mutator === mutator ? { mutator, change } : one));
}

function without(changes: Changes, mutator: string): Changes {
  return changes.filter((one) => one.mutator !== mutator);
}

/** The same for every process, so that one can remove what another has left. */
function temporaryFor(path: string): string {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return join(dirname(path), `.perturb-${digest}.new`);
}
