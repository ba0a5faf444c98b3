import type { ActuatorError, LiveActuator } from '../../actuators/acting/index.js';
import {
  type Activity,
  type EndCause,
  type EndedMutation,
  MAX_ENDED_MUTATIONS,
  type ManifestMutator,
  type Mutation,
  resolveParams,
} from '../../mutators/index.js';
import { compareCodePoints } from '../../source/index.js';
import { defined } from '../../values/index.js';
import type {
  HostEvent,
  HostEventListener,
  InjectOutcome,
  OwnedMutation,
  ResetCause,
  ResetOutcome,
  ResetRequest,
} from './host.js';
import { HostedMutator, type MutatorContext, type MutatorState } from './hosted-mutator.js';
import {
  findResidualMutations,
  type Recovery,
  type ResidualMutation,
  resetInTime,
  resetLeftovers,
  type ShutdownOptions,
  type ShutdownResult,
} from './shutdown.js';
import { type MutatorRecord, StateError } from './state-journal.js';

export interface HostOptions extends MutatorContext {
  /** Mutators with distinct ids. */
  readonly mutators: readonly ManifestMutator[];
  /** Actuators, by mutator id. */
  readonly actuators: ReadonlyMap<string, LiveActuator>;
  /**
   * The reason why injection is impossible: an unwritable state directory, or an actuator that cannot be created.
   * Active mutations can still be reset.
   */
  readonly unusable?: StateError | ActuatorError;
  /** Unrelated files in the state directory, which the server leaves alone. */
  readonly ignored?: readonly string[];
  /** Resolves when the state directory is gone. The host must then be shut down. */
  readonly gone?: Promise<StateError>;
  /** Releases the state directory. Called once, at the end of the shutdown. */
  readonly close: () => Promise<void>;
}

/** The current state of a mutator. */
export interface MutatorStatus {
  readonly id: string;
  readonly state: MutatorState;
  readonly waiting: number;
  /** The number of consecutive failed resets. */
  readonly failures: number;
}

/** A host's interface for serving requests. */
export type MutatorHost = Pick<
  LifecycleHost,
  'mutators' | 'inject' | 'reset' | 'resetOrphans' | 'endedMutationsOf' | 'activity' | 'heldSince'
>;

/** A manifest's running mutators. The host resets every active mutator before it ends. */
export class LifecycleHost {
  /** Sorted by id (code points). */
  readonly mutators: readonly ManifestMutator[];
  /** A description of the journal's damage, if any. In that case, every mutator may be active. */
  readonly damage: string | undefined;
  /** The reason why injection is impossible; undefined if it is possible. */
  readonly unusable: StateError | ActuatorError | undefined;
  /** Unrelated files in the state directory, which the server leaves alone. */
  readonly ignored: readonly string[];
  /** Resolves when the state directory is gone. */
  readonly gone: Promise<StateError>;
  readonly #options: HostOptions;
  readonly #hosted: ReadonlyMap<string, HostedMutator>;
  #shutdown: Promise<ShutdownResult> | undefined;
  /** The latest mutations that ended without a request from their run. */
  #endedMutations: readonly (EndedMutation & { readonly run: string })[] = [];

  constructor(options: HostOptions) {
    const { mutators, actuators, journal } = options;
    this.damage = journal.damage;
    this.unusable = options.unusable;
    this.ignored = options.ignored ?? [];
    this.gone = options.gone ?? new Promise(() => {});
    const listeners = isolateErrors(options.events);
    const events: HostEventListener = (event) => {
      this.#recordEnd(event);
      listeners(event);
    };
    this.#options = { ...options, events };
    this.mutators = [...mutators].sort((a, b) => compareCodePoints(a.id, b.id));
    this.#hosted = new Map(
      this.mutators.map((mutator) => {
        const actuator = actuators.get(mutator.id);
        if (actuator === undefined) throw new Error(`no actuator for the mutator ${mutator.id}`);
        const record = journal.entries.get(mutator.id);
        const activeReason =
          record && (this.damage === undefined ? describeInterruption(record) : JOURNAL_LOST);
        return [mutator.id, new HostedMutator(mutator, actuator, activeReason, this.#options)];
      }),
    );
  }

  /** Returns the current state of each mutator, in the order of `mutators`. */
  status(): MutatorStatus[] {
    return [...this.#hosted.values()].map(({ id, state, waiting, failures }) => {
      return { id, state, waiting, failures };
    });
  }

  /**
   * Injects a mutation after all earlier operations on the same mutator. Never rejects.
   *
   * @param run the requesting run, if any
   */
  async inject(id: string, mutation: Mutation, run?: string): Promise<InjectOutcome> {
    const hosted = this.#hosted.get(id);
    if (hosted === undefined) return { kind: 'not-found' };
    const resolution = resolveParams(hosted.mutator, mutation.params);
    if ('reasons' in resolution) {
      const { reasons } = resolution;
      this.#options.events({ kind: 'refused', id, mutation: mutation.id, reasons });
      return { kind: 'refused', reasons };
    }
    // A run that repeats an attempt injects a mutation with the same id again.
    this.#endedMutations = this.#endedMutations.filter((entry) => entry.mutation !== mutation.id);
    const request = { mutation: { ...mutation, params: resolution.values }, run };
    return (await hosted.enqueue(request)) as InjectOutcome;
  }

  /** Resets the injected mutations of an expired run. */
  resetOrphans(run: string): void {
    for (const hosted of this.#hosted.values()) hosted.orphan(run);
  }

  /** Returns a run's latest mutations that ended without the run's request, earliest first. */
  endedMutationsOf(run: string): readonly EndedMutation[] {
    return this.#endedMutations.filter((entry) => entry.run === run);
  }

  #recordEnd(event: HostEvent): void {
    const endedMutation = endedMutationIn(event);
    if (endedMutation === undefined) return;
    const remainingMutations = this.#endedMutations.filter(
      (entry) => entry.mutation !== endedMutation.mutation,
    );
    this.#endedMutations = [
      ...remainingMutations,
      { ...endedMutation, time: this.#options.clock.date() },
    ].slice(-MAX_ENDED_MUTATIONS);
  }

  /** Resets a mutator after all earlier operations on it, even if it is not active. Never rejects. */
  async reset(id: string, { hold, ...request }: ResetRequest = {}): Promise<ResetOutcome> {
    const hosted = this.#hosted.get(id);
    if (hosted === undefined) return { kind: 'not-found' };
    const recording = this.#hold(hold);
    const outcome = (await hosted.enqueue(request)) as ResetOutcome;
    const reason = await recording;
    if (reason === undefined) return outcome;
    this.#options.events({ kind: 'record-failed', id, reason });
    return { kind: 'failed', reason };
  }

  /**
   * Stops or allows injections.
   *
   * @returns the reason if the change could not be recorded
   */
  async #hold(hold: boolean | undefined): Promise<string | undefined> {
    const { journal, clock } = this.#options;
    if (hold === undefined) return undefined;
    try {
      // Recorded even if injections are already stopped, because the previous record may have failed.
      await journal.hold(hold ? (journal.held ?? clock.date()) : undefined);
      return undefined;
    } catch (error) {
      if (error instanceof StateError) return error.message;
      throw error;
    }
  }

  /** Returns a mutator's mutation if it is or may be active. */
  activity(id: string): Activity | undefined {
    const record = this.#options.journal.entries.get(id);
    if (record === undefined) return undefined;
    const { mutation, since } = record;
    const { maxActiveMs } = this.#hosted.get(id)?.mutator ?? {};
    const until = maxActiveMs === undefined ? undefined : since + maxActiveMs;
    return { since, ...defined({ mutation, until }) };
  }

  /** The time at which injections were stopped, in milliseconds since 1970; survives a restart. */
  get heldSince(): number | undefined {
    return this.#options.journal.held;
  }

  /**
   * Resets the mutators that an earlier process left active according to the journal. Call it before accepting
   * requests. Keeps records of mutators that the manifest no longer has, unless `forgetMissing` is set and the host is
   * usable.
   */
  async recover({ forgetMissing }: { readonly forgetMissing: boolean }): Promise<Recovery> {
    const isUsable = this.unusable === undefined;
    return resetLeftovers(this.#hosted, this.#options, forgetMissing && isUsable);
  }

  /**
   * Refuses further requests, lets running operations end, resets every mutator that is or may be active, and releases
   * the state directory. Takes little longer than the grace period and the timeout together.
   */
  shutdown(options: ShutdownOptions): Promise<ShutdownResult> {
    this.#shutdown ??= this.#shutDownAll(options);
    return this.#shutdown;
  }

  /** Aborts all work synchronously, and returns the residual mutations. */
  abandon(): readonly ResidualMutation[] {
    const hostedMutators = [...this.#hosted.values()];
    const residue = findResidualMutations(hostedMutators);
    for (const hosted of hostedMutators) hosted.abandon();
    return residue;
  }

  async #shutDownAll(options: ShutdownOptions): Promise<ShutdownResult> {
    const { clock, close, actuators } = this.#options;
    const hostedMutators = [...this.#hosted.values()];
    const shutdown = await resetInTime(hostedMutators, clock, options);
    for (const hosted of hostedMutators) hosted.abandon();
    await Promise.all([...actuators.values()].map((actuator) => actuator.close()));
    await close();
    return shutdown;
  }
}

/** Returns the mutation that an event ended without a request from its run, if any. */
function endedMutationIn(
  event: HostEvent,
): (OwnedMutation & { readonly cause: EndCause }) | undefined {
  if (event.kind === 'injected') return event.replaced && { ...event.replaced, cause: 'replaced' };
  if (event.kind !== 'reset' && event.kind !== 'reset-failed') return undefined;
  // A failed reset leaves the state unknown, so the mutation does not count as undone.
  const isUndone = event.kind === 'reset' && event.cause === 'failed-injection';
  const isGone = event.kind === 'reset' && event.gone !== undefined;
  const cause = isUndone ? 'undone' : isGone ? 'gone' : END_CAUSE_OF.get(event.cause);
  return event.owned && cause && { ...event.owned, cause };
}

const END_CAUSE_OF = new Map<ResetCause, EndCause>([
  ['request', 'reset'],
  ['expiry', 'expired'],
  ['orphaned', 'orphaned'],
]);

/** Wraps a listener, and rethrows its errors outside the host as uncaught exceptions. */
function isolateErrors(events: HostEventListener): HostEventListener {
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

const JOURNAL_LOST = 'the journal is damaged, so the mutator may be active';

function describeInterruption({ since }: MutatorRecord): string {
  return `an earlier process touched the mutator at ${new Date(since).toISOString()} and exited without a reset`;
}
