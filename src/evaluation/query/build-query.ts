import type * as tree from '../../expression/index.js';
import { FUNCTIONS, MIRRORED } from '../../expression/index.js';
import { arrowsOf, circularLabels, withoutImplied } from './arrows.js';
import { constantTest } from './constant-test.js';
import {
  comparisonOf,
  constantOf,
  labelsOf,
  negated,
  operandOf,
  partOf,
  plus,
  type Scope,
} from './operand.js';
import type {
  AttributeOf,
  Comparison,
  Conjunct,
  Join,
  Measure,
  Query,
  Term,
  Test,
} from './query.js';
import { conditionText, measureText, termText } from './text.js';

/**
 * The query of an expression that `check` finds no error in.
 *
 * @throws {RangeError} when a label or a function does not exist, which the checks report
 */
export function buildQuery(expression: tree.Expression): Query {
  const { patterns } = expression.match;
  const labels = patterns.map(({ label }) => label.text);
  const numbers = new Map(labels.map((label, number) => [label, number]));
  if (numbers.size < labels.length) throw new RangeError('a label is given twice');
  const labelOf = (name: string): number => {
    const number = numbers.get(name);
    if (number === undefined) throw new RangeError(`there is no label ${name}`);
    return number;
  };
  const scope: Scope = {
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
function patternScope(label: number): Scope {
  return { attribute: ({ path, probe }) => attributeOf(label, path, probe) };
}

function testOf(condition: tree.Condition, scope: Scope): Test {
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
  }
}

/** FILTER taken apart by how many labels each conjunct speaks of. */
function filterOf(condition: tree.Condition | undefined, labels: number, scope: Scope) {
  const filters = Array.from({ length: labels }, (): Test[] => []);
  const joins: Join[] = [];
  const others: Conjunct[] = [];
  let neverHolds = false;
  const conjuncts = condition?.kind === 'and' ? condition.operands : condition ? [condition] : [];
  for (const conjunct of conjuncts) {
    const test = testOf(conjunct, scope);
    const of = [...new Set(labelsOfTest(test))].sort((a, b) => a - b);
    const text = conditionText(conjunct);
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
function joinOf({ left, comparator, right }: Comparison, u: number, v: number, text: string): Join {
  const plain = { u, v, left, comparator, right, text };
  if (left.kind === 'attribute' && right.kind === 'attribute') {
    return left.label === u
      ? plain
      : { ...plain, left: right, comparator: MIRRORED[comparator], right: left };
  }
  // left - right is the part of u, plus the part of v, plus a constant: the part of v changes sides.
  const all = plus(left, -1, right);
  if (all.kind !== 'sum') return { ...plain, left: all, right: all };
  const ofU = { ...partOf(all, u), constant: all.constant };
  return { ...plain, left: ofU, right: negated(partOf(all, v)) };
}

function measureOf(measure: tree.Measure, scope: Scope): Measure {
  const text = measureText(measure);
  const [left, right] = [termOf(measure.left, scope), termOf(measure.right, scope)];
  return { left, comparator: measure.comparator, right, text };
}

function termOf(term: tree.Term, scope: Scope): Term {
  if (term.kind !== 'call') return constantOf(term);
  const name = term.name.text;
  const known = FUNCTIONS.get(name);
  if (known === undefined) throw new RangeError(`there is no function ${name}`);
  if (known.argument === 'none') return { kind: 'count' };
  if (term.argument === undefined) throw new RangeError(`${name} needs an argument`);
  const argument = operandOf(term.argument, scope);
  const labels = [...new Set(labelsOf(argument))].sort((a, b) => a - b);
  return { kind: 'aggregate', function: known, argument, labels, text: termText(term) };
}
