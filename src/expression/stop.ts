import { quote, type Violation } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';
import type { ClauseKind } from './ast.js';
import type { Piece } from './clauses.js';
import type { Part } from './token-reader.js';
import type { Token, TokenType } from './tokens.js';

/** Where reading stopped. */
export interface Stop {
  readonly clause: ClauseKind;
  readonly piece: Piece;
  readonly part: Part;
  /** The one token that would have fitted, where there is only one. */
  readonly expected: TokenType | undefined;
  /** Undefined at the end of the text. */
  readonly found: Token | undefined;
  /** The token before that. */
  readonly previous: Token | undefined;
  /** The part was read to its end, and more follows in the piece. */
  readonly complete: boolean;
}

/** A finding, at the place where reading stopped unless it has its own. */
export type Told = Omit<Violation, 'span'> & { readonly span?: Span };

/** Whether a token is one of these. */
export function is(token: Token | undefined, ...types: readonly TokenType[]): token is Token {
  return token !== undefined && types.includes(token.type);
}

/** Whether what was found belongs to the piece; otherwise it is what ended the piece. */
export function isInside({ found, piece }: Stop): boolean {
  return found !== undefined && found !== piece.next;
}

/** What was found, for a message. */
export function foundText({ found }: Stop): string {
  return found === undefined ? 'the end' : quote(found.image);
}
