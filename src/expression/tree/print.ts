import type * as ast from './ast.js';

/**
 * The canonical text of an expression, on one line: MATCH, WHEN, FILTER,
 * AGGREGATE, keywords in capitals, single quotes, no needless parentheses.
 * Reading it gives the same tree but for the spans, provided that the names of
 * attributes, labels and functions can be written: they are not empty and hold
 * neither a backquote nor a line end.
 */
export function print({ match, when, filter, aggregate }: ast.Expression): string {
  const patterns = match.patterns.map(
    ({ condition, label }) => `(${printCondition(condition)}) AS ${printName(label)}`,
  );
  const chains = when?.chains.map(({ labels }) => labels.map(printName).join(' -> '));
  const measures = aggregate?.measures.map(
    ({ left, comparator, right }) => `${printTerm(left)} ${comparator} ${printTerm(right)}`,
  );
  const clauses = [`MATCH ${patterns.join(', ')}`];
  if (chains !== undefined) clauses.push(`WHEN ${chains.join(' AND ')}`);
  if (filter !== undefined) clauses.push(`FILTER ${printCondition(filter.condition)}`);
  if (measures !== undefined) clauses.push(`AGGREGATE ${measures.join(', ')}`);
  return clauses.join(' ');
}

export function printTerm(term: ast.Term): string {
  if (term.kind !== 'call') return printLiteral(term);
  const argument = term.argument === undefined ? '' : printOperand(term.argument);
  return `${printName(term.name)}(${argument})`;
}

/** The canonical text of a condition. */
export function printCondition(condition: ast.Condition): string {
  switch (condition.kind) {
    case 'or':
      return condition.operands.map(printCondition).join(' OR ');
    case 'and':
      return condition.operands
        .map((operand) => {
          const text = printCondition(operand);
          return operand.kind === 'or' ? `(${text})` : text;
        })
        .join(' AND ');
    case 'located':
      return `${printPlace(condition.event)} @ ${printPlace(condition.probe)}`;
    case 'comparison': {
      const { left, comparator, right } = condition;
      return `${printOperand(left)} ${comparator} ${printOperand(right)}`;
    }
  }
}

/** The canonical text of an operand. */
export function printOperand(operand: ast.Operand): string {
  if (operand.kind === 'attribute') {
    const text = operand.path.map(printName).join('.');
    return operand.probe === undefined ? text : `${text} @ ${printPlace(operand.probe)}`;
  }
  if (operand.kind !== 'arithmetic') return printLiteral(operand);
  const others = operand.rest.map((next) => ` ${next.sign} ${printOperand(next.operand)}`);
  return printOperand(operand.first) + others.join('');
}

function printLiteral(literal: ast.Literal): string {
  switch (literal.kind) {
    case 'string':
      return printString(literal.value);
    case 'float':
      return printFloat(literal.value);
    case 'duration':
      return printDuration(literal.value);
    case 'integer':
    case 'boolean':
      return String(literal.value).toUpperCase();
  }
}

/** A float as it is written: always with a fraction or an exponent, and read back the same. */
function printFloat(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A string in single quotes, with the escapes that it needs. */
export function printString(value: string): string {
  return `'${value.replace(/['\\\p{Cc}\p{Cs}\u2028\u2029]/gu, escapeCharacter)}'`;
}

const SHORT: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapeCharacter(character: string): string {
  return (
    SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  );
}

const BARE = /^[A-Za-z_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?$/;

/** A name as it stands in a path or as a label: bare where that can be, else in backquotes. */
export function printName({ text }: Pick<ast.Name, 'text'>): string {
  return isBare(text) ? text : `\`${text}\``;
}

/** A name as it stands around `@`, where a string can hold what backquotes cannot. */
function printPlace({ text }: ast.Name): string {
  if (isBare(text)) return text;
  return text === '' || /[`\p{Cc}\p{Cs}\u2028\u2029]/u.test(text)
    ? printString(text)
    : `\`${text}\``;
}

function isBare(text: string): boolean {
  return BARE.test(text) && !isKeyword(text);
}

/** The units of durations in nanoseconds, from large to small. */
export const UNITS: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  min: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  ns: 1n,
};

/** Nanoseconds in the largest unit that divides them. */
function printDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const [name = 'ns', size = 1n] =
    Object.entries(UNITS).find(([, size]) => nanoseconds % size === 0n) ?? [];
  return `${nanoseconds / size}${name}`;
}

/** The reserved words, in capitals. */
export const KEYWORDS = 'MATCH AS WHEN FILTER AGGREGATE AND OR TRUE FALSE'.split(' ');

const RESERVED: ReadonlySet<string> = new Set(KEYWORDS);

/** Whether a word is reserved, in whatever case. */
export function isKeyword(word: string): boolean {
  return RESERVED.has(word.toUpperCase());
}

/**
 * The tree of an expression as JSON on one line, as `perturb expression check
 * --format json` has it. Integers are exact, also beyond 53 bits.
 */
export function expressionToJson(expression: ast.Expression): string {
  return write(expression) ?? 'null';
}

function write(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item) ?? 'null').join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([key, member]) => {
    const text = write(member);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return `{${members.join(',')}}`;
}
