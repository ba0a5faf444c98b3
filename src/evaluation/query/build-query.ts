import type * as tree from '../../expression/index.js';
import { FUNCTIONS, MIRRORED, printCondition, printTerm } from '../../expression/index.js';
import {
  comparisonOf,
  constantOf,
  constantTest,
  type LabelScope,
  labelsOf,
  negated,
  notYetEvaluated,
  operandOf,
  partOfLabel,
  plus,
} from './operand.js';
import type {
  AttributeOf,
  Conjunct,
  Join,
  Query,
  QueryComparison,
  QueryMeasure,
  QueryTerm,
  Test,
} from './query.js';

/**
 * The query of an expression that `check` finds no error in.
 *
 * @throws {RangeError} when a label or a function does not exist, which the checks report
 */
export function buildQuery(expression: tree.Expression): Query {
  const { patterns } = expression.match;
  const unknown = patterns.find(({ absent }) => absent) ?? expression.aggregate?.by;
  if (unknown !== undefined) throw notYetEvaluated(unknown);
  const labels = patterns.map(({ label }) => label.text);
  const numbers = new Map(labels.map((label, number) => [label, number]));
  if (numbers.size < labels.length) throw new RangeError('a label is given twice');
  const labelOf = (name: string): number => {
    const number = numbers.get(name);
    if (number === undefined) throw new RangeError(`there is no label ${name}`);
    return number;
  };
  const scope: LabelScope = {
    attribute: ({ path, probe }) =>
      attributeOf(labelOf((path[0] as tree.Name).text), path.slice(1), probe),
  };
  const arrows = arrowsOf(expression.when, labelOf);
  const circular = circularLabels(arrows, labels.length);
  const orderly = arrows.filter(([earlier]) => !circular.has(earlier));
  const filter = filterOf(expression.filter?.condition, labels.length, scope);
  return {
    labels,
    patterns: patterns.map(({ condition }, label) => testOf(condition, patternScope(label))),
    arrows: withoutImplied(orderly, labels.length),
    circular,
    ...filter,
    ...(expression.aggregate !== undefined && {
      measures: expression.aggregate.measures.map((measure) => measureOf(measure, scope)),
    }),
  };
}

function attributeOf(
  label: number,
  path: readonly tree.Name[],
  probe: tree.Name | undefined,
): AttributeOf {
  const name = path.map(({ text }) => text).join('.');
  return { kind: 'attribute', label, name, ...(probe !== undefined && { at: probe.text }) };
}

/** In a pattern all attributes are those of the pattern's event. */
function patternScope(label: number): LabelScope {
  return { attribute: ({ path, probe }) => attributeOf(label, path, probe) };
}

function testOf(condition: tree.Condition, scope: LabelScope): Test {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const operands = condition.operands.map((operand) => testOf(operand, scope));
      return { kind: condition.kind, operands };
    }
    case 'comparison': {
      const { left, comparator, right } = condition;
      return comparisonOf(operandOf(left, scope), comparator, operandOf(right, scope));
    }
    case 'located': {
      const is = (name: string, text: string): Test => {
        const path = [{ kind: 'name', span: condition.span, text: name }] as const;
        const left = scope.attribute({ kind: 'attribute', span: condition.span, path });
        return comparisonOf(left, '=', { kind: 'constant', value: text });
      };
      const { event, probe } = condition;
      return { kind: 'and', operands: [is('name', event.text), is('probe', probe.text)] };
    }
    default:
      throw notYetEvaluated(condition);
  }
}

/** FILTER taken apart by how many labels each conjunct speaks of. */
function filterOf(condition: tree.Condition | undefined, labels: number, scope: LabelScope) {
  const filters = Array.from({ length: labels }, (): Test[] => []);
  const joins: Join[] = [];
  const others: Conjunct[] = [];
  let neverHolds = false;
  const conjuncts = condition?.kind === 'and' ? condition.operands : condition ? [condition] : [];
  for (const conjunct of conjuncts) {
    const test = testOf(conjunct, scope);
    const of = [...new Set(labelsOfTest(test))].sort((a, b) => a - b);
    const text = printCondition(conjunct);
    const [u, v] = of;
    if (u === undefined) neverHolds ||= !constantTest(test);
    else if (v === undefined) (filters[u] as Test[]).push(test);
    else if (of.length === 2 && test.kind === 'comparison') joins.push(joinOf(test, u, v, text));
    else others.push({ test, labels: of, text });
  }
  return { filters, joins, others, neverHolds };
}

function labelsOfTest(test: Test): number[] {
  if (test.kind === 'comparison') return [...labelsOf(test.left), ...labelsOf(test.right)];
  return test.operands.flatMap(labelsOfTest);
}

/** A comparison of two labels with each of them on a side of its own. */
function joinOf(
  { left, comparator, right }: QueryComparison,
  u: number,
  v: number,
  text: string,
): Join {
  const plain = { u, v, left, comparator, right, text };
  if (left.kind === 'attribute' && right.kind === 'attribute') {
    return left.label === u
      ? plain
      : { ...plain, left: right, comparator: MIRRORED[comparator], right: left };
  }
  // left - right is the part of u, plus the part of v, plus a constant: the part of v changes sides.
  const all = plus(left, -1, right);
  if (all.kind !== 'sum') return { ...plain, left: all, right: all };
  const ofU = { ...partOfLabel(all, u), constant: all.constant };
  return { ...plain, left: ofU, right: negated(partOfLabel(all, v)) };
}

function measureOf(measure: tree.Measure, scope: LabelScope): QueryMeasure {
  const { left, comparator, right } = measure;
  const text = `${printTerm(left)} ${comparator} ${printTerm(right)}`;
  return { left: termOf(left, scope), comparator, right: termOf(right, scope), text };
}

function termOf(term: tree.Term, scope: LabelScope): QueryTerm {
  switch (term.kind) {
    case 'sum':
    case 'product':
    case 'share':
    case 'baseline':
      throw notYetEvaluated(term);
    case 'call':
      return functionOf(term, scope);
    default:
      return constantOf(term);
  }
}

function functionOf(term: tree.Call, scope: LabelScope): QueryTerm {
  const name = term.name.text;
  const known = FUNCTIONS.get(name);
  if (known === undefined) throw new RangeError(`there is no function ${name}`);
  if (known.argument === 'none') return { kind: 'count' };
  if (known.carries.kind === 'distinct' || known.percent) throw notYetEvaluated(term);
  if (term.argument === undefined) throw new RangeError(`${name} needs an argument`);
  const argument = operandOf(term.argument, scope);
  const labels = [...new Set(labelsOf(argument))].sort((a, b) => a - b);
  return { kind: 'aggregate', function: known, argument, labels, text: printTerm(term) };
}

/** With more labels than this, arrows that others imply are kept: to find them is cubic. */
const MOST_LABELS_REDUCED = 200;

type Arrow = readonly [number, number];

/** The arrows of WHEN, each once: [earlier, later]. */
function arrowsOf(when: tree.When | undefined, labelOf: (name: string) => number): Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const relation of when?.relations ?? []) {
    if (relation.kind !== 'chain' || relation.within) throw notYetEvaluated(relation);
    const next = relation.arrows.find((arrow) => arrow.next);
    if (next !== undefined) throw notYetEvaluated(next);
    const { labels } = relation;
    for (let at = 1; at < labels.length; at++) {
      const earlier = labelOf((labels[at - 1] as { text: string }).text);
      const later = labelOf((labels[at] as { text: string }).text);
      arrows.set(`${earlier} ${later}`, [earlier, later]);
    }
  }
  return [...arrows.values()];
}

/**
 * The arrows that no path of others implies. Happened-before is transitive, so the rest say
 * nothing new; without them `a -> b AND b -> c AND a -> c` is a chain. No cycles may be left.
 */
function withoutImplied(arrows: readonly Arrow[], labels: number): Arrow[] {
  if (labels > MOST_LABELS_REDUCED) return [...arrows];
  const next = successors(arrows, labels);
  const reach = next.map((direct) => new Set(direct));
  for (let middle = 0; middle < labels; middle++) {
    for (const from of reach) {
      if (from.has(middle)) for (const to of reach[middle] as Set<number>) from.add(to);
    }
  }
  return arrows.filter(
    ([earlier, later]) =>
      !(next[earlier] as number[]).some(
        (middle) => middle !== later && (reach[middle] as Set<number>).has(later),
      ),
  );
}

/** The labels that arrows connect, in any direction, with a cycle of arrows. */
function circularLabels(arrows: readonly Arrow[], labels: number): Set<number> {
  const next = successors(arrows, labels);
  const before = new Array<number>(labels).fill(0);
  for (const [, later] of arrows) before[later] = (before[later] as number) + 1;
  const free = before.flatMap((count, label) => (count === 0 ? [label] : []));
  for (let label = free.pop(); label !== undefined; label = free.pop()) {
    for (const later of next[label] as number[]) {
      before[later] = (before[later] as number) - 1;
      if (before[later] === 0) free.push(later);
    }
  }
  // What is left lies on a cycle or after one; from there, along the arrows both ways.
  const circular = new Set(before.flatMap((count, label) => (count > 0 ? [label] : [])));
  const beside = successors([...arrows, ...arrows.map(([a, b]): Arrow => [b, a])], labels);
  for (const label of circular) for (const other of beside[label] as number[]) circular.add(other);
  return circular;
}

function successors(arrows: readonly Arrow[], labels: number): number[][] {
  const next = Array.from({ length: labels }, (): number[] => []);
  for (const [earlier, later] of arrows) (next[earlier] as number[]).push(later);
  return next;
}
