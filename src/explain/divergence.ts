import { OWN_PROBE } from '../basics/index.js';
import { forEachValue, type Session, ValueKind } from '../session/index.js';
import { at } from '../source/index.js';
import { readEventTimes } from './profiles.js';

/** The first difference, in causal order, between a failing and a passing session. */
export interface Divergence {
  /** The timeline's index in each session. */
  readonly failingLine: number;
  readonly passingLine: number;
  /** Number of leading events that both timelines share. */
  readonly common: number;
  /** The index of the next event in each session; undefined if no event follows. */
  readonly failing: number | undefined;
  readonly passing: number | undefined;
  /** Number of other passing sessions whose timeline continues like the failing session's. */
  readonly shared: number;
  /** Number of other passing sessions. */
  readonly others: number;
}

/** A difference not yet compared with the other passing sessions. */
type Candidate = Omit<Divergence, 'shared' | 'others'>;

/** A session's timelines, for comparison with another session's timelines by event names and senders. */
class ComparableSession {
  readonly #names: string[] = [];
  readonly #isEnd: Uint8Array;
  /** The probes and names of an event's senders, keyed by the receiving event. */
  readonly #senders = new Map<number, string>();
  /** Timelines, keyed by probe and position among the probe's timelines. */
  readonly #linesByPosition = new Map<string, number>();

  constructor(readonly session: Session) {
    const { columns, size, texts, timelines, probes, order } = session;
    const names = columns.get('name');
    if (names !== undefined) {
      forEachValue(names, 0, size, (event, kind, text) => {
        if (kind === ValueKind.string) this.#names[event] = texts[text] as string;
      });
    }
    this.#isEnd = new Uint8Array(size);
    const ends = columns.get('span.end');
    if (ends !== undefined) {
      forEachValue(ends, 0, size, (event, _, number) => {
        this.#isEnd[event] = number;
      });
    }
    for (let receive = 0; receive < order.receives.length; receive++) {
      const senders: string[] = [];
      for (
        let edge = at(order.edgeStart, receive);
        edge < at(order.edgeStart, receive + 1);
        edge++
      ) {
        const probe = probes[at(timelines.probe, at(order.edgeTimeline, edge))] as string;
        if (probe !== OWN_PROBE) senders.push(`${probe} ${this.#names[at(order.edgeFrom, edge)]}`);
      }
      if (senders.length > 0)
        this.#senders.set(at(order.receives, receive), senders.sort().join('\n'));
    }
    const counts = new Map<number, number>();
    for (const [line, probe] of timelines.probe.entries()) {
      const position = counts.get(probe) ?? 0;
      counts.set(probe, position + 1);
      if (probes[probe] !== OWN_PROBE)
        this.#linesByPosition.set(JSON.stringify([probes[probe], position]), line);
    }
  }

  /** The timelines to compare, keyed by probe and position. Excludes Perturb's own timelines. */
  get linesByPosition(): ReadonlyMap<string, number> {
    return this.#linesByPosition;
  }

  /** Returns the index of a timeline's first event, and the index after its last event. */
  rangeOf(line: number): readonly [number, number] {
    const { start } = this.session.timelines;
    return [at(start, line), at(start, line + 1)];
  }

  /** Returns the number of leading events that two timelines share. */
  common(line: number, other: ComparableSession, otherLine: number): number {
    const [from, end] = this.rangeOf(line);
    const [otherFrom, otherEnd] = other.rangeOf(otherLine);
    const most = Math.min(end - from, otherEnd - otherFrom);
    let count = 0;
    while (count < most && this.#isLike(from + count, other, otherFrom + count)) count += 1;
    return count;
  }

  #isLike(event: number, other: ComparableSession, otherEvent: number): boolean {
    return (
      this.#names[event] === other.#names[otherEvent] &&
      this.#isEnd[event] === other.#isEnd[otherEvent] &&
      this.#senders.get(event) === other.#senders.get(otherEvent)
    );
  }

  /**
   * Returns the timelines whose difference may be a consequence of another timeline's difference. Such a timeline
   * receives, no later than its first differing event, a message that depends on the other timeline's difference.
   *
   * @param common for each timeline, the number of leading events shared by both sessions
   */
  derived(common: ReadonlyMap<number, number>): ReadonlySet<number> {
    const { order } = this.session;
    const differs = (event: number, line: number) =>
      event >= this.rangeOf(line)[0] + (common.get(line) ?? Number.POSITIVE_INFINITY);
    const isTainted = new Uint8Array(order.receives.length);
    const derived = new Set<number>();
    for (const receive of order.topological) {
      const line = at(order.receiveTimeline, receive);
      const isFirst = receive === at(order.receiveStart, line);
      let tainted = !isFirst && isTainted[receive - 1] === 1;
      for (
        let edge = at(order.edgeStart, receive);
        edge < at(order.edgeStart, receive + 1) && !tainted;
        edge++
      ) {
        const before = at(order.edgeReceive, edge);
        tainted =
          differs(at(order.edgeFrom, edge), at(order.edgeTimeline, edge)) ||
          (before >= 0 && isTainted[before] === 1);
      }
      if (!tainted) continue;
      isTainted[receive] = 1;
      const first = this.rangeOf(line)[0] + (common.get(line) ?? 0);
      if (at(order.receives, receive) <= first) derived.add(line);
    }
    return derived;
  }
}

/**
 * A search for the first difference between a failing and a passing session. Counts the other passing sessions that
 * continue like the failing session.
 */
export class DivergenceSearch {
  readonly #failing: ComparableSession;
  readonly #passing: ComparableSession;
  /** Candidates, keyed by the failing session's timeline. */
  readonly #candidates: ReadonlyMap<number, Candidate>;
  readonly #shared = new Map<number, number>();
  #others = 0;

  constructor(failing: Session, passing: Session) {
    this.#failing = new ComparableSession(failing);
    this.#passing = new ComparableSession(passing);
    this.#candidates = new Map(this.#earliest().map((one) => [one.failingLine, one]));
  }

  /** Compares the failing session with another passing session. */
  add(session: Session): void {
    if (this.#candidates.size === 0) return;
    const other = new ComparableSession(session);
    this.#others += 1;
    for (const [place, line] of this.#failing.linesByPosition) {
      const candidate = this.#candidates.get(line);
      const otherLine = other.linesByPosition.get(place);
      if (candidate === undefined || otherLine === undefined) continue;
      const common = this.#failing.common(line, other, otherLine);
      const [from, end] = other.rangeOf(otherLine);
      const goesOn =
        candidate.failing === undefined
          ? common === candidate.common && end - from === common
          : common > candidate.common;
      if (goesOn) this.#shared.set(line, (this.#shared.get(line) ?? 0) + 1);
    }
  }

  /**
   * Returns the first difference or, of several causally unordered differences, the difference with the smallest
   * `shared`.
   */
  first(): Divergence | undefined {
    const shared = (line: number) => this.#shared.get(line) ?? 0;
    const [first] = [...this.#candidates.values()].sort(
      (a, b) => shared(a.failingLine) - shared(b.failingLine),
    );
    return first && { ...first, shared: shared(first.failingLine), others: this.#others };
  }

  /**
   * Returns the differences that cannot be a consequence of other differences, sorted by time. Returns all differences
   * if each may be a consequence.
   */
  #earliest(): readonly Candidate[] {
    const [failing, passing] = [this.#failing, this.#passing];
    const common = { failing: new Map<number, number>(), passing: new Map<number, number>() };
    const found: Candidate[] = [];
    for (const [place, failingLine] of failing.linesByPosition) {
      const passingLine = passing.linesByPosition.get(place);
      if (passingLine === undefined) continue;
      const count = failing.common(failingLine, passing, passingLine);
      const [own, ownEnd] = failing.rangeOf(failingLine);
      const [other, otherEnd] = passing.rangeOf(passingLine);
      if (own + count === ownEnd && other + count === otherEnd) continue;
      common.failing.set(failingLine, count);
      common.passing.set(passingLine, count);
      found.push({
        ...{ failingLine, passingLine, common: count },
        failing: own + count === ownEnd ? undefined : own + count,
        passing: other + count === otherEnd ? undefined : other + count,
      });
    }
    const [ofFailing, ofPassing] = [
      failing.derived(common.failing),
      passing.derived(common.passing),
    ];
    const first = found.filter(
      (one) => !ofFailing.has(one.failingLine) && !ofPassing.has(one.passingLine),
    );
    const own = readEventTimes(failing.session);
    const other = readEventTimes(passing.session);
    const timeOf = (one: Candidate) => {
      const both = [own[one.failing ?? -1], other[one.passing ?? -1]];
      return Math.min(...both.map((time) => time ?? Number.POSITIVE_INFINITY));
    };
    return (first.length > 0 ? first : found)
      .map((one) => ({ one, time: timeOf(one) }))
      .sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)))
      .map(({ one }) => one);
  }
}
