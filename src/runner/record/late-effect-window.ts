import { importOtlp } from '../../session/index.js';
import type { Json } from '../../values/index.js';
import type { PlannedInjection } from '../plan/plan.js';
import { type Origin, Recorder } from './recorder.js';

/**
 * What has arrived of an attempt. An effect may arrive late, after its mutation was reset: so resets
 * are recorded only once the session is asked for. Spans get their order only from one another: so
 * what came as OTLP is read anew, all of it, each time.
 */
export class LateEffectWindow {
  readonly #name: string;
  readonly #entries: ((recorder: Recorder) => void)[] = [];
  readonly #resets: ((recorder: Recorder) => void)[] = [];
  readonly #documents: Json[] = [];
  /** Has what came as lines. */
  readonly #live: Recorder;

  constructor(name: string) {
    this.#name = name;
    this.#live = new Recorder(name);
  }

  injected(injection: PlannedInjection, at: number, time: bigint, beforeCommand: boolean): void {
    this.#add((recorder) => recorder.injected(injection, at, time, beforeCommand));
  }

  /** A mutator was reset: after all that arrives before the session is asked for. */
  reset(injection: PlannedInjection, at: number, time: bigint): void {
    this.#resets.push((recorder) => recorder.reset(injection, at, time));
  }

  receive(origin: Origin, lines: readonly string[]): void {
    this.#add((recorder) => recorder.receive(origin, lines));
  }

  receiveOtlp(document: Json): void {
    this.#documents.push(document);
  }

  /** What came so far. */
  soFar(): Recorder {
    if (this.#documents.length === 0) return this.#live;
    const recorder = new Recorder(this.#name);
    for (const entry of this.#entries) entry(recorder);
    recorder.receiveSession('otlp', importOtlp(this.#documents));
    return recorder;
  }

  /** All of it, with the resets. */
  finish(): Recorder {
    const recorder = this.soFar();
    for (const reset of this.#resets) reset(recorder);
    return recorder;
  }

  #add(entry: (recorder: Recorder) => void): void {
    this.#entries.push(entry);
    entry(this.#live);
  }
}
