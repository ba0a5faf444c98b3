import type { Condition, Expression, Token } from '../../expression/index.js';
import type { Span } from '../../source/index.js';
import { indexFrom } from './tokens.js';

/** The parentheses of conditions that group nothing: a group is an OR within an AND. */
export function needlessParentheses(
  { match, when, filter }: Expression,
  tokens: readonly Token[],
): ReadonlySet<Token> {
  const conditions = match.patterns.map(({ condition }) => condition);
  if (filter !== undefined) conditions.push(filter.condition);
  const kept = new Set<number>();
  const keepAround = ({ start, end }: Span): void => {
    kept.add(indexFrom(tokens, start) - 1).add(indexFrom(tokens, end));
  };
  const keepGroups = (node: Condition): void => {
    if (node.kind !== 'and' && node.kind !== 'or') return;
    for (const operand of node.operands) {
      if (node.kind === 'and' && operand.kind === 'or') keepAround(operand.span);
      keepGroups(operand);
    }
  };
  const needless = new Set<Token>();
  const dropWithin = ({ start, end }: Span): void => {
    for (let index = indexFrom(tokens, start); index < indexFrom(tokens, end); index += 1) {
      const token = tokens[index] as Token;
      if ((token.image === '(' || token.image === ')') && !kept.has(index)) needless.add(token);
    }
  };
  for (const condition of conditions) keepGroups(condition);
  for (const { span, label } of match.patterns) {
    const as = indexFrom(tokens, label.span.start) - 1;
    const close = tokens[as - 1] as Token;
    dropWithin({ start: span.start + 1, end: close.start });
  }
  if (when !== undefined) dropWithin(when.span);
  if (filter !== undefined) dropWithin(filter.span);
  return needless;
}
