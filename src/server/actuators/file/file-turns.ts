import type { Gate } from '../../state/gate.js';

/** Resets of one file that are done together. */
interface Batch {
  readonly mutators: Set<string>;
  readonly done: Promise<void>;
}

/** Operations on files: those on one file one after another, and of all so many at a time. */
export class FileTurns {
  readonly #gate: Gate;
  readonly #takeBack: (path: string, mutators: ReadonlySet<string>) => Promise<void>;
  /** The last operation on each file, which the next one waits for. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Resets that wait for their turn, by file. */
  readonly #batches = new Map<string, Batch>();

  /**
   * @param gate how many files may be changed at a time
   * @param takeBack takes the changes of mutators to a file back
   */
  constructor(
    gate: Gate,
    takeBack: (path: string, mutators: ReadonlySet<string>) => Promise<void>,
  ) {
    this.#gate = gate;
    this.#takeBack = takeBack;
  }

  /**
   * Takes the change of a mutator back, with those of all others that ask before it begins: each
   * alone would write all that the others leave.
   */
  takeBack(path: string, mutator: string): Promise<void> {
    const waiting = this.#batches.get(path);
    if (waiting !== undefined) {
      waiting.mutators.add(mutator);
      return waiting.done;
    }
    const mutators = new Set([mutator]);
    const done = this.run(path, () => {
      this.#batches.delete(path);
      return this.#takeBack(path, mutators);
    });
    this.#batches.set(path, { mutators, done });
    return done;
  }

  /** Runs operations on one file one after another. */
  run(path: string, operation: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(path) ?? Promise.resolve()).then(() => this.#gate.run(operation));
    const settled = turn
      .catch(() => {})
      .then(() => {
        if (this.#turns.get(path) === settled) this.#turns.delete(path);
      });
    this.#turns.set(path, settled);
    return turn;
  }
}
