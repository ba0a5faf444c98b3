import {
  type ProposedFix,
  quote,
  type ReportFn,
  suggestedFix,
  type Violation,
} from '../../diagnostics/index.js';
import type { ExpressionRule } from '../analysis/context.js';
import type {
  Attribute,
  Condition,
  DurationLiteral,
  In,
  Literal,
  Measure,
  Not,
  Operand,
  Term,
} from '../tree/ast.js';
import { UNITS as DURATION_UNITS, printCondition, printOperand } from '../tree/print.js';
import {
  attributesOf,
  conjunctsOf,
  isArithmetic,
  isLeaf,
  isLiteral,
  type Leaf,
  measuresOf,
  partsOfArithmetic,
} from '../tree/walk.js';

/* Comparisons that are valid but probably unintended. */

/** Reports comparisons and sums of values in different units. */
export const unitMismatch: ExpressionRule = {
  id: 'expression/unit-mismatch',
  severity: 'warning',
  fixable: 'suggested',
  summary:
    'values in different units are compared or added, such as a duration and a bare number, or a point in time and a duration',
  why: 'Times are in nanoseconds: `100` is 100 ns. `100ms` is 100000000, which does not fit an attribute in milliseconds such as `latency_ms`. A `time` is a point in time, not the time since the start.',
  action:
    'Compare a difference of times with a duration such as `100ms`, an attribute named after its unit with a bare number, and a `time` with another `time`.',
  examples: {
    fails:
      "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time - f.time < 100",
    passes:
      "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time - f.time < 100ms",
  },
  check({ text, tree, context }, report) {
    const matchNodes = new Set<Leaf | Measure>(context.inPatterns);
    const { inPatterns, inFilter } = context;
    for (const node of [...inPatterns, ...inFilter, ...measuresOf(tree)]) {
      const violation = explain(text, node, matchNodes.has(node));
      if (violation !== undefined) report(violation);
    }
  },
};

/** The units in attribute names. Excludes nanoseconds, the unit of times. */
type NamedUnit = 'us' | 'ms' | 's' | 'min' | 'h';

/**
 * A point in time, a duration, a number without a unit, a count, a unit in an attribute's name, or
 * `other`, which may be a time too.
 */
type Unit = 'instant' | 'duration' | 'number' | 'count' | NamedUnit | 'other';

function explain(text: string, node: Leaf | Measure, isInMatch: boolean): Violation | undefined {
  if (node.kind === 'in') return explainList(text, node);
  if (node.kind !== 'comparison' && node.kind !== 'measure') return undefined;
  const { left, right, span } = node;
  const mixedSum = unlikeSummand(left) ?? unlikeSummand(right);
  if (mixedSum !== undefined) {
    const [time, otherText] = [mixedSum.time, mixedSum.other].map(({ span }) =>
      quote(text.slice(span.start, span.end)),
    );
    if (isLiteral(mixedSum.other)) {
      const message = `${time} is a time, but ${otherText} is a bare number`;
      return { message, help: durationFor(mixedSum.other), span, fix: addUnit(mixedSum.other) };
    }
    const unit = unitOf(mixedSum.other) as NamedUnit;
    return {
      message: `${time} is a time, but ${otherText} is in ${unit}`,
      span,
      ...scaleValue(text, mixedSum.other, unit),
    };
  }
  const sideText = (side: Operand | Term) => quote(text.slice(side.span.start, side.span.end));
  for (const [a, b] of [
    [left, right],
    [right, left],
  ] as const) {
    const [unit, otherUnit] = [unitOf(a), unitOf(b)];
    const isZero = isLiteral(b) && Number(b.value) === 0;
    if (unit === 'duration' && otherUnit === 'number' && !isZero) {
      const help = isLiteral(b) ? durationFor(b) : 'compare it with a duration such as 100ms';
      const message = `${sideText(a)} is a time, but ${sideText(b)} is a bare number`;
      return { message, help, span, fix: isLiteral(b) ? addUnit(b) : undefined };
    }
    if (unit === 'duration' && otherUnit === 'count') {
      const value =
        a.kind === 'duration' ? /^-?[\d.]+/.exec(text.slice(a.span.start))?.[0] : undefined;
      const help =
        value === undefined
          ? 'compare a count with a number, and a time with a duration'
          : `write ${value}: a count has no unit`;
      const fix = value === undefined ? undefined : suggestedFix(a.span, value);
      return {
        message: `${sideText(a)} is a time, but ${sideText(b)} is a number`,
        help,
        span,
        fix,
      };
    }
    if (unit === 'instant' && otherUnit === 'duration') {
      const message = `${sideText(a)} is a point in time, but ${sideText(b)} is a duration`;
      return { message, span, ...sinceStart(text, a, isInMatch) };
    }
    if (unit === 'duration' && isNamed(otherUnit)) {
      if (a.kind !== 'duration') {
        const message = `${sideText(a)} is a time, but ${sideText(b)} is in ${otherUnit}`;
        return { message, span, ...scaleValue(text, b, otherUnit) };
      }
      if (a.value === 0n) return undefined;
      const message = `${sideText(b)} is in ${otherUnit}, but ${sideText(a)} is ${a.value} nanoseconds`;
      const fix = suggestedFix(a.span, inUnit(a.value, otherUnit));
      return { message, help: fix.title, span, fix };
    }
    if (isNamed(unit) && isNamed(otherUnit) && unit !== otherUnit) {
      const message = `${sideText(a)} is in ${unit}, but ${sideText(b)} is in ${otherUnit}`;
      const [leftFix, rightFix] = [
        scaleValue(text, a, unit).fix,
        scaleValue(text, b, otherUnit).fix,
      ];
      if (leftFix === undefined || rightFix === undefined)
        return { message, help: 'convert one of them', span };
      const edits = [...leftFix.edits, ...rightFix.edits].sort(
        (x, y) => x.span.start - y.span.start,
      );
      const title = `write ${edits.map((edit) => edit.text).join(' and ')}`;
      return { message, help: title, span, fix: { title, kind: 'suggested', edits } };
    }
  }
  return undefined;
}

/**
 * Reports IN with values in a different unit than the operand, such as `b.time - a.time IN (100,
 * 200)`.
 */
function explainList(text: string, { operand, values, span }: In): Violation | undefined {
  const unit = unitOf(operand);
  const isTime = unit === 'duration' || unlikeSummand(operand) !== undefined;
  const numbers = values.filter((value) => unitOf(value) === 'number' && Number(value.value) !== 0);
  const [first] = numbers;
  const operandText = quote(text.slice(operand.span.start, operand.span.end));
  if (isTime && first !== undefined) {
    const fixes = ['ms', 's', 'ns'].map(
      (name): ProposedFix => ({
        title: `write the values in ${name}`,
        kind: 'suggested',
        edits: numbers.map((number) => ({ span: number.span, text: `${number.value}${name}` })),
      }),
    );
    const [fix, ...alternatives] = fixes;
    return {
      message: `${operandText} is a time, but ${quote(String(first.value))} is a bare number`,
      help: durationFor(first),
      span,
      ...(fix && { fix: { ...fix, alternatives } }),
    };
  }
  const durations = values.filter((value): value is DurationLiteral => value.kind === 'duration');
  const [duration] = durations;
  if (!isNamed(unit) || duration === undefined) return undefined;
  const edits = durations.map(({ span, value }) => ({ span, text: inUnit(value, unit) }));
  const title = `write ${edits.map((edit) => edit.text).join(' and ')}`;
  return {
    message: `${operandText} is in ${unit}, but ${quote(text.slice(duration.span.start, duration.span.end))} is ${duration.value} nanoseconds`,
    help: title,
    span,
    fix: { title, kind: 'suggested', edits },
  };
}

/** Returns a time in a sum, and a part in another unit: a bare number, or an attribute named after its unit. */
function unlikeSummand(
  side: Operand | Term,
): { readonly time: Operand | Term; readonly other: Operand | Term } | undefined {
  if (side.kind === 'call') return side.argument && unlikeSummand(side.argument);
  if (side.kind === 'baseline') return unlikeSummand(side.term);
  if (side.kind === 'abs') return unlikeSummand(side.operand);
  if (!isArithmetic<Operand | Term>(side)) return undefined;
  const parts = partsOfArithmetic<Operand | Term>(side);
  if (side.kind === 'sum') {
    const isOther = (part: Operand | Term) =>
      (isLiteral(part) && unitOf(part) === 'number' && Number(part.value) !== 0) ||
      isNamed(unitOf(part));
    const time = parts.find((part) => /^(?:instant|duration)$/.test(unitOf(part)));
    const otherPart = parts.find(isOther);
    if (time !== undefined && otherPart !== undefined) return { time, other: otherPart };
  }
  for (const part of parts) {
    const innerSum = unlikeSummand(part);
    if (innerSum !== undefined) return innerSum;
  }
  return undefined;
}

function isNamed(unit: Unit): unit is NamedUnit {
  return Object.hasOwn(NAMES, unit);
}

/** The endings of attribute names by unit. Excludes `_min`, which often means a minimum. */
const NAMES: Readonly<Record<NamedUnit, RegExp>> = {
  us: /(?:_(?:us|usecs?|micros|microseconds?)|[a-z\d](?:Us|Micros|Microseconds))$/,
  ms: /(?:_(?:ms|msecs?|millis|milliseconds?)|[a-z\d](?:Ms|Millis|Milliseconds))$/,
  s: /(?:_(?:s|secs?|seconds?)|[a-z\d](?:Secs?|Seconds))$/,
  min: /(?:_(?:mins|minutes?)|[a-z\d]Minutes)$/,
  h: /(?:_hours?|[a-z\d]Hours)$/,
};

/** Converts nanoseconds to a bare number in a unit. */
function inUnit(nanoseconds: bigint, unit: NamedUnit): string {
  const size = DURATION_UNITS[unit] as bigint;
  return nanoseconds % size === 0n
    ? String(nanoseconds / size)
    : String(Number(nanoseconds) / Number(size));
}

/** Advises multiplication by the unit in a value's name, which converts the value to nanoseconds. */
function scaleValue(
  text: string,
  { kind, span }: Operand | Term,
  unit: NamedUnit,
): Pick<Violation, 'help' | 'fix'> {
  if (kind !== 'attribute' && kind !== 'call') return { help: `multiply it by 1${unit}` };
  const fix = suggestedFix(span, `${text.slice(span.start, span.end)} * 1${unit}`);
  return { help: fix.title, fix };
}

/** Suggests each likely unit for a bare number. */
function addUnit({ value, span }: Literal): ProposedFix | undefined {
  const [first, ...alternatives] = ['ms', 's', 'ns'].map((unit) =>
    suggestedFix(span, `${value}${unit}`),
  );
  return first && { ...first, alternatives };
}

/**
 * Advises on a bare number compared with a time. The number is in nanoseconds, but most authors
 * think of milliseconds.
 */
function durationFor({ kind, value }: Literal): string {
  return kind === 'integer'
    ? `a bare number is in nanoseconds: write ${value}ms, or ${value}ns to keep the value`
    : `write ${value}s, ${value}ms or another duration`;
}

/**
 * Suggests the time since the start in place of a point in time. Only FILTER and AGGREGATE can
 * refer to the session.
 */
function sinceStart(
  text: string,
  { span }: Operand | Term,
  isInMatch: boolean,
): Pick<Violation, 'help' | 'fix'> {
  const comparisonText = text.slice(span.start, span.end);
  if (isInMatch) {
    return {
      help: `in FILTER, the time since the start is label.${comparisonText} - session.start`,
    };
  }
  const since = comparisonText.endsWith(')')
    ? `${comparisonText.slice(0, -1)} - session.start)`
    : `${comparisonText} - session.start`;
  const fix = suggestedFix(span, since);
  return { help: `for the time since the start, write ${since}`, fix };
}

function unitOf(side: Operand | Term): Unit {
  switch (side.kind) {
    case 'attribute':
      return unitOfAttribute(side);
    case 'duration':
      return 'duration';
    case 'integer':
    case 'float':
      return 'number';
    case 'abs':
      return unitOf(side.operand);
    case 'share':
      return 'count';
    case 'baseline':
      return unitOf(side.term);
    case 'call':
      return unitOfCall(side.name.text, side.argument);
    case 'sum':
    case 'product': {
      const combineUnits = side.kind === 'sum' ? unitOfSum : unitOfProduct;
      const first = unitOf(side.first as Operand | Term);
      return side.rest.reduce(
        (unit, { sign, operand }) => combineUnits(unit, sign, unitOf(operand)),
        first,
      );
    }
    default:
      return 'other';
  }
}

/**
 * Returns an attribute's unit: an instant for `time`, `label.time`, `session.start` and
 * `session.end`, a duration for `span.duration`, or the unit in a name such as `latency_ms`.
 */
function unitOfAttribute({ path }: Attribute): Unit {
  const name = path.at(-1)?.text ?? '';
  if (path.length <= 2 && name === 'time') return 'instant';
  const isOfSession = path.length === 2 && path[0]?.text === 'session';
  if (isOfSession && (name === 'start' || name === 'end')) return 'instant';
  if (name === 'duration' && path.at(-2)?.text === 'span') return 'duration';
  return NAMED_UNITS.find((unit) => NAMES[unit].test(name)) ?? 'other';
}

const NAMED_UNITS = Object.keys(NAMES) as NamedUnit[];

function unitOfCall(name: string, argument: Operand | undefined): Unit {
  if (name === 'count' || name === 'distinct') return 'count';
  if (argument === undefined) return 'other';
  const unit = unitOf(argument);
  return name === 'stddev' && unit === 'instant' ? 'duration' : unit;
}

function unitOfSum(a: Unit, sign: string, b: Unit): Unit {
  if (a === 'instant' && b === 'instant') return sign === '-' ? 'duration' : 'other';
  if (a === 'instant' && b === 'duration') return 'instant';
  if (a === 'duration' && b === 'instant') return sign === '+' ? 'instant' : 'other';
  // `unlikeSummand` reports the other part.
  if (/^(?:instant|duration)$/.test(a) && (b === 'number' || isNamed(b))) return a;
  return a === b ? a : 'other';
}

function unitOfProduct(a: Unit, sign: string, b: Unit): Unit {
  const isNumber = (unit: Unit) => unit === 'number' || unit === 'count';
  if (isNumber(a) && isNumber(b)) return a === 'count' ? a : b;
  if (a === 'duration' && isNumber(b)) return 'duration';
  if (isNumber(a) && b === 'duration') return sign === '*' ? 'duration' : 'other';
  if ((isNamed(a) && b === 'duration') || (a === 'duration' && isNamed(b))) {
    return sign === '*' ? 'duration' : 'other';
  }
  return a === 'duration' && b === 'duration' && sign === '/' ? 'number' : 'other';
}

/** Reports a negated comparison that a missing attribute satisfies. */
export const missingNegated: ExpressionRule = {
  id: 'expression/missing-negated',
  severity: 'warning',
  fixable: 'suggested',
  summary: 'a negated comparison that is true for events without the attribute',
  why: 'A comparison with a missing attribute is false, so its negation is true: `NOT (status = 200)` holds for every event that has no status.',
  action:
    'Use the opposite operator, which requires the attribute, or require the attribute with `exists()`.',
  examples: {
    fails: 'MATCH (NOT (status = 200)) AS f',
    passes: "MATCH (name = 'response' AND status != 200) AS f",
  },
  check({ text, tree }, report) {
    // Most expressions have no NOT.
    if (!/\bNOT\b/i.test(text)) return;
    const requiredAttributes = new Set<string>();
    const patterns = tree.match?.patterns ?? [];
    for (const { condition, label } of patterns)
      addRequired(condition, label.text, requiredAttributes);
    const filter = tree.filter?.condition;
    if (filter !== undefined) addRequired(filter, undefined, requiredAttributes);
    for (const { condition, label } of patterns) {
      checkNegated(condition, label.text, [requiredAttributes], report);
    }
    if (filter !== undefined) checkNegated(filter, undefined, [requiredAttributes], report);
  },
};

/** Adds the attributes that a condition's conjuncts require. */
function addRequired(
  condition: Condition,
  label: string | undefined,
  requiredAttributes: Set<string>,
): void {
  for (const part of conjunctsOf(condition)) {
    if (!isLeaf(part)) continue;
    for (const attribute of attributesOf(part)) requiredAttributes.add(keyOf(attribute, label));
  }
}

/** Returns an attribute's path, label first. */
function keyOf({ path }: Attribute, label: string | undefined): string {
  const names = path.map(({ text }) => text);
  return [...(label === undefined ? [] : [label]), ...names].join('`');
}

function checkNegated(
  condition: Condition,
  label: string | undefined,
  requiredSets: readonly ReadonlySet<string>[],
  report: ReportFn,
): void {
  if (condition.kind === 'not') {
    const violation = explainNegated(condition, label, requiredSets);
    if (violation !== undefined) report(violation);
    return;
  }
  if (isLeaf(condition)) return;
  const ownRequiredAttributes = new Set<string>();
  if (condition.kind === 'and') addRequired(condition, label, ownRequiredAttributes);
  for (const operand of condition.operands)
    checkNegated(operand, label, [...requiredSets, ownRequiredAttributes], report);
}

/**
 * Maximum number of leaves to inspect under one NOT. Limits the time, which is quadratic in the
 * number of leaves.
 */
const MAX_LEAVES = 100;

/** Attributes whose absence the rule ignores. */
const ALWAYS: ReadonlySet<string> = new Set(['name', 'probe', 'time']);

/** Returns the leaves of a condition that are not under NOT. */
function plainLeavesOf(condition: Condition): readonly Leaf[] {
  if (condition.kind === 'not') return [];
  return isLeaf(condition) ? [condition] : condition.operands.flatMap(plainLeavesOf);
}

/** True if a condition may evaluate to `value` when all leaves with a missing attribute are false. */
function canBe(value: boolean, condition: Condition, isMissing: (leaf: Leaf) => boolean): boolean {
  if (condition.kind === 'not') return canBe(!value, condition.operand, isMissing);
  if (isLeaf(condition)) return !value || !isMissing(condition);
  const may = (operand: Condition) => canBe(value, operand, isMissing);
  const { kind, operands } = condition;
  return (kind === 'and') === value ? operands.every(may) : operands.some(may);
}

function explainNegated(
  { operand, span }: Not,
  label: string | undefined,
  requiredSets: readonly ReadonlySet<string>[],
): Violation | undefined {
  if (operand.kind === 'not') return undefined;
  const isAlways = ({ path }: Attribute) =>
    path.length <= (label === undefined ? 2 : 1) && ALWAYS.has(path.at(-1)?.text ?? '');
  const asksFor = (key: string) => (leaf: Leaf) =>
    attributesOf(leaf).some((attribute) => keyOf(attribute, label) === key);
  const missing = plainLeavesOf(operand)
    .slice(0, MAX_LEAVES)
    .filter(({ kind }) => kind !== 'exists')
    .flatMap(attributesOf)
    .find(
      (attribute) =>
        // Another rule reports a name without a label in FILTER.
        (label !== undefined || attribute.path.length > 1) &&
        !isAlways(attribute) &&
        !requiredSets.some((keys) => keys.has(keyOf(attribute, label))) &&
        unitOf(attribute) !== 'instant' &&
        canBe(false, operand, asksFor(keyOf(attribute, label))),
    );
  if (missing === undefined) return undefined;
  const text = printOperand(missing);
  const isEquality = operand.kind === 'comparison' && operand.comparator === '=';
  const message = `an event without ${quote(text)} satisfies this too`;
  if (isEquality) {
    const fix = suggestedFix(span, printCondition({ ...operand, comparator: '!=' }));
    return { message, help: `${fix.title}, or add exists(${text})`, span, fix };
  }
  return { message, help: `add exists(${text}) to match only events that have it`, span };
}
