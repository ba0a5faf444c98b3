import { type Comparator, MIRRORED_COMPARATORS } from '../../expression/index.js';
import { type Session, ValueKind } from '../../session/index.js';
import type { Clocks } from '../order/clock-columns.js';
import { maxOf } from '../order/clock-rows.js';
import type { Matches } from '../order/matches.js';
import type { Join } from '../query/query.js';
import { type Cells, cellsOf } from '../select/cells.js';
import { KeyRuns } from './key-runs.js';
import { type BetweenEvents, type Relation, rangesOf, windowOf } from './relation.js';
import {
  type Agreement,
  groupByKeys,
  type Keys,
  rankValues,
  type ValueRanks,
} from './value-ranks.js';
import type { IntermediateKeys } from './via-clocks.js';

/** A set of pairs of events from two lists, prepared for propagating weights in either direction. */
export interface PairPart {
  /** The sign with which the pairs are counted. For example, `!=` is all pairs minus the equal pairs. */
  readonly sign: 1 | -1;
  /** The label of the list `a`. */
  readonly earlier: number;
  readonly a: Matches;
  readonly b: Matches;
  /** The clocks of `b` over `a`, if `a` comes before `b`. */
  readonly clocks?: Clocks;
  /** The events' keys, which are equal in each pair; absent if the clocks suffice. */
  readonly keys?: Keys;
  /** The ranks for a comparison that each pair also satisfies. */
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
 * Prepares a relation by grouping and sorting the events once, for any number of propagations. O(events * log events).
 *
 * @param sign 1 to add the relation's pairs, -1 to subtract them
 * @param clocks the clocks over the earlier list, if the relation orders its labels
 * @param subtracts true if parts may be subtracted from other parts
 * @returns functions that each create a part; the signed parts add up to the relation, and the first part has the given
 * sign
 */
export function preparePair(
  session: Session,
  relation: Relation,
  lists: readonly Matches[],
  sign: 1 | -1,
  clocks: Clocks | undefined,
  subtracts: boolean,
): (() => PairPart)[] {
  const isReversed = relation.order === -1;
  const [u, v] = [lists[relation.u] as Matches, lists[relation.v] as Matches];
  const [a, b] = isReversed ? [v, u] : [u, v];
  const earlier = isReversed ? relation.v : relation.u;
  const pair = { earlier, a, b, ...(clocks !== undefined && { clocks }) };
  const compare = ({ left, comparator, right }: Join): Comparison => {
    const cellsOfU = cellsOf(session, left, u.events);
    const cellsOfV = cellsOf(session, right, v.events);
    return isReversed
      ? { comparator: MIRRORED_COMPARATORS[comparator], a: cellsOfV, b: cellsOfU }
      : { comparator, a: cellsOfU, b: cellsOfV };
  };
  const equalities = relation.equal.map((join): Agreement => ({ ...compare(join), of: 'value' }));
  const inequalities = relation.unequal.map(compare);
  const cases = casesWithin(relation, subtracts);
  const isPlain = equalities.length + inequalities.length + relation.less.length === 0;
  if (isPlain && clocks !== undefined) return [() => ({ sign, ...pair })];

  const part = (partSign: number, keys: Keys, ranks?: ValueRanks): PairPart => ({
    ...{ sign: partSign === sign ? 1 : -1, keys, ...pair },
    ...(ranks !== undefined && { ranks }),
    ...(clocks !== undefined && { runs: new KeyRuns(a, b, keys, clocks) }),
  });
  return dropEqual(inequalities, equalities).flatMap(({ sign, agreements }) => {
    if (relation.less.length === 0) {
      return [() => part(sign, groupByKeys(a.size, b.size, agreements))];
    }
    return cases.flatMap(({ sign: partSign, joins }) => {
      const [lastComparison, ...otherComparisons] = joins.map(compare) as [
        Comparison,
        ...Comparison[],
      ];
      const digits = otherComparisons.map((comparison) => splitDigits(session, comparison));
      return combinations(digits).map((digitAgreements) => () => {
        const kind: Agreement = { ...lastComparison, of: 'ordered kind' };
        const keys = groupByKeys(a.size, b.size, [...agreements, ...digitAgreements.flat(), kind]);
        return part(
          sign * partSign,
          keys,
          rankValues(session, keys, lastComparison.comparator, lastComparison.a, lastComparison.b),
        );
      });
    });
  });
}

/**
 * Returns the keys shared by a relation's two ends and the events in between, or undefined if the events in between may
 * have any key.
 */
export function findKeysBetween(
  session: Session,
  { u, v }: Relation,
  { earlier, via, keys }: BetweenEvents,
  lists: readonly Matches[],
): IntermediateKeys | undefined {
  if (keys.length === 0) return undefined;
  const [a, b] = [lists[u] as Matches, lists[v] as Matches];
  const viaGroups = groupByKeys(
    a.size,
    b.size + via.size,
    keys.map(({ join, ofVia }): Agreement => {
      const cellsOfA = cellsOf(session, join.left, a.events);
      const cellsOfB = cellsOf(session, join.right, b.events);
      const between = cellsOf(session, ofVia, via.events);
      return { a: cellsOfA, b: joinCells(cellsOfB, between), of: 'value' };
    }),
  );
  const cellsOfV = viaGroups.b.subarray(0, b.size);
  const ends = earlier === u ? { a: viaGroups.a, b: cellsOfV } : { a: cellsOfV, b: viaGroups.a };
  return { ...ends, via: viaGroups.b.subarray(b.size), count: viaGroups.count };
}

function joinCells(first: Cells, second: Cells): Cells {
  const size = first.kinds.length;
  const kinds = new Uint8Array(size + second.kinds.length);
  kinds.set(first.kinds);
  kinds.set(second.kinds, size);
  const numbers = new Float64Array(kinds.length);
  numbers.set(first.numbers);
  numbers.set(second.numbers, size);
  const exactValues = new Map(first.exact);
  for (const [position, value] of second.exact) exactValues.set(size + position, value);
  return { kinds, numbers, exact: exactValues };
}

/**
 * Returns signed conjunctions of comparisons that add up to the relation's inequalities. If parts may be subtracted,
 * splits each window into its inside minus its outside, which leaves one comparison for each difference.
 */
function casesWithin({ less }: Relation, subtracts: boolean): { sign: 1 | -1; joins: Join[] }[] {
  let cases: { sign: 1 | -1; joins: Join[] }[] = [{ sign: 1, joins: [] }];
  for (const range of rangesOf(less)) {
    const window = windowOf(range);
    if (window?.isEmpty) return [];
    cases = cases.flatMap(({ sign, joins }) => {
      const { upper, lower } = range;
      if (window === undefined || !subtracts) {
        return [
          {
            sign,
            joins: [...joins, ...[upper, lower].filter((bound) => bound !== undefined)],
          },
        ];
      }
      return [
        { sign, joins: [...joins, window.inside] },
        { sign: sign === 1 ? -1 : 1, joins: [...joins, window.outside] },
      ];
    });
  }
  return cases;
}

/**
 * Splits a comparison into disjoint alternatives, each a conjunction of agreements. `a < b` holds if and only if the
 * values' ranks, in binary, agree in all digits before a digit that is 0 in `a` and 1 in `b`. Each digit is an
 * alternative.
 */
function splitDigits(session: Session, { comparator, a, b }: Comparison): Agreement[][] {
  const kind: Agreement = { a, b, of: 'ordered kind' };
  const keys = groupByKeys(a.kinds.length, b.kinds.length, [kind]);
  const ranks = rankValues(session, keys, comparator, a, b);
  const isLess = comparator === '<' || comparator === '<=';
  const isStrict = comparator === '<' || comparator === '>';
  // An additional last digit makes equal values satisfy the comparison, unless the comparison is strict.
  const lastOfA = isLess === isStrict ? 1 : 0;
  const maxRank = Math.max(ranks.a.reduce(maxOf, 0), ranks.b.reduce(maxOf, 0));
  const digits: Agreement[][] = [];
  for (let digit = 0; (2 * maxRank + 1) >> digit > 0; digit++) {
    const cellsOfA = digitCells(ranks.a, lastOfA, digit, isLess ? 0 : 1);
    const cellsOfB = digitCells(ranks.b, 1 - lastOfA, digit, isLess ? 1 : 0);
    digits.push([kind, { a: cellsOfA, b: cellsOfB, of: 'value' }]);
  }
  return digits;
}

/** Returns each rank's digits before a given digit, for the ranks whose given digit equals `value`. */
function digitCells(ranks: Int32Array, last: number, digit: number, value: number): Cells {
  const kinds = new Uint8Array(ranks.length);
  const numbers = new Float64Array(ranks.length);
  ranks.forEach((rank, position) => {
    const scaledRank = 2 * rank + last;
    if (rank < 0 || ((scaledRank >> digit) & 1) !== value) return;
    kinds[position] = ValueKind.float;
    numbers[position] = scaledRank >> (digit + 1);
  });
  return { kinds, numbers, exact: new Map() };
}

/** Returns the Cartesian product of lists. */
function combinations<Item>(lists: readonly (readonly Item[])[]): Item[][] {
  return lists.reduce<Item[][]>(
    (prefixes, list) => prefixes.flatMap((prefix) => list.map((item) => [...prefix, item])),
    [[]],
  );
}

/**
 * Expands inequalities by inclusion-exclusion into 2^inequalities signed cases. Pairs that differ in each attribute are
 * all pairs of values of the same kind, minus the pairs equal in one attribute, plus the pairs equal in two attributes,
 * and so on.
 */
function dropEqual(
  inequalities: readonly Comparison[],
  equalities: readonly Agreement[],
): { sign: 1 | -1; agreements: Agreement[] }[] {
  return inequalities.reduce<{ sign: 1 | -1; agreements: Agreement[] }[]>(
    (cases, { a, b }) =>
      cases.flatMap(({ sign, agreements }) => [
        { sign, agreements: [...agreements, { a, b, of: 'kind' }] },
        { sign: sign === 1 ? -1 : 1, agreements: [...agreements, { a, b, of: 'value' }] },
      ]),
    [{ sign: 1, agreements: [...equalities] }],
  );
}
