import { OWN_PROBE } from '../../basics/index.js';
import {
  buildOrder,
  hasInteractions,
  type Session,
  type TimelineGroups,
} from '../../session/index.js';
import { at, itemAt } from '../../source/index.js';
import { growArray } from '../order/clock-rows.js';
import { Matches } from '../order/matches.js';
import { findFirstAfter, findLastBefore } from '../order/reduce.js';
import { groupPositions, sortByRank, union } from '../select/candidates.js';
import type { RegroupedSession } from '../select/regrouped.js';
import { type EventClocks, eventClocks } from './event-clocks.js';
import { GatheredColumns } from './gathered-columns.js';
import { mergeRuns } from './merge-runs.js';

/** The groups of timelines within which clocks order the events. Interactions stay within groups. */
export interface ClockScope extends TimelineGroups {
  /** Pairs of event lists. The clocks also order events of the first list before later events of the second list. */
  readonly bridges: readonly (readonly [Int32Array, Int32Array])[];
}

/** Returns the scope in which the clocks order all events. */
export function wholeScope({ timelines }: Session): ClockScope {
  return { groupOf: new Int32Array(timelines.probe.length), groups: 1, bridges: [] };
}

/**
 * Orders a session's matched events by causes and by clocks. By clocks, an event precedes every event whose clock is
 * later by at least the skew or, without a skew, later at all. Events at equal times in one recorder's file keep their
 * line order. Events without a time, and Perturb's own events, have no clock.
 *
 * Without a skew, a group's events become one timeline. Only unordered events with equal clocks are added on parallel
 * timelines. With a skew, or if clocks are missing, groups keep their timelines and interactions, and get an additional
 * timeline whose hidden events lie between earlier and later clocks.
 *
 * Takes O(events + edges), plus sorting the matched events.
 *
 * @param matches the matched events, ascending
 */
export function orderByClocks(
  session: Session,
  matches: Int32Array,
  skew: bigint,
  scope: ClockScope,
): RegroupedSession {
  return new Regrouping(session, new Matches(session, matches), skew, scope).make();
}

/** The original event number of a hidden event, which no pattern matches. */
const HIDDEN_EVENT = -1;

/** Interactions, as pairs of a sending and a receiving event. */
type Interactions = (readonly [number, number])[];

class Regrouping {
  readonly #clocks: EventClocks;
  readonly #lines: Int32Array;
  readonly #ownProbe: number;
  /**
   * For each event, its recorder's index; -1 if none. Absent if the session has interactions or no
   * recorders.
   */
  readonly #files: Int32Array | undefined;
  /** For each event, its position in reading order. Absent if the session has interactions. */
  readonly #places: Int32Array | undefined;
  /** By new event, in the order of addition: the number of the original event, and the new timeline. */
  #originals: Int32Array;
  #timelines: Int32Array;
  #size = 0;
  #count = 0;
  /** The new interactions: their sending and receiving events, numbered in the order of addition. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  /** By original event, the new event, or -1. */
  readonly #added: Int32Array;
  /** The timelines, by group. */
  #members: Int32Array[] | undefined;
  #simultaneous: Map<number, Map<number, Interactions>> | undefined;

  constructor(
    private readonly session: Session,
    private readonly matches: Matches,
    private readonly skew: bigint,
    private readonly scope: ClockScope,
  ) {
    this.#clocks = eventClocks(session, skew);
    this.#lines = timelinesOf(session);
    this.#ownProbe = session.probes.indexOf(OWN_PROBE);
    const { recorders, readingPositions: recordedPositions } = session.reading ?? {};
    if (!hasInteractions(session)) [this.#files, this.#places] = [recorders, recordedPositions];
    this.#added = new Int32Array(session.size).fill(-1);
    this.#originals = new Int32Array(matches.size + 1);
    this.#timelines = new Int32Array(matches.size + 1);
  }

  make(): RegroupedSession {
    for (const events of this.#groups()) {
      const isByClock =
        this.skew === 0n && events.every((event) => !Number.isNaN(this.#clockOf(event)));
      if (isByClock) this.#addByClock(events);
      else this.#addByTimeline(events);
    }
    if (this.#ownProbe >= 0) this.#addOwn();
    for (const [before, after] of this.scope.bridges) this.#addBridge(before, after);

    return this.#numbered();
  }

  /** Returns the new session, with its events numbered timeline by timeline. */
  #numbered(): RegroupedSession {
    const { session, matches } = this;
    const size = this.#size;
    const order = sortByRank(this.#timelines.subarray(0, size), this.#count);
    const [numberOf, originals] = [new Int32Array(size), new Int32Array(size)];
    const start = new Int32Array(this.#count + 1);
    for (let number = 0; number < size; number++) {
      const newEvent = at(order, number);
      numberOf[newEvent] = number;
      originals[number] = at(this.#originals, newEvent);
      start[at(this.#timelines, newEvent) + 1] = number + 1;
    }
    const isVisible = new Uint8Array(size);
    for (const event of matches.events) isVisible[at(numberOf, at(this.#added, event))] = 1;
    const visibleEvents = new Int32Array(matches.size);
    for (let number = 0, count = 0; number < size; number++) {
      if (isVisible[number] === 1) visibleEvents[count++] = number;
    }
    const numbers = (newEvents: readonly number[]) =>
      Int32Array.from(newEvents, (event) => at(numberOf, event));
    return {
      ...{ probes: [''], start: Int32Array.of(0, size), size, texts: session.texts },
      timelines: {
        start,
        probe: new Int32Array(this.#count),
        name: new Int32Array(this.#count).fill(-1),
      },
      columns: new GatheredColumns(session, originals),
      order: buildOrder(start, numbers(this.#from), numbers(this.#to)).order,
      ...{ original: session, originals, visible: visibleEvents },
    };
  }

  /** Yields each group's matched events, ascending. Excludes Perturb's own events, which only interactions order. */
  *#groups(): Generator<Int32Array> {
    const { timelines } = this.session;
    const { groupOf, groups } = this.scope;
    const { events } = this.matches;
    const ranks = new Int32Array(events.length);
    for (let position = 0; position < events.length; position++) {
      const line = at(this.#lines, at(events, position));
      ranks[position] = timelines.probe[line] === this.#ownProbe ? -1 : at(groupOf, line);
    }
    const byRank = sortByRank(ranks, groups);
    const sameRank = new Int32Array(byRank.length);
    for (let first = 0, end = 0; first < byRank.length; first = end) {
      const group = ranks[at(byRank, first)];
      for (; end < byRank.length && ranks[at(byRank, end)] === group; end++) {
        sameRank[end] = at(events, at(byRank, end));
      }
      yield sameRank.subarray(first, end);
    }
  }

  #clockOf(event: number): number {
    return itemAt(this.#clocks.of, event);
  }

  #add(event: number, timeline: number): number {
    const newNumber = this.#size++;
    if (newNumber === this.#originals.length) {
      this.#originals = growArray(this.#originals);
      this.#timelines = growArray(this.#timelines);
    }
    this.#originals[newNumber] = event;
    this.#timelines[newNumber] = timeline;
    if (event !== HIDDEN_EVENT) this.#added[event] = newNumber;
    return newNumber;
  }

  #connect(from: number, to: number): void {
    this.#from.push(from);
    this.#to.push(to);
  }

  /** Adds events in clock order, with simultaneous events in line order or on parallel timelines. */
  #addByClock(events: Int32Array): void {
    const clocks = this.#clocks.of;
    const places = this.#places;
    mergeRuns(events, (a, b) => {
      const [earlier, later] = [itemAt(clocks, a), itemAt(clocks, b)];
      return earlier === later && places !== undefined
        ? at(places, a) < at(places, b)
        : earlier < later;
    });
    const timelines = [this.#count++];
    /** The last event on each of the first timelines. */
    let previousEvents: number[] = [];
    for (let first = 0, end = 0; first < events.length; first = end) {
      const clock = itemAt(clocks, at(events, first));
      while (end < events.length && itemAt(clocks, at(events, end)) === clock) end++;
      if (this.#areInLine(events, first, end)) {
        previousEvents = [this.#addNext(events, first, end, timelines, previousEvents)];
      } else
        previousEvents = this.#addBeside(events.subarray(first, end), timelines, previousEvents);
    }
  }

  /** True if timelines or file lines order a range of events with equal clocks. */
  #areInLine(events: Int32Array, first: number, end: number): boolean {
    for (let position = first + 1; position < end; position++) {
      const [earlierEvent, laterEvent] = [at(events, position - 1), at(events, position)];
      const file = this.#files?.[earlierEvent] ?? -1;
      const isInFile = file >= 0 && file === this.#files?.[laterEvent];
      if (
        at(this.#lines, earlierEvent) === at(this.#lines, laterEvent)
          ? earlierEvent > laterEvent
          : !isInFile
      )
        return false;
    }
    return true;
  }

  #addNext(
    events: Int32Array,
    first: number,
    end: number,
    [timeline = 0]: readonly number[],
    previousEvents: readonly number[],
  ): number {
    const newNumber = this.#size;
    for (let position = first; position < end; position++)
      this.#add(at(events, position), timeline);
    for (let index = 1; index < previousEvents.length; index++)
      this.#connect(previousEvents[index] as number, newNumber);
    return this.#size - 1;
  }

  /** Adds events with equal clocks on parallel timelines, with the interactions between simultaneous events. */
  #addBeside(events: Int32Array, timelines: number[], previousEvents: readonly number[]): number[] {
    const [first = 0] = events;
    const interactions = this.#interactionsAt(first);
    const allEvents = union(
      events.slice().sort(),
      Int32Array.from(new Set(interactions.flat())).sort(),
    );
    let before = previousEvents;
    if (previousEvents.length > 1) {
      const between = this.#add(HIDDEN_EVENT, timelines[0] as number);
      for (const other of previousEvents.slice(1)) this.#connect(other, between);
      before = [between];
    }
    const ends: number[] = [];
    for (let from = 0, end = 0; from < allEvents.length; from = end) {
      const line = this.#lines[at(allEvents, from)];
      const slot = ends.length;
      timelines[slot] ??= this.#count++;
      const newNumber = this.#size;
      while (end < allEvents.length && this.#lines[at(allEvents, end)] === line) {
        this.#add(at(allEvents, end++), timelines[slot]);
      }
      if (slot > 0 && before[0] !== undefined) this.#connect(before[0], newNumber);
      ends.push(this.#size - 1);
    }
    for (const [from, to] of interactions) {
      this.#connect(at(this.#added, from), at(this.#added, to));
    }
    this.#followLines(events);
    return ends;
  }

  /** Returns the interactions in an event's group whose sender and receiver both have the event's clock. */
  #interactionsAt(event: number): Interactions {
    this.#simultaneous ??= this.#findSimultaneous();
    const group = at(this.scope.groupOf, at(this.#lines, event));
    return this.#simultaneous.get(group)?.get(this.#clockOf(event)) ?? [];
  }

  #findSimultaneous(): Map<number, Map<number, Interactions>> {
    const simultaneous = new Map<number, Map<number, Interactions>>();
    const { all } = this.#clocks;
    this.#forEachInteraction(0, this.session.order.receives.length, (from, to) => {
      const clock = itemAt(all, from);
      if (itemAt(all, to) !== clock) return;
      const group = at(this.scope.groupOf, at(this.#lines, from));
      const groupInteractions = simultaneous.get(group) ?? new Map<number, Interactions>();
      simultaneous.set(group, groupInteractions);
      const pairs = groupInteractions.get(clock) ?? [];
      if (pairs.length === 0) groupInteractions.set(clock, pairs);
      pairs.push([from, to]);
    });
    return simultaneous;
  }

  /** Visits the interactions of a range of receives, except interactions of Perturb's own events. */
  #forEachInteraction(first: number, end: number, visit: (from: number, to: number) => void): void {
    const { order, timelines } = this.session;
    const { receives, receiveTimeline, edgeStart, edgeTimeline, edgeFrom } = order;
    for (let receive = first; receive < end; receive++) {
      if (timelines.probe[at(receiveTimeline, receive)] === this.#ownProbe) continue;
      for (let edge = at(edgeStart, receive); edge < at(edgeStart, receive + 1); edge++) {
        if (timelines.probe[at(edgeTimeline, edge)] === this.#ownProbe) continue;
        visit(at(edgeFrom, edge), at(receives, receive));
      }
    }
  }

  /** Adds events on their timelines, with all interactions of the group and the additional order by clocks. */
  #addByTimeline(events: Int32Array): void {
    const { order } = this.session;
    const { groupOf, groups } = this.scope;
    this.#members ??= groupPositions(groupOf, groups);
    const interactions: Interactions = [];
    for (const line of this.#members[at(groupOf, at(this.#lines, events[0] ?? 0))] ?? []) {
      const [first, end] = [at(order.receiveStart, line), at(order.receiveStart, line + 1)];
      this.#forEachInteraction(first, end, (from, to) => interactions.push([from, to]));
    }
    const lineEvents = Int32Array.from(new Set(interactions.flat())).sort();
    let lastEvent = -1;
    for (const event of union(events, lineEvents)) {
      if (this.#lines[event] !== lastEvent) this.#count++;
      lastEvent = at(this.#lines, event);
      this.#add(event, this.#count - 1);
    }
    for (const [from, to] of interactions) {
      this.#connect(at(this.#added, from), at(this.#added, to));
    }
    const timedEvents = events.filter((event) => !Number.isNaN(this.#clockOf(event)));
    this.#addBridge(timedEvents, timedEvents);
    this.#followLines(timedEvents);
  }

  /** Orders the events in each recorder's file by clock, and by line for equal clocks. */
  #followLines(events: Int32Array): void {
    const [files, places] = [this.#files, this.#places];
    if (files === undefined || places === undefined) return;
    const eventsByFile = new Map<number, number[]>();
    for (const event of events) {
      const file = at(files, event);
      if (file < 0) continue;
      const fileEvents = eventsByFile.get(file) ?? [];
      if (fileEvents.length === 0) eventsByFile.set(file, fileEvents);
      fileEvents.push(event);
    }
    for (const fileEvents of eventsByFile.values()) {
      fileEvents.sort(
        (a, b) => this.#clockOf(a) - this.#clockOf(b) || at(places, a) - at(places, b),
      );
      for (let position = 1; position < fileEvents.length; position++) {
        const [earlierEvent, laterEvent] = [
          fileEvents[position - 1] as number,
          fileEvents[position] as number,
        ];
        if (this.#lines[earlierEvent] === this.#lines[laterEvent]) continue;
        this.#connect(at(this.#added, earlierEvent), at(this.#added, laterEvent));
      }
    }
  }

  /** Orders events of one list before later events of another list, by hidden events between them. */
  #addBridge(before: Int32Array, after: Int32Array): void {
    const sortByClock = (events: Int32Array) =>
      Array.from(events)
        .filter((event) => at(this.#added, event) >= 0 && !Number.isNaN(this.#clockOf(event)))
        .sort((a, b) => this.#clockOf(a) - this.#clockOf(b));
    const [senders, receivers] = [sortByClock(before), sortByClock(after)];
    const minGap = this.skew === 0n ? Number.MIN_VALUE : Number(this.skew);
    let nextIndex = 0;
    let hiddenEvent: number | undefined;
    const timeline = this.#count;
    for (const receiver of receivers) {
      const clock = this.#clockOf(receiver);
      const first = nextIndex;
      while (
        nextIndex < senders.length &&
        clock - this.#clockOf(senders[nextIndex] as number) >= minGap
      )
        nextIndex++;
      if (nextIndex > first) {
        hiddenEvent = this.#add(HIDDEN_EVENT, timeline);
        for (const sender of senders.slice(first, nextIndex)) {
          this.#connect(at(this.#added, sender), hiddenEvent);
        }
      }
      if (hiddenEvent !== undefined) this.#connect(hiddenEvent, at(this.#added, receiver));
    }
    if (hiddenEvent !== undefined) this.#count++;
  }

  /** Adds Perturb's own events, which only the session's interactions order. */
  #addOwn(): void {
    const { session, matches } = this;
    const { timelines } = session;
    const isOwnLine = (line: number) => timelines.probe[line] === this.#ownProbe;
    const lines = timelines.probe.map((_, line) => line).filter(isOwnLine);
    for (const line of lines) {
      const timeline = this.#count++;
      for (let event = at(timelines.start, line); event < at(timelines.start, line + 1); event++) {
        this.#add(event, timeline);
      }
    }
    const others = matches.sources.filter((line) => !isOwnLine(line));
    for (const line of lines) {
      for (let event = at(timelines.start, line); event < at(timelines.start, line + 1); event++) {
        const only = (emptyValue: number) => {
          const limits = new Int32Array(timelines.probe.length).fill(emptyValue);
          limits[line] = event;
          return limits;
        };
        const after = findFirstAfter(session, only(session.size));
        const before = findLastBefore(session, only(-1));
        const newEvent = at(this.#added, event);
        for (const other of others) {
          const last = at(matches.start, other + 1);
          const end = matches.before(at(before, other) + 1, other) + at(matches.start, other);
          if (end > at(matches.start, other)) {
            this.#connect(at(this.#added, at(matches.events, end - 1)), newEvent);
          }
          const next = matches.before(at(after, other), other) + at(matches.start, other);
          if (next < last) this.#connect(newEvent, at(this.#added, at(matches.events, next)));
        }
      }
    }
  }
}

const lines = new WeakMap<Session, Int32Array>();

/** Returns each event's timeline. Computes the result once per session. */
export function timelinesOf(session: Session): Int32Array {
  const cachedLines = lines.get(session) ?? new Int32Array(session.size);
  if (!lines.has(session)) {
    const { start, probe } = session.timelines;
    for (let line = 0; line < probe.length; line++)
      cachedLines.fill(line, start[line], start[line + 1]);
    lines.set(session, cachedLines);
  }
  return cachedLines;
}
