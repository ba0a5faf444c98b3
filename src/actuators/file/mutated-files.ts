import { quote } from '../../diagnostics/index.js';
import { isSystemError } from '../../durable/index.js';
import { compareCodePoints } from '../../source/index.js';
import { ActuatorError } from '../actuator-error.js';
import { Semaphore } from '../scheduling.js';
import {
  applyAll,
  applyChange,
  type Changes,
  type FileChange,
  hasSomeChanges,
  withChange,
  withoutMutators,
} from './file-change.js';
import { ANY_DIGEST, type MutatedFile, OriginalStore } from './original-store.js';
import { contentDigest, type FileState, followLinks, TargetFile } from './target-file.js';

/** A file for a mutator to change. */
interface Target {
  readonly path: string;
  /** True to write into the existing file instead of replacing it. */
  readonly inPlace: boolean;
}

/**
 * The files that mutators have changed. If several mutators change the same file, its content is always the original
 * with the active changes. Resetting one mutator keeps the other mutators' changes, and resetting the last mutator
 * restores the original bytes. The original and the new content's digest are on disk before a file is changed. Never
 * touches a file that another program has changed in the meantime.
 */
export class MutatedFiles {
  readonly #store: OriginalStore;
  readonly #semaphore: Semaphore;
  /** The last operation on each file, by path. The next operation waits until the last operation has ended. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Pending resets, by file path. Resets of the same file run together. */
  readonly #batches = new Map<string, { mutators: Set<string>; done: Promise<boolean> }>();
  /** The path last used to change each file, by a file identity that does not depend on the path. */
  readonly #paths = new Map<string, string>();
  #recordedFiles: Promise<readonly MutatedFile[]> | undefined;

  /**
   * @param directory an existing directory for originals
   * @param semaphore limits the number of files changed in parallel
   * @param place an identifier of the directory, for records
   */
  constructor(directory: string, semaphore = new Semaphore(16), place?: string) {
    this.#store = new OriginalStore(directory, place);
    this.#semaphore = semaphore;
  }

  /** Removes files left behind by a killed process, except records. */
  async tidy(): Promise<void> {
    await this.#store.tidy();
  }

  /** Returns the mutated files that an earlier process recorded, sorted by path. */
  recorded(): Promise<readonly MutatedFile[]> {
    this.#recordedFiles ??= this.#store
      .readAll()
      .then((files) => files.sort((a, b) => compareCodePoints(a.path, b.path)));
    return this.#recordedFiles;
  }

  /** Returns the paths of recorded files, except the targets of the given paths. */
  async recordedExcept(paths: readonly string[]): Promise<readonly string[]> {
    const files = await this.recorded();
    if (files.length === 0) return [];
    const targets = paths.map((path) => followLinks(path).catch(() => undefined));
    const targetPaths = new Set((await Promise.all(targets)).map((target) => target?.path));
    return files.map(({ path }) => path).filter((path) => !targetPaths.has(path));
  }

  /** Adopts recorded files, as if they had been recorded in this directory. */
  async adopt(files: readonly MutatedFile[]): Promise<void> {
    for (const file of files) {
      await this.#store.rewrite(file).catch((error: unknown) => {
        // If the directory is not writable, the records stay unchanged.
        if (!isSystemError(error)) throw error;
      });
    }
  }

  /** Applies a mutator's change, which replaces the mutator's earlier change. */
  async change(mutator: string, request: Target, change: FileChange): Promise<void> {
    const location = await followLinks(request.path);
    const { path } = location;
    await this.#run(path, async () => {
      const record = await this.#store.find(path);
      // If one mutator must write into the existing file, no other mutator may replace the file.
      const inPlace = request.inPlace || record?.inPlace === true;
      await TargetFile.use(location, inPlace ? 'write' : 'read', async (target) => {
        const { state } = target;
        if (!request.inPlace && state !== undefined && state.links > 1) {
          throw new ActuatorError('hard-links', quote(path), otherLinks(state.links - 1));
        }
        await this.#claimFile(target, inPlace);
        if (record !== undefined) await this.#checkUnchanged(record, state);
        // Checked before storing anything, because a failed change must leave nothing behind.
        else applyChange(path, state?.bytes, change);
        const file = { ...(record ?? (await this.#store.begin(path, state))), inPlace };
        const changes = withChange(file.changes, mutator, change);
        await this.#write(file, changes, target, mutator);
      });
    });
  }

  /** Throws if a file is mutated under another path, because its content is then not the original. */
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
   * Undoes all of a mutator's changes.
   *
   * @param path the path of the mutator's file
   * @returns true if the file was recreated because it was missing
   */
  async restore(mutator: string, path: string): Promise<boolean> {
    const ownPath = await followLinks(path).then(
      (location) => location.path,
      () => path,
    );
    const paths = new Set([...pathsOf(this.#store.listChanged(), mutator), ownPath]);
    const results = await Promise.all([...paths].map((file) => this.#undoInBatch(file, mutator)));
    // Never touches files that the manifest does not name, regardless of the records.
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
   * Removes a mutator's changes from the records. Keeps the files and the originals.
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

  /** @returns true if the file was recreated because it was missing */
  async #undo(path: string, mutators: ReadonlySet<string>): Promise<boolean> {
    const file = await this.#store.find(path);
    if (!file?.changes.some((change) => mutators.has(change.mutator))) return false;
    const access = file.inPlace === true ? 'write' : 'read';
    return TargetFile.use({ path, linkOwners: new Set() }, access, async (target) => {
      // Recreating a missing file overwrites no later changes.
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

  /** Throws if another program has changed a file. */
  async #checkUnchanged(file: MutatedFile, state: FileState): Promise<void> {
    const { path, original, expected } = file;
    const actual = contentDigest(state?.bytes);
    if (
      [firstDigest(file), ...expected].some((digest) => digest === actual || digest === ANY_DIGEST)
    )
      return;
    const bytes = await this.#store.original(file);
    if (hasSomeChanges(path, bytes, file.changes, actual)) return;
    const { originalPath } = this.#store.places(path);
    const restoreHelp =
      original === 'absent'
        ? 'the file did not exist originally, so move it away'
        : `its original is in ${originalPath}, so overwrite the file with it`;
    const detail = `${restoreHelp}, reset again, and then reapply the later change`;
    throw new ActuatorError('changed-meanwhile', quote(path), detail);
  }

  /**
   * Writes a file's content with the given changes, after recording the new content's digest. For an injection by
   * `mutator`, throws if the change cannot be applied or recorded. A reset continues in both cases.
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
    // Applies only the added change, because reapplying many active changes would take too long.
    const isAppended =
      previousDigest === file.expected.at(-1) &&
      changes.length === file.changes.length + 1 &&
      file.changes.every((change, index) => change === changes[index]);
    const bytes = isAppended
      ? applyAll(path, state?.bytes, changes.slice(-1), mutator)
      : applyAll(path, original, changes, mutator);
    const digest = contentDigest(bytes);
    const expectedDigests = [previousDigest, digest];
    // After a crash, a file that is written in place may be incomplete.
    const record = {
      ...file,
      // On a reset, the removed changes stay on record until the file no longer contains them.
      changes: mutator === undefined ? file.changes : changes,
      expected: inPlace ? [...expectedDigests, ANY_DIGEST] : expectedDigests,
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

  /** Restores a file. Writes into the existing file if no new file can be created in its directory. */
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
      // On a full disk, a complete write is certain only if the content takes no more space than before.
      const isRefused = ['EACCES', 'EPERM', 'EBUSY'].includes(error.code ?? '');
      if (!isRefused && bytes.length > state.bytes.length) throw error;
      const halfWritten = { ...file, expected: [...file.expected, ANY_DIGEST] };
      await target.overwrite(bytes, () => this.#store.saveIfPossible(halfWritten));
    }
  }

  /**
   * Undoes a mutator's change, together with all changes whose reset is requested before this reset starts. Separate
   * resets would each rewrite the remaining changes.
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
   * Runs operations on the same file one after another. Limits the number of parallel operations on different files.
   */
  #run<Result>(path: string, operation: () => Promise<Result>): Promise<Result> {
    const turn = (this.#turns.get(path) ?? Promise.resolve()).then(() =>
      this.#semaphore.run(operation),
    );
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

/** Returns the paths of the files that a mutator has changed. */
function pathsOf(files: readonly MutatedFile[], mutator: string): string[] {
  return files
    .filter(({ changes }) => changes.some((change) => change.mutator === mutator))
    .map(({ path }) => path);
}

/** Returns the digest of a file's original content. */
function firstDigest({ original }: MutatedFile): string {
  return original === 'absent' ? contentDigest(undefined) : original.digest;
}
