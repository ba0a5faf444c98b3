import type { ClauseKind } from './ast.js';
import type { Token, TokenType } from './tokens.js';

/** The tokens of a part of the text, and what stands around it. */
export interface Piece {
  readonly before: Token | undefined;
  readonly tokens: readonly Token[];
  /** What ended it; undefined at the end of the text. */
  readonly next: Token | undefined;
}

export interface ClauseText extends Piece {
  readonly kind: ClauseKind;
  /** The first of `tokens`. */
  readonly keyword: Token;
}

export interface Cut {
  /** What stands before the first clause. */
  readonly lead: Piece;
  readonly clauses: readonly ClauseText[];
}

const KINDS = new Map<TokenType, ClauseKind>([
  ['MATCH', 'match'],
  ['WHEN', 'when'],
  ['FILTER', 'filter'],
  ['AGGREGATE', 'aggregate'],
]);

/** Cuts the tokens at the clause keywords, which are reserved. */
export function cutClauses(tokens: readonly Token[]): Cut {
  const starts = tokens.flatMap((token, index) => {
    const kind = KINDS.get(token.type);
    return kind !== undefined && !isUsedAsName(tokens, index) ? [{ kind, index }] : [];
  });
  const clauses = starts.map(({ kind, index }, nth): ClauseText => {
    const end = starts[nth + 1]?.index ?? tokens.length;
    return { ...piece(tokens, index, end), kind, keyword: tokens[index] as Token };
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
    if (token.type === '(') depth += 1;
    else if (token.type === ')') depth = Math.max(0, depth - 1);
    else if (token.type === separator && depth === 0) {
      pieces.push({ before, tokens: tokens.slice(start, index), next: token });
      before = token;
      start = index + 1;
    }
  });
  return [...pieces, { before, tokens: tokens.slice(start), next: whole.next }];
}

function piece(tokens: readonly Token[], start: number, end: number): Piece {
  return { before: tokens[start - 1], tokens: tokens.slice(start, end), next: tokens[end] };
}

const BEFORE_NAME = new Set<TokenType | undefined>([
  'AS',
  '.',
  '@',
  '->',
  'comparator',
  'AND',
  'OR',
  '(',
  ',',
]);
const AFTER_NAME = new Set<TokenType | undefined>([
  '.',
  '@',
  '->',
  'comparator',
  ')',
  ',',
  'AND',
  'OR',
  'AS',
]);

/**
 * Whether a clause keyword stands where only a name can, as in `AS filter`:
 * before it a name is due, and after it comes nothing that begins a clause.
 */
function isUsedAsName(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.type;
  const after = tokens[index + 1]?.type;
  const afterClauseWord = before !== undefined && KINDS.has(before);
  if (AFTER_NAME.has(after)) return afterClauseWord || BEFORE_NAME.has(before);
  const alone = after === undefined || KINDS.has(after);
  return alone && (before === 'AS' || before === '.' || before === '@' || before === '->');
}
