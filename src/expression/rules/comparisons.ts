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
  Comparison,
  Condition,
  Literal,
  Measure,
  Not,
  Operand,
  Term,
} from '../tree/ast.js';
import { printCondition, printOperand } from '../tree/print.js';
import { attributesOf, conjunctsOf, isLeaf, isLiteral, type Leaf } from '../tree/walk.js';

/* Comparisons that can be read, but hardly say what was meant. */

/** A time compared with something that is not a time. */
export const unitMismatch: ExpressionRule = {
  id: 'expression/unit-mismatch',
  severity: 'warning',
  fixable: 'suggested',
  summary:
    'a time is compared with a bare number, a count with a time, or a `time` with a duration',
  why: 'Times are in nanoseconds: `100` is 100 ns, which is hardly what was meant. A `time` is a point in time, not the time since the start.',
  action:
    'Write a duration such as `100ms` for a difference of times, and compare a `time` with another one.',
  examples: {
    fails:
      "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time - f.time < 100",
    passes:
      "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time - f.time < 100ms",
  },
  check({ text, tree, context }, report) {
    const inMatch = new Set<Leaf | Measure>(context.inPatterns);
    const { inPatterns, inFilter } = context;
    for (const node of [...inPatterns, ...inFilter, ...(tree.aggregate?.measures ?? [])]) {
      if (node.kind !== 'comparison' && node.kind !== 'measure') continue;
      const violation = explain(text, node, inMatch.has(node));
      if (violation !== undefined) report(violation);
    }
  },
};

/** A point in time, a time between two, a number, a count, or anything else: `other` may be a time too. */
type Unit = 'instant' | 'duration' | 'number' | 'count' | 'other';

function explain(
  text: string,
  node: Comparison | Measure,
  inMatch: boolean,
): Violation | undefined {
  const { left, right, span } = node;
  const written = (side: Operand | Term) => quote(text.slice(side.span.start, side.span.end));
  if (![left, right].some((side) => /^(?:duration|instant)$/.test(unitOf(side)))) return undefined;
  for (const [a, b] of [
    [left, right],
    [right, left],
  ] as const) {
    const [unit, other] = [unitOf(a), unitOf(b)];
    const isZero = isLiteral(b) && Number(b.value) === 0;
    if (unit === 'duration' && other === 'number' && !isZero) {
      const help = isLiteral(b) ? durationFor(b) : 'compare it with a duration such as 100ms';
      const message = `${written(a)} is a time, but ${written(b)} is a bare number`;
      return { message, help, span, fix: isLiteral(b) ? withUnit(b) : undefined };
    }
    if (unit === 'duration' && other === 'count') {
      const value =
        a.kind === 'duration' ? /^-?[\d.]+/.exec(text.slice(a.span.start))?.[0] : undefined;
      const help =
        value === undefined
          ? 'compare a count with a number, and a time with a duration'
          : `write ${value}: a count has no unit`;
      const fix = value === undefined ? undefined : suggestedFix(a.span, value);
      return { message: `${written(a)} is a time, but ${written(b)} is a number`, help, span, fix };
    }
    if (unit === 'instant' && other === 'duration') {
      const message = `${written(a)} is a point in time, but ${written(b)} is a duration`;
      return { message, span, ...sinceStart(text, a, inMatch) };
    }
  }
  return undefined;
}

/** A bare number with each of the units that may be meant. */
function withUnit({ value, span }: Literal): ProposedFix | undefined {
  const [first, ...alternatives] = ['ms', 's', 'ns'].map((unit) =>
    suggestedFix(span, `${value}${unit}`),
  );
  return first && { ...first, alternatives };
}

/** What may be meant by a bare number: most people think of milliseconds, but it is nanoseconds. */
function durationFor({ kind, value }: Literal): string {
  return kind === 'integer'
    ? `a bare number is in nanoseconds: write ${value}ms, or ${value}ns if that is meant`
    : `write ${value}s, ${value}ms or another duration`;
}

/** The time since the start, for a point in time: only FILTER and AGGREGATE know of the session. */
function sinceStart(
  text: string,
  { span }: Operand | Term,
  inMatch: boolean,
): Pick<Violation, 'help' | 'fix'> {
  const written = text.slice(span.start, span.end);
  if (inMatch) {
    return { help: `in FILTER, the time since the start is label.${written} - session.start` };
  }
  const since = written.endsWith(')')
    ? `${written.slice(0, -1)} - session.start)`
    : `${written} - session.start`;
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
      const together = side.kind === 'sum' ? unitOfSum : unitOfProduct;
      const first = unitOf(side.first as Operand | Term);
      return side.rest.reduce(
        (unit, { sign, operand }) => together(unit, sign, unitOf(operand)),
        first,
      );
    }
    default:
      return 'other';
  }
}

/** `time`, `label.time`, `session.start` and `session.end`. */
function unitOfAttribute({ path }: Attribute): Unit {
  const name = path.at(-1)?.text;
  if (path.length <= 2 && name === 'time') return 'instant';
  const isOfSession = path.length === 2 && path[0]?.text === 'session';
  return isOfSession && (name === 'start' || name === 'end') ? 'instant' : 'other';
}

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
  return a === b ? a : 'other';
}

function unitOfProduct(a: Unit, sign: string, b: Unit): Unit {
  const isNumber = (unit: Unit) => unit === 'number' || unit === 'count';
  if (isNumber(a) && isNumber(b)) return a === 'count' ? a : b;
  if (a === 'duration' && isNumber(b)) return 'duration';
  if (isNumber(a) && b === 'duration') return sign === '*' ? 'duration' : 'other';
  return a === 'duration' && b === 'duration' && sign === '/' ? 'number' : 'other';
}

/** A negated comparison that a missing attribute satisfies. */
export const missingNegated: ExpressionRule = {
  id: 'expression/missing-negated',
  severity: 'warning',
  fixable: 'suggested',
  summary: 'a negated comparison that an event without the attribute satisfies too',
  why: 'A comparison with a missing attribute is false, so its negation is true: `NOT (status = 200)` holds for every event that has no status.',
  action:
    'Use the opposite comparator, which asks for the attribute, or ask for it with `exists()`.',
  examples: {
    fails: 'MATCH (NOT (status = 200)) AS f',
    passes: "MATCH (name = 'response' AND status != 200) AS f",
  },
  check({ text, tree }, report) {
    // Most expressions deny nothing.
    if (!/\bNOT\b/i.test(text)) return;
    const asked = new Set<string>();
    const patterns = tree.match?.patterns ?? [];
    for (const { condition, label } of patterns) addAsked(condition, label.text, asked);
    const filter = tree.filter?.condition;
    if (filter !== undefined) addAsked(filter, undefined, asked);
    for (const { condition, label } of patterns) {
      checkNegated(condition, label.text, [asked], report);
    }
    if (filter !== undefined) checkNegated(filter, undefined, [asked], report);
  },
};

/** Adds the attributes that an event must have for the conjuncts of a condition to hold. */
function addAsked(condition: Condition, label: string | undefined, asked: Set<string>): void {
  for (const part of conjunctsOf(condition)) {
    if (!isLeaf(part)) continue;
    for (const attribute of attributesOf(part)) asked.add(keyOf(attribute, label));
  }
}

/** The path of an attribute, label first. */
function keyOf({ path }: Attribute, label: string | undefined): string {
  const names = path.map(({ text }) => text);
  return [...(label === undefined ? [] : [label]), ...names].join('`');
}

function checkNegated(
  condition: Condition,
  label: string | undefined,
  known: readonly ReadonlySet<string>[],
  report: ReportFn,
): void {
  if (condition.kind === 'not') {
    const violation = explainNegated(condition, label, known);
    if (violation !== undefined) report(violation);
    return;
  }
  if (isLeaf(condition)) return;
  const own = new Set<string>();
  if (condition.kind === 'and') addAsked(condition, label, own);
  for (const operand of condition.operands) checkNegated(operand, label, [...known, own], report);
}

/** Longer lists are not written by hand, and each attribute is looked for in all of them. */
const MOST_LEAVES = 100;

/** What every event has. */
const ALWAYS: ReadonlySet<string> = new Set(['name', 'probe', 'time']);

/** The leaves of a condition that are not under NOT. */
function plainLeavesOf(condition: Condition): readonly Leaf[] {
  if (condition.kind === 'not') return [];
  return isLeaf(condition) ? [condition] : condition.operands.flatMap(plainLeavesOf);
}

/** Whether a condition may be true, or false, for an event without what some leaves ask for: these are false. */
function mayBe(value: boolean, condition: Condition, isMissing: (leaf: Leaf) => boolean): boolean {
  if (condition.kind === 'not') return mayBe(!value, condition.operand, isMissing);
  if (isLeaf(condition)) return !value || !isMissing(condition);
  const may = (operand: Condition) => mayBe(value, operand, isMissing);
  const { kind, operands } = condition;
  return (kind === 'and') === value ? operands.every(may) : operands.some(may);
}

function explainNegated(
  { operand, span }: Not,
  label: string | undefined,
  asked: readonly ReadonlySet<string>[],
): Violation | undefined {
  if (operand.kind === 'not') return undefined;
  const isAlways = ({ path }: Attribute) =>
    path.length <= (label === undefined ? 2 : 1) && ALWAYS.has(path.at(-1)?.text ?? '');
  const asksFor = (key: string) => (leaf: Leaf) =>
    attributesOf(leaf).some((one) => keyOf(one, label) === key);
  const missing = plainLeavesOf(operand)
    .slice(0, MOST_LEAVES)
    .filter(({ kind }) => kind !== 'exists')
    .flatMap(attributesOf)
    .find(
      (attribute) =>
        // In FILTER, a name alone is reported by another rule.
        (label !== undefined || attribute.path.length > 1) &&
        !isAlways(attribute) &&
        !asked.some((keys) => keys.has(keyOf(attribute, label))) &&
        unitOf(attribute) !== 'instant' &&
        mayBe(false, operand, asksFor(keyOf(attribute, label))),
    );
  if (missing === undefined) return undefined;
  const text = printOperand(missing);
  const isEquality = operand.kind === 'comparison' && operand.comparator === '=';
  const message = `an event without ${quote(text)} satisfies this too`;
  if (isEquality) {
    const fix = suggestedFix(span, printCondition({ ...operand, comparator: '!=' }));
    return { message, help: `${fix.title}, or add exists(${text})`, span, fix };
  }
  return { message, help: `add exists(${text}) if only events that have it are meant`, span };
}
