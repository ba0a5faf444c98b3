import { at } from '../../source/index.js';
import { type TermValue, UNDEFINED, valueOfNumber } from '../exact/term-value.js';
import { memoize, Undecided, unlessUndecided } from '../exact/undecided.js';
import { addCounts } from '../join/count-trees.js';
import { numberOf } from '../methods/binding-tests.js';
import { isPlanned } from '../methods/count-by-trees.js';
import { chooseBindingOrder, enumerate } from '../methods/enumerate.js';
import { matchLabels } from '../methods/match-labels.js';
import { solve } from '../methods/plan.js';
import {
  type BindingProblem,
  ENTRIES_PER_STEP,
  hasNone,
  type Question,
  restrict,
  type SolvedProblem,
} from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import type { Selection } from '../order/selection.js';
import { addCondition, partsOfTerm } from '../query/build-terms.js';
import { isSeparable } from '../query/operand.js';
import type { AggregateTerm, QueryTerm, ShareTerm } from '../query/query.js';
import { cellsOf } from '../select/cells.js';
import { aggregateSum, selectNumeric } from './aggregate.js';
import type { Grouping } from './groups.js';
import { percentileOfSum } from './percentile.js';
import type { BindingTerm, GroupValues } from './source.js';
import {
  newTally,
  repeatedValue,
  type Tally,
  type TallyValue,
  tallyValueAt,
  totalCount,
} from './tally.js';

/** Maximum fraction of the budget for solving every group separately. */
const EACH_PART = 0.1;

/** Cost of keeping one more value, in steps. Allows for random memory access with many groups. */
const STEPS_PER_VALUE = 10;
/** Maximum number of values to keep. A Set holds at most 2 ** 24 values. */
const MAX_VALUES = 16e6;

/** The values of terms over a problem's bindings, one per group. */
export class Terms {
  /** Solves the problem on the first call. Throws `Undecided` if there is no answer. */
  readonly solved: () => SolvedProblem;

  constructor(
    readonly problem: BindingProblem,
    readonly question: Question,
    readonly selection: Selection,
    readonly grouping?: Grouping,
  ) {
    this.solved = memoize(() => solve(problem, question));
  }

  /**
   * Computes a term's values.
   *
   * @throws {Undecided}
   */
  valuesOf(term: BindingTerm): GroupValues {
    switch (term.kind) {
      case 'count':
        return { values: this.#countsOf(this.solved()).map(valueOfNumber) };
      case 'share':
        return { values: this.#shares(term) };
      case 'aggregate':
        return this.#aggregate(term);
    }
  }

  #forAll(value: TermValue): TermValue[] {
    return new Array<TermValue>(this.grouping?.size ?? 1).fill(value);
  }

  /** Counts each group's bindings. */
  #countsOf(solved: SolvedProblem): bigint[] {
    const { grouping } = this;
    if (grouping === undefined) return [totalCount(solved)];
    const sums = new Array<number | bigint>(grouping.size).fill(0);
    for (const { lists, of } of solved.solutions) {
      const count = of.get(grouping.label);
      if (count === undefined) continue;
      (lists[grouping.label] as Matches).events.forEach((event, position) => {
        const group = at(grouping.groupOf, event);
        if (group >= 0) sums[group] = addCounts(sums[group] as number | bigint, count(position));
      });
    }
    return sums.map(BigInt);
  }

  #shares({ condition }: ShareTerm): TermValue[] {
    const { query, limits } = this.problem;
    const subproblem = matchLabels(this.selection, addCondition(query, condition), limits).problem;
    const wantedLabels = new Set(this.grouping === undefined ? [] : [this.grouping.label]);
    const countsOfLabel = this.#countsOf(solve(subproblem, { wanted: wantedLabels, counts: true }));
    return this.#countsOf(this.solved()).map((d, group) =>
      d === 0n ? UNDEFINED : { is: 'number', value: { n: countsOfLabel[group] as bigint, d } },
    );
  }

  #aggregate(term: AggregateTerm): GroupValues {
    const { grouping, problem } = this;
    const [label, otherLabel] = term.labels;
    if (label === undefined) {
      return { values: this.#countsOf(this.solved()).map((count) => repeatedValue(term, count)) };
    }
    const isOfKey = grouping === undefined || grouping.label === label;
    if (otherLabel === undefined && isOfKey) return this.#byCounts(term, label);
    if (grouping !== undefined) {
      const values = this.#eachGroup(term, grouping);
      return values === undefined ? this.#byEnumeration(term, problem) : { values };
    }
    const { function: functionInfo, argument, labels, percent } = term;
    if (argument.kind !== 'sum' || !isSeparable(argument)) {
      return this.#byEnumeration(term, problem);
    }
    const numericProblem = selectNumeric(problem, argument, labels);
    const result =
      functionInfo.carries.kind === 'percentile'
        ? percent && percentileOfSum(numericProblem, argument, labels, percent)
        : aggregateSum(numericProblem, functionInfo, argument, labels);
    if (result === undefined) return this.#byEnumeration(term, numericProblem);
    return { values: [result.value], events: result.events };
  }

  /**
   * Computes a term over one label, which must also be the groups' label, if any. Each value counts once per binding
   * with its event.
   */
  #byCounts(term: AggregateTerm, label: number): GroupValues {
    const { problem, grouping } = this;
    const tallies = this.#forAll(UNDEFINED).map(() => newTally(term));
    let extremum: number | undefined;
    for (const { lists, of } of this.solved().solutions) {
      const counts = of.get(label);
      if (counts === undefined) continue;
      const { events } = lists[label] as Matches;
      const cells = cellsOf(problem.session, term.argument, events);
      for (let position = 0; position < events.length; position++) {
        const event = at(events, position);
        const group = grouping === undefined ? 0 : at(grouping.groupOf, event);
        const count = group < 0 ? 0 : counts(position);
        if (count <= 0) continue;
        const value = tallyValueAt(cells, position);
        if (value === undefined) continue;
        const sign = (tallies[group] as (typeof tallies)[number]).add(value, count);
        if (sign > 0 || (sign === 0 && event < (extremum as number))) extremum = event;
      }
    }
    const events = extremum === undefined ? undefined : new Map([[label, extremum]]);
    return talliedValues(tallies, grouping === undefined ? events : undefined);
  }

  /**
   * Solves each group separately, by any method. Takes at least O(groups * (events + receives)). Returns undefined if
   * that would exceed a fraction of the budget, or if a group is undecided.
   */
  #eachGroup(term: AggregateTerm, grouping: Grouping): readonly TermValue[] | undefined {
    const { problem } = this;
    const { lists, limits, session } = problem;
    if (!isPlanned(problem)) return undefined;
    const entries = lists.reduce((sum, { size }) => sum + size, session.order.receives.length);
    if ((grouping.size * entries) / ENTRIES_PER_STEP > limits.budget * EACH_PART) return undefined;
    const { events } = lists[grouping.label] as Matches;
    const question = makeQuestion([term]);
    return unlessUndecided(() =>
      this.#forAll(UNDEFINED).map((_, group) => {
        const members = events.filter((event) => grouping.groupOf[event] === group);
        const subproblem = restrict(problem, new Map([[grouping.label, members]]));
        return new Terms(subproblem, question, this.selection).#aggregate(term)
          .values[0] as TermValue;
      }),
    );
  }

  /** Computes a term by enumerating the bindings of its labels. */
  #byEnumeration(term: AggregateTerm, problem: BindingProblem): GroupValues {
    const { grouping } = this;
    const tallies = this.#forAll(UNDEFINED).map(() => newTally(term));
    if (hasNone(problem)) return talliedValues(tallies);
    const keys = grouping === undefined ? [] : [grouping.label];
    const order = chooseBindingOrder(problem, new Set([...keys, ...term.labels]));
    const evaluateBinding = valueInBinding(problem, term);
    const eventOf = (label: number, bound: Int32Array) =>
      at((problem.lists[label] as Matches).events, at(bound, label));
    let extremeEvents: ReadonlyMap<number, number> | undefined;
    const maxValues = Math.min(problem.limits.budget / STEPS_PER_VALUE, MAX_VALUES);
    let keptCount = 0;
    const visit: Parameters<typeof enumerate>[2] = ({ bound, count }) => {
      const group =
        grouping === undefined ? 0 : at(grouping.groupOf, eventOf(grouping.label, bound));
      const value = group < 0 ? undefined : evaluateBinding(bound);
      if (value === undefined) return false;
      const tally = tallies[group] as (typeof tallies)[number];
      keptCount -= tally.size;
      if (tally.add(value, count) > 0) {
        extremeEvents = new Map(term.labels.map((label) => [label, eventOf(label, bound)]));
      }
      keptCount += tally.size;
      if (keptCount > maxValues) {
        const reason = `more than ${Math.floor(maxValues).toLocaleString('en')} distinct values would have to be kept`;
        const help = 'match fewer events, with narrower patterns or FILTER';
        throw new Undecided(term.text, reason, help);
      }
      return false;
    };
    enumerate(problem, order, visit, 'tables', term.text);
    return talliedValues(tallies, grouping === undefined ? extremeEvents : undefined);
  }
}

function talliedValues(tallies: readonly Tally[], events?: GroupValues['events']): GroupValues {
  return { values: tallies.map((tally) => tally.value()), events };
}

/** Returns a function that computes a term's argument in a binding. */
function valueInBinding(
  { session, lists }: BindingProblem,
  { argument, labels }: AggregateTerm,
): (bound: Int32Array) => TallyValue | undefined {
  const [label, otherLabel] = labels;
  if (label === undefined || otherLabel !== undefined) return numberOf(session, argument, lists);
  const cells = cellsOf(session, argument, (lists[label] as Matches).events);
  return (bound) => tallyValueAt(cells, at(bound, label));
}

/** Returns the question about the bindings whose answer the given terms need. */
export function makeQuestion(terms: readonly QueryTerm[], key?: number, count = false): Question {
  const wantedLabels = new Set<number>(key === undefined ? [] : [key]);
  let counts = count;
  for (const part of terms.flatMap(partsOfTerm)) {
    if (part.kind === 'count' || part.kind === 'share') counts = true;
    if (part.kind !== 'aggregate' || part.component !== undefined) continue;
    if (part.labels.length === 0) counts = true;
    if (part.labels.length !== 1) continue;
    const [label] = part.labels as [number];
    if (key !== undefined && key !== label) continue;
    wantedLabels.add(label);
    const { kind } = part.function.carries;
    if (kind !== 'extreme' && kind !== 'distinct') counts = true;
  }
  return { wanted: wantedLabels, counts };
}
