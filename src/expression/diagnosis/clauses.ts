import type { IToken, TokenType } from 'chevrotain';
import {
  Aggregate,
  And,
  Arrow,
  As,
  At,
  Close,
  Comma,
  Comparator,
  Dot,
  Filter,
  Match,
  Open,
  Or,
  Sign,
  When,
} from '../grammar/grammar.js';
import type { ClauseKind } from '../tree/ast.js';

/** The tokens of a part of the text, and what stands around it. */
export interface Piece {
  readonly before: IToken | undefined;
  readonly tokens: readonly IToken[];
  /** What ended it; undefined at the end of the text. */
  readonly next: IToken | undefined;
}

export interface ClauseText extends Piece {
  readonly kind: ClauseKind;
  /** The first of `tokens`. */
  readonly keyword: IToken;
}

export interface Cut {
  /** What stands before the first clause. */
  readonly lead: Piece;
  readonly clauses: readonly ClauseText[];
}

const KINDS = new Map<TokenType, ClauseKind>([
  [Match, 'match'],
  [When, 'when'],
  [Filter, 'filter'],
  [Aggregate, 'aggregate'],
]);

/** Cuts the tokens at the clause keywords, which are reserved. */
export function cutClauses(tokens: readonly IToken[]): Cut {
  const starts = tokens.flatMap((token, index) => {
    const kind = KINDS.get(token.tokenType);
    return kind !== undefined && !isUsedAsName(tokens, index) ? [{ kind, index }] : [];
  });
  const clauses = starts.map(({ kind, index }, nth): ClauseText => {
    const end = starts[nth + 1]?.index ?? tokens.length;
    return { ...piece(tokens, index, end), kind, keyword: tokens[index] as IToken };
  });
  const first = starts[0]?.index ?? tokens.length;
  return { lead: piece(tokens, 0, first), clauses };
}

/** Cuts a piece at the separators that stand outside parentheses. */
export function cutAt(whole: Piece, separator: TokenType): Piece[] {
  const { tokens } = whole;
  const pieces: Piece[] = [];
  let before = whole.before;
  let start = 0;
  let depth = 0;
  tokens.forEach((token, index) => {
    if (token.tokenType === Open) depth += 1;
    else if (token.tokenType === Close) depth = Math.max(0, depth - 1);
    else if (token.tokenType === separator && depth === 0) {
      pieces.push({ before, tokens: tokens.slice(start, index), next: token });
      before = token;
      start = index + 1;
    }
  });
  return [...pieces, { before, tokens: tokens.slice(start), next: whole.next }];
}

function piece(tokens: readonly IToken[], start: number, end: number): Piece {
  return { before: tokens[start - 1], tokens: tokens.slice(start, end), next: tokens[end] };
}

const BEFORE_NAME = new Set([As, Dot, At, Arrow, Comparator, Sign, And, Or, Open, Comma]);
const AFTER_NAME = new Set([Dot, At, Arrow, Comparator, Sign, Close, Comma, And, Or, As]);

/**
 * Whether a clause keyword stands where only a name can, as in `AS filter`:
 * before it a name is due, and after it comes nothing that begins a clause.
 */
function isUsedAsName(tokens: readonly IToken[], index: number): boolean {
  const before = tokens[index - 1]?.tokenType;
  const after = tokens[index + 1]?.tokenType;
  const afterClauseWord = before !== undefined && KINDS.has(before);
  if (after !== undefined && AFTER_NAME.has(after)) {
    return afterClauseWord || (before !== undefined && BEFORE_NAME.has(before));
  }
  const alone = after === undefined || KINDS.has(after);
  return alone && (before === As || before === Dot || before === At || before === Arrow);
}
