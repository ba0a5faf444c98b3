import { OWN_PROBE } from '../../basics/index.js';
import {
  findLastBefore,
  type GrowingOptions,
  GrowingSession,
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
  /** The polls' names. These names are reserved as probe names. */
  readonly polls?: ReadonlySet<string>;
}

type Attributes = ReadonlyMap<string, AttributeValue>;

/** Returns the attributes of a mutation's events. @param reason a one-word reason for the mutation's end */
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

interface RecordedEvent {
  readonly event: number;
  /** The record as it arrived. The `after` list below supersedes the record's list. */
  readonly record: EventRecord;
  readonly origin: Origin | 'perturb';
  id: string | undefined;
  readonly after: string[];
}

/** An injection, or a mutation's end during the attempt. The system's later events are ordered after this event. */
interface OwnEvent {
  readonly event: RecordedEvent;
  /** The acknowledgement time for an injection, or the request time for a reset. */
  readonly time: bigint;
  /** The time of the acknowledgement. */
  readonly acknowledgedAt: bigint;
  /** True if the command started after this event. */
  readonly beforeCommand: boolean;
  /** Number of OTLP documents that had arrived when the injection was sent and when it was acknowledged. */
  readonly documents?: { readonly sent: number; readonly acknowledged: number };
}

/** The events that had arrived when an injection was sent. */
interface ArrivedEvents {
  /** The last event of each timeline. */
  readonly lastEvents: readonly RecordedEvent[];
  readonly documents: number;
}

/** A timeline's events so far. */
interface Timeline {
  /** Indexes in `#ownEvents` of the events already ordered before this timeline's later events. */
  readonly followedInjections: Set<number>;
  last?: RecordedEvent;
  /** The events with a time, in order of arrival. */
  readonly timedEvents: RecordedEvent[];
  readonly bySeq: Map<bigint, RecordedEvent>;
  /** Events by origin, each list in order of arrival. */
  readonly byOrigin: Map<Origin, RecordedEvent[]>;
}

/**
 * Records an attempt's session: the system's events as they arrive, with Perturb's own events among them.
 *
 * All events that had arrived when an injection was sent come before `perturb.injected`. On each timeline, the first
 * event that is later than the acknowledgement by more than the skew, and all following events, come after
 * `perturb.injected`. If the command started later, all of its events also come after `perturb.injected`.
 *
 * `perturb.reset` and `perturb.command.ended` come after the last earlier event of each timeline. Unless the attempt
 * continues, these two events also come after all of the command's events so far.
 */
export class Recorder {
  /** The number of events that have arrived. */
  events = 0;
  /** Descriptions of the first few inputs that were not events. */
  readonly problems: string[] = [];
  problemCount = 0;
  readonly #session: GrowingSession;
  readonly #watchByExpression = new Map<TraceExpression, Watch>();
  readonly #name: string;
  /** Returns the run's event order. */
  readonly #runOrder: () => OrderRequest;
  /**
   * The order and skew requested by headers and collected evidence. The first requested order and the first requested
   * skew take precedence.
   */
  #requestedOrder: Pick<ReadingFacts, 'order' | 'skew'> = {};
  #skew: bigint;
  readonly #records: RecordedEvent[] = [];
  /** Timelines by probe and timeline name; the key of an unnamed timeline is undefined. */
  readonly #timelines = new Map<string, Map<string | undefined, Timeline>>();
  readonly #byId = new Map<string, RecordedEvent>();
  /** Interactions whose sender or receiver has not arrived. */
  #pendingInteractions: {
    readonly from: EventReference;
    readonly to: EventReference;
    readonly origin: Origin;
  }[] = [];
  /** The events that had arrived when each injection was sent, by position. */
  readonly #arrivedByInjection = new Map<number, ArrivedEvents>();
  readonly #ownEvents: OwnEvent[] = [];
  readonly #polls: ReadonlySet<string>;
  /** Number of OTLP documents that have arrived. The events of all documents are added together at the end. */
  #documents = 0;
  /** True if evidence states that interactions alone order its events. */
  #hasCauses = false;

  constructor(name: string, options: RecorderOptions = {}) {
    const { polls = new Set(), order = () => ({}), ...limits } = options;
    this.#name = name;
    this.#polls = polls;
    this.#runOrder = order;
    this.#skew = this.order.skew ?? 0n;
    this.#session = new GrowingSession({ ...limits, order: () => this.order });
  }

  /** The event order. The run's settings take precedence over the evidence's requests. */
  get order(): OrderRequest {
    const causality = this.#isCausal && { isCausal: true };
    return { ...this.#requestedOrder, ...this.#runOrder(), ...causality };
  }

  /** Stores an order and a skew requested by evidence, unless an earlier request has set them. */
  #requestOrder({ order, skew }: Pick<ReadingFacts, 'order' | 'skew'>, isCausal = false): void {
    this.#requestedOrder = { ...defined({ order, skew }), ...this.#requestedOrder };
    this.#skew = this.order.skew ?? 0n;
    this.#hasCauses ||= isCausal;
  }

  /** True if interactions alone order the recording, as for spans. */
  get #isCausal(): boolean {
    return this.#documents > 0 || this.#hasCauses;
  }

  /** Announces an injection. All events that have arrived so far come before the injection. */
  injecting(position: number): void {
    this.#arrivedByInjection.set(position, {
      lastEvents: this.#lastEvents(),
      documents: this.#documents,
    });
  }

  /** Counts an OTLP document. Its events are added later. */
  otlpArrived(): void {
    this.#documents += 1;
  }

  #lastEvents(): RecordedEvent[] {
    const lines = [...this.#timelines.values()].flatMap((byName) => [...byName.values()]);
    return lines.flatMap(({ last }) => last ?? []);
  }

  /**
   * Records the acknowledgement of a mutation.
   *
   * @param time in nanoseconds
   * @param beforeCommand true if the command starts later
   */
  injected(
    injection: PlannedInjection,
    position: number,
    time: bigint,
    beforeCommand: boolean,
  ): void {
    const id = `${OWN_PROBE}.injected.${position}`;
    const { lastEvents = [], documents: sentDocuments = 0 } =
      this.#arrivedByInjection.get(position) ?? {};
    const injectionEvent = this.#addOwnEventAfter(
      'perturb.injected',
      id,
      time,
      attributesOf(injection),
      lastEvents,
    );
    const documents = { sent: sentDocuments, acknowledged: this.#documents };
    this.#ownEvents.push({
      event: injectionEvent,
      time,
      acknowledgedAt: time,
      beforeCommand,
      documents,
    });
  }

  /**
   * Records the reset of a mutator.
   *
   * @param time of the request, in nanoseconds
   * @param acknowledgedAt time of the acknowledgement, in nanoseconds
   * @param continues true if the attempt continues and later events follow the reset
   * @param reason a one-word reason for a reset before the attempt's end
   */
  reset(
    injection: PlannedInjection,
    position: number,
    time: bigint,
    {
      acknowledgedAt = time,
      continues = false,
      reason,
    }: { acknowledgedAt?: bigint; continues?: boolean; reason?: string } = {},
  ): void {
    const id = `${OWN_PROBE}.reset.${position}`;
    const attributes = attributesOf(injection, reason);
    const resetEvent = this.#addOwnEventAfterAll('perturb.reset', id, time, attributes, continues);
    for (const probe of this.#polls) {
      for (const { timedEvents } of this.#timelines.get(probe)?.values() ?? []) {
        this.#addInteraction(
          resetEvent,
          timedEvents.find((event) => isRequestAfter(event, acknowledgedAt)),
        );
      }
    }
    if (continues)
      this.#ownEvents.push({ event: resetEvent, time, acknowledgedAt, beforeCommand: false });
  }

  /**
   * Records the end of a mutation that the run did not reset itself. The run learns of such an end only afterwards.
   *
   * @param time of the end, in nanoseconds
   * @param reason a one-word reason for the end
   */
  ended(injection: PlannedInjection, position: number, time: bigint, reason: string): void {
    const id = `${OWN_PROBE}.reset.${position}`;
    const attributes = attributesOf(injection, reason);
    const lines = [...this.#timelines.values()].flatMap((byName) => [...byName.values()]);
    const earlierIndexes = lines.map(({ timedEvents }) =>
      timedEvents.findLastIndex(({ record }) => (record.time as bigint) < time),
    );
    const previous = lines.flatMap(
      ({ timedEvents }, line) => timedEvents[earlierIndexes[line] as number] ?? [],
    );
    const endEvent = this.#addOwnEventAfter('perturb.reset', id, time, attributes, previous);
    const ownEvent = { event: endEvent, time, acknowledgedAt: time, beforeCommand: false };
    this.#ownEvents.push(ownEvent);
    for (const [line, { timedEvents }] of lines.entries()) {
      for (const event of timedEvents.slice((earlierIndexes[line] as number) + 1)) {
        this.#orderAfterOwnEvents(event.origin, event);
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
    this.#addOwnEventAfterAll(
      'perturb.command.ended',
      `${OWN_PROBE}.command.ended`,
      time,
      attributes,
    );
  }

  /**
   * Adds one of Perturb's own events after the command's events and all other events known to be earlier.
   *
   * @param continues true if the command continues. The new event then follows only earlier events of the command
   */
  #addOwnEventAfterAll(
    name: string,
    id: string,
    time: bigint,
    attributes: Attributes,
    continues = false,
  ): RecordedEvent {
    const lines = [...this.#timelines.values()].flatMap((byName) => [...byName.values()]);
    const previous = lines.flatMap(({ last, timedEvents }) => {
      if (last?.origin === 'command' && !(continues && timedEvents.length > 0)) return [last];
      const previousEvent = timedEvents.findLast(({ record }) => (record.time as bigint) < time);
      return previousEvent === undefined ? [] : [previousEvent];
    });
    return this.#addOwnEventAfter(name, id, time, attributes, previous);
  }

  /** Adds one of Perturb's own events after the given events. */
  #addOwnEventAfter(
    name: string,
    id: string,
    time: bigint,
    attributes: Attributes,
    previous: readonly RecordedEvent[],
  ): RecordedEvent {
    const ids = previous.map((event) => this.#idOf(event));
    const ownEvent = this.#addOwnEvent(name, id, time, attributes, ids);
    for (const { event } of previous) this.#session.interaction(event, ownEvent.event);
    return ownEvent;
  }

  /** Records received lines of the neutral form. @param since minimum time; earlier events are skipped */
  receive(origin: Origin, lines: readonly string[], since?: bigint): void {
    for (const line of lines) {
      if (line.trim() === '') continue;
      const record = readRecord(line);
      if ('problem' in record) this.problem(`${record.problem}: ${line.slice(0, 200)}`);
      else this.receiveRecords(origin, [record], since);
    }
  }

  /** Adds received records. @param since minimum time; earlier events are skipped */
  receiveRecords(origin: Origin, records: readonly NeutralRecord[], since?: bigint): void {
    for (const record of records) {
      if (record.kind === 'event') {
        const isEarlier = since !== undefined && record.time !== undefined && record.time < since;
        const event = isEarlier ? undefined : this.#addEvent(origin, record);
        if (event !== undefined) this.#orderAfterOwnEvents(origin, event);
      } else if (record.kind === 'interaction') {
        this.#pendingInteractions.push({ from: record.from, to: record.to, origin });
      } else this.#requestOrder(record, record.interactions);
    }
  }

  /** Records a poll's event. @param since minimum time; earlier requests and their responses are skipped */
  receivePoll(record: EventRecord, since = 0n): void {
    const hasRequest = (record.after ?? []).every((id) => this.#byId.has(String(id)));
    if (!hasRequest || (record.time as bigint) < since) return;
    const event = this.#addEvent('poll', record);
    if (event !== undefined) this.#orderAfterOwnEvents('poll', event);
  }

  /** Records collected evidence. @param since minimum time, minus the skew; earlier events are skipped */
  addCollected(session: Session, since: bigint): void {
    this.#requestOrder(session.reading ?? {}, session.reading?.isCausal);
    const events = this.#addSession('collected', session, since - this.#skew);
    for (const event of events)
      if (event !== undefined) this.#orderAfterOwnEvents('collected', event);
  }

  /** Adds the events of all OTLP input, and orders Perturb's own events among them. */
  addOtlp(otlpInput: ImportedOtlp): void {
    const events = this.#addSession('otlp', otlpInput.session);
    for (const position of this.#ownEvents.keys()) this.#orderOtlp(position, otlpInput, events);
  }

  /** Adds a session's events and their interactions. @param since minimum time; earlier events are skipped */
  #addSession(
    origin: Origin,
    session: Session,
    since?: bigint,
  ): readonly (RecordedEvent | undefined)[] {
    const events = Array.from(eventRecordsOf(session), (event) => {
      const isEarlier = since !== undefined && event.time !== undefined && event.time < since;
      return isEarlier ? undefined : this.#addEvent(origin, event);
    });
    const { receives, edgeStart, edgeFrom } = session.order;
    receives.forEach((to, receive) => {
      for (const causeIndex of edgeFrom.subarray(edgeStart[receive], edgeStart[receive + 1])) {
        this.#addInteraction(events[causeIndex], events[to]);
      }
    });
    return events;
  }

  /**
   * Orders one of Perturb's own events after the earlier OTLP events of each timeline and before the later OTLP events.
   */
  #orderOtlp(
    position: number,
    { session, documentOf }: ImportedOtlp,
    events: readonly (RecordedEvent | undefined)[],
  ): void {
    const { event: ownEvent, time, documents } = this.#ownEvents[position] as OwnEvent;
    const { start, probe } = session.timelines;
    const timeOf = (event: number) => events[event]?.record.time;
    const findLastEvents = (predicate: (event: number) => boolean) =>
      Int32Array.from(probe, (_, line) => {
        let event = (start[line + 1] as number) - 1;
        while (event >= (start[line] as number) && !predicate(event)) event--;
        return event < (start[line] as number) ? -1 : event;
      });
    const findArrived = (count: number) =>
      findLastEvents((event) => (documentOf[event] as number) < count);
    const earlierEvents = documents
      ? findArrived(documents.sent)
      : findLastEvents((event) => (timeOf(event) ?? time) < time);
    // The causes of an arrived event are not later, even if their clocks disagree.
    const knownEvents = documents ? findArrived(documents.acknowledged) : earlierEvents;
    const causesOfKnown = findLastBefore(session, knownEvents);
    for (const line of probe.keys()) {
      const first = events[start[line] as number];
      const timeline = first && this.#timelineOf(first.record);
      if (timeline === undefined || timeline.followedInjections.has(position)) continue;
      this.#addInteraction(events[earlierEvents[line] as number], ownEvent);
      const end = start[line + 1] as number;
      let index = Math.max(
        start[line] as number,
        (knownEvents[line] as number) + 1,
        (causesOfKnown[line] as number) + 1,
      );
      while (index < end && (timeOf(index) ?? time) <= time + this.#skew) index++;
      if (index === end) continue;
      timeline.followedInjections.add(position);
      this.#addInteraction(ownEvent, events[index]);
    }
  }

  /**
   * True if an expression is true for the recording so far; false while undecided. Evaluates only the new events if
   * possible. Throws a SessionError if the recording has no order.
   */
  isTrue(expression: TraceExpression): boolean {
    this.#resolveInteractions();
    const watch =
      this.#watchByExpression.get(expression) ?? this.#session.watch(expression.expression);
    this.#watchByExpression.set(expression, watch);
    return watch.isTrue() ?? false;
  }

  /** Returns the recording so far. Throws a SessionError if the recording has no order. */
  session(): Session {
    this.#resolveInteractions();
    const session = this.#session.session();
    return { ...session, reading: { isCausal: this.#isCausal, ...this.#requestedOrder } };
  }

  /** Returns the recording as JSON Lines. */
  text(): string {
    this.#resolveInteractions();
    const header: NeutralRecord = {
      ...{ kind: 'header', name: this.#name, source: 'perturb objective run' },
      ...this.#requestedOrder,
      ...(this.#isCausal && { interactions: true }),
    };
    const events = this.#records.map(({ record, id, after }) => ({
      ...record,
      ...(id !== undefined && { id }),
      after,
    }));
    return [header, ...events].map((record) => `${writeRecord(record)}\n`).join('');
  }

  /**
   * Returns the probes whose events have neither times nor interactions, and so cannot be ordered with injections.
   *
   * @param isCommandOrdered true if all injections precede the command's start, and therefore all of its events
   */
  unorderedProbes(isCommandOrdered: boolean): string[] {
    const events = this.#records.filter(({ origin }) => origin !== 'perturb');
    const senders = new Set(events.flatMap(({ after }) => after));
    const unorderedByProbe = new Map<string, boolean>();
    for (const { record, origin, id, after } of events) {
      const isSender = id !== undefined && senders.has(id);
      const isOrdered =
        record.time !== undefined ||
        after.length > 0 ||
        isSender ||
        (isCommandOrdered && origin === 'command');
      unorderedByProbe.set(
        record.probe,
        (unorderedByProbe.get(record.probe) ?? true) && !isOrdered,
      );
    }
    return [...unorderedByProbe].flatMap(([probe, isUnordered]) => (isUnordered ? [probe] : []));
  }

  #addOwnEvent(
    name: string,
    id: string,
    time: bigint,
    attributes: Attributes,
    after: readonly string[] = [],
  ): RecordedEvent {
    const record: EventRecord = { kind: 'event', probe: OWN_PROBE, name, time, attributes };
    return this.#add(record, 'perturb', id, after);
  }

  #add(
    record: EventRecord,
    origin: RecordedEvent['origin'],
    id = record.id,
    after: readonly string[] = [],
  ): RecordedEvent {
    const event = this.#session.event(record);
    const recordedEvent: RecordedEvent = { event, record, origin, id, after: [...after] };
    this.#records.push(recordedEvent);
    return recordedEvent;
  }

  #addEvent(origin: Origin, record: EventRecord): RecordedEvent | undefined {
    const { seq, time, id } = record;
    if (record.probe === OWN_PROBE) {
      this.problem(`the probe name "${OWN_PROBE}" is reserved for Perturb's own events`);
      return undefined;
    }
    if (origin !== 'poll' && this.#polls.has(record.probe)) {
      this.problem(`the probe name "${record.probe}" is also a poll's name: rename the poll`);
      return undefined;
    }
    const isReserved = origin !== 'poll' && id?.startsWith(`${OWN_PROBE}.`);
    if (id !== undefined && (isReserved || this.#byId.has(id))) {
      this.problem(`the id "${id}" belongs to another event`);
      return undefined;
    }
    const event = this.#add(record, origin);
    this.events += 1;
    const line = this.#timelineOf(record);
    line.last = event;
    if (time !== undefined) line.timedEvents.push(event);
    if (seq !== undefined) line.bySeq.set(seq, event);
    const originEvents = line.byOrigin.get(origin) ?? [];
    originEvents.push(event);
    line.byOrigin.set(origin, originEvents);
    if (id !== undefined) this.#byId.set(id, event);
    for (const cause of record.after ?? []) this.#addCause(cause, event, origin);
    return event;
  }

  #orderAfterOwnEvents(origin: Origin, recordedEvent: RecordedEvent): void {
    const line = this.#timelineOf(recordedEvent.record);
    for (const [position, ownEvent] of this.#ownEvents.entries()) {
      if (line.followedInjections.has(position)) continue;
      const { event, time, acknowledgedAt, beforeCommand } = ownEvent;
      const isLater =
        origin === 'poll'
          ? isRequestAfter(recordedEvent, acknowledgedAt)
          : recordedEvent.record.time !== undefined &&
            recordedEvent.record.time > time + this.#skew;
      if (!isLater && !(beforeCommand && origin === 'command')) continue;
      line.followedInjections.add(position);
      this.#addInteraction(event, recordedEvent);
    }
  }

  /** Orders a cause before its effect, or keeps the reference until the cause arrives. */
  #addCause(cause: EventReference, effect: RecordedEvent, origin: Origin): void {
    const sender = typeof cause === 'string' ? this.#byId.get(cause) : undefined;
    if (sender !== undefined) this.#addInteraction(sender, effect);
    else this.#pendingInteractions.push({ from: cause, to: this.#idOf(effect), origin });
  }

  /** Records a problem that caused a loss of input. @param count the number of lost lines */
  problem(problem: string, count = 1): void {
    this.problemCount += count;
    if (this.problems.length < 3) this.problems.push(problem);
  }

  /** Adds the pending interactions whose events have both arrived. */
  #resolveInteractions(): void {
    this.#pendingInteractions = this.#pendingInteractions.filter(
      ({ from, to, origin }) =>
        !this.#addInteraction(this.#findEvent(from, origin), this.#findEvent(to, origin)),
    );
  }

  /** Orders the sender before the receiver. Returns false if either event is missing. */
  #addInteraction(sender: RecordedEvent | undefined, receiver: RecordedEvent | undefined): boolean {
    if (sender === undefined || receiver === undefined) return false;
    this.#session.interaction(sender.event, receiver.event);
    receiver.after.push(this.#idOf(sender));
    return true;
  }

  /**
   * Finds an event by id or by number. The number is the event's `seq` or, on a timeline without `seq`, the zero-based
   * position among the origin's events.
   */
  #findEvent(end: EventReference, origin: Origin): RecordedEvent | undefined {
    if (typeof end === 'string') return this.#byId.get(end);
    const [name, position] = end.length === 2 ? [undefined, end[1]] : [end[1], end[2]];
    const timelines = this.#timelines.get(end[0]);
    const isOnly = name === undefined && timelines?.size === 1;
    const line = timelines?.get(name) ?? (isOnly ? [...timelines.values()][0] : undefined);
    if (line === undefined || line.bySeq.size > 0) return line?.bySeq.get(position);
    return line.byOrigin.get(origin)?.[Number(position)];
  }

  #idOf(recordedEvent: RecordedEvent): string {
    if (recordedEvent.id === undefined) {
      recordedEvent.id = `${OWN_PROBE}.event.${recordedEvent.event}`;
      this.#byId.set(recordedEvent.id, recordedEvent);
    }
    return recordedEvent.id;
  }

  #timelineOf({ probe, timeline }: EventRecord): Timeline {
    const timelines = this.#timelines.get(probe) ?? new Map<string | undefined, Timeline>();
    this.#timelines.set(probe, timelines);
    const knownTimeline = timelines.get(timeline);
    if (knownTimeline !== undefined) return knownTimeline;
    const line: Timeline = {
      followedInjections: new Set(),
      timedEvents: [],
      bySeq: new Map(),
      byOrigin: new Map(),
    };
    timelines.set(timeline, line);
    return line;
  }
}

/** True if an event is a poll's request sent after the given time. The response follows on the same timeline. */
function isRequestAfter({ record }: RecordedEvent, time: bigint): boolean {
  return record.name === REQUEST && (record.time as bigint) > time;
}

/** A change to apply to one or more recorders. Must not depend on a particular recorder. */
type Entry = (recorder: Recorder) => void;

/**
 * An attempt's input. Effects may arrive after a mutation's reset, so resets and the command's end are recorded only
 * when the session is requested. All OTLP input is imported again each time, because only spans order spans.
 */
export class LateEffectWindow {
  readonly #setup: readonly [name: string, options: RecorderOptions];
  /** The entries in order. Only entries for Perturb's own events have a time. */
  readonly #entries: { readonly entry: Entry; readonly time?: bigint | undefined }[] = [];
  /** True if the live recorder lacks an entry, because the entry was inserted before other entries. */
  #isBehind = false;
  readonly #finalEntries: Entry[] = [];
  readonly #documents: Json[] = [];
  /** The recorder for events that arrived as lines. */
  readonly #live: Recorder;
  /** The input since the reset requests, and the time of these requests; undefined before the resets. */
  #recovery: { readonly window: LateEffectWindow; readonly since: bigint } | undefined;

  constructor(name: string, options: RecorderOptions) {
    this.#setup = [name, options];
    this.#live = new Recorder(name, options);
  }

  /** Adds an entry at the end. @param time the time of one of Perturb's own events; undefined for input */
  add(entry: Entry, time?: bigint): void {
    this.#entries.push({ entry, time });
    entry(this.#live);
  }

  /** Adds a late entry before the first of Perturb's own events with a later time. */
  addEarlier(entry: Entry, time: bigint): void {
    const index = this.#entries.findIndex((entry) => entry.time !== undefined && entry.time > time);
    if (index === -1) this.add(entry, time);
    else {
      this.#entries.splice(index, 0, { entry, time });
      this.#isBehind = true;
    }
  }

  /** Adds an entry to be applied after all input. */
  addAtEnd(entry: Entry): void {
    this.#finalEntries.push(entry);
  }

  receive(origin: Origin, lines: readonly string[], since?: bigint): void {
    this.add((recorder) => recorder.receive(origin, lines, since));
    this.#recovery?.window.receive(origin, lines, this.#recovery.since);
  }

  receivePoll(record: EventRecord, since?: bigint): void {
    this.add((recorder) => recorder.receivePoll(record, since));
    this.#recovery?.window.receivePoll(record, this.#recovery.since);
  }

  /** Adds parsed records. */
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

  /** Begins the recovery check, which considers only later input. @param since in nanoseconds */
  beginRecovery(since: bigint): void {
    const [name, options] = this.#setup;
    const order = () => this.#live.order;
    this.#recovery = { window: new LateEffectWindow(name, { ...options, order }), since };
  }

  /** Returns the recording since the resets, or the whole recording if `beginRecovery` was not called. */
  afterResets(): Recorder {
    return (this.#recovery?.window ?? this).soFar();
  }

  /** Returns the recording so far. */
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

  /** Returns the whole recording, with the command's end and the resets. */
  finish(): Recorder {
    const recorder = this.soFar();
    for (const entry of this.#finalEntries) entry(recorder);
    return recorder;
  }
}
