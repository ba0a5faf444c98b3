import { OWN_PROBE, sum } from '../basics/index.js';
import { type Column, forEachValue, type Session, ValueKind } from '../session/index.js';
import { at, itemAt } from '../source/index.js';
import type { EventKind, EventLink, MeasuredFeature, SessionFeature } from './features.js';

/** Maximum number of recent event kinds to pair with each event, which bounds the cost per event. */
const WINDOW = 12;

/**
 * Maximum numbers of an attribute's distinct strings and integers. An attribute with more is treated as an identifier
 * or a measurement.
 */
const [MAX_TEXTS, MAX_INTEGERS] = [32, 12];

/** Attributes to ignore: the standard attributes of events and spans. */
const IGNORED_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['name', 'probe', 'seq', 'time', 'timeline'],
  ...['span.start', 'span.end', 'span.name', 'span.id', 'span.parent.id', 'trace.id'],
]);

/** The order of a session's events: `causal` (by timelines and messages) or `time` (by clocks). */
export type ProfileOrder = 'causal' | 'time';

/**
 * A collection of several sessions' features. Requires only one session in memory at a time. Takes O(n log n) time for
 * a session with n events.
 *
 * Ignores Perturb's own events, because they report mutations rather than the system's behaviour.
 */
export class Profiles {
  readonly #kinds: EventKind[] = [];
  readonly #kindNumbers = new Map<string, number>();
  readonly #features = new Map<
    string,
    { readonly feature: SessionFeature; readonly values: number[] }
  >();
  #sessions = 0;

  constructor(private readonly order: ProfileOrder) {}

  /** Adds a session's features. */
  add(session: Session): void {
    const kindOf = this.#kindsIn(session);
    const times = readEventTimes(session);
    const counts = new Map<number, number>();
    for (const kind of kindOf) if (kind >= 0) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [kind, count] of counts) {
      this.#put(`count ${kind}`, { kind: 'count', event: this.#kind(kind) }, count);
    }
    const { latencies, orders } = pairsInOrder(session, kindOf, times, this.order);
    this.#addLatencies('timeline', latencies);
    for (const [key, { before, judged }] of orders) {
      const [first, then] = this.#kindsOf(key);
      this.#put(`order ${key}`, { kind: 'order', first, then }, before / judged);
    }
    const messages = pairsByMessage(session, kindOf, times);
    this.#addLatencies('message', messages);
    for (const [key, { count }] of messages) {
      const [from, to] = this.#kindsOf(key);
      const all = counts.get(kindsOfPair(key)[1]) ?? count;
      this.#put(`message ${key}`, { kind: 'message', from, to }, count / all);
    }
    for (const [name, column] of session.columns) {
      if (!IGNORED_ATTRIBUTES.has(name)) this.#addAttribute(name, column, session, kindOf, counts);
    }
    this.#sessions += 1;
  }

  /** Returns all features with their values in each session, in the order in which the sessions were added. */
  measured(): MeasuredFeature[] {
    const countsOf = (kind: EventKind) =>
      this.#features.get(`count ${this.#kindNumbers.get(keyOf(kind))}`)?.values ?? [];
    return [...this.#features.values()].map(({ feature, values }) => {
      // A missing share is NaN in a session without events of the kind, and otherwise 0.
      const of =
        feature.kind === 'message'
          ? countsOf(feature.to)
          : feature.kind === 'value'
            ? countsOf(feature.event)
            : undefined;
      const absent = (n: number) =>
        feature.kind === 'count' || (of?.[n] ?? 0) > 0 ? 0 : Number.NaN;
      return {
        feature,
        values: Array.from({ length: this.#sessions }, (_, n) => values[n] ?? absent(n)),
      };
    });
  }

  #kind(number: number): EventKind {
    return this.#kinds[number] as EventKind;
  }

  /** Returns each event's kind index, or -1 for Perturb's own events and events without a name. */
  #kindsIn(session: Session): Int32Array {
    const { probes, start, size, columns, texts } = session;
    const own = probes.indexOf(OWN_PROBE);
    const ends = columns.get('span.end');
    const isEnd = new Uint8Array(ends === undefined ? 0 : size);
    if (ends !== undefined) {
      forEachValue(ends, 0, size, (event, kind, number) => {
        if (kind === ValueKind.boolean) isEnd[event] = number;
      });
    }
    const kindOf = new Int32Array(size).fill(-1);
    const names = columns.get('name');
    if (names === undefined) return kindOf;
    for (const [n, probe] of probes.entries()) {
      if (n === own) continue;
      const known = new Map<number, number>();
      forEachValue(names, at(start, n), at(start, n + 1), (event, kind, text) => {
        if (kind !== ValueKind.string) return;
        const key = 2 * text + (isEnd[event] ?? 0);
        const number =
          known.get(key) ??
          this.#numberOf({ probe, name: texts[text] as string, isEnd: isEnd[event] === 1 });
        known.set(key, number);
        kindOf[event] = number;
      });
    }
    return kindOf;
  }

  #numberOf(kind: EventKind): number {
    const key = keyOf(kind);
    const known = this.#kindNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.#kinds.push(kind) - 1;
    this.#kindNumbers.set(key, number);
    return number;
  }

  #put(key: string, feature: SessionFeature, value: number): void {
    let measured = this.#features.get(key);
    if (measured === undefined) {
      measured = { feature, values: [] };
      this.#features.set(key, measured);
    }
    measured.values[this.#sessions] = value;
  }

  #addLatencies(tie: EventLink, pairs: Pairs): void {
    for (const [key, { timed, total, max }] of pairs) {
      if (timed === 0) continue;
      const [from, to] = this.#kindsOf(key);
      const latency = { kind: 'latency', from, to, tie } as const;
      this.#put(`mean ${tie} ${key}`, { ...latency, statistic: 'mean' }, total / timed);
      this.#put(`max ${tie} ${key}`, { ...latency, statistic: 'max' }, max);
    }
  }

  #kindsOf(pair: number): readonly [EventKind, EventKind] {
    const [one, other] = kindsOfPair(pair);
    return [this.#kind(one), this.#kind(other)];
  }

  #addAttribute(
    attribute: string,
    column: Column,
    { size, texts }: Session,
    kindOf: Int32Array,
    counts: ReadonlyMap<number, number>,
  ): void {
    const known: (ValuesOfKind | undefined)[] = [];
    forEachValue(column, 0, size, (event, kind, number) => {
      const of = at(kindOf, event);
      if (of < 0) return;
      const values = known[of] ?? new ValuesOfKind();
      known[of] = values;
      values.add(kind, number);
    });
    for (const [n, values] of known.entries()) {
      if (values === undefined) continue;
      const event = this.#kind(n);
      const count = counts.get(n) ?? values.count;
      const about = { event, attribute } as const;
      const name = `${n} ${attribute}`;
      this.#put(`any ${name}`, { kind: 'value', ...about }, values.count / count);
      for (const [value, often] of values.shown(texts)) {
        this.#put(`value ${name} ${value}`, { kind: 'value', ...about, value }, often / count);
      }
      if (values.numbers === 0) continue;
      const mean = values.sum / values.numbers;
      this.#put(`mean ${name}`, { kind: 'number', ...about, statistic: 'mean' }, mean);
      this.#put(`max ${name}`, { kind: 'number', ...about, statistic: 'max' }, values.max);
    }
  }
}

/**
 * Returns the candidate whose event counts by kind are most similar to a session's.
 *
 * @param of the session's index
 * @param among the candidates' indices; not empty
 */
export function findMostSimilar(
  features: readonly MeasuredFeature[],
  of: number,
  among: readonly number[],
): number {
  const counts = features.filter(({ feature }) => feature.kind === 'count');
  const distance = (session: number) =>
    sum(
      counts.map(({ values }) => {
        const [a, b] = [values[of] as number, values[session] as number];
        return a === b ? 0 : Math.abs(a - b) / (a + b);
      }),
    );
  const distances = among.map(distance);
  return among[distances.indexOf(Math.min(...distances))] as number;
}

function keyOf({ probe, name, isEnd }: EventKind): string {
  return JSON.stringify([probe, name, isEnd]);
}

/** An attribute's values in events of one kind. */
class ValuesOfKind {
  count = 0;
  numbers = 0;
  sum = 0;
  max = Number.NEGATIVE_INFINITY;
  #texts: Map<string, number> | undefined = new Map();

  add(kind: number, number: number): void {
    this.count += 1;
    const isNumber = kind === ValueKind.integer || kind === ValueKind.float;
    if (isNumber) {
      this.numbers += 1;
      this.sum += number;
      if (number > this.max) this.max = number;
    }
    if (kind === ValueKind.float || kind === ValueKind.other || this.#texts === undefined) return;
    const key = `${kind} ${number}`;
    this.#texts.set(key, (this.#texts.get(key) ?? 0) + 1);
    if (this.#texts.size > (isNumber ? MAX_INTEGERS : MAX_TEXTS)) this.#texts = undefined;
  }

  /**
   * Yields each distinct string, integer and boolean as displayed, with its count. Yields nothing if there are too many
   * distinct values.
   */
  *shown(texts: readonly string[]): Generator<readonly [string, number]> {
    for (const [key, often] of this.#texts ?? []) {
      const [kind, number] = key.split(' ').map(Number) as [number, number];
      if (kind === ValueKind.string) yield [texts[number] as string, often];
      else yield [kind === ValueKind.boolean ? String(number === 1) : String(number), often];
    }
  }
}

/**
 * Returns each event's time in nanoseconds relative to the first event with a time, or NaN for an event without a time.
 */
export function readEventTimes({ columns, size }: Session): Float64Array {
  const times = new Float64Array(size).fill(Number.NaN);
  const column = columns.get('time');
  if (column === undefined) return times;
  let base: bigint | undefined;
  forEachValue(column, 0, size, (event, kind, number, exact) => {
    if (kind !== ValueKind.integer) return;
    const time = exact ?? BigInt(number);
    base ??= time;
    times[event] = Number(time - base);
  });
  return times;
}

/** The number of event pairs of two kinds, with the sum and maximum of the known latencies. */
interface PairSums {
  count: number;
  timed: number;
  total: number;
  max: number;
}

/** Sums of event pairs, keyed by both kinds' indices. */
type Pairs = Map<number, PairSums>;

const KINDS = 2 ** 24;

function kindsOfPair(key: number): readonly [number, number] {
  return [Math.floor(key / KINDS), key % KINDS];
}

function addPair(pairs: Pairs, from: number, to: number, latency: number): void {
  const key = from * KINDS + to;
  let sums = pairs.get(key);
  if (sums === undefined) {
    sums = { count: 0, timed: 0, total: 0, max: Number.NEGATIVE_INFINITY };
    pairs.set(key, sums);
  }
  sums.count += 1;
  if (Number.isNaN(latency)) return;
  sums.timed += 1;
  sums.total += latency;
  if (latency > sums.max) sums.max = latency;
}

/**
 * The number of event pairs of two kinds (`judged`), and of pairs in which the kind with the lower index comes first.
 */
interface OrderCount {
  before: number;
  judged: number;
}

/** Returns the latencies and the order counts for pairs of event kinds on the same timeline. */
function pairsInOrder(
  session: Session,
  kindOf: Int32Array,
  times: Float64Array,
  order: ProfileOrder,
) {
  const latencies: Pairs = new Map();
  const orders = new Map<number, OrderCount>();
  /** Records that an event of kind `first` preceded an event of kind `then`. */
  const judge = (first: number, then: number) => {
    const isReversed = first > then;
    const key = isReversed ? then * KINDS + first : first * KINDS + then;
    let known = orders.get(key);
    if (known === undefined) {
      known = { before: 0, judged: 0 };
      orders.set(key, known);
    }
    known.judged += 1;
    if (!isReversed) known.before += 1;
  };
  /** Kinds seen on the timeline, most recent first, with the time and position of each kind's last event. */
  const recent: number[] = [];
  const lastTime: number[] = [];
  const lastPosition: number[] = [];
  let position = 0;
  for (const line of linesOf(session, kindOf, times, order)) {
    recent.length = 0;
    for (const event of line) {
      const kind = at(kindOf, event);
      if (kind < 0) continue;
      const time = itemAt(times, event);
      position += 1;
      const place = recent.indexOf(kind);
      const own = place < 0 ? Number.NEGATIVE_INFINITY : (lastPosition[kind] as number);
      const end = place < 0 ? recent.length : place + 1;
      for (let n = 0; n < end; n++) {
        const other = recent[n] as number;
        addPair(latencies, other, kind, time - (lastTime[other] as number));
        if (other === kind) continue;
        // Pair an event between two events of the other kind with the nearer event.
        const between = lastPosition[other] as number;
        const [far, near] = [between - own, position - between];
        if (near < far) judge(other, kind);
        else if (far < near) judge(kind, other);
      }
      if (place >= 0) recent.splice(place, 1);
      else if (recent.length === WINDOW) recent.pop();
      recent.unshift(kind);
      lastTime[kind] = time;
      lastPosition[kind] = position;
    }
    // Pair the last events of all kinds, because no nearer event can follow.
    for (let n = 0; n < recent.length; n++) {
      for (let m = n + 1; m < recent.length; m++) judge(recent[m] as number, recent[n] as number);
    }
  }
  return { latencies, orders };
}

/** Yields each timeline's events. For the order `time`, yields all events as one timeline if each event has a time. */
function* linesOf(
  { timelines, size }: Session,
  kindOf: Int32Array,
  times: Float64Array,
  order: ProfileOrder,
): Generator<Iterable<number>> {
  if (order === 'time') {
    const events = Int32Array.from(times.keys()).filter((event) => at(kindOf, event) >= 0);
    if (events.every((event) => !Number.isNaN(itemAt(times, event)))) {
      yield events.sort((a, b) => itemAt(times, a) - itemAt(times, b) || a - b);
      return;
    }
  }
  for (let line = 0; line + 1 < timelines.start.length; line++) {
    yield range(at(timelines.start, line), Math.min(size, at(timelines.start, line + 1)));
  }
}

function* range(from: number, to: number): Generator<number> {
  for (let event = from; event < to; event++) yield event;
}

/** Returns the sums for event pairs that send and receive the same message. */
function pairsByMessage({ order }: Session, kindOf: Int32Array, times: Float64Array): Pairs {
  const pairs: Pairs = new Map();
  for (let receive = 0; receive < order.receives.length; receive++) {
    const event = at(order.receives, receive);
    const kind = at(kindOf, event);
    if (kind < 0) continue;
    for (let edge = at(order.edgeStart, receive); edge < at(order.edgeStart, receive + 1); edge++) {
      const sender = at(order.edgeFrom, edge);
      const from = at(kindOf, sender);
      if (from >= 0) addPair(pairs, from, kind, itemAt(times, event) - itemAt(times, sender));
    }
  }
  return pairs;
}
