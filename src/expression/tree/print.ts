import type {
  Aggregate,
  Attribute,
  Chain,
  Condition,
  Expression,
  Literal,
  Measure,
  Name,
  Operand,
  Pattern,
  Term,
} from './ast.js';

/**
 * The canonical text of an expression, on one line: MATCH, WHEN, FILTER,
 * AGGREGATE, keywords in capitals, single quotes, no needless parentheses.
 * Reading it gives the same tree but for the spans, given that the names of
 * attributes, labels and functions are such as can be written: not empty, and
 * without a backquote or the end of a line.
 */
export function print(expression: Expression): string {
  const { match, when, filter, aggregate } = expression;
  const clauses = [`MATCH ${match.patterns.map(printPattern).join(', ')}`];
  if (when !== undefined) clauses.push(`WHEN ${when.chains.map(printChain).join(' AND ')}`);
  if (filter !== undefined) clauses.push(`FILTER ${printCondition(filter.condition)}`);
  if (aggregate !== undefined) clauses.push(printAggregate(aggregate));
  return clauses.join(' ');
}

function printPattern({ condition, label }: Pattern): string {
  return `(${printCondition(condition)}) AS ${printName(label)}`;
}

function printChain({ labels }: Chain): string {
  return labels.map(printName).join(' -> ');
}

function printAggregate({ measures }: Aggregate): string {
  return `AGGREGATE ${measures.map(printMeasure).join(', ')}`;
}

function printMeasure({ left, comparator, right }: Measure): string {
  return `${printTerm(left)} ${comparator} ${printTerm(right)}`;
}

function printTerm(term: Term): string {
  if (term.kind !== 'call') return printLiteral(term);
  const argument = term.argument === undefined ? '' : printOperand(term.argument);
  return `${printName(term.name)}(${argument})`;
}

/** The canonical text of a condition. */
export function printCondition(condition: Condition): string {
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
export function printOperand(operand: Operand): string {
  if (operand.kind === 'attribute') return printAttribute(operand);
  if (operand.kind !== 'arithmetic') return printLiteral(operand);
  const { first, rest } = operand;
  const others = rest.map(({ sign, operand }) => ` ${sign} ${printOperand(operand)}`);
  return printOperand(first) + others.join('');
}

function printAttribute({ path, probe }: Attribute): string {
  const text = path.map(printName).join('.');
  return probe === undefined ? text : `${text} @ ${printPlace(probe)}`;
}

function printLiteral(literal: Literal): string {
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
export function printName({ text }: Pick<Name, 'text'>): string {
  return isBare(text) ? text : `\`${text}\``;
}

/** A name as it stands around `@`, where a string can hold what backquotes cannot. */
function printPlace({ text }: Name): string {
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

/** Nanoseconds in the largest unit of which they are a whole number. */
function printDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const [name = 'ns', size = 1n] =
    Object.entries(UNITS).find(([, size]) => nanoseconds % size === 0n) ?? [];
  return `${nanoseconds / size}${name}`;
}

/** The reserved words, in capitals. */
export const KEYWORDS = [
  'MATCH',
  'AS',
  'WHEN',
  'FILTER',
  'AGGREGATE',
  'AND',
  'OR',
  'TRUE',
  'FALSE',
] as const;

const RESERVED: ReadonlySet<string> = new Set(KEYWORDS);

/** Whether a word is reserved, in whatever case. */
export function isKeyword(word: string): boolean {
  return RESERVED.has(word.toUpperCase());
}

/**
 * The tree of an expression as JSON on one line, as `perturb expression check
 * --format json` has it. Integers are exact, also beyond 53 bits.
 */
export function expressionToJson(expression: Expression): string {
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
