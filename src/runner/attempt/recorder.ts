import { OWN_PROBE } from '../../basics/index.js';
import {
  type GrowingOptions,
  GrowingSession,
  lastBefore,
  type OrderRequest,
  type Watch,
} from '../../evaluation/index.js';
import type { TraceExpression } from '../../objective/index.js';
import {
  type EventRecord,
  type EventReference,
  eventRecordsOf,
  type ImportedOtlp,
  importOtlp,
  type NeutralRecord,
  Problems,
  REQUEST,
  type ReadingFacts,
  readRecord,
  type Session,
  writeRecord,
} from '../../session/index.js';
import { type AttributeValue, defined, type Json } from '../../values/index.js';
import type { CommandEnd } from '../journal/records.js';
import type { PlannedInjection } from '../plan/space.js';

/** The source of an event: `command`, `otlp`, `poll`, `collected`, or another source's name. */
type Origin = string;

export interface RecorderOptions extends GrowingOptions {
  /** The names of the polls: no other event has one of them as its probe. */
  readonly polls?: ReadonlySet<string>;
}

type Attributes = ReadonlyMap<string, AttributeValue>;

/** What the events of a mutation tell about it. @param reason why it ended, in a word */
function attributesOf(
  { name, id, server, probe, params, timing = {} }: PlannedInjection,
  reason?: string,
): Attributes {
  const attributes = new Map<string, AttributeValue>([
    ['mutator.name', { type: 'string', value: name }],
    ['mutator.id', { type: 'string', value: id }],
    ['mutator.server', { type: 'string', value: server }],
  ]);
  if (probe !== undefined) attributes.set('mutator.probe', { type: 'string', value: probe });
  for (const [key, value] of params) attributes.set(`mutator.params.${key}`, value);
  for (const [key, ms] of Object.entries(timing)) {
    attributes.set(`mutator.timing.${key}`, {
      type: 'nanoseconds',
      value: BigInt(ms) * 1_000_000n,
    });
  }
  if (reason !== undefined) attributes.set('reason', { type: 'string', value: reason });
  return attributes;
}

/** An event that is recorded. */
interface Recorded {
  readonly event: number;
  /** As it arrived; without its `after`, which becomes `after` below as the events arrive. */
  readonly record: EventRecord;
  readonly origin: Origin | 'perturb';
  id: string | undefined;
  readonly after: string[];
}

/** An injection, or a reset after which the attempt goes on: the events of the system that are later follow it. */
interface OwnEvent {
  readonly recorded: Recorded;
  /** When an injection was acknowledged, or a reset was asked for. */
  readonly time: bigint;
  /** When it was acknowledged. */
  readonly acknowledged: bigint;
  /** True if the command was started after it. */
  readonly beforeCommand: boolean;
  /** Number of OTLP documents that had arrived when an injection was sent and when it was acknowledged. */
  readonly documents?: { readonly sent: number; readonly acknowledged: number };
}

/** The events that had arrived when an injection was sent. */
interface Arrived {
  /** The last event of each timeline. */
  readonly last: readonly Recorded[];
  readonly documents: number;
}

/** What was seen of a timeline. */
interface Timeline {
  /** The injections whose events come before those of the timeline from some event on. */
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
 * them. `perturb.injected` happened after all events that had arrived when it was sent, before the first event
 * of each timeline whose time is later than its acknowledgement by more than the skew, and before all events of a command that was started after it. `perturb.reset`
 * and `perturb.command.ended` happened after the last event of each timeline whose time is before them, and
 * after all events of the command.
 */
export class Recorder {
  /** How many events arrived. */
  events = 0;
  /** What arrived and was not an event: the first few, in words. */
  readonly problems: string[] = [];
  problemCount = 0;
  readonly #growing: GrowingSession;
  readonly #watches = new Map<TraceExpression, Watch>();
  readonly #name: string;
  /** The order that the run asks for. */
  readonly #orderOfRun: () => OrderRequest;
  /** The order that headers and collected evidence ask for: the first of each. */
  #asked: Pick<ReadingFacts, 'order' | 'skew'> = {};
  #skew: bigint;
  readonly #records: Recorded[] = [];
  /** By probe and name, which is undefined for the one without a name. */
  readonly #timelines = new Map<string, Map<string | undefined, Timeline>>();
  readonly #byId = new Map<string, Recorded>();
  /** Interactions that name an event that has not arrived. */
  #open: { readonly from: EventReference; readonly to: EventReference; readonly origin: Origin }[] =
    [];
  /** By injection. */
  readonly #arrived = new Map<number, Arrived>();
  readonly #followed: OwnEvent[] = [];
  readonly #polls: ReadonlySet<string>;
  /** Number of OTLP documents that have arrived; their events come together, at the end. */
  #documents = 0;
  /** True if evidence is ordered by its interactions alone. */
  #hasCauses = false;

  constructor(name: string, options: RecorderOptions = {}) {
    const { polls = new Set(), order = () => ({}), ...limits } = options;
    this.#name = name;
    this.#polls = polls;
    this.#orderOfRun = order;
    this.#skew = this.order.skew ?? 0n;
    this.#growing = new GrowingSession({ ...limits, order: () => this.order });
  }

  /** The order of the events so far: that of the run, or else one that they ask for themselves. */
  get order(): OrderRequest {
    const causal = this.#isCausal && { isCausal: true };
    return { ...this.#asked, ...this.#orderOfRun(), ...causal };
  }

  /** Evidence asks for an order. */
  #ask({ order, skew }: Pick<ReadingFacts, 'order' | 'skew'>, isCausal = false): void {
    this.#asked = { ...defined({ order, skew }), ...this.#asked };
    this.#skew = this.order.skew ?? 0n;
    this.#hasCauses ||= isCausal;
  }

  /** True if spans may have arrived, which clocks do not order. */
  get #isCausal(): boolean {
    return this.#documents > 0 || this.#hasCauses;
  }

  /** A mutation is about to be sent: all events that have arrived come before it. */
  injecting(at: number): void {
    this.#arrived.set(at, { last: this.#lastOfEach(), documents: this.#documents });
  }

  /** A document of OTLP has arrived, whose events are added later. */
  otlpArrived(): void {
    this.#documents += 1;
  }

  #lastOfEach(): Recorded[] {
    const lines = [...this.#timelines.values()].flatMap((own) => [...own.values()]);
    return lines.flatMap(({ last }) => last ?? []);
  }

  /** A mutation was acknowledged. @param time nanoseconds; @param beforeCommand whether the command starts later */
  injected(injection: PlannedInjection, at: number, time: bigint, beforeCommand: boolean): void {
    const id = `${OWN_PROBE}.injected.${at}`;
    const { last = [], documents: sent = 0 } = this.#arrived.get(at) ?? {};
    const recorded = this.#ownAfter('perturb.injected', id, time, attributesOf(injection), last);
    const documents = { sent, acknowledged: this.#documents };
    this.#followed.push({ recorded, time, acknowledged: time, beforeCommand, documents });
  }

  /**
   * A mutator was reset.
   *
   * @param time when it was asked for, in nanoseconds
   * @param acknowledged when it was acknowledged
   * @param goesOn whether the attempt goes on, so that events with a later time follow
   * @param reason why before the end of the attempt, in a word
   */
  reset(
    injection: PlannedInjection,
    at: number,
    time: bigint,
    {
      acknowledged = time,
      goesOn = false,
      reason,
    }: { acknowledged?: bigint; goesOn?: boolean; reason?: string } = {},
  ): void {
    const id = `${OWN_PROBE}.reset.${at}`;
    const attributes = attributesOf(injection, reason);
    const recorded = this.#ownAfterAll('perturb.reset', id, time, attributes, goesOn);
    for (const probe of this.#polls) {
      for (const { timed } of this.#timelines.get(probe)?.values() ?? []) {
        this.#interaction(
          recorded,
          timed.find((one) => isAskedAfter(one, acknowledged)),
        );
      }
    }
    if (goesOn) this.#followed.push({ recorded, time, acknowledged, beforeCommand: false });
  }

  /**
   * A mutation ended otherwise than by a reset of the run, which learns of it only later.
   *
   * @param time when it ended, in nanoseconds
   * @param reason in a word
   */
  ended(injection: PlannedInjection, at: number, time: bigint, reason: string): void {
    const id = `${OWN_PROBE}.reset.${at}`;
    const attributes = attributesOf(injection, reason);
    const lines = [...this.#timelines.values()].flatMap((own) => [...own.values()]);
    const earlier = lines.map(({ timed }) =>
      timed.findLastIndex(({ record }) => (record.time as bigint) < time),
    );
    const before = lines.flatMap(({ timed }, line) => timed[earlier[line] as number] ?? []);
    const recorded = this.#ownAfter('perturb.reset', id, time, attributes, before);
    const followed = { recorded, time, acknowledged: time, beforeCommand: false };
    this.#followed.push(followed);
    for (const [line, { timed }] of lines.entries()) {
      for (const one of timed.slice((earlier[line] as number) + 1)) {
        this.#followOwn(one.origin, one);
      }
    }
  }

  /** The command ended. @param time in nanoseconds */
  commandEnded({ status, signal, timedOut }: CommandEnd, time: bigint): void {
    const attributes = new Map<string, AttributeValue>([
      ['timed_out', { type: 'boolean', value: timedOut }],
    ]);
    if (status !== undefined) attributes.set('status', { type: 'integer', value: BigInt(status) });
    if (signal !== undefined) attributes.set('signal', { type: 'string', value: signal });
    this.#ownAfterAll('perturb.command.ended', `${OWN_PROBE}.command.ended`, time, attributes);
  }

  /**
   * Adds an event of Perturb's own, after everything that the command did or that is known to be earlier.
   *
   * @param goesOn whether the command goes on: then what it did later by its own times is not earlier
   */
  #ownAfterAll(
    name: string,
    id: string,
    time: bigint,
    attributes: Attributes,
    goesOn = false,
  ): Recorded {
    const lines = [...this.#timelines.values()].flatMap((own) => [...own.values()]);
    const before = lines.flatMap(({ last, timed }) => {
      if (last?.origin === 'command' && !(goesOn && timed.length > 0)) return [last];
      const earlier = timed.findLast(({ record }) => (record.time as bigint) < time);
      return earlier === undefined ? [] : [earlier];
    });
    return this.#ownAfter(name, id, time, attributes, before);
  }

  /** Adds an event of Perturb's own, after some events. */
  #ownAfter(
    name: string,
    id: string,
    time: bigint,
    attributes: Attributes,
    before: readonly Recorded[],
  ): Recorded {
    const ids = before.map((one) => this.#idOf(one));
    const own = this.#own(name, id, time, attributes, ids);
    for (const { event } of before) this.#growing.interaction(event, own.event);
    return own;
  }

  /** Lines have arrived: records of the neutral form. @param since events with an earlier time are left out */
  receive(origin: Origin, lines: readonly string[], since?: bigint): void {
    for (const line of lines) {
      if (line.trim() === '') continue;
      const record = readRecord(line);
      if ('problem' in record) this.problem(`${record.problem}: ${line.slice(0, 200)}`);
      else this.receiveRecords(origin, [record], since);
    }
  }

  /** Records have arrived. @param since events with an earlier time are left out */
  receiveRecords(origin: Origin, records: readonly NeutralRecord[], since?: bigint): void {
    for (const record of records) {
      if (record.kind === 'event') {
        const isEarlier = since !== undefined && record.time !== undefined && record.time < since;
        const recorded = isEarlier ? undefined : this.#event(origin, record);
        if (recorded !== undefined) this.#followOwn(origin, recorded);
      } else if (record.kind === 'interaction') {
        this.#open.push({ from: record.from, to: record.to, origin });
      } else this.#ask(record, record.interactions);
    }
  }

  /** An event of a poll has arrived. @param since what belongs to an earlier question is left out */
  receivePoll(record: EventRecord, since = 0n): void {
    const isAsked = (record.after ?? []).every((id) => this.#byId.has(String(id)));
    if (!isAsked || (record.time as bigint) < since) return;
    const recorded = this.#event('poll', record);
    if (recorded !== undefined) this.#followOwn('poll', recorded);
  }

  /** Evidence was collected. @param since events that are certainly earlier are left out */
  addCollected(session: Session, since: bigint): void {
    this.#ask(session.reading ?? {}, session.reading?.isCausal);
    const recorded = this.#addSession('collected', session, since - this.#skew);
    for (const one of recorded) if (one !== undefined) this.#followOwn('collected', one);
  }

  /** Adds the events of all OTLP that has arrived, in their order. */
  addOtlp(imported: ImportedOtlp): void {
    const recorded = this.#addSession('otlp', imported.session);
    for (const at of this.#followed.keys()) this.#tieOtlp(at, imported, recorded);
  }

  /** Adds the events of a session and their interactions. @param since events with an earlier time are left out */
  #addSession(origin: Origin, session: Session, since?: bigint): readonly (Recorded | undefined)[] {
    const recorded = Array.from(eventRecordsOf(session), (event) => {
      const isEarlier = since !== undefined && event.time !== undefined && event.time < since;
      return isEarlier ? undefined : this.#event(origin, event);
    });
    const { receives, edgeStart, edgeFrom } = session.order;
    receives.forEach((to, receive) => {
      for (const from of edgeFrom.subarray(edgeStart[receive], edgeStart[receive + 1])) {
        this.#interaction(recorded[from], recorded[to]);
      }
    });
    return recorded;
  }

  /** Puts one of Perturb's own events after what had arrived before it, and before what is later. */
  #tieOtlp(
    at: number,
    { session, documentOf }: ImportedOtlp,
    recorded: readonly (Recorded | undefined)[],
  ): void {
    const { recorded: own, time, documents } = this.#followed[at] as OwnEvent;
    const { start, probe } = session.timelines;
    const timeOf = (event: number) => recorded[event]?.record.time;
    const lastWhere = (isMeant: (event: number) => boolean) =>
      Int32Array.from(probe, (_, line) => {
        let event = (start[line + 1] as number) - 1;
        while (event >= (start[line] as number) && !isMeant(event)) event--;
        return event < (start[line] as number) ? -1 : event;
      });
    const hadCome = (count: number) => lastWhere((event) => (documentOf[event] as number) < count);
    const earlier = documents
      ? hadCome(documents.sent)
      : lastWhere((event) => (timeOf(event) ?? time) < time);
    // What led to an event that had arrived is not later, whatever its clock says.
    const known = documents ? hadCome(documents.acknowledged) : earlier;
    const ledToKnown = lastBefore(session, known);
    for (const line of probe.keys()) {
      const first = recorded[start[line] as number];
      const timeline = first && this.#timeline(first.record);
      if (timeline === undefined || timeline.follows.has(at)) continue;
      this.#interaction(recorded[earlier[line] as number], own);
      const end = start[line + 1] as number;
      let next = Math.max(
        start[line] as number,
        (known[line] as number) + 1,
        (ledToKnown[line] as number) + 1,
      );
      while (next < end && (timeOf(next) ?? time) <= time + this.#skew) next++;
      if (next === end) continue;
      timeline.follows.add(at);
      this.#interaction(own, recorded[next]);
    }
  }

  /**
   * Whether an expression is true of what is recorded so far; one that cannot be decided is not true
   * yet. Only what came since it was last asked for is looked at, where that is enough to tell.
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
    const session = this.#growing.session();
    return { ...session, reading: { isCausal: this.#isCausal, ...this.#asked } };
  }

  /** The same as JSON Lines. */
  text(): string {
    this.#settle();
    const header: NeutralRecord = {
      ...{ kind: 'header', name: this.#name, source: 'perturb objective run' },
      ...this.#asked,
      ...(this.#isCausal && { interactions: true }),
    };
    const events = this.#records.map(({ record, id, after }) => ({
      ...record,
      ...(id !== undefined && { id }),
      after,
    }));
    return [header, ...events].map((one) => `${writeRecord(one)}\n`).join('');
  }

  /**
   * The probes whose events nothing would order with an injection: they have no times, and no interactions.
   *
   * @param isCommandTied true if every injection comes before the command is started, and so before its events
   */
  untiedProbes(isCommandTied: boolean): string[] {
    const arrived = this.#records.filter(({ origin }) => origin !== 'perturb');
    const senders = new Set(arrived.flatMap(({ after }) => after));
    const untied = new Map<string, boolean>();
    for (const { record, origin, id, after } of arrived) {
      const isSender = id !== undefined && senders.has(id);
      const isTied =
        record.time !== undefined ||
        after.length > 0 ||
        isSender ||
        (isCommandTied && origin === 'command');
      untied.set(record.probe, (untied.get(record.probe) ?? true) && !isTied);
    }
    return [...untied].flatMap(([probe, isUntied]) => (isUntied ? [probe] : []));
  }

  #own(
    name: string,
    id: string,
    time: bigint,
    attributes: Attributes,
    after: readonly string[] = [],
  ): Recorded {
    const record: EventRecord = { kind: 'event', probe: OWN_PROBE, name, time, attributes };
    return this.#add(record, 'perturb', id, after);
  }

  #add(
    record: EventRecord,
    origin: Recorded['origin'],
    id = record.id,
    after: readonly string[] = [],
  ): Recorded {
    const event = this.#growing.event(record);
    const recorded: Recorded = { event, record, origin, id, after: [...after] };
    this.#records.push(recorded);
    return recorded;
  }

  #event(origin: Origin, record: EventRecord): Recorded | undefined {
    const { seq, time, id } = record;
    if (record.probe === OWN_PROBE) {
      this.problem(`"${OWN_PROBE}" is the probe of Perturb's own events`);
      return undefined;
    }
    if (origin !== 'poll' && this.#polls.has(record.probe)) {
      this.problem(`"${record.probe}" is the name of a poll: give the poll another name`);
      return undefined;
    }
    const isReserved = origin !== 'poll' && id?.startsWith(`${OWN_PROBE}.`);
    if (id !== undefined && (isReserved || this.#byId.has(id))) {
      this.problem(`the id "${id}" is that of another event`);
      return undefined;
    }
    const recorded = this.#add(record, origin);
    this.events += 1;
    const line = this.#timeline(record);
    line.last = recorded;
    if (time !== undefined) line.timed.push(recorded);
    if (seq !== undefined) line.bySeq.set(seq, recorded);
    const places = line.byPlace.get(origin) ?? [];
    places.push(recorded);
    line.byPlace.set(origin, places);
    if (id !== undefined) this.#byId.set(id, recorded);
    for (const from of record.after ?? []) this.#after(from, recorded, origin);
    return recorded;
  }

  #followOwn(origin: Origin, recorded: Recorded): void {
    const line = this.#timeline(recorded.record);
    for (const [at, followed] of this.#followed.entries()) {
      if (line.follows.has(at)) continue;
      const { recorded: own, time, acknowledged, beforeCommand } = followed;
      const isLater =
        origin === 'poll'
          ? isAskedAfter(recorded, acknowledged)
          : recorded.record.time !== undefined && recorded.record.time > time + this.#skew;
      if (!isLater && !(beforeCommand && origin === 'command')) continue;
      line.follows.add(at);
      this.#interaction(own, recorded);
    }
  }

  /** An event names one that led to it. */
  #after(from: EventReference, to: Recorded, origin: Origin): void {
    const sender = typeof from === 'string' ? this.#byId.get(from) : undefined;
    if (sender !== undefined) this.#interaction(sender, to);
    else this.#open.push({ from, to: this.#idOf(to), origin });
  }

  /** Something was lost. @param count how many, where that is not one */
  problem(problem: string, count = 1): void {
    this.problemCount += count;
    if (this.problems.length < 3) this.problems.push(problem);
  }

  /** Adds the interactions both of whose events have arrived by now. */
  #settle(): void {
    this.#open = this.#open.filter(
      ({ from, to, origin }) =>
        !this.#interaction(this.#find(from, origin), this.#find(to, origin)),
    );
  }

  /** Orders an event before another; false where one of them is missing. */
  #interaction(sender: Recorded | undefined, receiver: Recorded | undefined): boolean {
    if (sender === undefined || receiver === undefined) return false;
    this.#growing.interaction(sender.event, receiver.event);
    receiver.after.push(this.#idOf(sender));
    return true;
  }

  /** By its id; else by its `seq` or, on a timeline without, by its place, counted from 0. */
  #find(end: EventReference, origin: Origin): Recorded | undefined {
    if (typeof end === 'string') return this.#byId.get(end);
    const [name, place] = end.length === 2 ? [undefined, end[1]] : [end[1], end[2]];
    const own = this.#timelines.get(end[0]);
    const isOnly = name === undefined && own?.size === 1;
    const line = own?.get(name) ?? (isOnly ? [...own.values()][0] : undefined);
    if (line === undefined || line.bySeq.size > 0) return line?.bySeq.get(place);
    return line.byPlace.get(origin)?.[Number(place)];
  }

  #idOf(recorded: Recorded): string {
    if (recorded.id === undefined) {
      recorded.id = `${OWN_PROBE}.event.${recorded.event}`;
      this.#byId.set(recorded.id, recorded);
    }
    return recorded.id;
  }

  #timeline({ probe, timeline }: EventRecord): Timeline {
    const own = this.#timelines.get(probe) ?? new Map<string | undefined, Timeline>();
    this.#timelines.set(probe, own);
    const known = own.get(timeline);
    if (known !== undefined) return known;
    const line: Timeline = { follows: new Set(), timed: [], bySeq: new Map(), byPlace: new Map() };
    own.set(timeline, line);
    return line;
  }
}

/** True for a question of a poll that was sent after a time; its answer follows it on its timeline. */
function isAskedAfter({ record }: Recorded, time: bigint): boolean {
  return record.name === REQUEST && (record.time as bigint) > time;
}

/** What happens to a recorder. It is repeated on others, so it holds its own values. */
type Entry = (recorder: Recorder) => void;

/**
 * What has arrived in an attempt. An effect may arrive late, after its mutation was reset: so resets
 * and the end of the command are recorded only once the session is asked for. Spans get their order
 * only from one another, so everything that came as OTLP is read anew each time.
 */
export class LateEffectWindow {
  readonly #setup: readonly [name: string, options: RecorderOptions];
  /** Those of Perturb's own events with their times. */
  readonly #entries: { readonly entry: Entry; readonly time?: bigint | undefined }[] = [];
  /** True if the live recorder lacks an entry that belongs before others. */
  #isBehind = false;
  readonly #last: Entry[] = [];
  readonly #documents: Json[] = [];
  /** Holds what came as lines. */
  readonly #live: Recorder;
  /** What came after the resets, and when those were asked for; absent before. */
  #recovery: { readonly window: LateEffectWindow; readonly since: bigint } | undefined;

  constructor(name: string, options: RecorderOptions) {
    this.#setup = [name, options];
    this.#live = new Recorder(name, options);
  }

  /** Something happens among what arrives. @param time of an event of Perturb's own */
  add(entry: Entry, time?: bigint): void {
    this.#entries.push({ entry, time });
    entry(this.#live);
  }

  /** Something happened that was not known then: it belongs before Perturb's own events with a later time. */
  addEarlier(entry: Entry, time: bigint): void {
    const later = this.#entries.findIndex((one) => one.time !== undefined && one.time > time);
    if (later === -1) this.add(entry, time);
    else {
      this.#entries.splice(later, 0, { entry, time });
      this.#isBehind = true;
    }
  }

  /** Something happens after all that arrives before the session is asked for. */
  addLast(entry: Entry): void {
    this.#last.push(entry);
  }

  receive(origin: Origin, lines: readonly string[], since?: bigint): void {
    this.add((recorder) => recorder.receive(origin, lines, since));
    this.#recovery?.window.receive(origin, lines, this.#recovery.since);
  }

  receivePoll(record: EventRecord, since?: bigint): void {
    this.add((recorder) => recorder.receivePoll(record, since));
    this.#recovery?.window.receivePoll(record, this.#recovery.since);
  }

  /** As `receive`, with records that were read before. */
  receiveRecords(origin: Origin, records: readonly NeutralRecord[]): void {
    this.add((recorder) => recorder.receiveRecords(origin, records));
    this.#recovery?.window.add((recorder) =>
      recorder.receiveRecords(origin, records, this.#recovery?.since),
    );
  }

  receiveOtlp(document: Json): void {
    this.#documents.push(document);
    this.add((recorder) => recorder.otlpArrived());
    this.#recovery?.window.receiveOtlp(document);
  }

  /** The mutators are being reset: what arrives from now on shows whether the system recovers. @param since in nanoseconds */
  beginRecovery(since: bigint): void {
    const [name, options] = this.#setup;
    const order = () => this.#live.order;
    this.#recovery = { window: new LateEffectWindow(name, { ...options, order }), since };
  }

  /** What came after the resets; all of it before `beginRecovery`. */
  afterResets(): Recorder {
    return (this.#recovery?.window ?? this).soFar();
  }

  /** What came so far. */
  soFar(): Recorder {
    if (this.#documents.length === 0 && !this.#isBehind) return this.#live;
    const recorder = new Recorder(...this.#setup);
    for (const { entry } of this.#entries) entry(recorder);
    if (this.#documents.length === 0) return recorder;
    const problems = new Problems();
    recorder.addOtlp(importOtlp(this.#documents, problems));
    for (const { message, count } of problems.list) recorder.problem(message, count);
    return recorder;
  }

  /** Everything, with the end of the command and the resets. */
  finish(): Recorder {
    const recorder = this.soFar();
    for (const entry of this.#last) entry(recorder);
    return recorder;
  }
}
