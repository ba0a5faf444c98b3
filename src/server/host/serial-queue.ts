/** Performs tasks one at a time, in the order in which they were added. */
export class SerialQueue<Task> {
  readonly #perform: (task: Task) => Promise<void>;
  readonly #onStill: () => void;
  #tasks: Task[] = [];
  #isWorking = false;

  /**
   * @param perform must not reject
   * @param onStill called when no task is left
   */
  constructor(perform: (task: Task) => Promise<void>, onStill: () => void) {
    this.#perform = perform;
    this.#onStill = onStill;
  }

  /** Whether a task is being performed. */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#tasks.length;
  }

  /** Adds a task; it begins at once when no other is being performed. */
  add(task: Task): void {
    this.#tasks.push(task);
    if (!this.#isWorking) void this.#work();
  }

  /** Takes all tasks out that wait. */
  clear(): Task[] {
    return this.#tasks.splice(0);
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#tasks.shift(); next !== undefined; next = this.#tasks.shift()) {
      await this.#perform(next);
    }
    this.#isWorking = false;
    this.#onStill();
  }
}
