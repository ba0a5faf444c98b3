import { type Edit, type ProposedFix, quote, type Violation } from '../../diagnostics/index.js';
import { lastAtMost, type Span } from '../../source/index.js';
import type { ExpressionRule, RuleInput } from '../analysis/context.js';
import type { Condition, Logical, Tree } from '../tree/ast.js';
import { isLeaf, sharesIn } from '../tree/walk.js';

/** AND and OR in one condition, where only their precedence groups them. */
export const mixedAndOr: ExpressionRule = {
  id: 'expression/mixed-and-or',
  severity: 'warning',
  fixable: 'safe',
  summary: 'AND and OR are mixed in a condition without parentheses',
  why: "AND binds before OR: `name = 'A' OR name = 'B' AND probe = 'P'` accepts every `A`, at any probe.",
  action: 'Put parentheses around what belongs together; the fix writes those that are implied.',
  examples: {
    fails: "MATCH (name = 'WARN' OR name = 'ERROR' AND probe = 'GPS') AS e",
    passes: "MATCH (name = 'WARN' OR (name = 'ERROR' AND probe = 'GPS')) AS e",
  },
  check({ text, tree, tokens }, report) {
    for (const mixture of mixturesIn(text, tree, tokens)) report(explain(mixture, text));
  },
};

/** Parentheses around each AND within an OR that has none. */
export function parenthesesIn(text: string, tree: Tree, tokens: RuleInput['tokens']): Edit[] {
  return mixturesIn(text, tree, tokens)
    .flatMap(({ bare }) => bare.flatMap(({ span }) => around(span)))
    .sort((a, b) => a.span.start - b.span.start);
}

function around({ start, end }: Span): Edit[] {
  return [
    { span: { start, end: start }, text: '(' },
    { span: { start: end, end }, text: ')' },
  ];
}

/** An OR, and those of its operands that are AND without parentheses. */
interface Mixture {
  readonly or: Logical;
  readonly bare: readonly [Logical, ...Logical[]];
  readonly tokens: Tokens;
}

type Tokens = ReturnType<RuleInput['tokens']>;

function mixturesIn(text: string, tree: Tree, tokens: RuleInput['tokens']): Mixture[] {
  // Few conditions have both.
  if (!/\bAND\b/i.test(text) || !/\bOR\b/i.test(text)) return [];
  const conditions = [
    ...(tree.match?.patterns ?? []).map(({ condition }) => condition),
    ...(tree.filter ? [tree.filter.condition] : []),
    ...(tree.aggregate?.measures ?? [])
      .flatMap(({ left, right }) => sharesIn(left, right))
      .map(({ condition }) => condition),
  ];
  const all = conditions.some(hasMixture) ? tokens() : [];
  return conditions.flatMap((condition) => mixtures(condition, all));
}

/** Whether AND is within OR, in parentheses or not. */
function hasMixture(condition: Condition): boolean {
  if (condition.kind === 'not') return hasMixture(condition.operand);
  if (isLeaf(condition)) return false;
  const isMixed = condition.kind === 'or' && condition.operands.some(({ kind }) => kind === 'and');
  return isMixed || condition.operands.some(hasMixture);
}

function mixtures(condition: Condition, tokens: Tokens): Mixture[] {
  if (condition.kind === 'not') return mixtures(condition.operand, tokens);
  if (isLeaf(condition)) return [];
  const inside = condition.operands.flatMap((operand) => mixtures(operand, tokens));
  if (condition.kind === 'and') return inside;
  const [first, ...others] = condition.operands.filter(
    (operand): operand is Logical => operand.kind === 'and' && !isEnclosed(operand.span, tokens),
  );
  if (first === undefined) return inside;
  return [{ or: condition, bare: [first, ...others], tokens }, ...inside];
}

/** Whether a pair of parentheses is right around a span. */
function isEnclosed({ start, end }: Span, tokens: Tokens): boolean {
  return (
    tokens[indexFrom(start, tokens) - 1]?.type === '(' &&
    tokens[indexFrom(end, tokens)]?.type === ')'
  );
}

/** The index of the first token that begins at an offset or after it. */
function indexFrom(offset: number, tokens: Tokens): number {
  return lastAtMost(offset - 1, tokens.length, (index) => tokens[index]?.start ?? 0) + 1;
}

function explain({ or, bare, tokens }: Mixture, text: string): Violation {
  const [first] = bare;
  const alternative = orFirst(or, first, tokens);
  return {
    message: `AND binds before OR, so this is one alternative: ${quote(text.slice(first.span.start, first.span.end))}`,
    help: 'put it in parentheses, or those operands of OR that belong together',
    span: first.span,
    fix: {
      title: 'put parentheses around AND, as it is read now',
      kind: 'safe',
      edits: bare.flatMap(({ span }) => around(span)),
      ...(alternative && { alternatives: [alternative] }),
    },
  };
}

/** `a OR b AND c` as `(a OR b) AND c`, if there is one way to do that. */
function orFirst(or: Logical, and: Logical, tokens: Tokens): ProposedFix | undefined {
  const [left, right, ...more] = or.operands;
  const [one, other, ...others] = and.operands;
  if (left === undefined || one === undefined || other === undefined) return undefined;
  if (more.length > 0 || others.length > 0 || (left.kind === 'and') === (right?.kind === 'and')) {
    return undefined;
  }
  // Parentheses around either operand are not in its span.
  let at = indexFrom(one.span.end, tokens);
  while (tokens[at] !== undefined && tokens[at]?.type !== 'AND') at += 1;
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  if (before === undefined || after === undefined) return undefined;
  const [start, end] = left === and ? [after.start, or.span.end] : [or.span.start, before.end];
  return {
    title: 'put parentheses around OR',
    kind: 'suggested',
    edits: around({ start, end }),
  };
}
