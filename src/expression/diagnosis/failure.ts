import type { IToken } from 'chevrotain';
import { quote, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { closings, openBefore, spanOf } from '../grammar/nodes.js';
import type { ParseFailure } from '../grammar/parser.js';
import { is, type TokenName } from '../lexer/lexer.js';
import type { ClauseKind } from '../tree/ast.js';
import type { Piece } from './tokens.js';

/** What was being read where reading failed; `end` when everything was read, and more follows. */
export type Part = keyof typeof EXPECTATIONS | 'end';

/** The productions that can fail, by what they read. */
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

/** What was being read; a pattern and an order read labels too. */
export function partOf({ rules, expected }: ParseFailure): Part {
  const part = PARTS.get(rules.at(-1) ?? '') ?? 'end';
  if (part === 'comparator' && expected === 'string') return 'glob';
  return expected === 'name' && (part === 'pattern' || part === 'chain') ? 'label' : part;
}

/** Where and why a piece of a clause could not be read. */
export interface Failure {
  readonly clause: ClauseKind;
  readonly piece: Piece;
  readonly part: Part;
  /** The one token that would have fitted, where there is only one. */
  readonly expected: TokenName | undefined;
  /** Undefined at the end of the text. */
  readonly found: IToken | undefined;
  /** The token before `found`. */
  readonly previous: IToken | undefined;
  /** The part was read to its end, and more follows in the piece. */
  readonly complete: boolean;
}

/** What a violation says of a failure; without a span, it is at the failure's place. */
export type Explanation = Omit<Violation, 'span'> & { readonly span?: Span };

/** Knows one mistake: explains the failures that it causes, and no others. */
export type Mistaken = (failure: Failure) => Explanation | undefined;

/** Whether what was found belongs to the piece; otherwise it is what ended the piece. */
export function isInside({ found, piece }: Failure): boolean {
  return found !== undefined && found !== piece.next;
}

/** Whether the parenthesis that is open before a token of a piece is never closed. */
export function isOpenToTheEnd({ tokens }: Piece, token: IToken): boolean {
  const open = openBefore(tokens.slice(0, tokens.indexOf(token)));
  return open !== undefined && !closings(tokens).has(open);
}

/** The violation for a token that cannot be where it is. */
export function unexpected(token: IToken, help?: string): Violation {
  return { message: `unexpected ${quote(token.image)}`, help, span: spanOf(token) };
}

/** Words by which people mean each of several things. */
export const EVERY = /^(?:all|each|every|any)$/i;

/** What was found, for a message. */
export function foundText({ found }: Failure): string {
  return found === undefined ? 'the end' : quote(found.image);
}

interface Expectation {
  readonly what: string;
  readonly help?: string;
}

const PATTERN = 'a pattern is (condition) AS label';
const ORDER = 'an order looks like a -> b';
const COMPARISON =
  "a condition is a comparison such as severity > 3, or an event such as 'start' @ 'probe'";

/** What each part expects where reading stopped, in words. */
const EXPECTATIONS = {
  pattern: { what: 'a pattern', help: PATTERN },
  label: { what: 'a label' },
  causal: { what: 'a label', help: ORDER },
  chain: { what: '"->" and a label', help: 'an order looks like a -> b, a || b or a != b' },
  condition: { what: 'a condition', help: COMPARISON },
  operand: { what: 'an attribute or a value' },
  attribute: { what: 'the name of an attribute' },
  probe: { what: 'the name of a probe' },
  comparator: { what: 'a comparator', help: 'expected one of = != < <= > >=, or IN or GLOB' },
  list: { what: 'a value', help: "put values in parentheses, as in IN (1, 'a')" },
  glob: { what: 'a text in quotes', help: "GLOB takes a text in quotes, as in GLOB 'a*'" },
  term: {
    what: 'a function or a value',
    help: 'a measure looks like count() > 0 or max(label.attribute) < 10',
  },
  call: { what: '"("', help: 'a function has parentheses, as in count()' },
  key: { what: 'a label', help: 'BY takes a label, label.attribute or window(label.time, 1s)' },
  window: { what: '"("', help: 'a window has a time and a duration: window(label.time, 1s)' },
} as const satisfies Readonly<Record<string, Expectation>>;

const AFTER: Readonly<Record<Failure['clause'], Expectation>> = {
  match: { what: '"," or a clause' },
  when: { what: '"->", AND or a clause' },
  filter: { what: 'AND, OR or a clause' },
  aggregate: { what: '",", AND, OR or a clause' },
};

/** What would have been right where reading stopped. */
export function expectation(failure: Failure): Expectation {
  const { clause, part, piece, expected, complete, previous } = failure;
  // An arrow cannot follow the parenthesis of a chain.
  if (complete && clause === 'when' && is(previous, ')')) return { what: 'AND or a clause' };
  if (part === 'end') return piece.before === undefined ? { what: 'AND or OR' } : AFTER[clause];
  if (expected === 'duration') return { what: 'a duration', help: 'a duration looks like 5s' };
  if (expected === 'number') return { what: 'a number' };
  if (expected === '%') return { what: '"%"', help: 'a percentage looks like FOR 95%' };
  if (part === 'comparator' && is(previous, 'NOT')) return { what: 'IN or GLOB' };
  if (part === 'comparator' && clause === 'aggregate')
    return { what: 'a comparator', help: 'expected one of = != < <= > >=' };
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
