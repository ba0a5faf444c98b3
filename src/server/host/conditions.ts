/** Lets others wait until something holds. */
export class Conditions {
  #waiting: { readonly ready: () => boolean; readonly resolve: () => void }[] = [];

  /** Resolves when a condition holds, as far as `notice` is called. */
  when(ready: () => boolean): Promise<void> {
    if (ready()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ ready, resolve }));
  }

  /** Looks again whether conditions hold, for something has changed. */
  notice(): void {
    const ready = this.#waiting.filter((one) => one.ready());
    this.#waiting = this.#waiting.filter((one) => !ready.includes(one));
    for (const { resolve } of ready) resolve();
  }
}
