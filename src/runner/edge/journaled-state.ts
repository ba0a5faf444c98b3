import type { Journal } from '../journal/journal.js';
import type { JournalRecord, Step } from '../journal/records.js';
import { applyRecord, type RunState, stateOf } from '../loop/run-state.js';
import type { End } from '../loop/stopping.js';
import { RunError } from '../run-error.js';

/** The state of a run. A step counts once it is in the journal. */
export class JournaledState {
  readonly #journal: Journal;
  #state: RunState;
  /** The clock when the attempts of this process began, and what had passed by then. */
  #begun: { readonly at: number; readonly elapsed: number } | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#state = stateOf(journal.records);
  }

  get current(): RunState {
    return this.#state;
  }

  /** An attempt begins: from the first one on, time passes. */
  startClock(): void {
    this.#begun ??= { at: performance.now(), elapsed: this.#state.elapsed };
  }

  /** Rejects with a RunError when the step cannot be written. */
  async write(step: Step): Promise<void> {
    const record: JournalRecord = { ...step, time: Date.now(), elapsed: this.#elapsed() };
    await this.#journal.add(record);
    this.#state = applyRecord(this.#state, record);
  }

  /** Ends the run; also when the journal cannot be written any more. */
  async end(end: End): Promise<RunState> {
    try {
      await this.write({ step: 'end', ...end });
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      this.#state = { ...this.#state, end: { step: 'end', ...end } };
    }
    return this.#state;
  }

  #elapsed(): number {
    if (this.#begun === undefined) return this.#state.elapsed;
    return Math.round(this.#begun.elapsed + performance.now() - this.#begun.at);
  }
}
