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
  isPartOf,
  withChange,
  without,
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
 * The files that mutators have changed. Several mutators may change one file. It is always its
 * original with the active changes: resetting one leaves the others, and resetting the last
 * restores the original's bytes. The original and the digest of the new content are on disk before
 * the file is touched. A file that somebody else has changed meanwhile is left alone.
 */
export class MutatedFiles {
  readonly #store: OriginalStore;
  readonly #gate: Gate;
  /** The last operation on each file, which the next one waits for. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Resets of one file that wait for their turn and are done together. */
  readonly #batches = new Map<string, { mutators: Set<string>; done: Promise<boolean> }>();
  /** The path by which a file was last changed, by the identity that its paths share. */
  readonly #paths = new Map<string, string>();
  #recorded: Promise<readonly MutatedFile[]> | undefined;

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
    this.#recorded ??= this.#store
      .all()
      .then((files) => files.sort((a, b) => compareCodePoints(a.path, b.path)));
    return this.#recorded;
  }

  /** Returns the files on record that none of these paths leads to. */
  async recordedBeside(paths: readonly string[]): Promise<readonly string[]> {
    const recorded = await this.recorded();
    if (recorded.length === 0) return [];
    const targets = paths.map((path) => followLinks(path).catch(() => undefined));
    const named = new Set((await Promise.all(targets)).map((target) => target?.path));
    return recorded.map(({ path }) => path).filter((path) => !named.has(path));
  }

  /** Takes over files on record, as if they had been recorded here. */
  async adopt(files: readonly MutatedFile[]): Promise<void> {
    for (const file of files) {
      await this.#store.rewrite(file).catch((error: unknown) => {
        // If the directory is not writable, they stay unchanged.
        if (!isSystemError(error)) throw error;
      });
    }
  }

  /** Activates a change of a mutator, in place of an earlier one of the same mutator. */
  async change(mutator: string, request: Target, change: FileChange): Promise<void> {
    const place = await followLinks(request.path);
    const { path } = place;
    await this.#run(path, async () => {
      const recorded = await this.#store.find(path);
      // A file that one mutator must write into is not replaced for another either.
      const inPlace = request.inPlace || recorded?.inPlace === true;
      await TargetFile.use(place, inPlace ? 'write' : 'read', async (target) => {
        const { state } = target;
        if (!request.inPlace && state !== undefined && state.links > 1) {
          throw new ActuatorError('hard-links', quote(path), otherLinks(state.links - 1));
        }
        await this.#claim(target, inPlace);
        if (recorded !== undefined) await this.#judge(recorded, state);
        // Before anything is stored: a change that cannot be made leaves nothing behind.
        else applyChange(path, state?.bytes, change);
        const file = { ...(recorded ?? (await this.#store.begin(path, state))), inPlace };
        const changes = withChange(file.changes, mutator, change);
        await this.#write(file, changes, target, mutator);
      });
    });
  }

  /** Refuses a file that is mutated by another path, because its content is not its original. */
  async #claim(target: TargetFile, inPlace: boolean): Promise<void> {
    const { path, state } = target;
    const identities = await target.identities(inPlace);
    for (const identity of [...identities, ...(state ? [state.inode] : [])]) {
      const other = this.#paths.get(identity);
      if (other === undefined || other === path) continue;
      const isChanged = this.#store.changed().some((file) => file.path === other);
      if (!isChanged && !this.#turns.has(other)) continue;
      throw new ActuatorError('same-file', quote(path), quote(other));
    }
    for (const identity of identities) this.#paths.set(identity, path);
  }

  /**
   * Undoes all changes of a mutator.
   *
   * @param path the file that it changes
   * @returns true if somebody had removed a file, and it was recreated
   */
  async restore(mutator: string, path: string): Promise<boolean> {
    const ownPath = await followLinks(path).then(
      (place) => place.path,
      () => path,
    );
    const paths = new Set([...pathsOf(this.#store.changed(), mutator), ownPath]);
    const gone = await Promise.all([...paths].map((file) => this.#takeBackSoon(file, mutator)));
    // A file that the manifest does not name is not touched, whatever the record contains.
    for (const other of pathsOf(await this.recorded(), mutator)) {
      if (paths.has(other) || (await this.#store.find(other)) === undefined) continue;
      const { kept, record } = this.#store.places(other);
      throw new ActuatorError('not-named', quote(other), `${kept}, then remove ${record}`);
    }
    return gone.includes(true);
  }

  /**
   * Removes a mutator's changes from the records; files and the bytes of originals stay.
   *
   * @returns a description of what stays
   */
  async forget(mutator: string): Promise<readonly string[]> {
    const remains: string[] = [];
    const files = [...(await this.recorded()), ...this.#store.changed()];
    for (const path of new Set(pathsOf(files, mutator))) {
      await this.#run(path, async () => {
        const file = await this.#store.find(path);
        if (file === undefined) return;
        const changes = without(file.changes, new Set([mutator]));
        if (changes.length > 0) await this.#store.save({ ...file, changes });
        const kept = changes.length > 0 ? undefined : await this.#store.forget(path);
        const original = kept === undefined ? '' : `, with its original in ${kept}`;
        remains.push(`${quote(path)} as it is${original}`);
      }).catch((error: unknown) => {
        if (!isSystemError(error)) throw error;
        throw new ActuatorError('file', quote(path), error.message);
      });
    }
    return remains;
  }

  /** @returns true if somebody had removed the file, and it was recreated */
  async #takeBack(path: string, mutators: ReadonlySet<string>): Promise<boolean> {
    const file = await this.#store.find(path);
    if (!file?.changes.some((change) => mutators.has(change.mutator))) return false;
    const access = file.inPlace === true ? 'write' : 'read';
    return TargetFile.use({ path, linkOwners: new Set() }, access, async (target) => {
      // Recreating it overwrites nobody's work.
      const isGone = target.state === undefined && file.original !== 'absent';
      if (!isGone) await this.#judge(file, target.state);
      const changes = without(file.changes, mutators);
      if (changes.length > 0) {
        const written = await this.#write(file, changes, target);
        await this.#store.saveIfPossible({ ...written, changes });
        return isGone;
      }
      const { bytes } = target.state ?? {};
      const isReset = contentDigest(bytes) === firstDigest(file);
      await this.#putBack(file, isReset ? bytes : await this.#store.original(file), target);
      await this.#store.end({ ...file, changes });
      return isGone;
    });
  }

  /** Throws if a file was changed by somebody else. */
  async #judge(file: MutatedFile, state: FileState): Promise<void> {
    const { path, original, expected } = file;
    const actual = contentDigest(state?.bytes);
    if ([firstDigest(file), ...expected].some((digest) => digest === actual || digest === ANYTHING))
      return;
    const bytes = await this.#store.original(file);
    if (isPartOf(path, bytes, file.changes, actual)) return;
    const { kept } = this.#store.places(path);
    const back =
      original === 'absent'
        ? 'it did not exist at first, so move it away'
        : `its original is in ${kept}, so copy that over it`;
    const detail = `${back}, reset again, and then repeat the other change`;
    throw new ActuatorError('changed-meanwhile', quote(path), detail);
  }

  /**
   * Writes a file's content with these changes, after a record of its new content. An injected
   * change of `mutator` must have an effect and be on record; a reset continues without that.
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
    // One more change, on top of the active ones. Making them all again would take long if there
    // are many.
    const isOneMore =
      previousDigest === file.expected.at(-1) &&
      changes.length === file.changes.length + 1 &&
      file.changes.every((change, index) => change === changes[index]);
    const bytes = isOneMore
      ? applyAll(path, state?.bytes, changes.slice(-1), mutator)
      : applyAll(path, original, changes, mutator);
    const digest = contentDigest(bytes);
    const expected = [previousDigest, digest];
    // A crash may leave a file that is written in place half written.
    const record = {
      ...file,
      // The changes of a reset stay on record until they are undone in the file.
      changes: mutator === undefined ? file.changes : changes,
      expected: inPlace ? [...expected, ANYTHING] : expected,
    };
    if (mutator === undefined) await this.#store.saveIfPossible(record);
    else await this.#store.save(record);
    if (mutator === undefined) await this.#putBack(record, bytes, target);
    else await target.put(record, bytes, false);
    if (!inPlace) return record;
    const written = { ...record, expected };
    await this.#store.saveIfPossible(written);
    return written;
  }

  /** Restores a file. If no new file can be made beside it, writes into the file itself. */
  async #putBack(
    file: MutatedFile,
    bytes: Uint8Array | undefined,
    target: TargetFile,
  ): Promise<void> {
    try {
      await target.put(file, bytes, true);
    } catch (error) {
      const { state } = target;
      if (!isSystemError(error) || state === undefined || bytes === undefined) throw error;
      // On a full disk, only a content that takes no more room than before is sure to be written as
      // a whole.
      const isRefused = ['EACCES', 'EPERM', 'EBUSY'].includes(error.code ?? '');
      if (!isRefused && bytes.length > state.bytes.length) throw error;
      const halfWritten = { ...file, expected: [...file.expected, ANYTHING] };
      await target.overwrite(bytes, () => this.#store.saveIfPossible(halfWritten));
    }
  }

  /**
   * Undoes a mutator's change, together with those of all others that are requested before it
   * begins. One by one, each would write everything that the others leave.
   */
  #takeBackSoon(path: string, mutator: string): Promise<boolean> {
    const waiting = this.#batches.get(path);
    if (waiting !== undefined) {
      waiting.mutators.add(mutator);
      return waiting.done;
    }
    const mutators = new Set([mutator]);
    const done = this.#run(path, () => {
      this.#batches.delete(path);
      return this.#takeBack(path, mutators);
    });
    this.#batches.set(path, { mutators, done });
    return done;
  }

  /** Runs operations on one file one after another, and a limited number in total at a time. */
  #run<Result>(path: string, operation: () => Promise<Result>): Promise<Result> {
    const turn = (this.#turns.get(path) ?? Promise.resolve()).then(() => this.#gate.run(operation));
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(path) === settled) this.#turns.delete(path);
      });
    this.#turns.set(path, settled);
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
