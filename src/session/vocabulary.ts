import { OWN_PROBE } from '../basics/index.js';
import { at, compareCodePoints, itemAt } from '../source/index.js';
import { defined } from '../values/index.js';
import { findEventNeighbours } from './around.js';
import { forEachValue } from './columns/column.js';
import type { KindName } from './inspect.js';
import { ownersOf } from './order.js';
import { type Session, ValueKind } from './session.js';
import { areProbesTied, isCausallyOrdered } from './ties.js';

/** The number of an attribute's values of each kind. */
export type KindCounts = ReadonlyMap<KindName, number>;

/** The frequency of each text. */
export type TextCounts = ReadonlyMap<string, number>;

/** The events with one name at one probe. */
export interface EventShape {
  readonly name: string;
  readonly probe: string;
  readonly events: number;
  /** Attributes by name, except `name` and `probe`. */
  readonly attributes: ReadonlyMap<string, KindCounts>;
  /** Prefixes of other attributes that the events may have. */
  readonly beginnings?: readonly string[];
  /** The names of Perturb's own events that are unordered relative to any untimed event of this shape. */
  readonly untied?: ReadonlySet<string>;
}

/**
 * The source of order between two probes in a session: `tied` for interactions, equal probes or a requested order;
 * otherwise, `none` if interactions order the session, and `clocks` if not.
 */
export type ProbeOrder = 'tied' | 'clocks' | 'none';

/** The names and texts in recorded sessions. */
export interface Vocabulary {
  readonly events: number;
  /** The events by name and probe, the most frequent first. */
  readonly shapes: readonly EventShape[];
  /** The frequency of each text, by attribute, the most frequent first; null if there are too many texts. */
  readonly texts: ReadonlyMap<string, TextCounts | null>;
  /** The best source of order in any session, by both probes; null if there are too many probes. */
  readonly orders: ReadonlyMap<string, ReadonlyMap<string, ProbeOrder>> | null;
  /** False if there are too many names to keep; the vocabulary is then empty. */
  readonly whole: boolean;
}

/**
 * Maximum number of shapes, and of all shapes' attributes. With more names, an unknown name would not indicate a
 * mistake.
 */
const MAX_SHAPES = 10_000;
const MAX_ATTRIBUTES = 200_000;
/** Maximum number and length of an attribute's texts. Above either limit, no text is kept. */
const MAX_TEXTS = 32;
const LONGEST_TEXT = 200;

const KINDS = Object.entries(ValueKind).flatMap(([name, kind]) =>
  kind === ValueKind.missing ? [] : [[name as KindName, kind] as const],
);

/** Maximum number of probes, and of timeline visits, for determining the sources of order. */
const MAX_PROBES = 100;
const MAX_TIMELINES = 5_000_000;

/** Maximum number of comparisons with Perturb's own events, for finding unordered events. */
const MAX_COMPARISONS = 50_000_000;

const TOO_MANY = { shapes: [], texts: new Map(), orders: null, whole: false };

/** Collects a session's vocabulary, in time linear in the number of values. */
export function vocabularyOf(session: Session): Vocabulary {
  const { size, columns, texts } = session;
  const [names, probes] = [columns.get('name')?.numbers, columns.get('probe')?.numbers];
  if (names === undefined || probes === undefined) return joinVocabularies([]);
  const shapes: ShapeCount[] = [];
  const byKey = new Map<number, number>();
  const shapeOf = new Int32Array(size);
  for (let event = 0; event < size; event += 1) {
    const [name, probe] = [itemAt(names, event), itemAt(probes, event)];
    const key = probe * texts.length + name;
    let shape = byKey.get(key);
    if (shape === undefined) {
      const eventShape = { name: texts[name] as string, probe: texts[probe] as string };
      shape = shapes.push({ ...eventShape, events: 0, attributes: new Map() }) - 1;
      if (shape === MAX_SHAPES) return { events: size, ...TOO_MANY };
      byKey.set(key, shape);
    }
    shapeOf[event] = shape;
    (shapes[shape] as ShapeCount).events += 1;
  }
  const textCounts = new Map<string, TextCounts | null>();
  let count = 0;
  for (const [attribute, column] of columns) {
    if (attribute === 'name' || attribute === 'probe') continue;
    const counts = new Map<number, number[]>();
    let occurrences: Map<number, number> | undefined = new Map();
    forEachValue(column, 0, size, (event, kind, number) => {
      const shape = shapeOf[event] as number;
      let kindCounts = counts.get(shape);
      if (kindCounts === undefined) {
        kindCounts = KINDS.map(() => 0).concat(0);
        counts.set(shape, kindCounts);
      }
      kindCounts[kind] = (kindCounts[kind] as number) + 1;
      if (kind !== ValueKind.string || occurrences === undefined) return;
      occurrences.set(number, (occurrences.get(number) ?? 0) + 1);
      if (occurrences.size > MAX_TEXTS) occurrences = undefined;
    });
    count += counts.size;
    if (count > MAX_ATTRIBUTES) return { events: size, ...TOO_MANY };
    for (const [shape, kindCounts] of counts) {
      const kinds = KINDS.map(([name, kind]) => [name, kindCounts[kind] as number] as const);
      shapes[shape]?.attributes.set(attribute, new Map(kinds.filter(([, times]) => times > 0)));
    }
    const words =
      occurrences &&
      [...occurrences].map(([text, times]) => [texts[text] as string, times] as const);
    if (words === undefined) textCounts.set(attribute, null);
    else if (words.length > 0) textCounts.set(attribute, limitTexts(new Map(words)));
  }
  const orders = ordersOf(session);
  addUntied(session, shapes, shapeOf);
  return { events: size, shapes: mostFrequent(shapes), texts: textCounts, orders, whole: true };
}

/** True if a session requests a specific order. */
function asksForOrder({ reading }: Session): boolean {
  return reading?.order !== undefined && reading.order !== 'auto';
}

/**
 * Records, for each shape, the names of Perturb's own events that are unordered relative to an untimed event of the
 * shape.
 */
function addUntied(session: Session, shapes: readonly ShapeCount[], shapeOf: Int32Array): void {
  const { size, probes, timelines, order, columns, texts } = session;
  const ownProbe = probes.indexOf(OWN_PROBE);
  if (ownProbe < 0 || asksForOrder(session)) return;
  const lines = ownersOf(timelines.start);
  const isOwn = (event: number) => timelines.probe[at(lines, event)] === ownProbe;
  const kinds = columns.get('time')?.kinds;
  const [mutations, untimedEvents]: [number[], number[]] = [[], []];
  for (let event = 0; event < size; event += 1) {
    if (isOwn(event)) mutations.push(event);
    else if ((kinds?.[event] ?? ValueKind.missing) === ValueKind.missing) untimedEvents.push(event);
  }
  if (mutations.length * (untimedEvents.length + order.edgeFrom.length) > MAX_COMPARISONS) return;
  for (const mutation of untimedEvents.length === 0 ? [] : mutations) {
    const { before, after } = findEventNeighbours(session, mutation, at(lines, mutation));
    const name = texts[columns.get('name')?.numbers[mutation] ?? 0] as string;
    for (const event of untimedEvents) {
      const line = at(lines, event);
      if (event <= at(before, line) || event >= at(after, line)) continue;
      const shape = shapes[at(shapeOf, event)] as ShapeCount;
      shape.untied = (shape.untied ?? new Set()).add(name);
    }
  }
}

/** Returns the source of order for each pair of a session's probes; null if there are too many probes. */
function ordersOf(session: Session): Vocabulary['orders'] {
  const { probes, timelines, order } = session;
  const cost = probes.length * (timelines.probe.length + order.edgeFrom.length);
  if (probes.length > MAX_PROBES || cost > MAX_TIMELINES) return null;
  const isPinned = asksForOrder(session);
  const untied = isCausallyOrdered(session) ? 'none' : 'clocks';
  return new Map(
    probes.map((probe, p) => {
      const isTied = (q: number) => isPinned || areProbesTied(session, p, q);
      return [
        probe,
        new Map(probes.map((otherProbe, q) => [otherProbe, isTied(q) ? 'tied' : untied])),
      ];
    }),
  );
}

const BEST_LAST: readonly ProbeOrder[] = ['none', 'clocks', 'tied'];

function joinOrders(vocabularies: readonly Vocabulary[]): Vocabulary['orders'] {
  const joinedOrders = new Map<string, Map<string, ProbeOrder>>();
  for (const { orders } of vocabularies) {
    if (orders === null) return null;
    for (const [probe, otherOrders] of orders) {
      const probeOrders = joinedOrders.get(probe) ?? new Map<string, ProbeOrder>();
      joinedOrders.set(probe, probeOrders);
      for (const [otherProbe, order] of otherOrders) {
        const isBetter =
          BEST_LAST.indexOf(order) > BEST_LAST.indexOf(probeOrders.get(otherProbe) ?? 'none');
        if (isBetter || !probeOrders.has(otherProbe)) probeOrders.set(otherProbe, order);
      }
    }
  }
  return joinedOrders.size > MAX_PROBES ? null : joinedOrders;
}

/** A shape under construction, while counting events. */
interface ShapeCount extends EventShape {
  events: number;
  readonly attributes: Map<string, KindCounts>;
  untied?: Set<string>;
}

/** Joins the vocabularies of several sessions. */
export function joinVocabularies(vocabularies: readonly Vocabulary[]): Vocabulary {
  const events = vocabularies.reduce((sum, vocabulary) => sum + vocabulary.events, 0);
  if (vocabularies.some(({ whole }) => !whole)) return { events, ...TOO_MANY };
  const shapes = new Map<string, ShapeCount>();
  const texts = new Map<string, TextCounts | null>();
  for (const source of vocabularies) {
    for (const shape of source.shapes) {
      const key = JSON.stringify([shape.probe, shape.name]);
      const existingShape = shapes.get(key);
      const attributes = existingShape?.attributes ?? new Map<string, KindCounts>();
      for (const [name, counts] of shape.attributes) {
        attributes.set(name, addCounts(attributes.get(name), counts));
      }
      const untied = [existingShape, shape].flatMap((entry) => [...(entry?.untied ?? [])]);
      shapes.set(key, {
        ...{ name: shape.name, probe: shape.probe, attributes },
        events: (existingShape?.events ?? 0) + shape.events,
        ...(untied.length > 0 && { untied: new Set(untied) }),
        ...defined({ beginnings: shape.beginnings ?? existingShape?.beginnings }),
      });
    }
    for (const [attribute, counts] of source.texts) {
      const knownCounts = texts.get(attribute);
      const sum = counts === null || knownCounts === null ? null : addCounts(knownCounts, counts);
      texts.set(attribute, sum === null ? null : limitTexts(sum));
    }
  }
  if (shapes.size > MAX_SHAPES) return { events, ...TOO_MANY };
  const orders = joinOrders(vocabularies);
  return { events, shapes: mostFrequent([...shapes.values()]), texts, orders, whole: true };
}

function addCounts<Key>(
  base: ReadonlyMap<Key, number> | undefined,
  additions: ReadonlyMap<Key, number>,
): ReadonlyMap<Key, number> {
  if (base === undefined) return additions;
  const sum = new Map(base);
  for (const [key, count] of additions) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}

/** Sorts an attribute's texts, the most frequent first; returns null if there are too many or any is too long. */
function limitTexts(counts: TextCounts): TextCounts | null {
  if (counts.size > MAX_TEXTS || [...counts.keys()].some(({ length }) => length > LONGEST_TEXT)) {
    return null;
  }
  return new Map(
    [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1)),
  );
}

function mostFrequent(shapes: EventShape[]): EventShape[] {
  return shapes.sort(
    (a, b) =>
      b.events - a.events ||
      compareCodePoints(a.name, b.name) ||
      compareCodePoints(a.probe, b.probe),
  );
}
