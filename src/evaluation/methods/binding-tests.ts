import { holds } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { addExact, compareExact, type ExactNumber } from '../exact/number.js';
import { groupByKeys } from '../join/value-ranks.js';
import type { Matches } from '../order/matches.js';
import {
  attributesOfOperand,
  isConstantTestTrue,
  isTestTrue,
  keyOfValue,
  keysOfMembers,
  labelsOf,
  labelsOfTest,
  leavesOfTest,
  partOfLabel,
} from '../query/operand.js';
import type { Join, LeafTest, QueryOperand, Summand, Test } from '../query/query.js';
import { groupPositions } from '../select/candidates.js';
import { type Cells, cellsHold, cellsOf, numberAt, sumOf } from '../select/cells.js';
import { selectEvents } from '../select/select-events.js';
import type { BindingProblem } from './problem.js';

/** The tests of a newly bound label. */
export interface BindingTest {
  /** Returns true if all joins and conditions completed by the label hold. */
  readonly holds: (bound: Int32Array) => boolean;
  /** Returns the positions accepted by an `=` with a previously bound label; absent if there is no such `=`. */
  readonly group?: (bound: Int32Array) => Int32Array;
}

type Truth = (bound: Int32Array) => boolean;

/** An additional requirement on the events of some labels. */
export interface BindingRequirement {
  readonly labels: readonly number[];
  readonly isMet: (bound: Int32Array) => boolean;
}

/** Returns the tests for each depth of the binding order. */
export function createBindingTests(
  { session, query, lists }: BindingProblem,
  order: readonly number[],
  requirements: readonly BindingRequirement[],
): BindingTest[] {
  const depthOf = new Map(order.map((label, depth) => [label, depth]));
  const depth = (labels: readonly number[]) =>
    Math.max(...labels.map((label) => depthOf.get(label) as number));
  const truths = order.map((): Truth[] => []);
  const groups: BindingTest['group'][] = order.map(() => undefined);
  for (const join of query.joins) {
    const depthIndex = depth([join.u, join.v]);
    (truths[depthIndex] as Truth[]).push(createJoinTest(session, join, lists));
    if (join.comparator === '=')
      groups[depthIndex] ??= keyGroups(session, join, lists, order[depthIndex] as number);
  }
  for (const { test, labels } of query.others) {
    (truths[depth(labels)] as Truth[]).push(evaluateTest(session, test, lists));
  }
  for (const { labels, isMet } of requirements) {
    (truths[depth(labels)] as Truth[]).push(isMet);
  }
  return order.map((_, position) => {
    const group = groups[position];
    const truthList = truths[position] as Truth[];
    return {
      holds: (bound) => truthList.every((truth) => truth(bound)),
      ...(group !== undefined && { group }),
    };
  });
}

export function createJoinTest(
  session: Session,
  join: Omit<Join, 'text'>,
  lists: readonly Matches[],
): Truth {
  const leftCells = cellsOf(session, join.left, (lists[join.u] as Matches).events);
  const right = cellsOf(session, join.right, (lists[join.v] as Matches).events);
  return (bound) =>
    cellsHold(session, join.comparator, leftCells, at(bound, join.u), right, at(bound, join.v));
}

/**
 * Returns a function that maps a binding to a label's positions with the same value as the other label of an equality.
 */
function keyGroups(
  session: Session,
  { u, v, left, right }: Join,
  lists: readonly Matches[],
  label: number,
): (bound: Int32Array) => Int32Array {
  const a = cellsOf(session, left, (lists[u] as Matches).events);
  const b = cellsOf(session, right, (lists[v] as Matches).events);
  const keys = groupByKeys(a.kinds.length, b.kinds.length, [{ a, b, of: 'value' }]);
  const [ownKeys, otherKeys, otherLabel] = label === u ? [keys.a, keys.b, v] : [keys.b, keys.a, u];
  const groups = groupPositions(ownKeys, keys.count);
  const emptyList = new Int32Array(0);
  return (bound) => {
    const key = at(otherKeys, at(bound, otherLabel));
    return key < 0 ? emptyList : (groups[key] as Int32Array);
  };
}

function evaluateTest(session: Session, test: Test, lists: readonly Matches[]): Truth {
  const truths = new Map(leavesOfTest(test).map((leaf) => [leaf, leafTruth(session, leaf, lists)]));
  const cachedTruth = truths.get(test as LeafTest);
  if (cachedTruth !== undefined) return cachedTruth;
  return (bound) => isTestTrue(test, (leaf) => (truths.get(leaf) as Truth)(bound));
}

function leafTruth(session: Session, leaf: LeafTest, lists: readonly Matches[]): Truth {
  const [label, otherLabel] = labelsOfTest(leaf);
  if (label === undefined) {
    const truth = isConstantTestTrue(leaf);
    return () => truth;
  }
  if (otherLabel === undefined) return singleTruth(session, leaf, lists[label] as Matches, label);
  if (leaf.kind !== 'comparison') {
    const value = numberOf(session, leaf.operand, lists);
    if (leaf.kind === 'exists') return (bound) => value(bound) !== undefined;
    const members = leaf.kind === 'in' ? keysOfMembers(leaf) : new Set();
    return (bound) => {
      const number = value(bound);
      return number !== undefined && members.has(keyOfValue(number));
    };
  }
  const { left, comparator, right } = leaf;
  if (left.kind === 'attribute' && right.kind === 'attribute') {
    return createJoinTest(
      session,
      { u: left.label, v: right.label, left, comparator, right },
      lists,
    );
  }
  const [a, b] = [numberOf(session, left, lists), numberOf(session, right, lists)];
  return (bound) => {
    const [x, y] = [a(bound), b(bound)];
    return x !== undefined && y !== undefined && holds(comparator, compareExact(x, y));
  };
}

/** Evaluates a leaf with one label for all the label's events at once. */
function singleTruth(session: Session, leaf: LeafTest, { events }: Matches, label: number): Truth {
  const satisfying = new Set(selectEvents(session, leaf, events));
  const truths = Uint8Array.from(events, (event) => (satisfying.has(event) ? 1 : 0));
  return (bound) => truths[at(bound, label)] === 1;
}

/** Returns a function that computes an operand of several labels for a binding. */
export function numberOf(
  session: Session,
  operand: QueryOperand,
  lists: readonly Matches[],
): (bound: Int32Array) => ExactNumber | undefined {
  if (operand.kind !== 'sum') return () => undefined;
  const ownTerms = { ...operand, terms: operand.terms.filter(({ of }) => usesOneLabel(of)) };
  const parts = [...new Set(labelsOf(ownTerms))].map((label) => ({
    label,
    cells: cellsOf(session, partOfLabel(ownTerms, label), (lists[label] as Matches).events),
  }));
  const otherTerms = { ...operand, terms: operand.terms.filter(({ of }) => !usesOneLabel(of)) };
  const cells = new Map(
    attributesOfOperand(otherTerms).map((attribute) => {
      const { events } = lists[attribute.label] as Matches;
      return [attribute, cellsOf(session, attribute, events)];
    }),
  );
  return (bound) => {
    let sum = sumOf(otherTerms, (attribute) =>
      numberAt(cells.get(attribute) as Cells, at(bound, attribute.label)),
    );
    for (const { label, cells } of parts) {
      const value = numberAt(cells, at(bound, label));
      if (value === undefined || sum === undefined) return undefined;
      sum = addExact(sum, value);
    }
    return sum;
  };
}

function usesOneLabel(of: Summand['of']): boolean {
  return new Set(labelsOf(of)).size <= 1;
}
