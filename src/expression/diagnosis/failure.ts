import type { IToken } from 'chevrotain';
import { quote, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { closingPositions, findOpenParenthesis, spanOf } from '../grammar/nodes.js';
import type { ParseFailure } from '../grammar/parser.js';
import { is, type TokenName } from '../lexer/lexer.js';
import type { ClauseKind } from '../tree/ast.js';
import type { Piece } from './tokens.js';

/** The part that failed to parse, or `end` if the piece was parsed but more tokens follow. */
export type Part = keyof typeof EXPECTATIONS | 'end';

/** The productions that can fail, by the part that they parse. */
const PRODUCTIONS: Partial<Record<Part, readonly string[]>> = {
  pattern: ['pattern'],
  causal: ['relations', 'relation'],
  chain: ['order'],
  condition: ['condition', 'primary', 'share'],
  operand: ['operand', 'factor', 'operandCall'],
  attribute: ['existence', 'attribute'],
  probe: ['place'],
  comparator: ['comparison', 'measure'],
  list: ['values'],
  term: ['requirement', 'oneRequirement', 'term', 'termFactor', 'baseline'],
  call: ['call'],
  key: ['by', 'key'],
  window: ['window'],
};

const PARTS: ReadonlyMap<string, Part> = new Map(
  Object.entries(PRODUCTIONS).flatMap(([part, rules]) =>
    rules.map((rule) => [rule, part as Part] as const),
  ),
);

/** Returns the part that was being parsed. A pattern or a chain may fail at a label. */
export function partOf({ rules, expected }: ParseFailure): Part {
  const part = PARTS.get(rules.at(-1) ?? '') ?? 'end';
  if (part === 'comparator' && expected === 'string') return 'glob';
  return expected === 'name' && (part === 'pattern' || part === 'chain') ? 'label' : part;
}

/** A failure to parse a piece of a clause: its position and reason. */
export interface Failure {
  readonly clause: ClauseKind;
  readonly piece: Piece;
  readonly part: Part;
  /** The expected token, if there is only one. */
  readonly expected: TokenName | undefined;
  /** The unexpected token; undefined at the end of the text. */
  readonly actual: IToken | undefined;
  /** The token before `actual`. */
  readonly previous: IToken | undefined;
  /** True if the part was parsed to its end, but more tokens follow in the piece. */
  readonly complete: boolean;
}

/** An explanation of a failure. Without a span, it applies to the failure's position. */
export type Explanation = Omit<Violation, 'span'> & { readonly span?: Span };

/** Explains failures caused by one particular mistake. Returns undefined for other failures. */
export type Explainer = (failure: Failure) => Explanation | undefined;

/** True if the unexpected token belongs to the piece. False if it is the token that ended the piece. */
export function isInside({ actual, piece }: Failure): boolean {
  return actual !== undefined && actual !== piece.next;
}

/** True if the innermost parenthesis around a token of a piece is never closed. */
export function isOpenToTheEnd({ tokens }: Piece, token: IToken): boolean {
  const openToken = findOpenParenthesis(tokens.slice(0, tokens.indexOf(token)));
  return openToken !== undefined && !closingPositions(tokens).has(openToken);
}

/** Returns the violation for an unexpected token. */
export function unexpectedToken(token: IToken, help?: string): Violation {
  return { message: `unexpected ${quote(token.image)}`, help, span: spanOf(token) };
}

/** Matches universal quantifiers, such as `every`. */
export const EVERY_WORD = /^(?:all|each|every|any)$/i;

/** Describes the unexpected token, for a message. */
export function actualText({ actual }: Failure): string {
  return actual === undefined ? 'the end' : quote(actual.image);
}

interface Expectation {
  readonly what: string;
  readonly help?: string;
}

const PATTERN = 'a pattern is (condition) AS label';
const ORDER = 'an order looks like a -> b';
const COMPARISON =
  "a condition is a comparison such as severity > 3, or an event such as 'start' @ 'probe'";

/** The expectation for each part at which parsing can stop. */
const EXPECTATIONS = {
  pattern: { what: 'a pattern', help: PATTERN },
  label: { what: 'a label' },
  causal: { what: 'a label', help: ORDER },
  chain: { what: '"->" and a label', help: 'an order looks like a -> b, a || b or a != b' },
  condition: { what: 'a condition', help: COMPARISON },
  operand: { what: 'an attribute or a value' },
  attribute: { what: 'an attribute name' },
  probe: { what: 'a probe name' },
  comparator: {
    what: 'a comparison operator',
    help: 'expected one of = != < <= > >=, or IN or GLOB',
  },
  list: { what: 'a value', help: "put values in parentheses, as in IN (1, 'a')" },
  glob: { what: 'a text in quotes', help: "GLOB expects a text in quotes, as in GLOB 'a*'" },
  term: {
    what: 'a function or a value',
    help: 'a measure looks like count() > 0 or max(label.attribute) < 10',
  },
  call: { what: '"("', help: 'a function has parentheses, as in count()' },
  key: { what: 'a label', help: 'BY accepts a label, label.attribute or window(label.time, 1s)' },
  window: { what: '"("', help: 'a window has a time and a duration: window(label.time, 1s)' },
} as const satisfies Readonly<Record<string, Expectation>>;

const EXPECTATIONS_AFTER: Readonly<Record<Failure['clause'], Expectation>> = {
  match: { what: '"," or a clause' },
  when: { what: '"->", AND or a clause' },
  filter: { what: 'AND, OR or a clause' },
  aggregate: { what: '",", AND, OR or a clause' },
};

/** Returns the expectation at the position where parsing stopped. */
export function expectation(failure: Failure): Expectation {
  const { clause, part, piece, expected, complete, previous } = failure;
  // An arrow cannot follow the parenthesis of a chain.
  if (complete && clause === 'when' && is(previous, ')')) return { what: 'AND or a clause' };
  if (part === 'end')
    return piece.previous === undefined ? { what: 'AND or OR' } : EXPECTATIONS_AFTER[clause];
  if (expected === 'duration') return { what: 'a duration', help: 'a duration looks like 5s' };
  if (expected === 'number') return { what: 'a number' };
  if (expected === '%') return { what: '"%"', help: 'a percentage looks like FOR 95%' };
  if (part === 'comparator' && is(previous, 'NOT')) return { what: 'IN or GLOB' };
  if (part === 'comparator' && clause === 'aggregate')
    return { what: 'a comparison operator', help: 'expected one of = != < <= > >=' };
  if (part === 'window' && expected === ',')
    return { ...EXPECTATIONS.window, what: '"," and a duration' };
  if (part === 'list' && expected === '(') return { ...EXPECTATIONS.list, what: '"("' };
  if (part === 'list' && expected === ')') return { what: '"," or ")"' };
  if (expected === ')') {
    if (part === 'call') return { what: '")"' };
    return { what: clause === 'when' ? 'AND or ")"' : 'AND, OR or ")"' };
  }
  if (part === 'pattern' && expected === '(') return { what: '"("', help: PATTERN };
  if (expected === 'AS') return { what: '"AS" and a label', help: PATTERN };
  if (part === 'condition' && clause === 'filter')
    return { what: 'a condition', help: 'a condition is a comparison such as label.severity > 3' };
  return EXPECTATIONS[part];
}
