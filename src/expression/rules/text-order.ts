import { quote, suggestedFix, type Violation } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../analysis/context.js';
import { isQuantity, kindOfAttribute, type Scope } from '../analysis/kinds.js';
import type { Attribute, Comparator, Comparison, StringLiteral } from '../tree/ast.js';
import { holds, MIRRORED_COMPARATORS } from '../tree/ast.js';
import { printOperand, printString } from '../tree/print.js';

/** Reports an ordering comparison of strings that stand for levels, versions or numbers. */
export const textOrder: ExpressionRule = {
  id: 'expression/text-order',
  severity: 'warning',
  fixable: 'suggested',
  summary: 'level names, versions or numbers in quotes are compared with `<`, `<=`, `>` or `>=`',
  why: "Strings are compared character by character: 'ERROR' and 'FATAL' come before 'WARN', and '10' before '9'.",
  action:
    'List the levels with IN, write numbers without quotes, and compare versions with `=`, IN or GLOB.',
  examples: {
    fails: "MATCH (severity >= 'WARN') AS bad AGGREGATE count() = 0",
    passes: "MATCH (severity IN ('WARN', 'ERROR', 'FATAL')) AS bad AGGREGATE count() = 0",
  },
  check({ text, context }, report) {
    const { inPatterns, inFilter, scope } = context;
    for (const leaf of inPatterns) {
      const violation = explain(text, leaf, { kind: 'pattern', label: '' });
      if (violation !== undefined) report(violation);
    }
    for (const leaf of inFilter) {
      const violation = explain(text, leaf, scope);
      if (violation !== undefined) report(violation);
    }
  },
};

function explain(
  text: string,
  leaf: { readonly kind: string } | Comparison,
  scope: Scope,
): Violation | undefined {
  if (leaf.kind !== 'comparison') return undefined;
  const comparison = leaf as Comparison;
  const { left, comparator, right } = comparison;
  if (comparator === '=' || comparator === '!=') return undefined;
  const isLeft = left.kind === 'attribute';
  const [attribute, literal] = isLeft ? [left, right] : [right, left];
  if (attribute.kind !== 'attribute' || literal.kind !== 'string') return undefined;
  const kind = kindOfAttribute(attribute, scope);
  // Another rule reports a comparison of a number with a string, which is always false.
  if (kind !== undefined && kind !== 'string') return undefined;
  const sign = isLeft ? comparator : MIRRORED_COMPARATORS[comparator];
  const literalText = text.slice(literal.span.start, literal.span.end);
  const levels = levelsBy(literal.value, sign);
  if (levels !== undefined) return checkLevels(comparison, attribute, literalText, levels);
  if (isQuantity(literal.value)) return checkNumber(text, comparison, literal, kind === 'string');
  if (!VERSION.test(literal.value) || DATE.test(literal.value)) return undefined;
  return {
    message: `${quote(literalText)} is a string, and strings are compared character by character, 'v1.10' before 'v1.9'`,
    help: 'compare with "=", IN or GLOB, or with a number that was recorded',
    span: literal.span,
  };
}

/** Reports a number in quotes, as in `severity >= '3'`. */
function checkNumber(
  text: string,
  { span }: Comparison,
  literal: StringLiteral,
  isAlwaysText: boolean,
): Violation {
  const { start, end } = literal.span;
  const message = `${quote(text.slice(start, end))} is a string, and strings are compared character by character, '10' before '9'`;
  if (isAlwaysText) return { message, help: 'compare with "=", IN or GLOB', span: literal.span };
  const replacedText = text.slice(span.start, start) + literal.value + text.slice(end, span.end);
  return { message, help: `write ${replacedText}`, instead: literal.value, span: literal.span };
}

/** Matches a version, such as `1.2.3`, `v2` or `release-1.10-rc.1`. */
const VERSION = /^(?:[a-z]{1,8}[-_. ]?)?\d+(?:\.\d+)*(?:[-+][\w.-]+)?$/i;

/** Matches a string that begins with a date. Such strings sort by date. */
const DATE = /^\d{4}-?\d\d(?:-?\d\d|$)/;

/** Level names of common loggers, in ascending order of severity. */
const SCALES: readonly (readonly string[])[] = [
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
  ['debug', 'info', 'warning', 'error', 'critical'],
  ['debug', 'info', 'notice', 'warning', 'err', 'crit', 'alert', 'emerg'],
  ['debug', 'informational', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'],
  ['verbose', 'debug', 'information', 'warning', 'error', 'fatal'],
  ['finest', 'finer', 'fine', 'config', 'info', 'warning', 'severe'],
  ['debug', 'info', 'warn', 'error', 'panic'],
];

/**
 * Returns the levels that a comparison with a level selects, in the level's letter case. Undefined
 * for other strings.
 */
function levelsBy(text: string, comparator: Comparator): readonly string[] | undefined {
  const word = text.toLowerCase();
  const scale = SCALES.find((levels) => levels.includes(word));
  if (scale === undefined) return undefined;
  const rank = scale.indexOf(word);
  const inSameCase = (level: string): string => {
    if (text === text.toUpperCase()) return level.toUpperCase();
    return text === word ? level : level.charAt(0).toUpperCase() + level.slice(1);
  };
  return scale.filter((_, at) => holds(comparator, at - rank)).map(inSameCase);
}

function checkLevels(
  { span }: Comparison,
  attribute: Attribute,
  written: string,
  levels: readonly string[],
): Violation {
  const message = `${quote(written)} is a string, and strings are compared character by character, 'ERROR' before 'WARN'`;
  const violation = { message, span };
  if (levels.length === 0) return { ...violation, help: 'compare with "=" or IN' };
  const list = levels.map(printString);
  const corrected = list.length === 1 ? `= ${list[0]}` : `IN (${list.join(', ')})`;
  const fix = suggestedFix(span, `${printOperand(attribute)} ${corrected}`);
  return { ...violation, help: `${fix.title}, with every recorded level`, fix };
}
