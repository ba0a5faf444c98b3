import type { IToken, TokenType } from 'chevrotain';
import { type Finding, quote } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';
import type { ClauseKind } from './ast.js';
import type { Piece } from './clauses.js';

/** Where reading stopped. */
export interface Stop {
  readonly clause: ClauseKind;
  readonly piece: Piece;
  /** The rules that were being read, the innermost last. */
  readonly rules: readonly string[];
  /** The name of the one token that was expected, where there is one. */
  readonly expected: string;
  /** Undefined at the end of the text. */
  readonly found: IToken | undefined;
  /** The token before that. */
  readonly previous: IToken | undefined;
  /** The piece was read to its end, and more follows in it. */
  readonly complete: boolean;
}

/** A finding, at the place where reading stopped unless it has its own. */
export type Told = Omit<Finding, 'span'> & { readonly span?: Span };

/** Whether a token is one of these. */
export function is(token: IToken | undefined, ...types: readonly TokenType[]): token is IToken {
  return token !== undefined && types.includes(token.tokenType);
}

/** Whether what was found belongs to the piece; otherwise it is what ended the piece. */
export function isInside({ found, piece }: Stop): boolean {
  return found !== undefined && found !== piece.next;
}

/** What was found, for a message. */
export function foundText({ found }: Stop): string {
  return found === undefined ? 'the end' : quote(found.image);
}
