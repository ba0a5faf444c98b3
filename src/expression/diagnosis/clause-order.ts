import { nearest, quote, type Violation } from '../../diagnostics/index.js';
import { spanOf } from '../grammar/nodes.js';
import type { Cut } from './clauses.js';
import { isForeignWord } from './foreign-words.js';
import { isKeywordToken, violationsIn } from './tokens.js';

const SHAPE = 'write MATCH (condition) AS label';

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
      span: spanOf(start),
    });
  } else if (start === undefined && first !== undefined && first !== match) {
    violations.push(
      match === undefined
        ? {
            message: `expected "MATCH" before ${quote(first.keyword.image)}`,
            help: SHAPE,
            span: spanOf(first.keyword),
          }
        : {
            message: `${quote(match.keyword.image)} is not the first clause`,
            help: `write it before ${quote(first.keyword.image)}`,
            span: spanOf(match.keyword),
            related: [{ message: 'the first clause', span: spanOf(first.keyword) }],
          },
    );
  }
  return [...violations, ...misspelt(cut), ...repeated(cut)];
}

/** Keywords that are misspelt, but stand where their clause begins. */
function misspelt({ clauses }: Cut): Violation[] {
  return clauses.flatMap(({ kind, keyword }) => {
    if (isKeywordToken(keyword)) return [];
    const message = `unexpected ${quote(keyword.image)}`;
    const help = `did you mean ${quote(kind.toUpperCase())}?`;
    return [{ message, help, span: spanOf(keyword) }];
  });
}

function repeated({ clauses }: Cut): Violation[] {
  const violations: Violation[] = [];
  const firsts = new Map<string, (typeof clauses)[number]>();
  for (const clause of clauses) {
    const first = firsts.get(clause.kind);
    if (first === undefined) {
      firsts.set(clause.kind, clause);
      continue;
    }
    violations.push({
      message: `a second ${quote(clause.keyword.image)} clause`,
      help: JOIN[clause.kind],
      span: spanOf(clause.keyword),
      related: [{ message: 'the first one', span: spanOf(first.keyword) }],
    });
  }
  return violations;
}

const JOIN = {
  match: 'write all patterns in one MATCH, with "," between them',
  when: 'write all orders in one WHEN, joined by AND',
  filter: 'write all conditions in one FILTER, joined by AND',
  aggregate: 'write all measures in one AGGREGATE, with "," between them',
} as const;
