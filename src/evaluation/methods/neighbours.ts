import { at } from '../../source/index.js';
import { KeyRuns } from '../join/key-runs.js';
import type { PairPart } from '../join/pair.js';
import { solverOf } from '../join/propagate.js';
import type { Relation } from '../join/relation.js';
import { heldTogether } from '../order/clock-columns.js';
import { sortByRank } from '../select/candidates.js';
import { type BindingProblem, ENTRIES_PER_STEP } from './problem.js';

/** Maps an event of one label to the events of another that go with it, by positions. */
export type Neighbours = (position: number) => Int32Array;

/**
 * Lists the pairs of a relation that requires nothing in between: on each timeline, of the events of the earlier
 * label before one of the later, those without an event in between are the last ones.
 *
 * O(pairs + events of the later label * timelines of the earlier), besides the sweep. Comparisons of the relation
 * other than `=` are disregarded.
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
  const bare = isBare ? relation : { ...relation, unequal: [], less: [] };
  const [all, apart, ...others] = solverOf(session, lists)
    .partsOf(bare)
    .map((make) => make());
  if (all === undefined || apart === undefined || others.length > 0) return undefined;
  const { a, b, earlier } = all;
  const [before, between] = [runsOf(all), runsOf(apart)];
  if (before === undefined || between === undefined) return undefined;
  const [held, excluded] = [heldTogether(before.passes()), heldTogether(between.passes())];

  const [ofA, ofB] = [new Positions(), new Positions()];
  // For each run, the start of the events without an event in between.
  const from = before.start.slice(0, -1);
  for (let event = 0; event < b.size; event++) {
    let entries = 0;
    for (const pass of excluded) {
      const count = between.findParts(event, pass);
      entries += count;
      for (let part = 0; part < count; part++) {
        const end = at(between.ends, part);
        from[at(before.runOf, end - 1)] = end;
      }
    }
    const listed = ofA.size;
    for (const pass of held) {
      const count = before.findParts(event, pass);
      entries += count;
      for (let part = 0; part < count; part++) {
        const end = at(before.ends, part);
        const run = at(before.runOf, end - 1);
        for (let position = at(from, run); position < end; position++) {
          ofA.add(at(before.positions, position));
          ofB.add(event);
        }
        from[run] = at(before.start, run);
      }
    }
    step(ofA.size - listed + entries / ENTRIES_PER_STEP);
  }
  return first === earlier ? byKey(ofA, ofB, a.size) : byKey(ofB, ofA, b.size);
}

/** Returns the runs of a part's earlier list; without keys, those of its timelines. */
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
      const more = new Int32Array(2 * this.size);
      more.set(this.#items);
      this.#items = more;
    }
    this.#items[this.size++] = position;
  }

  get items(): Int32Array {
    return this.#items.subarray(0, this.size);
  }
}

/** Returns, for each key below a count, its values in their order. */
function byKey(
  { items: keys }: Positions,
  { items: values }: Positions,
  count: number,
): Neighbours {
  const sorted = sortByRank(keys, count).map((position) => at(values, position));
  const start = new Int32Array(count + 1);
  for (const key of keys) start[key + 1] = at(start, key + 1) + 1;
  for (let key = 0; key < count; key++) start[key + 1] = at(start, key + 1) + at(start, key);
  return (key) => sorted.subarray(at(start, key), at(start, key + 1));
}
