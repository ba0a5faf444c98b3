import { quote, type ReportFn, suggestedFix, writing } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { ExpressionRule, RuleInput } from '../analysis/context.js';
import { hasOpenSet } from '../analysis/glob.js';
import { stringFix } from '../analysis/kinds.js';
import { isOfSession } from '../analysis/meaning.js';
import { FUNCTIONS } from '../functions/index.js';
import { groupedDigits } from '../lexer/literals.js';
import { holds, type Measure, type Requirement, type Term, type Tree } from '../tree/ast.js';
import { printCondition, printString } from '../tree/print.js';
import {
  isArithmetic,
  isLiteral,
  leavesOfTerm,
  measuresIn,
  measuresOf,
  sharesIn,
  splitRequirements,
  visit,
} from '../tree/walk.js';
import { intendedAbsence } from './absence.js';

/** Reports syntax errors. Their messages are in `diagnosis` and in `lexer`. */
export const syntax: ExpressionRule = {
  id: 'expression/syntax',
  severity: 'error',
  mandatory: true,
  fixable: 'safe',
  summary: 'the expression cannot be parsed: something is missing, misspelt or misplaced',
  why: 'An expression that cannot be parsed cannot be evaluated.',
  action: 'Correct the text at the reported position.',
  examples: {
    fails: "MATCH (name == 'fault') AS f",
    passes: "MATCH (name = 'fault') AS f",
  },
  check({ text, syntax, tree, tokens, role, context }, report) {
    for (const violation of syntax) report(violation);
    for (const leaf of context.claims.keys()) {
      if (leaf.kind !== 'glob' || !hasOpenSet(leaf.pattern.value)) continue;
      report({
        message: 'unclosed "[" in a GLOB pattern',
        help: 'add the closing "]"; the character "[" is written [[]',
        span: leaf.pattern.span,
      });
    }
    const condition = tree.match?.patterns[0]?.condition;
    const hasZeros = syntax.length === 0 && /(?<![\w.])0\d/.test(text);
    for (const token of hasZeros ? tokens() : []) {
      if (token.type === 'number' || token.type === 'duration') reportZeros(text, token, report);
    }
    if (tree.bare && condition !== undefined && syntax.length === 0 && role === 'check') {
      const absent = intendedAbsence(condition);
      const pattern = absent === undefined ? `(${printCondition(condition)})` : `NOT (${absent})`;
      report({
        message: 'a condition alone is a precondition, not a check',
        ...writing(`MATCH ${pattern} AS event`),
        span: condition.span,
      });
    }
  },
};

/** Reports a number with leading zeros, which are probably unintended. */
function reportZeros(text: string, { start, end }: Span, report: ReportFn): void {
  const groupedNumber = groupedDigits(text, start);
  if (groupedNumber !== undefined) {
    if (groupedNumber.last === start) report(groupedNumber.violation);
    return;
  }
  const literalText = text.slice(start, end);
  const [, sign = '', digits = ''] = /^(-?)0+(\d.*)$/.exec(literalText) ?? [];
  if (digits === '') return;
  const corrected = sign + digits;
  const isNumber = /^\d+$/.test(digits);
  const alternatives = isNumber ? [stringFix({ start, end }, literalText)] : [];
  report({
    message: `the number ${quote(literalText)} begins with a zero`,
    help: `write ${corrected}${isNumber ? `, or ${printString(literalText)} if it is a string` : ''}`,
    span: { start, end },
    fix: { ...suggestedFix({ start, end }, corrected), alternatives },
  });
}

/** Reports Perturb's extensions of the core language. */
export const extension: ExpressionRule = {
  id: 'expression/extension',
  severity: 'warning',
  off: true,
  summary: 'a language extension that other platforms may not support',
  why: 'Perturb evaluates the extension, but the core language of trace expressions does not include it.',
  action:
    'Rewrite the expression in the core language. If only Perturb evaluates the expressions, set `extensions = "allow"` under `[language]` in perturb.toml instead.',
  examples: {
    fails:
      "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time - f.time < 100ms",
    passes:
      "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r FILTER r.time < f.deadline",
  },
  check({ text, tree, tokens, syntax }, report) {
    if (syntax.length > 0) return;
    for (const { start, end } of findExtensions(tree, tokens())) {
      report({
        message: `${quote(text.slice(start, end))} is an extension of the language`,
        help: 'set extensions = "allow" under [language] in perturb.toml if only Perturb evaluates the expression',
        span: { start, end },
      });
    }
  },
};

/** Returns the spans of words, signs and durations that extend the core language, in text order. */
function findExtensions(tree: Tree, tokens: ReturnType<RuleInput['tokens']>): Span[] {
  const names = new Set<number>();
  const bound = new Set(tree.labels.map((label) => label.text));
  const words: Span[] = [];
  if (tree.bare && tree.match) return [tree.match.span];
  for (const clause of [tree.match, tree.when, tree.filter, tree.aggregate]) {
    if (clause === undefined) continue;
    visit(clause, {
      name: ({ span }) => names.add(span.start),
      distinct: ({ signSpan }) => words.push(signSpan),
      call: ({ name, label }) => {
        if (label !== undefined) words.push(label.span);
        if (name.text === 'distinct' || name.text === 'percentile') words.push(name.span);
      },
      attribute: (attribute) => {
        if (clause.kind !== 'match' && isOfSession(attribute, bound)) words.push(attribute.span);
      },
    });
  }
  const conditions = measuresOf(tree).flatMap(({ left, right }) => sharesIn(left, right));
  const joinsMeasures = ({ type, ...token }: (typeof tokens)[number]) =>
    (type === 'AND' || type === 'OR') &&
    tree.aggregate !== undefined &&
    tree.aggregate.span.start <= token.start &&
    !conditions.some(({ span }) => span.start <= token.start && token.end <= span.end);
  const signs = tokens.filter(
    (token) => joinsMeasures(token) || (EXTENSIONS.has(token.type) && !names.has(token.start)),
  );
  const spans = signs.map(({ start, end }) => ({ start, end }));
  return [...words, ...spans].sort((a, b) => a.start - b.start);
}

/** The types of tokens that extend the core language. */
const EXTENSIONS: ReadonlySet<string> = new Set([
  ...['NOT', 'NEXT', 'WITHIN', 'IN', 'GLOB', 'EXISTS', 'ABS', 'LOWER', 'SHARE', 'BASELINE', 'BY'],
  ...['HAVING', 'FOR', 'WINDOW', 'sign', 'factor sign', 'duration', '||'],
]);

/** Reports AGGREGATE in a precondition, where it may hold too early because the trace is still growing. */
export const aggregateInPrecondition: ExpressionRule = {
  id: 'expression/aggregate-in-precondition',
  severity: 'warning',
  summary:
    'a measure in a `mutation_precondition` holds before anything has happened, or may become false again',
  why: 'A precondition is evaluated repeatedly on the events so far, while the trace grows.',
  action:
    'Require a minimum number of events or values, as in `count() >= 3`, or select the events that allow the mutation with MATCH, WHEN and FILTER.',
  examples: {
    fails: "MATCH (name = 'crash') AS c AGGREGATE count() = 0",
    passes: "MATCH (name = 'ready') AS r AGGREGATE count() >= 3",
  },
  check({ tree, role, syntax }, report) {
    const { aggregate } = tree;
    if (role !== 'precondition' || aggregate === undefined || syntax.length > 0) return;
    const help = 'require a minimum, as in count() >= 3, or measure it in a check';
    if (aggregate.by !== undefined) {
      const message =
        'a precondition with groups holds without any group, and a new group may make it false';
      report({ message, help, span: aggregate.by.span });
      return;
    }
    for (const requirement of splitRequirements(aggregate.measures)) {
      const { span } = requirement;
      const measures = measuresIn([requirement]);
      const leaves = measures.flatMap(({ left, right }) => [left, right]).flatMap(leavesOfTerm);
      if (leaves.some(({ kind }) => kind === 'baseline')) continue;
      if (holdsWithoutMatches(requirement)) {
        report({ message: 'this holds before anything has happened', help, span });
      } else if (!measures.every(staysTrueOverTime)) {
        report({ message: 'this may become false again as more happens', help, span });
      }
    }
  },
};

/**
 * True if a requirement holds over no events. Then `count` and `distinct` are 0, and other
 * functions have no value.
 */
function holdsWithoutMatches(requirement: Requirement): boolean {
  if (requirement.kind !== 'measure') {
    const { kind, operands } = requirement;
    return kind === 'all'
      ? operands.every(holdsWithoutMatches)
      : operands.some(holdsWithoutMatches);
  }
  const { left, comparator, right } = requirement;
  const [a, b] = [left, right].map(valueWithoutMatches);
  if (a === undefined || b === undefined) return false;
  return holds(comparator, Math.sign(a - b));
}

/** Returns a term's value over no bindings, precisely enough for comparisons; undefined without a value. */
function valueWithoutMatches(term: Term): number | undefined {
  if (isArithmetic(term)) {
    return term.rest.reduce<number | undefined>((sum, { sign, operand }) => {
      const value = valueWithoutMatches(operand);
      if (sum === undefined || value === undefined) return undefined;
      if (sign === '/') return value === 0 ? undefined : sum / value;
      return sign === '+' ? sum + value : sign === '-' ? sum - value : sum * value;
    }, valueWithoutMatches(term.first));
  }
  if (term.kind === 'call') {
    return FUNCTIONS.get(term.name.text)?.fewest === 0n ? 0 : undefined;
  }
  if (!isLiteral(term)) return undefined;
  return typeof term.value === 'bigint' || typeof term.value === 'number'
    ? Number(term.value)
    : undefined;
}

/**
 * True if a measure, once true, stays true when events are added: its greater side never shrinks,
 * and its lesser side never grows.
 */
function staysTrueOverTime({ left, comparator, right }: Measure): boolean {
  const [a, b] = [left, right].map(trendOf);
  if (a === undefined || b === undefined) return false;
  if (comparator === '>' || comparator === '>=') return a >= 0 && b <= 0;
  return (comparator === '<' || comparator === '<=') && a <= 0 && b >= 0;
}

/**
 * Returns 1 for a term that only grows with more events, -1 for a term that only shrinks, and 0 for
 * a constant. Undefined for other terms.
 */
function trendOf(term: Term): -1 | 0 | 1 | undefined {
  if (isLiteral(term)) return 0;
  if (term.kind === 'call') {
    const { name } = term;
    if (name.text === 'min') return -1;
    return name.text === 'max' || FUNCTIONS.get(name.text)?.fewest === 0n ? 1 : undefined;
  }
  if (!isArithmetic(term)) return undefined;
  let trend = trendOf(term.first);
  for (const { sign, operand } of term.rest) {
    const operandTrend = trendOf(operand);
    if (trend === undefined || operandTrend === undefined || !/^[+-]$/.test(sign)) return undefined;
    const addedTrend = sign === '-' ? -operandTrend : operandTrend;
    if (trend * addedTrend < 0) return undefined;
    trend = (trend || addedTrend) as -1 | 0 | 1;
  }
  return trend;
}
