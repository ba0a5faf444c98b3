import { GrowingSession, type Watch } from '../../evaluation/index.js';
import type { TraceExpression } from '../../objective/index.js';
import type { Session } from '../../session/index.js';
import {
  type AttributeValue,
  type Json,
  type JsonObject,
  jsonNumber,
  toJson,
  writeJson,
} from '../../values/index.js';
import type { PlannedInjection } from '../plan/plan.js';
import { type End, type EventLine, readLine } from './read-line.js';

/** The probe of Perturb's own events. */
export const OWN_PROBE = 'perturb';

/** Who sent an event: the attempt's command, a file beside it, or what came as OTLP. */
export type Origin = 'command' | 'source' | 'otlp';

/** An event that is recorded. */
interface Recorded {
  readonly event: number;
  readonly json: Record<string, Json>;
  readonly time?: bigint;
  readonly origin: Origin | 'perturb';
}

/** What each probe was seen to do. */
interface Probe {
  /** The injections whose events come before those of the probe from some event on. */
  readonly follows: Set<number>;
  last?: Recorded;
  /** The events with a time, in the order in which they came. */
  readonly timed: Recorded[];
  readonly bySeq: Map<bigint, Recorded>;
  /** By origin, in the order in which they came. */
  readonly byPlace: Map<Origin, Recorded[]>;
}

/**
 * Records the session of an attempt: the events of the system as they arrive, and the mutations among
 * them. `perturb.injected` happened before the first event of each probe whose time is later than its
 * acknowledgement, and before all events of a command that was started after it. `perturb.reset`
 * happened after the last event of each probe whose time is before it, and after all of the command.
 */
export class Recorder {
  /** The events that arrived. */
  events = 0;
  /** What arrived and is no event, the first few in words. */
  readonly problems: string[] = [];
  problemCount = 0;
  readonly #growing = new GrowingSession();
  readonly #watches = new Map<TraceExpression, Watch>();
  readonly #header: JsonObject;
  readonly #records: Recorded[] = [];
  readonly #probes = new Map<string, Probe>();
  readonly #byId = new Map<string, Recorded>();
  /** Interactions that name an event that has not arrived. */
  #open: { readonly from: End; readonly to: End; readonly origin: Origin }[] = [];
  readonly #injections: {
    readonly recorded: Recorded;
    readonly time: bigint;
    readonly id: string;
    readonly beforeCommand: boolean;
  }[] = [];

  constructor(name: string) {
    this.#header = { session: jsonNumber('1'), name, source: 'perturb objective run' };
  }

  /** A mutation was acknowledged. @param time nanoseconds; @param beforeCommand whether the command starts later */
  injected(injection: PlannedInjection, at: number, time: bigint, beforeCommand: boolean): void {
    const id = `${OWN_PROBE}.injected.${at}`;
    const recorded = this.#own('perturb.injected', id, time, injection);
    this.#injections.push({ recorded, time, id, beforeCommand });
  }

  /** A mutator was reset. @param time when it was asked for, in nanoseconds */
  reset(injection: PlannedInjection, at: number, time: bigint): void {
    const before = [...this.#probes.values()].flatMap(({ last, timed }) => {
      if (last?.origin === 'command') return [last];
      const earlier = timed.findLast((one) => (one.time as bigint) < time);
      return earlier === undefined ? [] : [earlier];
    });
    const ids = before.map((one) => this.#idOf(one));
    const own = this.#own('perturb.reset', `${OWN_PROBE}.reset.${at}`, time, injection, ids);
    for (const { event } of before) this.#growing.interaction(event, own.event);
  }

  /** Lines have arrived: records of the neutral form. */
  receive(origin: Origin, lines: readonly string[]): void {
    for (const line of lines) {
      if (line.trim() === '') continue;
      const read = readLine(line);
      switch (read.kind) {
        case 'event':
          this.#event(origin, read);
          break;
        case 'interaction':
          this.#open.push({ from: read.from, to: read.to, origin });
          break;
        case 'problem':
          this.#problem(`${read.problem}: ${line.slice(0, 200)}`);
          break;
        case 'header':
          break;
      }
    }
  }

  /**
   * Whether an expression is true of what is recorded so far; one that cannot be decided is not true
   * yet. What came since it was last asked for is looked at alone where that is enough to tell.
   * Throws a SessionError where what is recorded has no order.
   */
  isTrue(expression: TraceExpression): boolean {
    this.#settle();
    const watch = this.#watches.get(expression) ?? this.#growing.watch(expression.expression);
    this.#watches.set(expression, watch);
    return watch.isTrue() ?? false;
  }

  /** What is recorded so far. Throws a SessionError where it has no order. */
  session(): Session {
    this.#settle();
    return this.#growing.session();
  }

  /** The same as JSON Lines. */
  text(): string {
    this.#settle();
    const lines = [this.#header, ...this.#records.map(({ json }) => json)];
    return lines.map((line) => `${writeJson(line)}\n`).join('');
  }

  #own(
    name: string,
    id: string,
    time: bigint,
    { name: mutator, id: mutatorId, server, probe, params }: PlannedInjection,
    after: readonly string[] = [],
  ): Recorded {
    const attributes = new Map<string, AttributeValue>([
      ['mutator.name', { type: 'string', value: mutator }],
      ['mutator.id', { type: 'string', value: mutatorId }],
      ['mutator.server', { type: 'string', value: server }],
    ]);
    if (probe !== undefined) attributes.set('mutator.probe', { type: 'string', value: probe });
    for (const [key, value] of params) attributes.set(`mutator.params.${key}`, value);
    const event = this.#growing.event({ probe: OWN_PROBE, name, time, attributes });
    const json: Record<string, Json> = {
      probe: OWN_PROBE,
      name,
      time: jsonNumber(String(time)),
      id,
      ...(after.length > 0 && { after }),
      attributes: Object.fromEntries([...attributes].map(([key, value]) => [key, toJson(value)])),
    };
    const recorded: Recorded = { event, json, time, origin: 'perturb' };
    this.#records.push(recorded);
    return recorded;
  }

  #event(origin: Origin, line: EventLine): void {
    const { probe: name, seq, time, attributes } = line;
    if (name === OWN_PROBE) {
      this.#problem(`"${OWN_PROBE}" is the probe of Perturb's own events`);
      return;
    }
    if (line.id !== undefined && (line.id.startsWith(`${OWN_PROBE}.`) || this.#byId.has(line.id))) {
      this.#problem(`the id "${line.id}" is that of another event`);
      return;
    }
    const event = this.#growing.event({
      probe: name,
      name: line.name,
      ...(seq !== undefined && { seq }),
      ...(time !== undefined && { time }),
      attributes,
    });
    this.events += 1;
    const { after: _, ...rest } = line.json;
    const recorded: Recorded = {
      event,
      json: { ...rest },
      ...(time !== undefined && { time }),
      origin,
    };
    this.#records.push(recorded);
    const probe = this.#probe(name);
    probe.last = recorded;
    if (time !== undefined) probe.timed.push(recorded);
    if (seq !== undefined) probe.bySeq.set(seq, recorded);
    const places = probe.byPlace.get(origin) ?? [];
    places.push(recorded);
    probe.byPlace.set(origin, places);
    if (line.id !== undefined) this.#byId.set(line.id, recorded);
    for (const from of line.after) this.#after(from, recorded, origin);
    this.#followInjections(origin, probe, recorded);
  }

  #followInjections(origin: Origin, probe: Probe, recorded: Recorded): void {
    for (const [at, { recorded: own, time, id, beforeCommand }] of this.#injections.entries()) {
      if (probe.follows.has(at)) continue;
      const isLater = recorded.time !== undefined && recorded.time > time;
      if (!isLater && !(beforeCommand && origin === 'command')) continue;
      probe.follows.add(at);
      this.#growing.interaction(own.event, recorded.event);
      addAfter(recorded, id);
    }
  }

  /** An event names one that led to it. */
  #after(from: End, to: Recorded, origin: Origin): void {
    const sender = typeof from === 'string' ? this.#byId.get(from) : undefined;
    if (sender === undefined) {
      this.#open.push({ from, to: this.#idOf(to), origin });
      return;
    }
    this.#growing.interaction(sender.event, to.event);
    addAfter(to, this.#idOf(sender));
  }

  /** Adds the interactions both of whose events have arrived by now. */
  #settle(): void {
    this.#open = this.#open.filter(({ from, to, origin }) => {
      const [sender, receiver] = [this.#find(from, origin), this.#find(to, origin)];
      if (sender === undefined || receiver === undefined) return true;
      this.#growing.interaction(sender.event, receiver.event);
      addAfter(receiver, this.#idOf(sender));
      return false;
    });
  }

  /** By its id; else by its `seq`, or its place from 0 at a probe without. */
  #find(end: End, origin: Origin): Recorded | undefined {
    if (typeof end === 'string') return this.#byId.get(end);
    const probe = this.#probes.get(end[0]);
    if (probe === undefined || probe.bySeq.size > 0) return probe?.bySeq.get(end[1]);
    return probe.byPlace.get(origin)?.[Number(end[1])];
  }

  #idOf(recorded: Recorded): string {
    const known = recorded.json['id'];
    if (typeof known === 'string') return known;
    const id = `${OWN_PROBE}.event.${recorded.event}`;
    recorded.json['id'] = id;
    this.#byId.set(id, recorded);
    return id;
  }

  #probe(name: string): Probe {
    const known = this.#probes.get(name);
    if (known !== undefined) return known;
    const probe: Probe = { follows: new Set(), timed: [], bySeq: new Map(), byPlace: new Map() };
    this.#probes.set(name, probe);
    return probe;
  }

  #problem(problem: string): void {
    this.problemCount += 1;
    if (this.problems.length < 3) this.problems.push(problem);
  }
}

function addAfter({ json }: Recorded, id: string): void {
  json['after'] = [...((json['after'] ?? []) as readonly Json[]), id];
}
