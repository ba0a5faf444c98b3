import { isSystemError } from '../../../durable/index.js';
import type { MutatedFile, OriginalStore } from './original-store.js';

/**
 * The records of files that are mutated: on the disk, and in memory those that the
 * disk did not take and which mutator has changed which files.
 */
export class FileRecords {
  readonly #store: OriginalStore;
  /** The files that each mutator has changed. */
  #changed: Promise<Map<string, Set<string>>> | undefined;
  /** Records that the disk did not take, by file. */
  readonly #unsaved = new Map<string, MutatedFile>();

  constructor(store: OriginalStore) {
    this.#store = store;
  }

  /** The record of a file whose changes are in force. */
  async find(path: string): Promise<MutatedFile | undefined> {
    const unsaved = this.#unsaved.get(path);
    if (unsaved === undefined) return this.#store.find(path);
    return unsaved.changes.length === 0 ? undefined : unsaved;
  }

  /** Writes a record durably. */
  async save(file: MutatedFile): Promise<void> {
    await this.#store.save(file);
    this.#unsaved.delete(file.path);
  }

  /** A reset goes on where the disk takes no record: the next start knows the file again. */
  async saveIfPossible(file: MutatedFile): Promise<void> {
    try {
      await this.save(file);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#unsaved.set(file.path, file);
    }
  }

  /** Ends the record of a file that is as it was. One that stays on the disk does no harm. */
  async end(file: MutatedFile): Promise<void> {
    try {
      await this.#store.end(file.path);
      this.#unsaved.delete(file.path);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#unsaved.set(file.path, file);
    }
  }

  /** The files that a mutator has changed. */
  async changedBy(mutator: string): Promise<readonly string[]> {
    return [...((await this.#index()).get(mutator) ?? [])];
  }

  /** Notes that a mutator changes a file. */
  async note(mutator: string, path: string): Promise<void> {
    add(await this.#index(), mutator, path);
  }

  /** Notes that a mutator changes no file any more. */
  async drop(mutator: string): Promise<void> {
    (await this.#index()).delete(mutator);
  }

  #index(): Promise<Map<string, Set<string>>> {
    this.#changed ??= this.#store.all().then((files) => {
      const changed = new Map<string, Set<string>>();
      for (const { path, changes } of files) {
        for (const { mutator } of changes) add(changed, mutator, path);
      }
      return changed;
    });
    return this.#changed;
  }
}

function add(changed: Map<string, Set<string>>, mutator: string, path: string): void {
  const paths = changed.get(mutator);
  if (paths === undefined) changed.set(mutator, new Set([path]));
  else paths.add(path);
}
