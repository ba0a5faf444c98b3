import type { IToken } from 'chevrotain';
import {
  duplicatesIn,
  findNearestWord,
  type ProposedFix,
  quote,
  suggestedFix,
  type Violation,
} from '../../diagnostics/index.js';
import { findTooDeepParenthesis, nameOf, spanOf } from '../grammar/nodes.js';
import { parseTokens, type StartProduction, type TreeOf } from '../grammar/parser.js';
import { is, type TokenName } from '../lexer/lexer.js';
import type { Clause, ClauseKind, Name, Tree } from '../tree/ast.js';
import {
  explain,
  explainComparisonAfterKeys,
  explainDepth,
  explainMissingPart,
  explainRepeatedMatch,
} from './explain.js';
import { unexpectedToken } from './failure.js';
import { isForeignWord } from './phrases.js';
import {
  commaAfter,
  depthsOf,
  endOf,
  isKeywordToken,
  markMistakes,
  type Piece,
  VALUE_TOKENS,
  violationsIn,
} from './tokens.js';

/** The tokens of one clause. */
interface ClauseText extends Piece {
  readonly kind: ClauseKind;
  /** The clause keyword, which is the first token. */
  readonly keyword: IToken;
}

/** An expression's tokens, split into clauses. */
interface ClauseCut {
  /** The tokens before the first clause. */
  readonly lead: Piece;
  readonly clauses: readonly ClauseText[];
}

const KINDS = ['match', 'when', 'filter', 'aggregate'] as const;

/** Returns the kind of clause that a keyword begins. */
function kindOf(token: IToken | undefined): ClauseKind | undefined {
  return KINDS.find((kind) => token?.tokenType.name === kind.toUpperCase());
}

/** Splits the tokens at clause keywords, and at misspelt keywords where a clause may begin. */
function cutClauses(tokens: readonly IToken[]): ClauseCut {
  const wholePiece = { previous: undefined, tokens, next: undefined };
  const depths = depthsOf(tokens);
  const starts = tokens.flatMap((token, index) => {
    const kind = kindOf(token) ?? (depths[index] === 0 ? misspeltAt(tokens, index) : undefined);
    return kind !== undefined && !isUsedAsName(tokens, index) ? [{ kind, index }] : [];
  });
  const clauses = starts.map(({ kind, index }, nth): ClauseText => {
    const end = starts[nth + 1]?.index;
    return { ...slicePiece(wholePiece, index, end), kind, keyword: tokens[index] as IToken };
  });
  return { lead: slicePiece(wholePiece, 0, starts[0]?.index), clauses };
}

/** True if the text has no clauses, but has a token that occurs only in conditions. */
function isBareCondition({ lead, clauses }: ClauseCut): boolean {
  const { tokens } = lead;
  const firstToken = tokens[0];
  if (clauses.length > 0 || firstToken === undefined || isForeignWord(firstToken.image))
    return false;
  const isPart = (token: IToken) => is(token, '@', 'comparator', 'IN', 'GLOB');
  return tokens.some(isPart) && !tokens.some((token) => is(token, 'AS'));
}

/** Returns each MATCH that is repeated before another pattern: `MATCH (...) AS a, MATCH (...) AS b`. */
function repeatedMatches(tokens: readonly IToken[]): IToken[] {
  let isInMatch = false;
  return tokens.filter((token, index) => {
    const kind = kindOf(token);
    const repeats = isInMatch && kind === 'match' && is(tokens[index - 1], ',');
    if (kind !== undefined) isInMatch = kind === 'match';
    return repeats && is(tokens[index + 1], '(');
  });
}

/** Splits a piece at the separators outside parentheses. */
function cutAt(whole: Piece, separator: TokenName): Piece[] {
  const depths = depthsOf(whole.tokens);
  const ends = whole.tokens.flatMap((token, index) =>
    is(token, separator) && depths[index] === 0 ? [index] : [],
  );
  return [-1, ...ends].map((end, nth) => slicePiece(whole, end + 1, ends[nth]));
}

/** Splits an AGGREGATE piece before its `BY`. Where only a name is possible, BY is a name. */
function cutAtBy(whole: Piece): { readonly measures: Piece; readonly by?: Piece } {
  const { tokens } = whole;
  const depths = depthsOf(tokens);
  const at = tokens.findIndex(
    (token, index) =>
      is(token, 'BY') && depths[index] === 0 && is(tokens[index - 1], ...BEFORE_CLAUSE),
  );
  if (at < 0) return { measures: whole };
  return { measures: slicePiece(whole, 0, at), by: slicePiece(whole, at) };
}

/** Returns the part of a piece from index `start` up to, but excluding, index `end`. */
function slicePiece({ previous, tokens, next }: Piece, start: number, end = tokens.length): Piece {
  return {
    previous: tokens[start - 1] ?? previous,
    tokens: tokens.slice(start, end),
    next: tokens[end] ?? next,
  };
}

const SIGNS = ['->', '||', 'comparator', 'sign', 'factor sign'] as const;

/**
 * True if a clause keyword is used as a name, as in `AS filter`. The previous token then requires a
 * name, and the next token cannot follow a clause keyword.
 */
function isUsedAsName(tokens: readonly IToken[], index: number): boolean {
  const [preceding, following] = [tokens[index - 1], tokens[index + 1]];
  if (is(following, '.', '@', ...SIGNS, ')', ',', 'AND', 'OR', 'AS')) {
    const isNamed = is(preceding, 'AS', '.', '@', ...SIGNS, 'AND', 'OR', '(', ',');
    return isNamed || kindOf(preceding) !== undefined;
  }
  const endsClause = following === undefined || kindOf(following) !== undefined;
  return endsClause && is(preceding, 'AS', '.', '@', '->');
}

const SHAPE = 'an expression begins with MATCH (condition) AS label';

/** Reports mistakes in the sequence of clauses: a missing or late MATCH, and misspelt or repeated keywords. */
function checkClauseOrder(clauseCut: ClauseCut): Violation[] {
  const { lead, clauses } = clauseCut;
  const start = lead.tokens[0];
  if (start !== undefined && isForeignWord(start.image)) {
    return [unexpectedToken(start, SHAPE)];
  }
  const violations = violationsIn(lead.tokens);
  const match = clauses.find(({ kind }) => kind === 'match');
  const firstClause = clauses[0];
  if (start === undefined && firstClause === undefined) {
    const message = 'the expression is empty';
    return [{ message, help: SHAPE, span: { start: 0, end: 0 } }];
  }
  if (start !== undefined && violations.length === 0) {
    const nearMatch = findNearestWord(start.image, ['MATCH']);
    violations.push({
      message: `expected "MATCH", found ${quote(start.image)}`,
      help: nearMatch !== undefined ? `did you mean ${quote(nearMatch)}?` : SHAPE,
      instead: nearMatch,
      span: spanOf(start),
    });
  } else if (start === undefined && firstClause !== undefined && firstClause !== match) {
    const keywordText = quote(firstClause.keyword.image);
    const span = spanOf(firstClause.keyword);
    const misplacedMatch = match && {
      message: `${quote(match.keyword.image)} is not the first clause`,
      help: `put it before ${keywordText}`,
      span: spanOf(match.keyword),
      related: [{ message: 'the first clause', span }],
    };
    violations.push(
      misplacedMatch ?? { message: `expected "MATCH" before ${keywordText}`, help: SHAPE, span },
    );
  }
  return [...violations, ...misspeltKeywords(clauseCut), ...repeatedClauses(clauseCut)];
}

/** Reports misspelt keywords where a clause begins. */
function misspeltKeywords({ clauses }: ClauseCut): Violation[] {
  return clauses.flatMap(({ kind, keyword }) => {
    if (isKeywordToken(keyword)) return [];
    const replacement = kind.toUpperCase();
    return [
      { ...unexpectedToken(keyword, `did you mean ${quote(replacement)}?`), instead: replacement },
    ];
  });
}

function repeatedClauses({ clauses }: ClauseCut): Violation[] {
  return [...duplicatesIn(clauses, ({ kind }) => kind)].map(([clause, first]) => ({
    message: `a second ${quote(clause.keyword.image)} clause`,
    help: JOIN[clause.kind],
    fix: clauses[clauses.indexOf(first) + 1] === clause ? joinTo(first, clause) : undefined,
    span: spanOf(clause.keyword),
    related: [{ message: 'the first clause', span: spanOf(first.keyword) }],
  }));
}

/** Returns the fix that joins a clause to the previous clause of the same kind, if possible. */
function joinTo(first: ClauseText, { kind, keyword, tokens }: ClauseText): ProposedFix | undefined {
  if (kind === 'match' || kind === 'aggregate') {
    return commaAfter(first.tokens.at(-1), keyword);
  }
  // Joining would change the grouping of OR's operands.
  if ([...first.tokens, ...tokens].some((token) => is(token, 'OR'))) return undefined;
  return suggestedFix(spanOf(keyword), 'AND');
}

const JOIN = {
  match: 'put all patterns into one MATCH, with "," between them',
  when: 'put all orders into one WHEN, joined by AND',
  filter: 'put all conditions into one FILTER, joined by AND',
  aggregate: 'put all measures into one AGGREGATE, with "," between them',
} as const;

/** Tokens that may follow (`AFTER_KEYWORD`) or precede (`BEFORE_CLAUSE`) a clause keyword. */
const AFTER_KEYWORD = ['name', 'string', 'number', '('] as const;
const BEFORE_CLAUSE = [...VALUE_TOKENS, ')'] as const;

/** Returns the kind of clause that a misspelt keyword begins, as in `MACTH (...) AS a FILTR a.x = 1`. */
function misspeltAt(tokens: readonly IToken[], index: number): ClauseKind | undefined {
  const word = tokens[index];
  const next = tokens[index + 1];
  if (!is(word, 'identifier') || isForeignWord(word.image)) return undefined;
  if (index === 0)
    return is(next, '(') && findNearestWord(word.image, ['MATCH']) ? 'match' : undefined;
  const previous = tokens[index - 1];
  if (!is(previous, ...BEFORE_CLAUSE) || !is(next, ...AFTER_KEYWORD)) return undefined;
  // A name next to a word of the language stays a name, as in `NEXT filte WITHIN 5s`.
  if (is(previous, 'NEXT', 'NOT', 'BY') || is(next, 'WITHIN', 'IN', 'GLOB', 'NOT', 'HAVING', 'FOR'))
    return undefined;
  return findNearestWord(word.image, KINDS.slice(1));
}

/** Maximum number of violations reported for one expression. */
const MAX_VIOLATIONS = 100;

/**
 * Finds the distinct syntax errors and the valid parts of an expression that could not be parsed.
 * Parses each clause, pattern, chain and measure separately. After `MAX_VIOLATIONS`, parses no
 * further clause.
 */
export function diagnose(
  text: string,
  tokens: readonly IToken[],
): { readonly tree: Tree; readonly violations: readonly Violation[] } {
  const conflict = /^<{7}(?: .*)?$/m.exec(text);
  if (conflict !== null) {
    const span = { start: conflict.index, end: conflict.index + conflict[0].length };
    const help =
      'keep one of the two sides, and delete the lines with "<<<<<<<", "=======" and ">>>>>>>"';
    const message = 'unresolved git merge conflict';
    return { tree: UNREAD_TREE, violations: [{ message, help, span }] };
  }
  const joinedTokens = markMistakes(text, tokens);
  const needless = new Set(repeatedMatches(joinedTokens));
  const clauseCut = cutClauses(joinedTokens.filter((token) => !needless.has(token)));
  if (isBareCondition(clauseCut)) return diagnoseBare(clauseCut.lead);
  const orderViolations = [
    ...[...needless].map(explainRepeatedMatch),
    ...checkClauseOrder(clauseCut),
  ];
  const violations = orderViolations.slice(0, MAX_VIOLATIONS);
  const nodes: { [K in ClauseKind]?: Extract<Clause, { kind: K }> } = {};
  const seenKinds = new Set<ClauseKind>();
  const brokenKinds = new Set<ClauseKind>();
  for (const clause of clauseCut.clauses) {
    if (violations.length >= MAX_VIOLATIONS) {
      brokenKinds.add(clause.kind);
      continue;
    }
    const clauseViolations: Violation[] = [];
    const node = readClause(clause, clauseViolations);
    violations.push(...clauseViolations);
    const isRepeated = seenKinds.has(clause.kind);
    if (isRepeated || clauseViolations.length > 0) brokenKinds.add(clause.kind);
    if (!isRepeated && node !== undefined) Object.assign(nodes, { [clause.kind]: node });
    seenKinds.add(clause.kind);
  }
  if (!seenKinds.has('match')) brokenKinds.add('match');
  violations.sort((a, b) => a.span.start - b.span.start);
  return { tree: { ...nodes, ...boundLabels(clauseCut), broken: brokenKinds }, violations };
}

/** The tree of a text without any parsable part. */
const UNREAD_TREE: Tree = {
  bare: true,
  labels: [],
  labelsComplete: false,
  broken: new Set(['match']),
};

/** Diagnoses a condition without clauses. The tree is empty. */
function diagnoseBare(lead: Piece): ReturnType<typeof diagnose> {
  const violations: Violation[] = [];
  readOne('condition', lead, 'match', violations);
  return { tree: UNREAD_TREE, violations };
}

/**
 * Parses a clause piece by piece, and adds its mistakes to `violations`.
 *
 * @returns the valid parts; undefined for a FILTER without a valid condition
 */
function readClause(clause: ClauseText, violations: Violation[]): Clause | undefined {
  const { kind, keyword, tokens } = clause;
  const span = { start: keyword.startOffset, end: endOf(tokens.at(-1) ?? keyword) };
  const body = slicePiece(clause, 1);
  const readAll = <P extends StartProduction>(
    whole: Piece,
    separator: TokenName,
    production: P,
  ) => {
    const healthy: TreeOf<P>[] = [];
    for (const piece of cutAt(whole, separator)) {
      const part = readOne(production, piece, kind, violations);
      if (part !== undefined) healthy.push(part);
      if (violations.length >= MAX_VIOLATIONS) break;
    }
    return healthy;
  };
  switch (kind) {
    case 'match':
      return { kind, span, patterns: readAll(body, ',', 'pattern') };
    case 'when':
      return { kind, span, relations: readAll(body, 'AND', 'relation').flat() };
    case 'filter': {
      const condition = readOne('condition', body, kind, violations);
      return condition && { kind, span, condition };
    }
    case 'aggregate': {
      const measureCut = cutAtBy(body);
      const misplacedBy =
        measureCut.by && explainComparisonAfterKeys(measureCut.measures, measureCut.by);
      if (misplacedBy !== undefined && violationsIn(tokens).length === 0) {
        violations.push(misplacedBy);
        return { kind, span, measures: [] };
      }
      const measures = readAll(measureCut.measures, ',', 'requirement');
      const byClause = measureCut.by && readOne('by', measureCut.by, kind, violations);
      return { kind, span, measures, ...(byClause && { by: byClause }) };
    }
  }
}

function readOne<P extends StartProduction>(
  production: P,
  piece: Piece,
  kind: ClauseKind,
  violations: Violation[],
): TreeOf<P> | undefined {
  const mistakes = violationsIn(piece.tokens).slice(0, MAX_VIOLATIONS);
  const deep = findTooDeepParenthesis(piece.tokens);
  if (mistakes.length > 0) violations.push(...mistakes);
  else if (deep !== undefined) violations.push(explainDepth(deep));
  else if (piece.tokens.length === 0) violations.push(explainMissingPart(kind, piece));
  else {
    const { tree, failure } = parseTokens(production, piece.tokens);
    if (failure === undefined) return tree;
    violations.push(explain(failure, piece, kind));
    // Text after a pattern does not change the pattern. In other clauses, later text may change the
    // meaning of all earlier text.
    return kind === 'match' ? tree : undefined;
  }
  return undefined;
}

/**
 * Returns the labels in MATCH, recognized by `AS x` alone, regardless of other errors. The labels
 * are complete if each part between commas has a label.
 */
function boundLabels(clauseCut: ClauseCut): {
  readonly labels: readonly Name[];
  readonly labelsComplete: boolean;
} {
  const labels: Name[] = [];
  let labelsComplete = true;
  const matches = clauseCut.clauses.filter(({ kind }) => kind === 'match');
  for (const { tokens } of matches) {
    let labelCount = 0;
    tokens.forEach((token, index) => {
      const label = is(token, 'AS') ? tokens[index + 1] : undefined;
      if (label !== undefined && (is(label, 'name') || isKeywordToken(label))) {
        labels.push(nameOf(label));
        labelCount += 1;
      }
      if (is(token, ',')) {
        labelsComplete &&= labelCount > 0;
        labelCount = 0;
      }
    });
    labelsComplete &&= labelCount > 0;
  }
  return { labels, labelsComplete: labelsComplete && matches.length > 0 };
}
