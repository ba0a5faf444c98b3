import { type Edit, type ProposedFix, quote, type Violation } from '../../diagnostics/index.js';
import { lastIndexAtMost, type Span } from '../../source/index.js';
import type { ExpressionRule, RuleInput } from '../analysis/context.js';
import type { Condition, Requirement, Tree } from '../tree/ast.js';
import { isJoined, type JoinedNode, measuresOf, sharesIn } from '../tree/walk.js';

/** Reports AND and OR that are mixed without parentheses, in a condition or among measures. */
export const mixedAndOr: ExpressionRule = {
  id: 'expression/mixed-and-or',
  severity: 'warning',
  fixable: 'safe',
  summary: 'AND and OR are mixed without parentheses',
  why: "AND binds before OR: `name = 'A' OR name = 'B' AND probe = 'P'` accepts every `A`, at any probe.",
  action:
    'Put parentheses around the operands that belong together. The fix adds the implied parentheses.',
  examples: {
    fails: "MATCH (name = 'WARN' OR name = 'ERROR' AND probe = 'GPS') AS e",
    passes: "MATCH (name = 'WARN' OR (name = 'ERROR' AND probe = 'GPS')) AS e",
  },
  check({ text, tree, tokens }, report) {
    for (const mixture of findMixtures(text, tree, tokens)) report(explain(mixture, text));
  },
};

/** Returns the edits that add parentheses around each AND within an OR. */
export function parenthesesIn(text: string, tree: Tree, tokens: RuleInput['tokens']): Edit[] {
  return findMixtures(text, tree, tokens)
    .flatMap(({ bare }) => bare.flatMap(({ span }) => parenthesesAround(span)))
    .sort((a, b) => a.span.start - b.span.start);
}

function parenthesesAround({ start, end }: Span): Edit[] {
  return [
    { span: { start, end: start }, text: '(' },
    { span: { start: end, end }, text: ')' },
  ];
}

/** An OR, and its AND operands without parentheses. */
interface Mixture {
  readonly or: JoinedNode;
  readonly bare: readonly [JoinedNode, ...JoinedNode[]];
  readonly tokens: Tokens;
}

type Tokens = ReturnType<RuleInput['tokens']>;

function findMixtures(text: string, tree: Tree, tokens: RuleInput['tokens']): Mixture[] {
  // Few expressions have both AND and OR.
  if (!/\bAND\b/i.test(text) || !/\bOR\b/i.test(text)) return [];
  const { measures = [], by } = tree.aggregate ?? {};
  const nodes = [
    ...(tree.match?.patterns ?? []).map(({ condition }) => condition),
    ...(tree.filter ? [tree.filter.condition] : []),
    ...measures,
    ...(by?.having ? [by.having] : []),
    ...measuresOf(tree)
      .flatMap(({ left, right }) => sharesIn(left, right))
      .map(({ condition }) => condition),
  ];
  const allTokens = nodes.some(hasMixture) ? tokens() : [];
  return nodes.flatMap((node) => mixtures(node, allTokens));
}

/** True if an AND is within an OR, with or without parentheses. */
function hasMixture(node: Condition | Requirement): boolean {
  if (node.kind === 'not') return hasMixture(node.operand);
  if (!isJoined(node)) return false;
  return (!isAnd(node) && node.operands.some(isAnd)) || node.operands.some(hasMixture);
}

function isAnd({ kind }: Condition | Requirement): boolean {
  return kind === 'and' || kind === 'all';
}

function mixtures(node: Condition | Requirement, tokens: Tokens): Mixture[] {
  if (node.kind === 'not') return mixtures(node.operand, tokens);
  if (!isJoined(node)) return [];
  const innerMixtures = node.operands.flatMap((operand) => mixtures(operand, tokens));
  if (isAnd(node)) return innerMixtures;
  const operands: readonly (Condition | Requirement)[] = node.operands;
  const [first, ...others] = operands
    .filter(isJoined)
    .filter((operand) => isAnd(operand) && !isEnclosed(operand.span, tokens));
  if (first === undefined) return innerMixtures;
  return [{ or: node, bare: [first, ...others], tokens }, ...innerMixtures];
}

/** True if a pair of parentheses directly encloses a span. */
function isEnclosed({ start, end }: Span, tokens: Tokens): boolean {
  return (
    tokens[indexFrom(start, tokens) - 1]?.type === '(' &&
    tokens[indexFrom(end, tokens)]?.type === ')'
  );
}

/** Returns the index of the first token that begins at or after an offset. */
function indexFrom(offset: number, tokens: Tokens): number {
  return lastIndexAtMost(offset - 1, tokens.length, (index) => tokens[index]?.start ?? 0) + 1;
}

function explain({ or, bare, tokens }: Mixture, text: string): Violation {
  const [first] = bare;
  const alternative = orFirst(or, first, tokens);
  return {
    message: `AND binds before OR, so this is one alternative: ${quote(text.slice(first.span.start, first.span.end))}`,
    help: 'put parentheses around the AND, or around the operands of OR that belong together',
    span: first.span,
    fix: {
      title: 'put parentheses around AND, as it is interpreted now',
      kind: 'safe',
      edits: bare.flatMap(({ span }) => parenthesesAround(span)),
      ...(alternative && { alternatives: [alternative] }),
    },
  };
}

/** Returns the fix that rewrites `a OR b AND c` as `(a OR b) AND c`, if no other grouping is possible. */
function orFirst(or: JoinedNode, and: JoinedNode, tokens: Tokens): ProposedFix | undefined {
  const [left, right, ...otherOperands] = or.operands;
  const [first, second, ...moreParts] = and.operands;
  if (left === undefined || first === undefined || second === undefined) return undefined;
  if (
    otherOperands.length > 0 ||
    moreParts.length > 0 ||
    isAnd(left) === (right !== undefined && isAnd(right))
  ) {
    return undefined;
  }
  // An operand's span excludes its parentheses.
  let at = indexFrom(first.span.end, tokens);
  while (tokens[at] !== undefined && tokens[at]?.type !== 'AND') at += 1;
  const [previous, next] = [tokens[at - 1], tokens[at + 1]];
  if (previous === undefined || next === undefined) return undefined;
  const [start, end] = left === and ? [next.start, or.span.end] : [or.span.start, previous.end];
  return {
    title: 'put parentheses around OR',
    kind: 'suggested',
    edits: parenthesesAround({ start, end }),
  };
}
