import { codePointOf } from '../../basics/index.js';
import { toPlainJson } from '../../values/index.js';
import type * as ast from './ast.js';

/**
 * Returns an expression's canonical text on one line. Clauses are in the order MATCH, WHEN, FILTER,
 * AGGREGATE, keywords in capitals, and strings in single quotes. Parentheses appear only if AND and
 * OR are mixed or the grouping needs them. A condition alone remains a condition.
 *
 * Parsing the text returns the same tree except for the spans, if the names of attributes, labels
 * and functions are not empty and contain neither backquotes nor line breaks.
 */
export function print({ match, when, filter, aggregate, bare }: ast.Expression): string {
  const [first] = match.patterns;
  if (bare && first !== undefined) return printCondition(first.condition);
  const patterns = match.patterns.map(
    ({ absent, condition, label }) =>
      `${absent ? 'NOT ' : ''}(${printCondition(condition)}) AS ${printName(label)}`,
  );
  const clauses = [`MATCH ${patterns.join(', ')}`];
  if (when !== undefined) {
    clauses.push(`WHEN ${when.relations.map(printRelation).join(' AND ')}`);
  }
  if (filter !== undefined) clauses.push(`FILTER ${printCondition(filter.condition)}`);
  if (aggregate !== undefined) {
    clauses.push(`AGGREGATE ${aggregate.measures.map(printRequirement).join(', ')}`);
    if (aggregate.by !== undefined) clauses.push(printBy(aggregate.by));
  }
  return clauses.join(' ');
}

function printRelation(relation: ast.RelationNode): string {
  const [first, ...labels] = relation.labels.map(printName);
  if (relation.kind !== 'chain') {
    return `${first} ${relation.kind === 'concurrent' ? '||' : '!='} ${labels.join()}`;
  }
  const steps = labels.map((label, at) => {
    const nextWord = relation.arrows[at]?.next ? 'NEXT ' : '';
    return ` -> ${nextWord}${label}`;
  });
  const { within } = relation;
  const limit = within === undefined ? '' : ` WITHIN ${printLiteral(within)}`;
  return `${first}${steps.join('')}${limit}`;
}

/** Returns the canonical text of a measure, or of measures joined by AND or OR. */
export function printRequirement(requirement: ast.Requirement): string {
  if (requirement.kind === 'measure') return printMeasure(requirement);
  const { kind, operands } = requirement;
  return operands
    .map((operand) =>
      operand.kind === 'measure' ? printMeasure(operand) : `(${printRequirement(operand)})`,
    )
    .join(kind === 'all' ? ' AND ' : ' OR ');
}

/** Returns the canonical text of a measure. */
export function printMeasure({ left, comparator, right }: ast.Measure): string {
  return `${printTerm(left)} ${comparator} ${printTerm(right)}`;
}

function printBy({ keys, having, percent }: ast.By): string {
  const havingText = having === undefined ? '' : ` HAVING ${printRequirement(having)}`;
  const quota = percent === undefined ? '' : ` FOR ${printLiteral(percent)}%`;
  return `BY ${keys.map(printKey).join(', ')}${havingText}${quota}`;
}

/** Returns the canonical text of a BY key. */
export function printKey(key: ast.Key): string {
  if (key.kind === 'name') return printName(key);
  if (key.kind === 'attribute') return key.path.map(printName).join('.');
  return `window(${printOperand(key.time)}, ${printLiteral(key.size)})`;
}

/** Returns the canonical text of a term of a measure. */
export function printTerm(term: ast.Term): string {
  switch (term.kind) {
    case 'sum':
    case 'product':
      return printArithmetic(term, printTerm);
    case 'call': {
      const { name, label, argument, percent } = term;
      const argumentText = argument ? printOperand(argument) : label ? printName(label) : '';
      const percentText = percent === undefined ? '' : `, ${printLiteral(percent)}`;
      const word = /^(?:share|baseline)$/i.test(name.text) ? quoteName(name.text) : printName(name);
      return `${word}(${argumentText}${percentText})`;
    }
    case 'share':
      return `share(${printCondition(term.condition)})`;
    case 'baseline':
      return `baseline(${printTerm(term.term)})`;
    case 'attribute':
      return printAttribute(term);
    default:
      return printLiteral(term);
  }
}

/** Returns the canonical text of a condition. */
export function printCondition(condition: ast.Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.operands
        .map((operand) => {
          const text = printCondition(operand);
          return operand.kind === 'and' || operand.kind === 'or' ? `(${text})` : text;
        })
        .join(` ${condition.kind.toUpperCase()} `);
    case 'not':
      return printNot(condition.operand);
    case 'located':
      return `${printPlace(condition.event)} @ ${printPlace(condition.probe)}`;
    case 'comparison': {
      const { left, comparator, right } = condition;
      return `${printOperand(left)} ${comparator} ${printOperand(right)}`;
    }
    case 'in':
    case 'glob':
      return printMembership(condition, '');
    case 'exists':
      return `exists(${printOperand(condition.attribute)})`;
  }
}

function printNot(operand: ast.Condition): string {
  if (operand.kind === 'in' || operand.kind === 'glob') return printMembership(operand, 'NOT ');
  const text = printCondition(operand);
  const isWhole = operand.kind === 'and' || operand.kind === 'or' || operand.kind === 'not';
  return isWhole ? `NOT (${text})` : `NOT ${text}`;
}

function printMembership(condition: ast.In | ast.Glob, not: string): string {
  const operand = printOperand(condition.operand);
  if (condition.kind === 'glob') return `${operand} ${not}GLOB ${printLiteral(condition.pattern)}`;
  return `${operand} ${not}IN (${condition.values.map(printLiteral).join(', ')})`;
}

/** Returns the canonical text of an operand. */
export function printOperand(operand: ast.Operand): string {
  switch (operand.kind) {
    case 'sum':
    case 'product':
      return printArithmetic(operand, printOperand);
    case 'abs':
    case 'lower':
      return `${operand.kind}(${printOperand(operand.operand)})`;
    case 'attribute':
      return printAttribute(operand);
    default:
      return printLiteral(operand);
  }
}

/**
 * Prints an attribute. Puts a lone `not` in backquotes, because it would be parsed as the operator
 * before IN and GLOB.
 */
function printAttribute({ path, probe }: ast.Attribute): string {
  const [first, ...moreNames] = path;
  const text = path.map(printName).join('.');
  if (probe !== undefined) return `${text} @ ${printPlace(probe)}`;
  return first && moreNames.length === 0 && /^not$/i.test(first.text)
    ? quoteName(first.text)
    : text;
}

function printArithmetic<Part extends ast.Operand | ast.Term>(
  { kind, first, rest }: ast.Arithmetic<'sum' | 'product', Part>,
  printPart: (part: Part) => string,
): string {
  const part = (nestedPart: Part, sign: string) => {
    const isSum = nestedPart.kind === 'sum' && (kind === 'product' || sign === '-');
    const isProduct = nestedPart.kind === 'product' && sign === '/';
    return isSum || isProduct ? `(${printPart(nestedPart)})` : printPart(nestedPart);
  };
  const steps = rest.map(({ sign, operand }) => ` ${sign} ${part(operand, sign)}`);
  return part(first, '') + steps.join('');
}

function printLiteral(literal: ast.Literal): string {
  switch (literal.kind) {
    case 'string':
      return printString(literal.value);
    case 'float':
      return literal.written ?? printFloat(literal.value);
    case 'duration':
      return printDuration(literal.value);
    case 'integer':
    case 'boolean':
      return String(literal.value).toUpperCase();
  }
}

/** Formats a float with a fraction or an exponent. Parsing the text returns the same value. */
function printFloat(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Matches single quotes, backslashes, control characters, invisible characters and unusual spaces. */
const NOT_PLAIN =
  /['\\\p{Cc}\p{Cs}\u00a0\u00ad\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/gu;

/** Formats a string in single quotes, with the necessary escape sequences. */
export function printString(value: string): string {
  return `'${value.replace(NOT_PLAIN, escapeCharacter)}'`;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapeCharacter(character: string): string {
  return SHORT_ESCAPES[character] ?? `\\u${codePointOf(character)}`;
}

const BARE_NAME = /^[A-Za-z_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?$/;

/** Formats a name for a path or as a label: bare if possible, otherwise in backquotes. */
export function printName({ text }: Pick<ast.Name, 'text'>): string {
  return isBare(text) ? text : quoteName(text);
}

/** Formats a name for either side of `@`. Uses a string for characters that backquotes cannot contain. */
export function printPlace({ text }: Pick<ast.Name, 'text'>): string {
  if (isBare(text)) return text;
  return fitsBackquotes(text) ? quoteName(text) : printString(text);
}

/** True if a name can be written in backquotes, which do not support escape sequences. */
export function fitsBackquotes(name: string): boolean {
  return name !== '' && !/[`\p{Cc}\p{Cs}\u2028\u2029]/u.test(name);
}

function quoteName(text: string): string {
  return `\`${text}\``;
}

function isBare(text: string): boolean {
  return BARE_NAME.test(text) && !isKeyword(text);
}

/** The units of durations in nanoseconds, in descending order. */
export const UNITS: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  min: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  ns: 1n,
};

/** Formats nanoseconds in the largest unit that divides them. */
export function printDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const [name = 'ns', size = 1n] =
    Object.entries(UNITS).find(([, size]) => nanoseconds % size === 0n) ?? [];
  return `${nanoseconds / size}${name}`;
}

/** The reserved words, in capitals. */
export const KEYWORDS = 'MATCH AS WHEN FILTER AGGREGATE AND OR TRUE FALSE'.split(' ');

/** True if a word is reserved. Ignores case. */
export function isKeyword(word: string): boolean {
  return KEYWORDS.includes(word.toUpperCase());
}

/**
 * Returns an expression's tree as JSON on one line, in the format of
 * `perturb expression check --format json`. Integers are exact, even beyond 53 bits.
 */
export function expressionToJson(expression: ast.Expression): string {
  return toPlainJson(expression);
}
