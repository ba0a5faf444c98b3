import type { IToken, TokenType } from 'chevrotain';
import { quote, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { AnyName } from '../grammar/grammar.js';
import type { ParseFailure } from '../grammar/parser.js';
import type { ClauseKind } from '../tree/ast.js';
import type { Piece } from './clauses.js';

/** What was being read where reading failed; `end` when all was, and more follows. */
export type Part =
  | 'pattern'
  | 'label'
  | 'causal'
  | 'chain'
  | 'condition'
  | 'operand'
  | 'attribute'
  | 'probe'
  | 'comparator'
  | 'term'
  | 'call'
  | 'end';

/** What each production reads that can fail. */
const PARTS: Readonly<Record<string, Part>> = {
  pattern: 'pattern',
  condition: 'condition',
  conjunction: 'condition',
  primary: 'condition',
  comparison: 'comparator',
  operand: 'operand',
  attribute: 'attribute',
  place: 'probe',
  chains: 'causal',
  causal: 'causal',
  chain: 'chain',
  measure: 'comparator',
  term: 'term',
  call: 'call',
};

/** What was being read; a pattern and an order read labels too. */
export function partOf({ rules, expected }: ParseFailure): Part {
  const part = PARTS[rules.at(-1) ?? ''] ?? 'end';
  return expected === AnyName && (part === 'pattern' || part === 'chain') ? 'label' : part;
}

/** Where and why a piece of a clause could not be read. */
export interface Failure {
  readonly clause: ClauseKind;
  readonly piece: Piece;
  readonly part: Part;
  /** The one token that would have fitted, where there is only one. */
  readonly expected: TokenType | undefined;
  /** Undefined at the end of the text. */
  readonly found: IToken | undefined;
  /** The token before that. */
  readonly previous: IToken | undefined;
  /** The part was read to its end, and more follows in the piece. */
  readonly complete: boolean;
}

/** What a violation says of a failure; without a span, it is at the failure's place. */
export type Explanation = Omit<Violation, 'span'> & { readonly span?: Span };

/** Whether what was found belongs to the piece; otherwise it is what ended the piece. */
export function isInside({ found, piece }: Failure): boolean {
  return found !== undefined && found !== piece.next;
}

/** What was found, for a message. */
export function foundText({ found }: Failure): string {
  return found === undefined ? 'the end' : quote(found.image);
}
