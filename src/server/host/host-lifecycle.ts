import { type ManifestMutator, type Mutation, resolveParams } from '../../mutators/index.js';
import { compareCodePoints } from '../../source/index.js';
import type { Actuator } from '../actuators/actuator.js';
import type { StateError } from '../state/state-error.js';
import type { InjectOutcome, MutatorHost, ResetOutcome } from './host.js';
import type { HostEvents } from './host-events.js';
import { HostedMutator, type Surroundings } from './hosted-mutator.js';
import { failuresOf, residueOf, type State } from './lifecycle.js';
import { type Left, notInManifest, notReset } from './reasons.js';

export interface HostOptions extends Surroundings {
  /** Their ids are distinct. */
  readonly mutators: readonly ManifestMutator[];
  /** One for each mutator, by its id. */
  readonly actuators: ReadonlyMap<string, Actuator>;
  /** Why the state directory cannot be written: what is in force can be reset, and no more. */
  readonly unusable?: StateError;
  /** Lets go of what is kept for a mutator that the manifest no longer has. */
  readonly forget: (id: string) => Promise<void>;
  /** Called when the host has ended, and after that the journal is not used any more. */
  readonly close: () => Promise<void>;
}

/** How the recovery from an earlier process went: only when nothing is left may the server listen. */
export interface Recovery {
  /** The ids of mutators that were reset. */
  readonly reset: readonly string[];
  readonly left: readonly Left[];
  /** The ids of mutators that the manifest no longer has. */
  readonly forgotten: readonly string[];
}

export interface ShutdownOptions {
  /** How long operations that run may go on before they are broken off. */
  readonly graceMs: number;
  /** How long the resets may take after that. */
  readonly timeoutMs: number;
}

/** How a shutdown went: the mutators that were reset, and those that may be left mutated. */
export interface Shutdown {
  readonly reset: readonly string[];
  readonly left: readonly Left[];
}

/** What a mutator does now, for metrics. */
export interface MutatorStatus {
  readonly id: string;
  readonly state: State['kind'];
  readonly waiting: number;
  /** How many resets in a row have failed. */
  readonly failures: number;
}

/** Runs the mutators of a manifest, and sees to it that none is left active. */
export class LifecycleHost implements MutatorHost {
  readonly mutators: readonly ManifestMutator[];
  /** What was wrong with the journal: every mutator may then be active. */
  readonly damage: string | undefined;
  /** Why nothing can be injected, if so. */
  readonly unusable: StateError | undefined;
  readonly #options: HostOptions;
  readonly #hosted: ReadonlyMap<string, HostedMutator>;
  #shutdown: Promise<Shutdown> | undefined;

  constructor(options: HostOptions) {
    const { mutators, actuators, journal } = options;
    this.damage = journal.damage;
    this.unusable = options.unusable;
    this.#options = { ...options, events: detached(options.events) };
    this.mutators = [...mutators].sort((a, b) => compareCodePoints(a.id, b.id));
    this.#hosted = new Map(
      this.mutators.map((mutator) => {
        const actuator = actuators.get(mutator.id);
        if (actuator === undefined) throw new Error(`no actuator for the mutator ${mutator.id}`);
        const touched = journal.entries.get(mutator.id);
        const state =
          touched === undefined
            ? ({ kind: 'idle' } as const)
            : ({
                kind: 'maybe-active',
                failures: 0,
                reason: this.#reasonFor(touched.since),
              } as const);
        return [mutator.id, new HostedMutator(mutator, actuator, state, this.#options)];
      }),
    );
  }

  /** What each mutator does now, in the order of `mutators`. */
  status(): MutatorStatus[] {
    return [...this.#hosted.values()].map(({ id, state, waiting }) => ({
      id,
      state: state.kind,
      waiting,
      failures: failuresOf(state),
    }));
  }

  /** The journal's size in bytes. */
  get journalSize(): number {
    return this.#options.journal.size;
  }

  async inject(id: string, mutation: Mutation): Promise<InjectOutcome> {
    const hosted = this.#hosted.get(id);
    if (hosted === undefined) return { kind: 'not-found' };
    const resolved = resolveParams(hosted.mutator, mutation.params);
    if ('reasons' in resolved) {
      const { reasons } = resolved;
      this.#options.events({ kind: 'refused', id, mutation: mutation.id, reasons });
      return { kind: 'refused', reasons };
    }
    const answer = await hosted.inject({ ...mutation, params: resolved.values });
    if (answer.kind === 'reset' || answer.kind === 'stale') throw impossible('inject', answer.kind);
    return answer;
  }

  async reset(id: string): Promise<ResetOutcome> {
    const hosted = this.#hosted.get(id);
    if (hosted === undefined) return { kind: 'not-found' };
    const answer = await hosted.reset();
    if (answer.kind === 'injected' || answer.kind === 'stale')
      throw impossible('reset', answer.kind);
    return answer;
  }

  /**
   * Resets what an earlier process left active, as the journal has it. To be
   * called before any request is taken. Mutators that the manifest no longer
   * has are left, unless they are to be forgotten.
   */
  async recover({ forgetMissing }: { readonly forgetMissing: boolean }): Promise<Recovery> {
    const { journal, forget, events } = this.#options;
    const touched = [...this.#hosted.values()].filter(({ state }) => state.kind !== 'idle');
    await Promise.all(touched.map((hosted) => hosted.settle('recovery')));
    const missing = [...journal.entries].filter(([id]) => !this.#hosted.has(id));
    const forgotten: string[] = [];
    for (const [id] of forgetMissing ? missing : []) {
      await forget(id);
      await journal.clear(id);
      events({ kind: 'forgotten', id });
      forgotten.push(id);
    }
    const unknown = forgetMissing ? [] : missing;
    const left = [
      ...leftOf(touched),
      ...unknown.map(([id, { since }]) => notInManifest(id, since)),
    ];
    return { reset: resetOf(touched), left, forgotten };
  }

  /**
   * Takes no more requests, lets operations that run end, resets every mutator
   * that is or may be active, and lets go of the state directory. Never takes
   * longer than both times together, and a moment.
   */
  shutdown(options: ShutdownOptions): Promise<Shutdown> {
    this.#shutdown ??= this.#leave(options);
    return this.#shutdown;
  }

  /** Breaks everything off at once and synchronously. Gives what may be left mutated. */
  abandon(): readonly Left[] {
    const all = [...this.#hosted.values()];
    const left = leftOf(all);
    for (const hosted of all) hosted.abandon();
    return left;
  }

  #reasonFor(since: number): string {
    return this.damage === undefined ? interrupted(since) : JOURNAL_LOST;
  }

  async #leave({ graceMs, timeoutMs }: ShutdownOptions): Promise<Shutdown> {
    const { clock, close, actuators } = this.#options;
    const all = [...this.#hosted.values()];
    const touched = all.filter(({ state }) => state.kind !== 'idle');
    const limit = timeoutMs + (all.some(({ isServing }) => isServing) ? graceMs : 0);
    const disarm: (() => void)[] = [];
    const settle = async (hosted: HostedMutator): Promise<void> => {
      hosted.close();
      // What resets already goes on.
      if (hosted.isServing) {
        const spare = clock.after(graceMs, () => hosted.interrupt());
        disarm.push(spare);
        await hosted.whenStill();
        spare();
      }
      await hosted.settle('shutdown');
    };
    const overdue = new Promise<void>((resolve) => disarm.push(clock.after(limit, resolve)));
    await Promise.race([Promise.all(all.map(settle)), overdue]);
    for (const stop of disarm) stop();
    const left = leftOf(all);
    for (const hosted of all) hosted.abandon();
    await Promise.all([...actuators.values()].map((actuator) => actuator.close()));
    await close();
    return { reset: resetOf(touched), left };
  }
}

/** A listener that fails fails by itself: what it was told of goes on. */
function detached(events: HostEvents): HostEvents {
  return (event) => {
    try {
      events(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}

const JOURNAL_LOST = 'the journal is damaged, so it may be active';

function interrupted(since: number): string {
  return `an earlier process ended before it had reset what it began at ${new Date(since).toISOString()}`;
}

function leftOf(all: readonly HostedMutator[]): Left[] {
  return all.flatMap(({ id, state }) => {
    const residue = residueOf(state);
    return residue === undefined ? [] : [notReset(id, residue)];
  });
}

function resetOf(touched: readonly HostedMutator[]): string[] {
  return touched.filter(({ state }) => residueOf(state) === undefined).map(({ id }) => id);
}

function impossible(operation: string, kind: string): Error {
  return new Error(`an ${operation} that ended as ${kind}`);
}
