import { at } from '../../source/index.js';
import { KeyRuns } from '../join/key-runs.js';
import type { PairPart } from '../join/pair.js';
import { solverOf } from '../join/propagate.js';
import type { Relation } from '../join/relation.js';
import { collectParts } from '../order/clock-columns.js';
import { sortByRank } from '../select/candidates.js';
import { type BindingProblem, ENTRIES_PER_STEP } from './problem.js';

/** A function that maps an event of one label to the paired events of another label, by position. */
export type Neighbours = (position: number) => Int32Array;

/**
 * Lists the pairs of a relation that requires nothing in between. On each timeline, the events of the earlier label
 * before an event of the later label end with the events that have nothing in between.
 *
 * O(pairs + events of the later label * timelines of the earlier label), plus computing the clocks. Ignores comparisons
 * of the relation other than `=`.
 *
 * @param first the label whose events are given
 * @param step receives the number of steps taken
 * @returns undefined if the relation is of another kind
 */
export function neighboursOf(
  { session, lists }: BindingProblem,
  relation: Relation,
  first: number,
  step: (count: number) => void,
): Neighbours | undefined {
  if (relation.between.length === 0) return undefined;
  const isBare = relation.unequal.length + relation.less.length === 0;
  const bareRelation = isBare ? relation : { ...relation, unequal: [], less: [] };
  const [allPairs, separatePairs, ...otherParts] = solverOf(session, lists)
    .partsOf(bareRelation)
    .map((make) => make());
  if (allPairs === undefined || separatePairs === undefined || otherParts.length > 0)
    return undefined;
  const { a, b, earlier } = allPairs;
  const [allRuns, separateRuns] = [runsOf(allPairs), runsOf(separatePairs)];
  if (allRuns === undefined || separateRuns === undefined) return undefined;
  const [heldRuns, excludedRuns] = [
    collectParts(allRuns.passes()),
    collectParts(separateRuns.passes()),
  ];

  const [positionsA, positionsB] = [new Positions(), new Positions()];
  // For each run, the index of the first event with nothing in between.
  const from = allRuns.start.slice(0, -1);
  for (let event = 0; event < b.size; event++) {
    let entries = 0;
    for (const pass of excludedRuns) {
      const count = separateRuns.findParts(event, pass);
      entries += count;
      for (let part = 0; part < count; part++) {
        const end = at(separateRuns.ends, part);
        from[at(allRuns.runOf, end - 1)] = end;
      }
    }
    const previousSize = positionsA.size;
    for (const pass of heldRuns) {
      const count = allRuns.findParts(event, pass);
      entries += count;
      for (let part = 0; part < count; part++) {
        const end = at(allRuns.ends, part);
        const run = at(allRuns.runOf, end - 1);
        for (let position = at(from, run); position < end; position++) {
          positionsA.add(at(allRuns.positions, position));
          positionsB.add(event);
        }
        from[run] = at(allRuns.start, run);
      }
    }
    step(positionsA.size - previousSize + entries / ENTRIES_PER_STEP);
  }
  return first === earlier
    ? groupByKey(positionsA, positionsB, a.size)
    : groupByKey(positionsB, positionsA, b.size);
}

/** Returns the runs of a part's earlier list. Without keys, each timeline is a run. */
function runsOf({ a, b, clocks, runs }: PairPart): KeyRuns | undefined {
  if (runs !== undefined || clocks === undefined) return runs;
  const keys = { a: new Int32Array(a.size), b: new Int32Array(b.size), count: 1 };
  return new KeyRuns(a, b, keys, clocks);
}

/** A growing list of positions. */
class Positions {
  #items = new Int32Array(1024);
  size = 0;

  add(position: number): void {
    if (this.size === this.#items.length) {
      const larger = new Int32Array(2 * this.size);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.size++] = position;
  }

  get items(): Int32Array {
    return this.#items.subarray(0, this.size);
  }
}

/** Groups values by key, in their original order. Keys are below `count`. */
function groupByKey(
  { items: keys }: Positions,
  { items: values }: Positions,
  count: number,
): Neighbours {
  const sortedValues = sortByRank(keys, count).map((position) => at(values, position));
  const start = new Int32Array(count + 1);
  for (const key of keys) start[key + 1] = at(start, key + 1) + 1;
  for (let key = 0; key < count; key++) start[key + 1] = at(start, key + 1) + at(start, key);
  return (key) => sortedValues.subarray(at(start, key), at(start, key + 1));
}
