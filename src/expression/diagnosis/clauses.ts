import type { IToken, TokenType } from 'chevrotain';
import {
  AGGREGATE,
  AND,
  Arrow,
  AS,
  At,
  Close,
  Comma,
  ComparisonSign,
  Dot,
  FILTER,
  MATCH,
  Open,
  OR,
  Sign,
  WHEN,
} from '../grammar/grammar.js';
import type { ClauseKind } from '../tree/ast.js';
import { misspeltAt } from './misspelt-clause.js';

/** The tokens of a part of the text, and what stands around it. */
export interface Piece {
  readonly before: IToken | undefined;
  readonly tokens: readonly IToken[];
  /** What ended it; undefined at the end of the text. */
  readonly next: IToken | undefined;
}

/** The tokens of one clause. */
export interface ClauseText extends Piece {
  readonly kind: ClauseKind;
  /** The first of `tokens`. */
  readonly keyword: IToken;
}

/** The tokens of an expression, cut into clauses. */
export interface Cut {
  /** What stands before the first clause. */
  readonly lead: Piece;
  readonly clauses: readonly ClauseText[];
}

const KINDS = new Map<TokenType, ClauseKind>([
  [MATCH, 'match'],
  [WHEN, 'when'],
  [FILTER, 'filter'],
  [AGGREGATE, 'aggregate'],
]);

/**
 * Cuts the tokens at the clause keywords, which are reserved, and at words that
 * are nearly such ones and stand where a clause begins.
 */
export function cutClauses(tokens: readonly IToken[]): Cut {
  const depths = depthsOf(tokens);
  const starts = tokens.flatMap((token, index) => {
    const kind =
      KINDS.get(token.tokenType) ?? (depths[index] === 0 ? misspeltAt(tokens, index) : undefined);
    return kind !== undefined && !isUsedAsName(tokens, index) ? [{ kind, index }] : [];
  });
  const clauses = starts.map(({ kind, index }, nth): ClauseText => {
    const end = starts[nth + 1]?.index ?? tokens.length;
    return { ...piece(tokens, index, end), kind, keyword: tokens[index] as IToken };
  });
  const first = starts[0]?.index ?? tokens.length;
  return { lead: piece(tokens, 0, first), clauses };
}

/** The keywords that repeat MATCH before a further pattern: `MATCH (...) AS a, MATCH (...) AS b`. */
export function repeatedMatches(tokens: readonly IToken[]): IToken[] {
  let inMatch = false;
  return tokens.filter(({ tokenType }, index) => {
    const repeats = inMatch && tokenType === MATCH && tokens[index - 1]?.tokenType === Comma;
    if (KINDS.has(tokenType)) inMatch = tokenType === MATCH;
    return repeats && tokens[index + 1]?.tokenType === Open;
  });
}

/** Cuts a piece at the separators that stand outside parentheses. */
export function cutAt(whole: Piece, separator: TokenType): Piece[] {
  const { tokens } = whole;
  const pieces: Piece[] = [];
  const depths = depthsOf(tokens);
  let before = whole.before;
  let start = 0;
  tokens.forEach((token, index) => {
    if (token.tokenType === separator && depths[index] === 0) {
      pieces.push({ before, tokens: tokens.slice(start, index), next: token });
      before = token;
      start = index + 1;
    }
  });
  return [...pieces, { before, tokens: tokens.slice(start), next: whole.next }];
}

/** How many parentheses are open behind each token. */
function depthsOf(tokens: readonly IToken[]): number[] {
  let depth = 0;
  return tokens.map(({ tokenType }) => {
    if (tokenType === Open) depth += 1;
    else if (tokenType === Close) depth = Math.max(0, depth - 1);
    return depth;
  });
}

function piece(tokens: readonly IToken[], start: number, end: number): Piece {
  return { before: tokens[start - 1], tokens: tokens.slice(start, end), next: tokens[end] };
}

const BEFORE_NAME = new Set([AS, Dot, At, Arrow, ComparisonSign, Sign, AND, OR, Open, Comma]);
const AFTER_NAME = new Set([Dot, At, Arrow, ComparisonSign, Sign, Close, Comma, AND, OR, AS]);

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
  return alone && (before === AS || before === Dot || before === At || before === Arrow);
}
