import { type Comparator, MIRRORED } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import type { Clocks } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import type { Join } from '../query/query.js';
import { type Cells, cellsOf } from '../select/cells.js';
import { KeyRuns } from './key-runs.js';
import { type Between, type Relation, windowOf } from './relation.js';
import {
  type Agreement,
  groupByKeys,
  type Keys,
  rankValues,
  type ValueRanks,
} from './value-ranks.js';
import type { ViaKeys } from './via-clocks.js';

/** Two lists and which pairs of their events are meant, prepared for weights to go either way. */
export interface PairPart {
  /** The factor it is counted with: `!=` is all pairs less the equal ones. */
  readonly sign: 1 | -1;
  /** The label of `a`. */
  readonly earlier: number;
  readonly a: Matches;
  readonly b: Matches;
  /** The clocks of `a`, if it comes before `b`. */
  readonly clocks?: Clocks;
  /** What the pairs agree on; absent if the clocks say everything. */
  readonly keys?: Keys;
  /** The comparison that they also satisfy. */
  readonly ranks?: ValueRanks;
  /** The runs of `a`, if there are clocks and keys. */
  readonly runs?: KeyRuns;
}

/** A comparison between the events of two lists. */
interface Comparison {
  readonly comparator: Comparator;
  readonly a: Cells;
  readonly b: Cells;
}

/**
 * Prepares a relation: groups and sorts the events once, for any number of weights.
 * O(events * log events).
 *
 * @param sign that of all parts: whether they are added or subtracted
 * @param clocks those of the earlier list, if the relation orders its labels
 * @returns the parts that sum up to the relation; the first has the sign
 */
export function preparePair(
  session: Session,
  relation: Relation,
  lists: readonly Matches[],
  sign: 1 | -1,
  clocks: Clocks | undefined,
): PairPart[] {
  const isReversed = relation.order === -1;
  const [u, v] = [lists[relation.u] as Matches, lists[relation.v] as Matches];
  const [a, b] = isReversed ? [v, u] : [u, v];
  const earlier = isReversed ? relation.v : relation.u;
  const pair = { earlier, a, b, ...(clocks !== undefined && { clocks }) };
  const compare = ({ left, comparator, right }: Join): Comparison => {
    const ofU = cellsOf(session, left, u.events);
    const ofV = cellsOf(session, right, v.events);
    return isReversed
      ? { comparator: MIRRORED[comparator], a: ofV, b: ofU }
      : { comparator, a: ofU, b: ofV };
  };
  const equal = relation.equal.map((join): Agreement => ({ ...compare(join), of: 'value' }));
  const unequal = relation.unequal.map(compare);
  const bounds = boundsOf(relation).map((one) => ({ sign: one.sign, ...compare(one.join) }));
  const isPlain = equal.length + unequal.length + relation.less.length === 0;
  if (isPlain && clocks !== undefined) return [{ sign, ...pair }];

  const part = (own: number, keys: Keys, ranks?: ValueRanks): PairPart => ({
    ...{ sign: own === sign ? 1 : -1, keys, ...pair },
    ...(ranks !== undefined && { ranks }),
    ...(clocks !== undefined && { runs: new KeyRuns(a, b, keys, clocks) }),
  });
  return withoutEqual(unequal, equal).flatMap(({ sign, agreements }) => {
    if (relation.less.length === 0) return [part(sign, groupByKeys(a.size, b.size, agreements))];
    return bounds.map((bound) => {
      const keys = groupByKeys(a.size, b.size, [...agreements, { ...bound, of: 'ordered kind' }]);
      const ranks = rankValues(session, keys, bound.comparator, bound.a, bound.b);
      return part(sign * bound.sign, keys, ranks);
    });
  });
}

/** The keys that the ends of a relation have in common with what may lie between them. */
export function keysBetween(
  session: Session,
  { u, v }: Relation,
  { earlier, via, keys }: Between,
  lists: readonly Matches[],
): ViaKeys | undefined {
  if (keys.length === 0) return undefined;
  const [a, b] = [lists[u] as Matches, lists[v] as Matches];
  const grouped = groupByKeys(
    a.size,
    b.size + via.size,
    keys.map(({ join, ofVia }): Agreement => {
      const ofA = cellsOf(session, join.left, a.events);
      const ofB = cellsOf(session, join.right, b.events);
      const between = cellsOf(session, ofVia, via.events);
      return { a: ofA, b: joined(ofB, between), of: 'value' };
    }),
  );
  const ofV = grouped.b.subarray(0, b.size);
  const ends = earlier === u ? { a: grouped.a, b: ofV } : { a: ofV, b: grouped.a };
  return { ...ends, via: grouped.b.subarray(b.size), count: grouped.count };
}

function joined(first: Cells, second: Cells): Cells {
  const size = first.kinds.length;
  const kinds = new Uint8Array(size + second.kinds.length);
  kinds.set(first.kinds);
  kinds.set(second.kinds, size);
  const numbers = new Float64Array(kinds.length);
  numbers.set(first.numbers);
  numbers.set(second.numbers, size);
  const exact = new Map(first.exact);
  for (const [place, value] of second.exact) exact.set(size + place, value);
  return { kinds, numbers, exact };
}

/** At most one bound, or the two of a window: what is inside the one, less what is outside the other. */
function boundsOf({ less }: Relation): { sign: 1 | -1; join: Join }[] {
  const window = windowOf(less);
  if (window?.isEmpty) return [];
  if (window === undefined) return less.map((join) => ({ sign: 1, join }));
  return [
    { sign: 1, join: window.inside },
    { sign: -1, join: window.outside },
  ];
}

/**
 * Inclusion and exclusion: pairs that differ in each of the attributes (of one kind) are all
 * pairs, less those equal in one, plus those equal in two, and so on: 2^attributes terms.
 */
function withoutEqual(
  unequal: readonly Comparison[],
  equal: readonly Agreement[],
): { sign: 1 | -1; agreements: Agreement[] }[] {
  return unequal.reduce<{ sign: 1 | -1; agreements: Agreement[] }[]>(
    (cases, { a, b }) =>
      cases.flatMap(({ sign, agreements }) => [
        { sign, agreements: [...agreements, { a, b, of: 'kind' }] },
        { sign: sign === 1 ? -1 : 1, agreements: [...agreements, { a, b, of: 'value' }] },
      ]),
    [{ sign: 1, agreements: [...equal] }],
  );
}
