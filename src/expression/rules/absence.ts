import { quote, type ReportFn, suggestedFix, type Violation } from '../../diagnostics/index.js';
import { type Claim, claimOf } from '../analysis/claims.js';
import type { ExpressionRule, RuleInput } from '../analysis/context.js';
import { contradictions, toSignedTest } from '../analysis/contradictions.js';
import {
  type Absence,
  absentLabelsIn,
  isOfSession,
  labelOfKey,
  type MeaningPart,
  meaningOf,
} from '../analysis/meaning.js';
import type { Attribute, Condition, Name, Operand, Pattern, Tree } from '../tree/ast.js';
import { holds } from '../tree/ast.js';
import { printCondition, printName } from '../tree/print.js';
import {
  attributesOf,
  conjunctsOf,
  isArithmetic,
  isLeaf,
  isOperandCall,
  type Leaf,
  leavesOf,
} from '../tree/walk.js';

/**
 * Reports a label under NOT that may match an unintended event, or is used where only a bound label
 * is allowed.
 */
export const absentLabel: ExpressionRule = {
  id: 'expression/absent-label',
  severity: 'error',
  fixable: 'suggested',
  summary:
    'a label under NOT is used where only a bound label is allowed, or may match an unintended event',
  why: 'A label under NOT can be ordered and filtered, but has no value to aggregate, because it is not bound to an event. Such a label may match any event that satisfies its pattern and relations, even the event bound to another label.',
  action:
    'Aggregate and group by bound labels only. Tie a label under NOT to a bound label, and use `!=`, `->` or `||` to require a different event.',
  examples: {
    fails: "MATCH (name = 'ask') AS q, NOT (name = 'ask') AS again FILTER again.id = q.id",
    passes:
      "MATCH (name = 'ask') AS q, NOT (name = 'ask') AS again WHEN q -> again FILTER again.id = q.id",
  },
  check(input, report) {
    const { tree, role } = input;
    const absent = absentLabelsIn(tree);
    if (tree.bare) reportBare(tree, role, report);
    if (absent.size === 0) return;
    reportMisused(input, absent, report);
    const { broken } = tree;
    if (broken.has('match') || broken.has('when') || broken.has('filter')) return;
    const { present, parts, absences } = meaningOf(tree);
    for (const absence of absences) {
      reportUntied(tree, absence, present, report);
      reportSame(tree, { ...absence, parts: [...absence.parts, ...parts] }, present, report);
      if (role === 'precondition') reportTooEarly(input, absence, report);
    }
    if (role === 'precondition' && present.length === 0 && tree.aggregate === undefined) {
      reportFromTheStart(tree, report);
    }
  },
};

/** Reports absent labels in AGGREGATE measures, in BY, and next to NEXT. */
function reportMisused(
  { tree, context }: RuleInput,
  absent: ReadonlySet<string>,
  report: ReportFn,
): void {
  const measuredLabels = context.measuredAttributes.map(({ path }) => path[0] as Name);
  const shareLabels = context.inShares.flatMap(attributesOf).map(({ path }) => path[0] as Name);
  const groupLabels = (tree.aggregate?.by?.keys ?? []).map(labelOfKey);
  const nextLabels = (tree.when?.relations ?? []).flatMap((relation) =>
    relation.kind !== 'chain'
      ? []
      : relation.arrows.flatMap(({ next }, at) => (next ? relation.labels.slice(at, at + 2) : [])),
  );
  const misused = (names: readonly Name[], message: string, help: string): void => {
    for (const { text, span } of names) {
      if (absent.has(text)) report({ message: `${quote(text)} ${message}`, help, span });
    }
  };
  misused(
    [...measuredLabels, ...shareLabels, ...context.counted],
    'is a label under NOT, so no event is bound to it',
    'aggregate attributes of a bound label',
  );
  misused(groupLabels, 'is a label under NOT, so it makes no groups', 'group by a bound label');
  misused(
    nextLabels,
    'is a label under NOT, so it cannot be the next event',
    'use "->", or bind the label without NOT',
  );
}

/** Reports absent labels that no part ties to a bound label. */
function reportUntied(
  { match }: Tree,
  { labels, parts }: Absence,
  present: readonly string[],
  report: ReportFn,
): void {
  const isTied = parts.some((part) => part.labels.some((label) => present.includes(label)));
  if (present.length === 0 || isTied) return;
  const label = match?.patterns.find((pattern) => pattern.label.text === labels[0])?.label;
  if (label === undefined) return;
  report({
    severity: 'warning',
    message: `nothing ties ${labels.map(quote).join(' and ')} to a bound label, so a single matching event removes every binding`,
    help: 'order it in WHEN, or compare its attributes in FILTER',
    span: label.span,
  });
}

/** Reports absent labels that may match the event bound to a tied label. */
function reportSame(
  tree: Tree,
  { labels, parts }: Absence,
  present: readonly string[],
  report: ReportFn,
): void {
  const patterns = tree.match?.patterns ?? [];
  const patternOf = (text: string) => patterns.find(({ label }) => label.text === text);
  for (const absent of labels) {
    const absentPattern = patternOf(absent);
    const tiedLabels = present.filter((label) =>
      parts.some((part) => part.labels.includes(label) && part.labels.includes(absent)),
    );
    const otherLabel = tiedLabels.find((label) => {
      const bound = patternOf(label);
      if (
        absentPattern === undefined ||
        bound === undefined ||
        !overlap(absentPattern, bound, parts)
      )
        return false;
      return !parts.some((part) => separates(part, absent, label));
    });
    if (absentPattern === undefined || otherLabel === undefined) continue;
    report({
      severity: 'warning',
      message: `${quote(absent)} may match the event that ${quote(otherLabel)} is bound to`,
      ...distinctAdvice(tree, otherLabel, absent),
      span: absentPattern.label.span,
    });
  }
}

/** Returns advice for requiring that two labels match different events. */
export function distinctAdvice(
  { match, when }: Tree,
  firstLabel: string,
  second: string,
): Pick<Violation, 'help' | 'fix'> {
  const corrected = [firstLabel, second].map((text) => printName({ text })).join(' != ');
  const help = `write ${corrected} in WHEN, or order them`;
  const end = (when ?? match)?.span.end;
  if (end === undefined) return { help };
  const text = when === undefined ? ` WHEN ${corrected}` : ` AND ${corrected}`;
  return { help, fix: suggestedFix({ start: end, end }, text, `write ${corrected} in WHEN`) };
}

/** True if one event may match both patterns. False only if the patterns and FILTER contradict each other. */
function overlap(a: Pattern, b: Pattern, parts: readonly MeaningPart[]): boolean {
  const labels = [a.label.text, b.label.text];
  const attributes = (part: Condition) => leavesOf(part).flatMap(attributesOf);
  const isOfBoth = ({ path: [label, name] }: Attribute) =>
    name !== undefined && labels.includes(label?.text ?? '');
  const requiredConditions = parts.flatMap((part): Condition[] => {
    if (part.kind !== 'condition' || !part.labels.every((label) => labels.includes(label)))
      return [];
    return attributes(part.condition).every(isOfBoth) ? [structuredClone(part.condition)] : [];
  });
  for (const attribute of requiredConditions.flatMap(attributes))
    Object.assign(attribute, { path: attribute.path.slice(1) });
  const condition: Condition = {
    kind: 'and',
    span: a.span,
    operands: [...conjunctsOf(a.condition), ...conjunctsOf(b.condition), ...requiredConditions],
  };
  const claims = new Map<Leaf, Claim>(
    leavesOf(condition).map((leaf) => [leaf, claimOf(leaf, { kind: 'pattern', label: 'e' })]),
  );
  return contradictions(toSignedTest(condition, claims)).length === 0;
}

/** True if a part holds only if the two labels match different events. */
function separates(part: MeaningPart, a: string, b: string): boolean {
  if (!part.labels.includes(a) || !part.labels.includes(b)) return false;
  if (part.kind === 'within') return false;
  if (part.kind !== 'condition') return true;
  const { condition } = part;
  if (condition.kind !== 'comparison') return false;
  const sum = new Map<string, number>();
  const isSum = addTo(sum, condition.left, 1, a, b) && addTo(sum, condition.right, -1, a, b);
  const constant = sum.get('') ?? 0;
  sum.delete('');
  const cancels = isSum && [...sum.values()].every((count) => count === 0);
  return cancels && !holds(condition.comparator, Math.sign(constant));
}

/**
 * Adds the terms of a sum by attribute, as if both labels matched the same event. Returns false if
 * the operand is not a sum.
 */
function addTo(
  sum: Map<string, number>,
  operand: Operand,
  sign: number,
  a: string,
  b: string,
): boolean {
  if (isArithmetic(operand)) {
    const isRestAdded = operand.rest.every((step) =>
      addTo(sum, step.operand, step.sign === '-' ? -sign : sign, a, b),
    );
    return operand.kind === 'sum' && addTo(sum, operand.first, sign, a, b) && isRestAdded;
  }
  if (isOperandCall(operand)) return false;
  const isNumber = operand.kind !== 'attribute';
  if (isNumber && typeof operand.value !== 'bigint' && typeof operand.value !== 'number') {
    return false;
  }
  const key = isNumber ? '' : pathKey(operand, a, b);
  const value = isNumber ? Number(operand.value) : 1;
  sum.set(key, (sum.get(key) ?? 0) + sign * value);
  return true;
}

/** Returns an attribute's path, with label `a` in place of label `b`. */
function pathKey(attribute: Attribute, a: string, b: string): string {
  const [firstName, ...path] = attribute.path;
  const label = firstName?.text === b ? a : firstName?.text;
  return [label, ...path.map(({ text }) => text)].join('`');
}

/** Reports `NOT ... WITHIN d` in a precondition, because the trace may end before d has elapsed. */
function reportTooEarly(
  { text, tree }: RuleInput,
  { labels, parts }: Absence,
  report: ReportFn,
): void {
  const bound = new Set(tree.labels.map(({ text }) => text));
  const attributes = tree.filter ? leavesOf(tree.filter.condition).flatMap(attributesOf) : [];
  if (
    attributes.some(
      (attribute) => isOfSession(attribute, bound) && attribute.path[1]?.text === 'end',
    )
  )
    return;
  const part = parts.find(({ kind }) => kind === 'within');
  if (part?.kind !== 'within' || !labels.includes(part.to)) return;
  report({
    severity: 'warning',
    message: `${quote(part.to)} may still occur, because a precondition is evaluated on the events so far`,
    help: `add session.end - ${part.from}.time > ${text.slice(part.span.start, part.span.end)} to FILTER`,
    span: part.span,
  });
}

/** Reports an expression that requires only absence, because it holds before the first event. */
function reportFromTheStart({ match }: Tree, report: ReportFn): void {
  if (match === undefined) return;
  report({
    severity: 'warning',
    message: 'this holds before anything has happened, because it only requires absence',
    help: 'add a pattern for a required event',
    span: match.span,
  });
}

/** Reports a precondition without clauses that only excludes events. */
function reportBare({ match }: Tree, role: RuleInput['role'], report: ReportFn): void {
  const pattern = match?.patterns[0];
  if (role !== 'precondition' || pattern === undefined || requiresSomething(pattern.condition)) {
    return;
  }
  const { condition } = pattern;
  const absence = intendedAbsence(condition);
  report({
    message: 'almost any event satisfies this, because it only excludes events',
    ...(absence !== undefined && {
      help: `to require absence, write MATCH NOT (${absence}) AS x`,
      fix: suggestedFix(condition.span, `MATCH NOT (${absence}) AS x`),
    }),
    span: condition.span,
  });
}

/**
 * Returns the excluded condition of a NOT or a `!=`, for a pattern under NOT. Undefined for other
 * conditions.
 */
export function intendedAbsence(condition: Condition): string | undefined {
  if (requiresSomething(condition)) return undefined;
  if (condition.kind === 'not') return printCondition(condition.operand);
  if (condition.kind !== 'comparison') return undefined;
  return printCondition({ ...condition, comparator: '=' });
}

/** True if a condition does more than exclude events. */
function requiresSomething(condition: Condition): boolean {
  if (condition.kind === 'not') return false;
  if (condition.kind === 'comparison') return condition.comparator !== '!=';
  if (isLeaf(condition)) return true;
  return condition.kind === 'and'
    ? condition.operands.some(requiresSomething)
    : condition.operands.every(requiresSomething);
}
