import type { IToken, TokenType } from 'chevrotain';
import type { Violation } from '../../diagnostics/index.js';
import { nameOf, nestedTooDeep } from '../grammar/nodes.js';
import { parseTokens, type StartProduction, type TreeOf } from '../grammar/parser.js';
import { AND, AS, Comma, Identifier, QuotedName } from '../lexer/lexer.js';
import type { By, Clause, ClauseKind, Measure, Name, Tree } from '../tree/ast.js';
import {
  type ClauseText,
  type Cut,
  checkClauseOrder,
  cutAt,
  cutAtBy,
  cutClauses,
  isBareCondition,
  repeatedMatches,
} from './clauses.js';
import { explain, explainDepth, explainNothing, explainRepeated } from './explain.js';
import { comparisonBehindKeys } from './mistaken-clauses.js';
import { endOf, is, isKeywordToken, type Piece, violationsIn, withMistakes } from './tokens.js';

/** After so many violations in one expression, more of them would only bury the first. */
const MOST_VIOLATIONS = 100;

/**
 * Finds every distinct syntax error in an expression that has
 * some (no further clause is read after `MOST_VIOLATIONS`), and what is healthy.
 * Each clause stands for itself; within one, each pattern, chain and measure.
 */
export function diagnose(
  text: string,
  tokens: readonly IToken[],
): { readonly tree: Tree; readonly violations: readonly Violation[] } {
  const conflict = /^<{7}(?: .*)?$/m.exec(text);
  if (conflict !== null) {
    const span = { start: conflict.index, end: conflict.index + conflict[0].length };
    const help =
      'keep one of the two sides, and delete the lines of "<<<<<<<", "=======" and ">>>>>>>"';
    const message = 'a merge conflict of git is not resolved';
    return { tree: UNREAD, violations: [{ message, help, span }] };
  }
  const joined = withMistakes(text, tokens);
  const needless = new Set(repeatedMatches(joined));
  const cut = cutClauses(joined.filter((token) => !needless.has(token)));
  if (isBareCondition(cut)) return diagnoseBare(cut.lead);
  const ofOrder = [...[...needless].map(explainRepeated), ...checkClauseOrder(cut)];
  const violations = ofOrder.slice(0, MOST_VIOLATIONS);
  const nodes: { [K in ClauseKind]?: Extract<Clause, { kind: K }> } = {};
  const seen = new Set<ClauseKind>();
  const broken = new Set<ClauseKind>();
  for (const clause of cut.clauses) {
    if (violations.length >= MOST_VIOLATIONS) {
      broken.add(clause.kind);
      continue;
    }
    const reader = new ClauseReader(clause);
    const node = reader.read();
    violations.push(...reader.violations);
    const again = seen.has(clause.kind);
    if (again || reader.violations.length > 0) broken.add(clause.kind);
    if (!again && node !== undefined) Object.assign(nodes, { [clause.kind]: node });
    seen.add(clause.kind);
  }
  if (!seen.has('match')) broken.add('match');
  violations.sort((a, b) => a.span.start - b.span.start);
  return { tree: { ...nodes, ...boundLabels(cut), broken }, violations };
}

/** Nothing of the text can be kept. */
const UNREAD: Tree = { bare: true, labels: [], labelsComplete: false, broken: new Set(['match']) };

/** A condition alone with a mistake in it: nothing of it can be kept. */
function diagnoseBare(lead: Piece): ReturnType<typeof diagnose> {
  const reader = new ClauseReader({ ...lead, kind: 'match', keyword: lead.tokens[0] as IToken });
  reader.readBare();
  const { violations } = reader;
  return { tree: UNREAD, violations };
}

/** Reads one clause piece by piece, keeping what is healthy and why the rest is not. */
class ClauseReader {
  readonly violations: Violation[] = [];
  readonly #clause: ClauseText;

  constructor(clause: ClauseText) {
    this.#clause = clause;
  }

  /** The clause with its healthy parts; nothing for a FILTER without a condition. */
  read(): Clause | undefined {
    const { kind, keyword, tokens } = this.#clause;
    const span = { start: keyword.startOffset, end: endOf(tokens.at(-1) ?? keyword) };
    switch (kind) {
      case 'match':
        return { kind, span, patterns: this.#all(this.#body(), Comma, 'pattern') };
      case 'when':
        return { kind, span, relations: this.#all(this.#body(), AND, 'relation').flat() };
      case 'aggregate':
        return { kind, span, ...this.#measures() };
      case 'filter': {
        const condition = this.#one('condition', this.#body());
        return condition && { kind, span, condition };
      }
    }
  }

  /** A condition without a keyword. */
  readBare(): void {
    this.#one('condition', this.#clause);
  }

  #measures(): { readonly measures: Measure[]; readonly by?: By } {
    const cut = cutAtBy(this.#body());
    const misplaced = cut.by && comparisonBehindKeys(cut.measures, cut.by);
    if (misplaced !== undefined && violationsIn(this.#clause.tokens).length === 0) {
      this.violations.push(misplaced);
      return { measures: [] };
    }
    const measures = this.#all(cut.measures, Comma, 'measure');
    const by = cut.by && this.#one('by', cut.by);
    return { measures, ...(by && { by }) };
  }

  #all<P extends StartProduction>(whole: Piece, separator: TokenType, production: P): TreeOf<P>[] {
    const healthy: TreeOf<P>[] = [];
    for (const piece of cutAt(whole, separator)) {
      const part = this.#one(production, piece);
      if (part !== undefined) healthy.push(part);
      if (this.violations.length >= MOST_VIOLATIONS) break;
    }
    return healthy;
  }

  #one<P extends StartProduction>(production: P, piece: Piece): TreeOf<P> | undefined {
    const found = violationsIn(piece.tokens).slice(0, MOST_VIOLATIONS);
    const { kind } = this.#clause;
    const deep = nestedTooDeep(piece.tokens);
    if (found.length > 0) this.violations.push(...found);
    else if (deep !== undefined) this.violations.push(explainDepth(deep));
    else if (piece.tokens.length === 0) this.violations.push(explainNothing(kind, piece));
    else {
      const { tree, failure } = parseTokens(production, piece.tokens);
      if (failure === undefined) return tree;
      this.violations.push(explain(failure, piece, kind));
      // What comes after a pattern does not change it; elsewhere it may change all that was read.
      return kind === 'match' ? tree : undefined;
    }
    return undefined;
  }

  #body(): Piece {
    const { keyword, tokens, next } = this.#clause;
    return { before: keyword, tokens: tokens.slice(1), next };
  }
}

/**
 * The labels of MATCH, recognised by `AS x` alone, whatever else is broken there.
 * They are complete when every stretch between commas has one.
 */
function boundLabels(cut: Cut): {
  readonly labels: readonly Name[];
  readonly labelsComplete: boolean;
} {
  const labels: Name[] = [];
  let labelsComplete = true;
  const matches = cut.clauses.filter(({ kind }) => kind === 'match');
  for (const { tokens } of matches) {
    let inStretch = 0;
    tokens.forEach((token, index) => {
      if (token.tokenType === AS) {
        const label = labelAt(tokens[index + 1]);
        if (label !== undefined) labels.push(label);
        inStretch += label === undefined ? 0 : 1;
      }
      if (token.tokenType === Comma) {
        labelsComplete &&= inStretch > 0;
        inStretch = 0;
      }
    });
    labelsComplete &&= inStretch > 0;
  }
  return { labels, labelsComplete: labelsComplete && matches.length > 0 };
}

function labelAt(token: IToken | undefined): Name | undefined {
  if (token === undefined) return undefined;
  return is(token, Identifier, QuotedName) || isKeywordToken(token) ? nameOf(token) : undefined;
}
