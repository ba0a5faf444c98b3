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

/** Returns the attributes of a mutation's events. @param reason for its end, in a word */
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

/** A recorded event. */
interface Recorded {
  readonly event: number;
  /** As it arrived; without its `after`, which becomes `after` below as the events arrive. */
  readonly record: EventRecord;
  readonly origin: Origin | 'perturb';
  id: string | undefined;
  readonly after: string[];
}

/** An injection, or a reset after which the attempt continues: later events of the system follow it. */
interface OwnEvent {
  readonly recorded: Recorded;
  /** The time of an injection's acknowledgement, or of a reset's request. */
  readonly time: bigint;
  /** The time of the acknowledgement. */
  readonly acknowledged: bigint;
  /** True if the command was started after it. */
  readonly beforeCommand: boolean;
  /** The number of OTLP documents that had arrived when an injection was sent and when it was acknowledged. */
  readonly documents?: { readonly sent: number; readonly acknowledged: number };
}

/** The events that had arrived when an injection was sent. */
interface Arrived {
  /** The last event of each timeline. */
  readonly last: readonly Recorded[];
  readonly documents: number;
}

/** The events of a timeline so far. */
interface Timeline {
  /** The injections whose events come before those of the timeline from some event on. */
  readonly follows: Set<number>;
  last?: Recorded;
  /** The events with a time, in order of arrival. */
  readonly timed: Recorded[];
  readonly bySeq: Map<bigint, Recorded>;
  /** By origin, in order of arrival. */
  readonly byPlace: Map<Origin, Recorded[]>;
}

/**
 * Records the session of an attempt: the events of the system as they arrive, and the mutations among them.
 * `perturb.injected` happened after all events that had arrived when it was sent, before the first event of each
 * timeline whose time is later than its acknowledgement by more than the skew, and before all events of a command
 * that was started after it. `perturb.reset` and `perturb.command.ended` happened after the last event of each
 * timeline whose time is before them, and after all events of the command.
 */
export class Recorder {
  /** The number of events that have arrived. */
  events = 0;
  /** The first few inputs that were not events, in words. */
  readonly problems: string[] = [];
  problemCount = 0;
  readonly #growing: GrowingSession;
  readonly #watches = new Map<TraceExpression, Watch>();
  readonly #name: string;
  /** The order of the run. */
  readonly #orderOfRun: () => OrderRequest;
  /** The order that headers and collected evidence request: the first of each. */
  #asked: Pick<ReadingFacts, 'order' | 'skew'> = {};
  #skew: bigint;
  readonly #records: Recorded[] = [];
  /** By probe and timeline name; an unnamed timeline is under undefined. */
  readonly #timelines = new Map<string, Map<string | undefined, Timeline>>();
  readonly #byId = new Map<string, Recorded>();
  /** Interactions with an event that has not arrived. */
  #open: { readonly from: EventReference; readonly to: EventReference; readonly origin: Origin }[] =
    [];
  /** By injection. */
  readonly #arrived = new Map<number, Arrived>();
  readonly #followed: OwnEvent[] = [];
  readonly #polls: ReadonlySet<string>;
  /** The number of OTLP documents that have arrived; their events are added together, at the end. */
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

  /** The order of the events so far: that of the run, or else one that they request themselves. */
  get order(): OrderRequest {
    const causal = this.#isCausal && { isCausal: true };
    return { ...this.#asked, ...this.#orderOfRun(), ...causal };
  }

  /** Records the order that evidence requests. */
  #ask({ order, skew }: Pick<ReadingFacts, 'order' | 'skew'>, isCausal = false): void {
    this.#asked = { ...defined({ order, skew }), ...this.#asked };
    this.#skew = this.order.skew ?? 0n;
    this.#hasCauses ||= isCausal;
  }

  /** True if spans may have arrived, which clocks do not order. */
  get #isCausal(): boolean {
    return this.#documents > 0 || this.#hasCauses;
  }

  /** Announces a mutation: all events that have arrived come before it. */
  injecting(at: number): void {
    this.#arrived.set(at, { last: this.#lastOfEach(), documents: this.#documents });
  }

  /** Counts a document of OTLP, whose events are added later. */
  otlpArrived(): void {
    this.#documents += 1;
  }

  #lastOfEach(): Recorded[] {
    const lines = [...this.#timelines.values()].flatMap((own) => [...own.values()]);
    return lines.flatMap(({ last }) => last ?? []);
  }

  /**
   * Records the acknowledgement of a mutation. @param time nanoseconds; @param beforeCommand true if the command
   * starts later
   */
  injected(injection: PlannedInjection, at: number, time: bigint, beforeCommand: boolean): void {
    const id = `${OWN_PROBE}.injected.${at}`;
    const { last = [], documents: sent = 0 } = this.#arrived.get(at) ?? {};
    const recorded = this.#ownAfter('perturb.injected', id, time, attributesOf(injection), last);
    const documents = { sent, acknowledged: this.#documents };
    this.#followed.push({ recorded, time, acknowledged: time, beforeCommand, documents });
  }

  /**
   * Records the reset of a mutator.
   *
   * @param time of the request, in nanoseconds
   * @param acknowledged time of the acknowledgement
   * @param goesOn true if the attempt continues: later events then follow
   * @param reason for a reset before the end of the attempt, in a word
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
   * Records that a mutation ended otherwise than by a reset of the run, which learns of it only later.
   *
   * @param time of the end, in nanoseconds
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

  /** Records the end of the command. @param time in nanoseconds */
  commandEnded({ status, signal, timedOut }: CommandEnd, time: bigint): void {
    const attributes = new Map<string, AttributeValue>([
      ['timed_out', { type: 'boolean', value: timedOut }],
    ]);
    if (status !== undefined) attributes.set('status', { type: 'integer', value: BigInt(status) });
    if (signal !== undefined) attributes.set('signal', { type: 'string', value: signal });
    this.#ownAfterAll('perturb.command.ended', `${OWN_PROBE}.command.ended`, time, attributes);
  }

  /**
   * Adds an event of Perturb's own, after all events of the command and all others that are known to be earlier.
   *
   * @param goesOn true if the command continues: its events with later times are then not earlier
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

  /** Records arrived lines: records of the neutral form. @param since skips events with an earlier time */
  receive(origin: Origin, lines: readonly string[], since?: bigint): void {
    for (const line of lines) {
      if (line.trim() === '') continue;
      const record = readRecord(line);
      if ('problem' in record) this.problem(`${record.problem}: ${line.slice(0, 200)}`);
      else this.receiveRecords(origin, [record], since);
    }
  }

  /** Records arrived records. @param since skips events with an earlier time */
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

  /** Records an event of a poll. @param since skips events of an earlier question */
  receivePoll(record: EventRecord, since = 0n): void {
    const isAsked = (record.after ?? []).every((id) => this.#byId.has(String(id)));
    if (!isAsked || (record.time as bigint) < since) return;
    const recorded = this.#event('poll', record);
    if (recorded !== undefined) this.#followOwn('poll', recorded);
  }

  /** Records collected evidence. @param since skips events that are certainly earlier */
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

  /** Adds the events of a session and their interactions. @param since skips events with an earlier time */
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

  /** Orders one of Perturb's own events after the previously arrived events, and before later ones. */
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
    // A cause of an arrived event is not later, whatever its clock shows.
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
   * True if an expression is true of the recording so far; an undecided one is not true yet. Inspects only the new
   * events, if that is enough. Throws a SessionError if the recording has no order.
   */
  isTrue(expression: TraceExpression): boolean {
    this.#settle();
    const watch = this.#watches.get(expression) ?? this.#growing.watch(expression.expression);
    this.#watches.set(expression, watch);
    return watch.isTrue() ?? false;
  }

  /** Returns the recording so far. Throws a SessionError if it has no order. */
  session(): Session {
    this.#settle();
    const session = this.#growing.session();
    return { ...session, reading: { isCausal: this.#isCausal, ...this.#asked } };
  }

  /** Returns the recording as JSON Lines. */
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
   * Returns the probes whose events nothing would order with an injection: they have no times, and no interactions.
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
      this.problem(`"${record.probe}" is also the name of a poll: rename the poll`);
      return undefined;
    }
    const isReserved = origin !== 'poll' && id?.startsWith(`${OWN_PROBE}.`);
    if (id !== undefined && (isReserved || this.#byId.has(id))) {
      this.problem(`the id "${id}" belongs to another event`);
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

  /** Records that an event names a cause. */
  #after(from: EventReference, to: Recorded, origin: Origin): void {
    const sender = typeof from === 'string' ? this.#byId.get(from) : undefined;
    if (sender !== undefined) this.#interaction(sender, to);
    else this.#open.push({ from, to: this.#idOf(to), origin });
  }

  /** Records a loss. @param count the number of lost lines */
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

  /** Orders an event before another; false if one of them is missing. */
  #interaction(sender: Recorded | undefined, receiver: Recorded | undefined): boolean {
    if (sender === undefined || receiver === undefined) return false;
    this.#growing.interaction(sender.event, receiver.event);
    receiver.after.push(this.#idOf(sender));
    return true;
  }

  /** Finds an event by its id; else by its `seq` or, on a timeline without, by its position, counted from 0. */
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

/** A change to a recorder. It is repeated on others, so it captures its own values. */
type Entry = (recorder: Recorder) => void;

/**
 * The arrivals of an attempt. An effect may arrive late, after its mutation was reset, so resets and the end of the
 * command are recorded only once the session is requested. Spans get their order only from one another, so all OTLP
 * input is read again each time.
 */
export class LateEffectWindow {
  readonly #setup: readonly [name: string, options: RecorderOptions];
  /** Those of Perturb's own events with their times. */
  readonly #entries: { readonly entry: Entry; readonly time?: bigint | undefined }[] = [];
  /** True if the live recorder lacks an entry that belongs before others. */
  #isBehind = false;
  readonly #last: Entry[] = [];
  readonly #documents: Json[] = [];
  /** Holds the events that arrived as lines. */
  readonly #live: Recorder;
  /** The arrivals after the resets, and the time of the resets' requests; absent before. */
  #recovery: { readonly window: LateEffectWindow; readonly since: bigint } | undefined;

  constructor(name: string, options: RecorderOptions) {
    this.#setup = [name, options];
    this.#live = new Recorder(name, options);
  }

  /** Adds a change among the arrivals. @param time of an event of Perturb's own */
  add(entry: Entry, time?: bigint): void {
    this.#entries.push({ entry, time });
    entry(this.#live);
  }

  /** Adds a change that was not known at its time: it belongs before Perturb's own events with a later time. */
  addEarlier(entry: Entry, time: bigint): void {
    const later = this.#entries.findIndex((entry) => entry.time !== undefined && entry.time > time);
    if (later === -1) this.add(entry, time);
    else {
      this.#entries.splice(later, 0, { entry, time });
      this.#isBehind = true;
    }
  }

  /** Adds a change after all arrivals before the session is requested. */
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

  /** Begins the recovery: from now on, arrivals show if the system recovers. @param since in nanoseconds */
  beginRecovery(since: bigint): void {
    const [name, options] = this.#setup;
    const order = () => this.#live.order;
    this.#recovery = { window: new LateEffectWindow(name, { ...options, order }), since };
  }

  /** Returns the arrivals after the resets; all of them before `beginRecovery`. */
  afterResets(): Recorder {
    return (this.#recovery?.window ?? this).soFar();
  }

  /** Returns the arrivals so far. */
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

  /** Returns everything, with the end of the command and the resets. */
  finish(): Recorder {
    const recorder = this.soFar();
    for (const entry of this.#last) entry(recorder);
    return recorder;
  }
}
