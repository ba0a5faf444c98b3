import { quote } from '../../diagnostics/index.js';
import { isSystemError } from '../../durable/index.js';
import { compareCodePoints } from '../../source/index.js';
import { ActuatorError } from '../actuator-error.js';
import { Gate } from '../scheduling.js';
import {
  applyAll,
  applyChange,
  type Changes,
  type FileChange,
  hasSomeChanges,
  withChange,
  withoutMutators,
} from './file-change.js';
import { ANYTHING, type MutatedFile, OriginalStore } from './original-store.js';
import { contentDigest, type FileState, followLinks, TargetFile } from './target-file.js';

/** A file that a mutator changes. */
interface Target {
  readonly path: string;
  /** True to write into the existing file instead of replacing it. */
  readonly inPlace: boolean;
}

/**
 * The files that mutators have changed. Several mutators may change one file, whose content is
 * always the original with the active changes. Resetting one mutator keeps the other changes, and
 * resetting the last mutator restores the original's bytes. The original and the digest of the new
 * content are on disk before the file is touched. A file that somebody else has changed meanwhile
 * is left alone.
 */
export class MutatedFiles {
  readonly #store: OriginalStore;
  readonly #gate: Gate;
  /** The last operation on each file. The next operation waits for its end. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Resets of one file that wait for their turn and run together. */
  readonly #batches = new Map<string, { mutators: Set<string>; done: Promise<boolean> }>();
  /** The path by which a file was last changed, by the identity that the file's paths share. */
  readonly #paths = new Map<string, string>();
  #recordedFiles: Promise<readonly MutatedFile[]> | undefined;

  /**
   * @param directory an existing directory for originals
   * @param gate limits the number of files changed at a time
   * @param place stands for the directory in records
   */
  constructor(directory: string, gate = new Gate(16), place?: string) {
    this.#store = new OriginalStore(directory, place);
    this.#gate = gate;
  }

  /** Removes the remains of an earlier process that was killed, apart from its records. */
  async tidy(): Promise<void> {
    await this.#store.tidy();
  }

  /** Returns the files that an earlier process has left on record, sorted by path. */
  recorded(): Promise<readonly MutatedFile[]> {
    this.#recordedFiles ??= this.#store
      .readAll()
      .then((files) => files.sort((a, b) => compareCodePoints(a.path, b.path)));
    return this.#recordedFiles;
  }

  /** Returns the recorded files that none of these paths leads to. */
  async recordedExcept(paths: readonly string[]): Promise<readonly string[]> {
    const files = await this.recorded();
    if (files.length === 0) return [];
    const targets = paths.map((path) => followLinks(path).catch(() => undefined));
    const targetPaths = new Set((await Promise.all(targets)).map((target) => target?.path));
    return files.map(({ path }) => path).filter((path) => !targetPaths.has(path));
  }

  /** Adopts recorded files, as if they had been recorded here. */
  async adopt(files: readonly MutatedFile[]): Promise<void> {
    for (const file of files) {
      await this.#store.rewrite(file).catch((error: unknown) => {
        // If the directory is not writable, they stay unchanged.
        if (!isSystemError(error)) throw error;
      });
    }
  }

  /** Activates a change of a mutator, in place of the mutator's earlier change. */
  async change(mutator: string, request: Target, change: FileChange): Promise<void> {
    const location = await followLinks(request.path);
    const { path } = location;
    await this.#run(path, async () => {
      const record = await this.#store.find(path);
      // A file that one mutator must write into is not replaced for another mutator either.
      const inPlace = request.inPlace || record?.inPlace === true;
      await TargetFile.use(location, inPlace ? 'write' : 'read', async (target) => {
        const { state } = target;
        if (!request.inPlace && state !== undefined && state.links > 1) {
          throw new ActuatorError('hard-links', quote(path), otherLinks(state.links - 1));
        }
        await this.#claimFile(target, inPlace);
        if (record !== undefined) await this.#checkUnchanged(record, state);
        // Checked before anything is stored, because a failed change must leave nothing behind.
        else applyChange(path, state?.bytes, change);
        const file = { ...(record ?? (await this.#store.begin(path, state))), inPlace };
        const changes = withChange(file.changes, mutator, change);
        await this.#write(file, changes, target, mutator);
      });
    });
  }

  /** Refuses a file that is mutated under another path, because its content is not its original. */
  async #claimFile(target: TargetFile, inPlace: boolean): Promise<void> {
    const { path, state } = target;
    const identities = await target.identities(inPlace);
    for (const identity of [...identities, ...(state ? [state.inode] : [])]) {
      const otherPath = this.#paths.get(identity);
      if (otherPath === undefined || otherPath === path) continue;
      const isChanged = this.#store.listChanged().some((file) => file.path === otherPath);
      if (!isChanged && !this.#turns.has(otherPath)) continue;
      throw new ActuatorError('same-file', quote(path), quote(otherPath));
    }
    for (const identity of identities) this.#paths.set(identity, path);
  }

  /**
   * Undoes all changes of a mutator.
   *
   * @param path the file that the mutator changes
   * @returns true if somebody had removed a file, and it was recreated
   */
  async restore(mutator: string, path: string): Promise<boolean> {
    const ownPath = await followLinks(path).then(
      (location) => location.path,
      () => path,
    );
    const paths = new Set([...pathsOf(this.#store.listChanged(), mutator), ownPath]);
    const results = await Promise.all([...paths].map((file) => this.#undoInBatch(file, mutator)));
    // A file that the manifest does not name is not touched, whatever the record contains.
    for (const otherPath of pathsOf(await this.recorded(), mutator)) {
      if (paths.has(otherPath) || (await this.#store.find(otherPath)) === undefined) continue;
      const { originalPath, record } = this.#store.places(otherPath);
      throw new ActuatorError(
        'not-named',
        quote(otherPath),
        `${originalPath}, then remove ${record}`,
      );
    }
    return results.includes(true);
  }

  /**
   * Removes a mutator's changes from the records. Files and the bytes of originals stay.
   *
   * @returns a description of the residue
   */
  async forget(mutator: string): Promise<readonly string[]> {
    const descriptions: string[] = [];
    const files = [...(await this.recorded()), ...this.#store.listChanged()];
    for (const path of new Set(pathsOf(files, mutator))) {
      await this.#run(path, async () => {
        const file = await this.#store.find(path);
        if (file === undefined) return;
        const changes = withoutMutators(file.changes, new Set([mutator]));
        if (changes.length > 0) await this.#store.save({ ...file, changes });
        const originalPath = changes.length > 0 ? undefined : await this.#store.forget(path);
        const originalText =
          originalPath === undefined ? '' : `, with its original in ${originalPath}`;
        descriptions.push(`${quote(path)} as it is${originalText}`);
      }).catch((error: unknown) => {
        if (!isSystemError(error)) throw error;
        throw new ActuatorError('file', quote(path), error.message);
      });
    }
    return descriptions;
  }

  /** @returns true if the file was recreated because somebody had removed it */
  async #undo(path: string, mutators: ReadonlySet<string>): Promise<boolean> {
    const file = await this.#store.find(path);
    if (!file?.changes.some((change) => mutators.has(change.mutator))) return false;
    const access = file.inPlace === true ? 'write' : 'read';
    return TargetFile.use({ path, linkOwners: new Set() }, access, async (target) => {
      // Recreating the file overwrites nobody's work.
      const isGone = target.state === undefined && file.original !== 'absent';
      if (!isGone) await this.#checkUnchanged(file, target.state);
      const changes = withoutMutators(file.changes, mutators);
      if (changes.length > 0) {
        const record = await this.#write(file, changes, target);
        await this.#store.saveIfPossible({ ...record, changes });
        return isGone;
      }
      const { bytes } = target.state ?? {};
      const isReset = contentDigest(bytes) === firstDigest(file);
      await this.#restoreFile(file, isReset ? bytes : await this.#store.original(file), target);
      await this.#store.end({ ...file, changes });
      return isGone;
    });
  }

  /** Throws if a file was changed by somebody else. */
  async #checkUnchanged(file: MutatedFile, state: FileState): Promise<void> {
    const { path, original, expected } = file;
    const actual = contentDigest(state?.bytes);
    if ([firstDigest(file), ...expected].some((digest) => digest === actual || digest === ANYTHING))
      return;
    const bytes = await this.#store.original(file);
    if (hasSomeChanges(path, bytes, file.changes, actual)) return;
    const { originalPath } = this.#store.places(path);
    const restoreHelp =
      original === 'absent'
        ? 'it did not exist at first, so move it away'
        : `its original is in ${originalPath}, so copy that over it`;
    const detail = `${restoreHelp}, reset again, and then repeat the other change`;
    throw new ActuatorError('changed-meanwhile', quote(path), detail);
  }

  /**
   * Writes a file's content with these changes, after recording the new content. An injected change
   * of `mutator` must have an effect and be recorded; a reset continues without that.
   */
  async #write(
    file: MutatedFile,
    changes: Changes,
    target: TargetFile,
    mutator?: string,
  ): Promise<MutatedFile> {
    const { path, inPlace } = file;
    const { state } = target;
    const original = await this.#store.original(file);
    const previousDigest = contentDigest(state?.bytes);
    // One more change, on top of the active changes. Repeating all of them would take long if there
    // are many.
    const isAppended =
      previousDigest === file.expected.at(-1) &&
      changes.length === file.changes.length + 1 &&
      file.changes.every((change, index) => change === changes[index]);
    const bytes = isAppended
      ? applyAll(path, state?.bytes, changes.slice(-1), mutator)
      : applyAll(path, original, changes, mutator);
    const digest = contentDigest(bytes);
    const expectedDigests = [previousDigest, digest];
    // A crash may leave a file half written if it is written in place.
    const record = {
      ...file,
      // The changes of a reset stay on record until they are undone in the file.
      changes: mutator === undefined ? file.changes : changes,
      expected: inPlace ? [...expectedDigests, ANYTHING] : expectedDigests,
    };
    if (mutator === undefined) await this.#store.saveIfPossible(record);
    else await this.#store.save(record);
    if (mutator === undefined) await this.#restoreFile(record, bytes, target);
    else await target.put(record, bytes, false);
    if (!inPlace) return record;
    const finalRecord = { ...record, expected: expectedDigests };
    await this.#store.saveIfPossible(finalRecord);
    return finalRecord;
  }

  /**
   * Restores a file. If no new file can be created in its directory, writes into the file itself.
   */
  async #restoreFile(
    file: MutatedFile,
    bytes: Uint8Array | undefined,
    target: TargetFile,
  ): Promise<void> {
    try {
      await target.put(file, bytes, true);
    } catch (error) {
      const { state } = target;
      if (!isSystemError(error) || state === undefined || bytes === undefined) throw error;
      // On a full disk, only content that takes no more room than before can surely be written in
      // full.
      const isRefused = ['EACCES', 'EPERM', 'EBUSY'].includes(error.code ?? '');
      if (!isRefused && bytes.length > state.bytes.length) throw error;
      const halfWritten = { ...file, expected: [...file.expected, ANYTHING] };
      await target.overwrite(bytes, () => this.#store.saveIfPossible(halfWritten));
    }
  }

  /**
   * Undoes a mutator's change, together with all other changes whose reset is requested before it
   * begins. Separate resets would each rewrite the remaining changes.
   */
  #undoInBatch(path: string, mutator: string): Promise<boolean> {
    const batch = this.#batches.get(path);
    if (batch !== undefined) {
      batch.mutators.add(mutator);
      return batch.done;
    }
    const mutators = new Set([mutator]);
    const completion = this.#run(path, () => {
      this.#batches.delete(path);
      return this.#undo(path, mutators);
    });
    this.#batches.set(path, { mutators, done: completion });
    return completion;
  }

  /**
   * Runs operations on each file one after another, and a limited number of operations in parallel.
   */
  #run<Result>(path: string, operation: () => Promise<Result>): Promise<Result> {
    const turn = (this.#turns.get(path) ?? Promise.resolve()).then(() => this.#gate.run(operation));
    const completion = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(path) === completion) this.#turns.delete(path);
      });
    this.#turns.set(path, completion);
    return turn;
  }
}

function otherLinks(count: number): string {
  return count === 1 ? 'another hard link' : `${count} other hard links`;
}

/** Returns the paths of files that a mutator has changed. */
function pathsOf(files: readonly MutatedFile[], mutator: string): string[] {
  return files
    .filter(({ changes }) => changes.some((change) => change.mutator === mutator))
    .map(({ path }) => path);
}

/** Returns the digest of a file's original content. */
function firstDigest({ original }: MutatedFile): string {
  return original === 'absent' ? contentDigest(undefined) : original.digest;
}
