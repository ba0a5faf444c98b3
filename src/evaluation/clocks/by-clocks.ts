import { OWN_PROBE } from '../../basics/index.js';
import {
  buildOrder,
  hasInteractions,
  type Session,
  type TimelineGroups,
} from '../../session/index.js';
import { at, itemAt } from '../../source/index.js';
import { grown } from '../order/clock-rows.js';
import { Matches } from '../order/matches.js';
import { firstAfter, lastBefore } from '../order/reduce.js';
import { positionsByKey, sortByRank, union } from '../select/candidates.js';
import type { RegroupedSession } from '../select/regrouped.js';
import { type EventClocks, eventClocks } from './event-clocks.js';
import { GatheredColumns } from './gathered-columns.js';
import { mergeRuns } from './merge-runs.js';

/** The events that the clocks order: those within a group. Interactions stay within groups. */
export interface ClockScope extends TimelineGroups {
  /** Pairs of lists: events of the first come before those of the second by the clocks. */
  readonly bridges: readonly (readonly [Int32Array, Int32Array])[];
}

/** Returns the scope in which the clocks order all events. */
export function wholeScope({ timelines }: Session): ClockScope {
  return { groupOf: new Int32Array(timelines.probe.length), groups: 1, bridges: [] };
}

/**
 * Orders some events of a session by causes and by clocks: an event also comes before those whose clocks are later
 * by at least the skew, or by anything at all if the skew is 0. Events of one recorder's file at equal times are in
 * line order. Events without a time, and Perturb's own, have no clock.
 *
 * Without a skew, the events of a group become one timeline; only those of equal clocks that nothing orders stand
 * beside each other. With a skew, and where clocks are missing, groups keep their timelines and interactions, and
 * get one more timeline whose hidden events lie between earlier and later clocks.
 *
 * O(events + edges), besides sorting the matched ones.
 *
 * @param matched ascending
 */
export function orderByClocks(
  session: Session,
  matched: Int32Array,
  skew: bigint,
  scope: ClockScope,
): RegroupedSession {
  return new Regrouping(session, new Matches(session, matched), skew, scope).make();
}

/** Stands for an event that no pattern matches. */
const HIDDEN = -1;

/** Interactions, as pairs of events: the sender and the receiver. */
type Interactions = (readonly [number, number])[];

class Regrouping {
  readonly #clocks: EventClocks;
  readonly #lines: Int32Array;
  readonly #ownProbe: number;
  /** For each event, its file if that has the order of its lines, else -1; and its position among all lines. */
  readonly #files: Int32Array | undefined;
  readonly #places: Int32Array | undefined;
  /** For each new event as added: the number in the original, and the new timeline. */
  #originals: Int32Array;
  #timelines: Int32Array;
  #size = 0;
  #count = 0;
  /** The new interactions, as pairs of events in the order in which they were added. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  /** For each event of the original, the event that was added for it, or -1. */
  readonly #added: Int32Array;
  /** The timelines of each group. */
  #members: Int32Array[] | undefined;
  #simultaneous: Map<number, Map<number, Interactions>> | undefined;

  constructor(
    private readonly session: Session,
    private readonly matched: Matches,
    private readonly skew: bigint,
    private readonly scope: ClockScope,
  ) {
    this.#clocks = eventClocks(session, skew);
    this.#lines = timelinesOf(session);
    this.#ownProbe = session.probes.indexOf(OWN_PROBE);
    const { recorders, readingPositions: places } = session.reading ?? {};
    if (!hasInteractions(session)) [this.#files, this.#places] = [recorders, places];
    this.#added = new Int32Array(session.size).fill(-1);
    this.#originals = new Int32Array(matched.size + 1);
    this.#timelines = new Int32Array(matched.size + 1);
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

  /** Returns the new session, whose events are numbered timeline by timeline. */
  #numbered(): RegroupedSession {
    const { session, matched } = this;
    const size = this.#size;
    const order = sortByRank(this.#timelines.subarray(0, size), this.#count);
    const [numberOf, originals] = [new Int32Array(size), new Int32Array(size)];
    const start = new Int32Array(this.#count + 1);
    for (let number = 0; number < size; number++) {
      const added = at(order, number);
      numberOf[added] = number;
      originals[number] = at(this.#originals, added);
      start[at(this.#timelines, added) + 1] = number + 1;
    }
    const isVisible = new Uint8Array(size);
    for (const event of matched.events) isVisible[at(numberOf, at(this.#added, event))] = 1;
    const visible = new Int32Array(matched.size);
    for (let number = 0, count = 0; number < size; number++) {
      if (isVisible[number] === 1) visible[count++] = number;
    }
    const numbers = (added: readonly number[]) =>
      Int32Array.from(added, (event) => at(numberOf, event));
    return {
      ...{ probes: [''], start: Int32Array.of(0, size), size, texts: session.texts },
      timelines: {
        start,
        probe: new Int32Array(this.#count),
        name: new Int32Array(this.#count).fill(-1),
      },
      columns: new GatheredColumns(session, originals),
      order: buildOrder(start, numbers(this.#from), numbers(this.#to)).order,
      ...{ original: session, originals, visible },
    };
  }

  /** Yields the matched events of each group, ascending, without Perturb's own, which only interactions order. */
  *#groups(): Generator<Int32Array> {
    const { timelines } = this.session;
    const { groupOf, groups } = this.scope;
    const { events } = this.matched;
    const ranks = new Int32Array(events.length);
    for (let position = 0; position < events.length; position++) {
      const line = at(this.#lines, at(events, position));
      ranks[position] = timelines.probe[line] === this.#ownProbe ? -1 : at(groupOf, line);
    }
    const sorted = sortByRank(ranks, groups);
    const grouped = new Int32Array(sorted.length);
    for (let first = 0, end = 0; first < sorted.length; first = end) {
      const group = ranks[at(sorted, first)];
      for (; end < sorted.length && ranks[at(sorted, end)] === group; end++) {
        grouped[end] = at(events, at(sorted, end));
      }
      yield grouped.subarray(first, end);
    }
  }

  #clockOf(event: number): number {
    return itemAt(this.#clocks.of, event);
  }

  #add(event: number, timeline: number): number {
    const added = this.#size++;
    if (added === this.#originals.length) {
      this.#originals = grown(this.#originals);
      this.#timelines = grown(this.#timelines);
    }
    this.#originals[added] = event;
    this.#timelines[added] = timeline;
    if (event !== HIDDEN) this.#added[event] = added;
    return added;
  }

  #connect(from: number, to: number): void {
    this.#from.push(from);
    this.#to.push(to);
  }

  /** Adds events whose clocks order all but those of equal clocks. */
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
    /** The last events added: one on each of the first timelines. */
    let last: number[] = [];
    for (let first = 0, end = 0; first < events.length; first = end) {
      const clock = itemAt(clocks, at(events, first));
      while (end < events.length && itemAt(clocks, at(events, end)) === clock) end++;
      if (this.#areInLine(events, first, end)) {
        last = [this.#addNext(events, first, end, timelines, last)];
      } else last = this.#addBeside(events.subarray(first, end), timelines, last);
    }
  }

  /** True if timelines or lines of a file order events of equal clocks. */
  #areInLine(events: Int32Array, first: number, end: number): boolean {
    for (let position = first + 1; position < end; position++) {
      const [before, after] = [at(events, position - 1), at(events, position)];
      const file = this.#files?.[before] ?? -1;
      const isInFile = file >= 0 && file === this.#files?.[after];
      if (at(this.#lines, before) === at(this.#lines, after) ? before > after : !isInFile)
        return false;
    }
    return true;
  }

  #addNext(
    events: Int32Array,
    first: number,
    end: number,
    [timeline = 0]: readonly number[],
    last: readonly number[],
  ): number {
    const added = this.#size;
    for (let position = first; position < end; position++)
      this.#add(at(events, position), timeline);
    for (let other = 1; other < last.length; other++) this.#connect(last[other] as number, added);
    return this.#size - 1;
  }

  /**
   * Adds events of equal clocks beside each other, timeline by timeline, in the order of the interactions at that
   * moment.
   */
  #addBeside(events: Int32Array, timelines: number[], last: readonly number[]): number[] {
    const [first = 0] = events;
    const interactions = this.#interactionsAt(first);
    const all = union(events.slice().sort(), Int32Array.from(new Set(interactions.flat())).sort());
    let before = last;
    if (last.length > 1) {
      const between = this.#add(HIDDEN, timelines[0] as number);
      for (const other of last.slice(1)) this.#connect(other, between);
      before = [between];
    }
    const ends: number[] = [];
    for (let from = 0, end = 0; from < all.length; from = end) {
      const line = this.#lines[at(all, from)];
      const slot = ends.length;
      timelines[slot] ??= this.#count++;
      const added = this.#size;
      while (end < all.length && this.#lines[at(all, end)] === line) {
        this.#add(at(all, end++), timelines[slot]);
      }
      if (slot > 0 && before[0] !== undefined) this.#connect(before[0], added);
      ends.push(this.#size - 1);
    }
    for (const [from, to] of interactions) {
      this.#connect(at(this.#added, from), at(this.#added, to));
    }
    this.#followLines(events);
    return ends;
  }

  /** Returns the interactions of an event's group whose sender and receiver have the event's clock. */
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
      const ofGroup = simultaneous.get(group) ?? new Map<number, Interactions>();
      simultaneous.set(group, ofGroup);
      const pairs = ofGroup.get(clock) ?? [];
      if (pairs.length === 0) ofGroup.set(clock, pairs);
      pairs.push([from, to]);
    });
    return simultaneous;
  }

  /** Visits the interactions that end at some receives, without those of Perturb's own events. */
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

  /** Adds events on their timelines, with all interactions of the group, and the clocks' further order. */
  #addByTimeline(events: Int32Array): void {
    const { order } = this.session;
    const { groupOf, groups } = this.scope;
    this.#members ??= positionsByKey(groupOf, groups);
    const interactions: Interactions = [];
    for (const line of this.#members[at(groupOf, at(this.#lines, events[0] ?? 0))] ?? []) {
      const [first, end] = [at(order.receiveStart, line), at(order.receiveStart, line + 1)];
      this.#forEachInteraction(first, end, (from, to) => interactions.push([from, to]));
    }
    const others = Int32Array.from(new Set(interactions.flat())).sort();
    let last = -1;
    for (const event of union(events, others)) {
      if (this.#lines[event] !== last) this.#count++;
      last = at(this.#lines, event);
      this.#add(event, this.#count - 1);
    }
    for (const [from, to] of interactions) {
      this.#connect(at(this.#added, from), at(this.#added, to));
    }
    const timed = events.filter((event) => !Number.isNaN(this.#clockOf(event)));
    this.#addBridge(timed, timed);
    this.#followLines(timed);
  }

  /** Orders events of one recorder's file by its lines, where clocks do not. */
  #followLines(events: Int32Array): void {
    const [files, places] = [this.#files, this.#places];
    if (files === undefined || places === undefined) return;
    const byFile = new Map<number, number[]>();
    for (const event of events) {
      const file = at(files, event);
      if (file < 0) continue;
      const fileEvents = byFile.get(file) ?? [];
      if (fileEvents.length === 0) byFile.set(file, fileEvents);
      fileEvents.push(event);
    }
    for (const own of byFile.values()) {
      own.sort((a, b) => this.#clockOf(a) - this.#clockOf(b) || at(places, a) - at(places, b));
      for (let position = 1; position < own.length; position++) {
        const [before, after] = [own[position - 1] as number, own[position] as number];
        if (this.#lines[before] === this.#lines[after]) continue;
        this.#connect(at(this.#added, before), at(this.#added, after));
      }
    }
  }

  /** Orders events of one list before those of another whose clocks are later, by hidden events between them. */
  #addBridge(before: Int32Array, after: Int32Array): void {
    const byClock = (events: Int32Array) =>
      Array.from(events)
        .filter((event) => at(this.#added, event) >= 0 && !Number.isNaN(this.#clockOf(event)))
        .sort((a, b) => this.#clockOf(a) - this.#clockOf(b));
    const [senders, receivers] = [byClock(before), byClock(after)];
    const least = this.skew === 0n ? Number.MIN_VALUE : Number(this.skew);
    let next = 0;
    let hidden: number | undefined;
    const timeline = this.#count;
    for (const receiver of receivers) {
      const clock = this.#clockOf(receiver);
      const first = next;
      while (next < senders.length && clock - this.#clockOf(senders[next] as number) >= least)
        next++;
      if (next > first) {
        hidden = this.#add(HIDDEN, timeline);
        for (const sender of senders.slice(first, next)) {
          this.#connect(at(this.#added, sender), hidden);
        }
      }
      if (hidden !== undefined) this.#connect(hidden, at(this.#added, receiver));
    }
    if (hidden !== undefined) this.#count++;
  }

  /** Adds Perturb's own events, which only the session's interactions order. */
  #addOwn(): void {
    const { session, matched } = this;
    const { timelines } = session;
    const isOwn = (line: number) => timelines.probe[line] === this.#ownProbe;
    const lines = timelines.probe.map((_, line) => line).filter(isOwn);
    for (const line of lines) {
      const timeline = this.#count++;
      for (let event = at(timelines.start, line); event < at(timelines.start, line + 1); event++) {
        this.#add(event, timeline);
      }
    }
    const others = matched.sources.filter((line) => !isOwn(line));
    for (const line of lines) {
      for (let event = at(timelines.start, line); event < at(timelines.start, line + 1); event++) {
        const only = (none: number) => {
          const given = new Int32Array(timelines.probe.length).fill(none);
          given[line] = event;
          return given;
        };
        const after = firstAfter(session, only(session.size));
        const before = lastBefore(session, only(-1));
        const added = at(this.#added, event);
        for (const other of others) {
          const last = at(matched.start, other + 1);
          const end = matched.before(at(before, other) + 1, other) + at(matched.start, other);
          if (end > at(matched.start, other)) {
            this.#connect(at(this.#added, at(matched.events, end - 1)), added);
          }
          const next = matched.before(at(after, other), other) + at(matched.start, other);
          if (next < last) this.#connect(added, at(this.#added, at(matched.events, next)));
        }
      }
    }
  }
}

const lines = new WeakMap<Session, Int32Array>();

/** Returns the timeline of each event, computed once. */
export function timelinesOf(session: Session): Int32Array {
  const made = lines.get(session) ?? new Int32Array(session.size);
  if (!lines.has(session)) {
    const { start, probe } = session.timelines;
    for (let line = 0; line < probe.length; line++) made.fill(line, start[line], start[line + 1]);
    lines.set(session, made);
  }
  return made;
}
