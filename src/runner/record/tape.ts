import { readSession, writeNeutral } from '../../session/index.js';
import type { PlannedInjection } from '../plan/plan.js';
import { type Origin, Recorder } from './recorder.js';

/**
 * What an attempt has recorded, in the order in which it came. Spans get their order only from one
 * another: so what came as OTLP is read anew, all of it, each time the session is asked for.
 */
export class Tape {
  readonly #name: string;
  readonly #entries: ((recorder: Recorder) => void)[] = [];
  readonly #resets: ((recorder: Recorder) => void)[] = [];
  readonly #documents: string[] = [];
  /** Has what came as lines. */
  readonly #live: Recorder;

  constructor(name: string) {
    this.#name = name;
    this.#live = new Recorder(name);
  }

  injected(injection: PlannedInjection, at: number, time: bigint, beforeCommand: boolean): void {
    this.#add((recorder) => recorder.injected(injection, at, time, beforeCommand));
  }

  /** What is reset comes behind all that arrives before the session is asked for. */
  reset(injection: PlannedInjection, at: number, time: bigint): void {
    this.#resets.push((recorder) => recorder.reset(injection, at, time));
  }

  receive(origin: Origin, lines: readonly string[]): void {
    this.#add((recorder) => recorder.receive(origin, lines));
  }

  receiveOtlp(document: string): void {
    this.#documents.push(document.replace(/\s*\n\s*/g, ' '));
  }

  /** What came so far. */
  async soFar(): Promise<Recorder> {
    return this.#documents.length === 0 ? this.#live : this.#replay();
  }

  /** All of it, with the resets. */
  async finish(): Promise<Recorder> {
    const recorder = await this.soFar();
    for (const reset of this.#resets) reset(recorder);
    return recorder;
  }

  #add(entry: (recorder: Recorder) => void): void {
    this.#entries.push(entry);
    entry(this.#live);
  }

  async #replay(): Promise<Recorder> {
    const recorder = new Recorder(this.#name);
    for (const entry of this.#entries) entry(recorder);
    const { session } = await readSession(this.#documents.join('\n'), {
      format: 'otlp',
      tolerant: true,
    });
    if (session === undefined) return recorder;
    const lines = [...writeNeutral(session)].join('').split('\n');
    recorder.receive('otlp', lines);
    return recorder;
  }
}
