import {
  type Condition,
  type Expression,
  type Measure,
  print,
  type Term,
} from '../../expression/index.js';

/* Parts of an expression as the printer writes them. */

export function measureText(measure: Measure): string {
  const { span } = measure;
  return clauseText({ aggregate: { kind: 'aggregate', span, measures: [measure] } }, 'AGGREGATE');
}

export function termText(term: Term): string {
  const { span } = term;
  const zero = { kind: 'integer', span, value: 0n } as const;
  const text = measureText({ kind: 'measure', span, left: term, comparator: '=', right: zero });
  return text.slice(0, -' = 0'.length);
}

export function conditionText(condition: Condition): string {
  const { span } = condition;
  return clauseText({ filter: { kind: 'filter', span, condition } }, 'FILTER');
}

/** The text of one clause: the printer writes whole expressions, so the clause stands alone in one. */
function clauseText(clause: Pick<Expression, 'filter' | 'aggregate'>, keyword: string): string {
  const span = { start: 0, end: 0 };
  const match = { kind: 'match', span, patterns: [] } as const;
  const text = print({ kind: 'expression', span, match, ...clause });
  return text.slice(text.indexOf(keyword) + keyword.length + 1);
}
