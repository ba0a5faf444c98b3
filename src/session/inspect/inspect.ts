import { forEachValue } from '../columns/column.js';
import { type Column, Kind, type Session } from '../session.js';
import { countOrderedPairs, type OrderedPairs } from './ordered-pairs.js';

/** What values of an attribute are, by the name of the kind. */
export type KindName = 'integer' | 'float' | 'string' | 'boolean' | 'other';

const KIND_NAMES: readonly (readonly [number, KindName])[] = [
  [Kind.integer, 'integer'],
  [Kind.float, 'float'],
  [Kind.string, 'string'],
  [Kind.boolean, 'boolean'],
  [Kind.other, 'other'],
];

/** An attribute, and how many events have it with a value of each kind. */
export interface AttributeSummary {
  readonly name: string;
  readonly kinds: Readonly<Partial<Record<KindName, number>>>;
}

/** A probe, its events, and how many of them an interaction leads to. */
export interface ProbeSummary {
  readonly probe: string;
  readonly events: number;
  readonly receives: number;
}

/** What is in a session, in numbers. */
export interface SessionSummary {
  readonly name?: string;
  readonly source?: string;
  readonly events: number;
  readonly interactions: number;
  readonly probes: readonly ProbeSummary[];
  /** By name. */
  readonly attributes: readonly AttributeSummary[];
  /** The earliest and the latest `time`, where events have one. */
  readonly time?: { readonly first: bigint; readonly last: bigint };
  /** Absent where there are too many probes to compare each with each. */
  readonly orderedPairs?: OrderedPairs;
}

/**
 * Counts what a session holds. Interactions are those between probes that are part of the order.
 * Linear in values and receives, but for pairs of probes: one pass over the receives for each 32
 * probes.
 */
export function inspectSession(session: Session): SessionSummary {
  const { name, source, probes, start, size, columns, order } = session;
  const attributes = [...columns]
    .map(([key, column]) => ({ name: key, kinds: countKinds(column, size) }))
    .filter(({ kinds }) => Object.keys(kinds).length > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const time = timeRange(columns.get('time'), size);
  const orderedPairs = countOrderedPairs(session);
  return {
    ...(name !== undefined && { name }),
    ...(source !== undefined && { source }),
    events: size,
    interactions: order.edgeFrom.length,
    probes: probes.map((probe, at) => ({
      probe,
      events: (start[at + 1] as number) - (start[at] as number),
      receives: (order.receiveStart[at + 1] as number) - (order.receiveStart[at] as number),
    })),
    attributes,
    ...(time !== undefined && { time }),
    ...(orderedPairs !== undefined && { orderedPairs }),
  };
}

function countKinds(column: Column, size: number): AttributeSummary['kinds'] {
  const counts = new Float64Array(KIND_NAMES.length + 1);
  forEachValue(column, 0, size, (_event, kind) => {
    (counts[kind] as number)++;
  });
  const present = KIND_NAMES.filter(([kind]) => (counts[kind] as number) > 0);
  return Object.fromEntries(present.map(([kind, name]) => [name, counts[kind] as number]));
}

function timeRange(column: Column | undefined, size: number): SessionSummary['time'] {
  if (column === undefined) return undefined;
  let first: bigint | undefined;
  let last: bigint | undefined;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  forEachValue(column, 0, size, (_event, kind, number, exact) => {
    if (kind !== Kind.integer) return;
    if (number <= low) {
      const value = exact ?? BigInt(number);
      if (first === undefined || value < first) first = value;
      low = number;
    }
    if (number >= high) {
      const value = exact ?? BigInt(number);
      if (last === undefined || value > last) last = value;
      high = number;
    }
  });
  return first === undefined || last === undefined ? undefined : { first, last };
}
