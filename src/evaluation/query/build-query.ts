import type * as tree from '../../expression/index.js';
import {
  conjunctsOf,
  equalitiesOfNext,
  isOfSession,
  labelsOfCondition,
  type MeaningPart,
  MIRRORED_COMPARATORS,
  meaningOf,
  printCondition,
  printOperand,
} from '../../expression/index.js';
import { compareExact, negateExact } from '../exact/number.js';
import { buildAggregate } from './build-terms.js';
import {
  buildOperand,
  isConstantTestTrue,
  isSeparable,
  type LabelScope,
  labelsOf,
  labelsOfTest,
  makeComparison,
  makeConstant,
  negate,
  partOfLabel,
  scale,
  subtract,
} from './operand.js';
import type {
  Conjunct,
  Constant,
  FilterParts,
  Join,
  LabelAttribute,
  NoValue,
  Query,
  QueryAbsence,
  QueryComparison,
  SessionTimes,
  Test,
} from './query.js';

/**
 * Builds the query for an expression without errors.
 *
 * @param times called if the expression mentions the session's times
 * @throws {RangeError} for an unknown label or function, which the checks report
 */
export function buildQuery(
  expression: tree.Expression,
  times: () => SessionTimes = () => ({}),
): Query {
  const names = expression.match.patterns.map(({ label }) => label.text);
  const bound = new Set(names);
  if (bound.size < names.length) throw new RangeError('duplicate label');
  const patterns = new Map(
    expression.match.patterns.map(({ label, condition }) => [label.text, testOfPattern(condition)]),
  );
  const context: Context = { bound, patterns, times };
  const { present: presentLabels, parts, absences } = meaningOf(expression);
  const mainQuery = partsQuery(context, presentLabels, [], parts);
  const absenceQueries = absences.map((absence): QueryAbsence => {
    const absentLabels = new Set(absence.labels);
    const mentioned = new Set(absence.parts.flatMap(({ labels }) => labels));
    const sharedLabels = presentLabels.filter(
      (label) => mentioned.has(label) && !absentLabels.has(label),
    );
    return {
      query: partsQuery(context, absence.labels, sharedLabels, absence.parts),
      shared: sharedLabels.map((label) => presentLabels.indexOf(label)),
      isOfMatch: true,
      text: absence.labels.map((label) => `NOT ${label}`).join(', '),
    };
  });
  for (const part of parts) {
    if (part.kind !== 'arrow' || !part.next || part.from === part.to) continue;
    absenceQueries.push(betweenOf(context, expression, presentLabels, part));
  }
  const positions = names.map((label) => {
    const number = presentLabels.indexOf(label);
    if (number >= 0) return { label, number };
    const absence = absenceQueries.findIndex(({ query }) => query.labels.includes(label));
    return {
      label,
      absence,
      number: absenceQueries[absence]?.query.labels.indexOf(label) as number,
    };
  });
  const scope = makeScope(context, presentLabels);
  const hasNone = parts.some(
    (part) =>
      part.kind === 'condition' &&
      part.labels.length === 0 &&
      !isConstantTestTrue(makeTest(part.condition, scope)),
  );
  const apart = (condition: tree.Condition): FilterParts =>
    partsQuery(context, presentLabels, [], conditionParts(condition, bound));
  return {
    ...mainQuery,
    absences: absenceQueries,
    places: positions,
    ...buildAggregate(expression, scope, apart, hasNone),
  };
}

const patternTests = new WeakMap<tree.Condition, Test>();

/**
 * Returns a pattern's test. Returns the same object on each call, which allows selecting the pattern's events only
 * once.
 */
function testOfPattern(condition: tree.Condition): Test {
  const test = patternTests.get(condition) ?? makeTest(condition, PATTERN_SCOPE);
  patternTests.set(condition, test);
  return test;
}

/** Splits a condition into conjuncts of the same form as FILTER's conjuncts. */
function conditionParts(condition: tree.Condition, bound: ReadonlySet<string>): MeaningPart[] {
  return conjunctsOf(condition).map((conjunct) => ({
    kind: 'condition',
    condition: conjunct,
    labels: labelsOfCondition(conjunct, bound),
    span: conjunct.span,
  }));
}

/** The context shared by all parts of an expression. */
interface Context {
  /** The labels of MATCH. */
  readonly bound: ReadonlySet<string>;
  readonly patterns: ReadonlyMap<string, Test>;
  readonly times: () => SessionTimes;
}

const ANY: Test = { kind: 'and', operands: [] };

/** Returns the absence implied by NEXT: no event that matches the later pattern lies between the two events. */
function betweenOf(
  context: Context,
  expression: tree.Expression,
  presentLabels: readonly string[],
  part: MeaningPart & { readonly kind: 'arrow' },
): QueryAbsence {
  const { from, to } = part;
  const joins = equalitiesOfNext(expression, from, to).map((equality): Join => {
    const path = (attribute: tree.Attribute) => attribute.path.slice(1);
    return {
      u: 0,
      v: 2,
      left: attributeOf(0, path(equality.of), undefined),
      comparator: '=',
      right: attributeOf(2, path(equality.with), undefined),
      text: `${printOperand(equality.of)} = ${printOperand(equality.with)}`,
    };
  });
  // Cannot clash, because no label of MATCH ends with a space.
  const between = `${to} `;
  const patterns = new Map([[between, context.patterns.get(to) as Test]]);
  const arrows = [
    { ...part, to: between },
    { ...part, from: between },
  ];
  const parts = partsQuery({ ...context, patterns }, [between], [from, to], arrows);
  const sharedLabels = [presentLabels.indexOf(from), presentLabels.indexOf(to)];
  const text = `${from} -> NEXT ${to}`;
  return { query: { ...parts, joins }, shared: sharedLabels, isOfMatch: false, text };
}

/**
 * Builds the query for some parts. Its labels are `sharedLabels`, which another query binds, followed by `ownLabels`.
 */
function partsQuery(
  context: Context,
  ownLabels: readonly string[],
  sharedLabels: readonly string[],
  parts: readonly MeaningPart[],
): Query {
  const labels = [...sharedLabels, ...ownLabels];
  const scope = makeScope(context, labels);
  const labelNumber = numberer(labels);
  const filters = labels.map((): Test[] => []);
  const joins: Join[] = [];
  const otherConjuncts: Conjunct[] = [];
  const arrows = new Map<string, Arrow>();
  const concurrent = new Map<string, Arrow>();
  let neverHolds = false;
  for (const part of parts) {
    if (part.kind === 'condition') {
      const test = makeTest(part.condition, scope);
      const [u, v, w] = part.labels.map(labelNumber).sort((a, b) => a - b);
      const text = printCondition(part.condition);
      const joinsOfPart =
        u !== undefined && v !== undefined && w === undefined && test.kind === 'comparison'
          ? joinsOf(test, u, v, text)
          : [];
      if (u === undefined) neverHolds ||= !isConstantTestTrue(test);
      else if (v === undefined) (filters[u] as Test[]).push(test);
      else if (joinsOfPart.length > 0) joins.push(...joinsOfPart);
      else otherConjuncts.push({ test, labels: labelsOfTest(test), text });
      continue;
    }
    const [from, to] = [labelNumber(part.from), labelNumber(part.to)];
    const [u, v] = from < to ? [from, to] : [to, from];
    switch (part.kind) {
      case 'arrow':
        arrows.set(`${from} ${to}`, [from, to]);
        break;
      case 'concurrent':
        if (from === to) neverHolds = true;
        else concurrent.set(`${u} ${v}`, [u, v]);
        break;
      case 'distinct': {
        const event = (label: number) => ({ kind: 'event', label }) as const;
        const text = `${part.from} != ${part.to}`;
        if (from === to) neverHolds = true;
        else joins.push({ u, v, left: event(u), comparator: '!=', right: event(v), text });
        break;
      }
      case 'within': {
        const time = (label: number) => attributeOf(label, 'time', undefined);
        const { nanoseconds, span } = part;
        const limitLiteral = { kind: 'duration', span, value: nanoseconds } as const;
        const test = makeComparison(
          subtract(time(to), time(from)),
          '<=',
          makeConstant(limitLiteral),
        );
        const text = `${part.from} -> ${part.to} WITHIN ${printOperand(limitLiteral)}`;
        // Skip an arrow from a label to itself, which is a cycle.
        if (from !== to) joins.push(joinOf(test, u, v, text) as Join);
      }
    }
  }
  const arrowList = [...arrows.values()];
  const circular = circularLabels(arrowList, labels.length);
  const orderly = arrowList.filter(([earlier]) => !circular.has(earlier));
  return {
    labels,
    patterns: labels.map((label, number) =>
      number < sharedLabels.length ? ANY : (context.patterns.get(label) as Test),
    ),
    arrows: dropImplied(orderly, labels.length),
    circular,
    concurrent: [...concurrent.values()],
    neverHolds,
    filters,
    joins,
    others: otherConjuncts,
    absences: [],
    places: [],
  };
}

/** Returns a function that maps a label's name to its number. The function throws a RangeError for an unknown label. */
function numberer(labels: readonly string[]): (name: string) => number {
  const numbers = new Map(labels.map((label, number) => [label, number]));
  return (name) => {
    const number = numbers.get(name);
    if (number === undefined) throw new RangeError(`unknown label ${name}`);
    return number;
  };
}

/** Returns the scope for FILTER and AGGREGATE, where an attribute's path begins with its label. */
export function makeScope(
  { bound, times }: Omit<Context, 'patterns'>,
  labels: readonly string[],
): LabelScope {
  const labelNumber = numberer(labels);
  return {
    attribute: (attribute) => {
      const { path, probe } = attribute;
      const [firstName, ...attributeNames] = path as [tree.Name, ...tree.Name[]];
      if (!isOfSession(attribute, bound))
        return attributeOf(labelNumber(firstName.text), attributeNames, probe);
      return timeOf(times(), (attributeNames[0] as tree.Name).text as 'start' | 'end');
    },
  };
}

function timeOf(times: SessionTimes, which: 'start' | 'end'): Constant | NoValue {
  const value = times[which];
  return value === undefined ? { kind: 'nothing', labels: [] } : { kind: 'constant', value };
}

function attributeOf(
  label: number,
  path: readonly tree.Name[] | string,
  probe: tree.Name | undefined,
): LabelAttribute {
  const name = typeof path === 'string' ? path : path.map(({ text }) => text).join('.');
  return { kind: 'attribute', label, name, ...(probe !== undefined && { at: probe.text }) };
}

/** The scope for patterns, where all attributes belong to the pattern's event. The label number 0 is arbitrary. */
const PATTERN_SCOPE: LabelScope = {
  attribute: ({ path, probe }) => attributeOf(0, path, probe),
};

function makeTest(condition: tree.Condition, scope: LabelScope): Test {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const operands = condition.operands.map((operand) => makeTest(operand, scope));
      return { kind: condition.kind, operands };
    }
    case 'comparison': {
      const { left, comparator, right } = condition;
      return makeComparison(buildOperand(left, scope), comparator, buildOperand(right, scope));
    }
    case 'located': {
      const is = (name: string, text: string): Test => {
        const path = [{ kind: 'name', span: condition.span, text: name }] as const;
        const left = scope.attribute({ kind: 'attribute', span: condition.span, path });
        return makeComparison(left, '=', { kind: 'constant', value: text });
      };
      const { event, probe } = condition;
      return { kind: 'and', operands: [is('name', event.text), is('probe', probe.text)] };
    }
    case 'not':
      return { kind: 'not', operand: makeTest(condition.operand, scope) };
    case 'exists':
      return { kind: 'exists', operand: scope.attribute(condition.attribute) };
    case 'in': {
      const values = condition.values.map((literal) => makeConstant(literal).value);
      return { kind: 'in', operand: buildOperand(condition.operand, scope), values };
    }
    case 'glob': {
      const operand = buildOperand(condition.operand, scope);
      return { kind: 'glob', operand, pattern: condition.pattern.value };
    }
  }
}

/**
 * Converts a comparison of two labels to a conjunction of joins. Returns no joins if the labels cannot be separated.
 */
function joinsOf(test: QueryComparison, u: number, v: number, text: string): Join[] {
  const joins = expandAbsolute(test).map((comparison) => joinOf(comparison, u, v, text));
  return joins.every((join) => join !== undefined) ? joins : [];
}

/** Splits `abs(x) <= y` into `x <= y` and `-x <= y`. Returns any other comparison unchanged. */
function expandAbsolute(test: QueryComparison): QueryComparison[] {
  const difference = subtract(test.left, test.right);
  if (difference.kind !== 'sum') return [test];
  const [absoluteTerm, ...otherTerms] = difference.terms.filter(
    ({ of }) => new Set(labelsOf(of)).size > 1,
  );
  if (absoluteTerm?.of.kind !== 'absolute' || otherTerms.length > 0) return [test];
  const isPositive = compareExact(absoluteTerm.times, 0) > 0;
  const comparator = isPositive ? test.comparator : MIRRORED_COMPARATORS[test.comparator];
  if (comparator !== '<' && comparator !== '<=') return [test];
  const otherSum = {
    ...difference,
    terms: difference.terms.filter((term) => term !== absoluteTerm),
  };
  const { of } = absoluteTerm.of;
  return [absoluteTerm.times, negateExact(absoluteTerm.times)].map((times) => {
    const boundedComparison = subtract(otherSum, negate(scale(of, times)));
    return makeComparison(boundedComparison, test.comparator, { kind: 'constant', value: 0 });
  });
}

/**
 * Rewrites a comparison of two labels with one label on each side. Returns undefined if the labels cannot be separated.
 */
function joinOf(
  { left, comparator, right }: QueryComparison,
  u: number,
  v: number,
  text: string,
): Join | undefined {
  const plainJoin = { u, v, left, comparator, right, text };
  const isPlain = ({ kind }: typeof left) => kind === 'attribute' || kind === 'event';
  if (isPlain(left) && isPlain(right)) {
    return labelsOf(left)[0] === u
      ? plainJoin
      : { ...plainJoin, left: right, comparator: MIRRORED_COMPARATORS[comparator], right: left };
  }
  // left - right consists of the terms of u, the terms of v and a constant. Move the terms of v to the right side.
  const difference = subtract(left, right);
  if (difference.kind !== 'sum') return { ...plainJoin, left: difference, right: difference };
  if (!isSeparable(difference)) return undefined;
  const ofU = { ...partOfLabel(difference, u), constant: difference.constant };
  return { ...plainJoin, left: ofU, right: negate(partOfLabel(difference, v)) };
}

/** Maximum number of labels for dropping implied arrows, which takes cubic time. */
const MAX_REDUCED_LABELS = 200;

type Arrow = readonly [number, number];

/**
 * Drops each arrow that a path of other arrows implies, such as `a -> c` beside `a -> b` and `b -> c`, because
 * happened-before is transitive. The arrows must not form cycles.
 */
function dropImplied(arrows: readonly Arrow[], labels: number): Arrow[] {
  if (labels > MAX_REDUCED_LABELS) return [...arrows];
  const nextLabels = successors(arrows, labels);
  const reach = nextLabels.map((direct) => new Set(direct));
  for (let middleLabel = 0; middleLabel < labels; middleLabel++) {
    for (const from of reach) {
      if (from.has(middleLabel)) for (const to of reach[middleLabel] as Set<number>) from.add(to);
    }
  }
  return arrows.filter(
    ([earlier, laterLabel]) =>
      !(nextLabels[earlier] as number[]).some(
        (middleLabel) =>
          middleLabel !== laterLabel && (reach[middleLabel] as Set<number>).has(laterLabel),
      ),
  );
}

/** Returns the labels that arrows connect to a cycle of arrows, regardless of the arrows' directions. */
function circularLabels(arrows: readonly Arrow[], labels: number): Set<number> {
  const nextLabels = successors(arrows, labels);
  const predecessorCounts = new Array<number>(labels).fill(0);
  for (const [, laterLabel] of arrows)
    predecessorCounts[laterLabel] = (predecessorCounts[laterLabel] as number) + 1;
  const freeLabels = predecessorCounts.flatMap((count, label) => (count === 0 ? [label] : []));
  for (let label = freeLabels.pop(); label !== undefined; label = freeLabels.pop()) {
    for (const laterLabel of nextLabels[label] as number[]) {
      predecessorCounts[laterLabel] = (predecessorCounts[laterLabel] as number) - 1;
      if (predecessorCounts[laterLabel] === 0) freeLabels.push(laterLabel);
    }
  }
  // The remaining labels lie on a cycle or after a cycle. Follow arrows in both directions from these labels.
  const circular = new Set(predecessorCounts.flatMap((count, label) => (count > 0 ? [label] : [])));
  const adjacent = successors([...arrows, ...arrows.map(([a, b]): Arrow => [b, a])], labels);
  for (const label of circular)
    for (const otherLabel of adjacent[label] as number[]) circular.add(otherLabel);
  return circular;
}

function successors(arrows: readonly Arrow[], labels: number): number[][] {
  const nextLabels = Array.from({ length: labels }, (): number[] => []);
  for (const [earlier, laterLabel] of arrows) (nextLabels[earlier] as number[]).push(laterLabel);
  return nextLabels;
}
