import type { IToken, TokenType } from 'chevrotain';
import {
  nearest,
  type ProposedFix,
  quote,
  suggestedFix,
  type Violation,
} from '../../diagnostics/index.js';
import { spanOf } from '../grammar/nodes.js';
import {
  AGGREGATE,
  AND,
  Arrow,
  AS,
  At,
  BY,
  Close,
  Comma,
  ComparisonSign,
  Concurrent,
  Dot,
  FactorSign,
  FILTER,
  FOR,
  GLOB,
  Identifier,
  IN,
  MATCH,
  NEXT,
  NOT,
  Numeral,
  Open,
  OR,
  QuotedName,
  QuotedString,
  Sign,
  WHEN,
  WITHIN,
} from '../lexer/lexer.js';
import type { ClauseKind } from '../tree/ast.js';
import { isForeignWord } from './foreign-words.js';
import { commaAfter, is, isKeywordToken, type Piece, VALUES, violationsIn } from './tokens.js';

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

/** Whether there are no clauses, but what only a condition has. */
export function isBareCondition({ lead, clauses }: Cut): boolean {
  const { tokens } = lead;
  const first = tokens[0];
  if (clauses.length > 0 || first === undefined || isForeignWord(first.image)) return false;
  const isPart = (token: IToken) => is(token, At, ComparisonSign, IN, GLOB);
  return tokens.some(isPart) && !tokens.some((token) => is(token, AS));
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

/** Cuts a piece of AGGREGATE before its `BY`, which is none where only a name can stand. */
export function cutAtBy(whole: Piece): { readonly measures: Piece; readonly by?: Piece } {
  const { tokens, before, next } = whole;
  const depths = depthsOf(tokens);
  const at = tokens.findIndex(
    ({ tokenType }, index) =>
      tokenType === BY && depths[index] === 0 && is(tokens[index - 1], ...BEFORE),
  );
  if (at < 0) return { measures: whole };
  return {
    measures: { before, tokens: tokens.slice(0, at), next: tokens[at] },
    by: { before: tokens[at - 1], tokens: tokens.slice(at), next },
  };
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

const SIGNS = [Arrow, Concurrent, ComparisonSign, Sign, FactorSign];
const BEFORE_NAME = new Set([AS, Dot, At, ...SIGNS, AND, OR, Open, Comma]);
const AFTER_NAME = new Set([Dot, At, ...SIGNS, Close, Comma, AND, OR, AS]);

/**
 * Whether a clause keyword stands where only a name can, as in `AS filter`:
 * a name must come after what is before it, and nothing after it begins a clause.
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

const SHAPE = 'an expression begins with MATCH (condition) AS label';

/** What is wrong with the clauses as a whole: MATCH missing or not first, a clause twice. */
export function checkClauseOrder(cut: Cut): Violation[] {
  const { lead, clauses } = cut;
  const start = lead.tokens[0];
  if (start !== undefined && isForeignWord(start.image)) {
    const message = `unexpected ${quote(start.image)}`;
    return [{ message, help: SHAPE, span: spanOf(start) }];
  }
  const violations = violationsIn(lead.tokens);
  const match = clauses.find(({ kind }) => kind === 'match');
  const first = clauses[0];
  if (start === undefined && first === undefined) {
    const message = 'the expression is empty';
    return [{ message, help: SHAPE, span: { start: 0, end: 0 } }];
  }
  if (start !== undefined && violations.length === 0) {
    const near = nearest(start.image, ['MATCH']);
    violations.push({
      message: `expected "MATCH", found ${quote(start.image)}`,
      help: near !== undefined ? `did you mean ${quote(near)}?` : SHAPE,
      instead: near,
      span: spanOf(start),
    });
  } else if (start === undefined && first !== undefined && first !== match) {
    const written = quote(first.keyword.image);
    const span = spanOf(first.keyword);
    const misplaced = match && {
      message: `${quote(match.keyword.image)} is not the first clause`,
      help: `put it before ${written}`,
      span: spanOf(match.keyword),
      related: [{ message: 'the first clause', span }],
    };
    violations.push(
      misplaced ?? { message: `expected "MATCH" before ${written}`, help: SHAPE, span },
    );
  }
  return [...violations, ...misspelt(cut), ...repeated(cut)];
}

/** Keywords that are misspelt, but stand where their clause begins. */
function misspelt({ clauses }: Cut): Violation[] {
  return clauses.flatMap(({ kind, keyword }) => {
    if (isKeywordToken(keyword)) return [];
    const message = `unexpected ${quote(keyword.image)}`;
    const instead = kind.toUpperCase();
    const help = `did you mean ${quote(instead)}?`;
    return [{ message, help, span: spanOf(keyword), instead }];
  });
}

function repeated({ clauses }: Cut): Violation[] {
  const violations: Violation[] = [];
  const firsts = new Map<string, (typeof clauses)[number]>();
  for (const [index, clause] of clauses.entries()) {
    const first = firsts.get(clause.kind);
    if (first === undefined) {
      firsts.set(clause.kind, clause);
      continue;
    }
    violations.push({
      message: `a second ${quote(clause.keyword.image)} clause`,
      help: JOIN[clause.kind],
      fix: clauses[index - 1] === first ? joinTo(first, clause) : undefined,
      span: spanOf(clause.keyword),
      related: [{ message: 'the first one', span: spanOf(first.keyword) }],
    });
  }
  return violations;
}

/** Takes the keyword of a clause away that follows another of its kind. */
function joinTo(first: ClauseText, { kind, keyword, tokens }: ClauseText): ProposedFix | undefined {
  if (kind === 'match' || kind === 'aggregate') {
    return commaAfter(first.tokens.at(-1), keyword);
  }
  // What OR joins would be grouped otherwise.
  if ([...first.tokens, ...tokens].some((token) => is(token, OR))) return undefined;
  return suggestedFix(spanOf(keyword), 'AND');
}

const JOIN = {
  match: 'put all patterns into one MATCH, with "," between them',
  when: 'put all orders into one WHEN, joined by AND',
  filter: 'put all conditions into one FILTER, joined by AND',
  aggregate: 'put all measures into one AGGREGATE, with "," between them',
} as const;

/** What the word before a clause may end with, and what may come after its keyword. */
const AFTER: readonly TokenType[] = [Identifier, QuotedName, QuotedString, Numeral, Open];
const BEFORE = [...VALUES, Close];
const LATER_CLAUSES = ['when', 'filter', 'aggregate'] as const;

/** The clause that a misspelt keyword begins: `MACTH (...) AS a FILTR a.x = 1`. */
function misspeltAt(tokens: readonly IToken[], index: number): ClauseKind | undefined {
  const word = tokens[index];
  const next = tokens[index + 1];
  if (!is(word, Identifier) || isForeignWord(word.image)) return undefined;
  if (index === 0) return is(next, Open) && nearest(word.image, ['MATCH']) ? 'match' : undefined;
  const previous = tokens[index - 1];
  if (!is(previous, ...BEFORE) || !is(next, ...AFTER)) return undefined;
  // A name between words of the language is one, as in `NEXT filte WITHIN 5s`.
  if (is(previous, NEXT, NOT, BY) || is(next, WITHIN, IN, GLOB, NOT, FOR)) return undefined;
  return nearest(word.image, LATER_CLAUSES);
}
