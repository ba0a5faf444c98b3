import type { Span } from '../../source/index.js';
import type { Fraction } from '../functions/index.js';
import type * as ast from '../tree/ast.js';
import { attributesIn, attributesOf, conjunctsOf, leavesOf, leavesOfTerm } from '../tree/walk.js';
import { Components } from './graphs.js';

/* Splits an expression into its requirements, for checks and engines (spec: trace expressions, "Meaning"). */

/** A requirement in WHEN or FILTER, with the distinct labels in the requirement. */
export type MeaningPart = {
  readonly labels: readonly string[];
  readonly span: Span;
} & (
  | {
      /** An arrow from the first label to the second. An `implied` arrow leads through absent labels. */
      readonly kind: 'arrow';
      readonly from: string;
      readonly to: string;
      readonly next: boolean;
      readonly implied: boolean;
    }
  | { readonly kind: 'concurrent' | 'distinct'; readonly from: string; readonly to: string }
  | {
      /** A limit: the second label's event is at most `nanoseconds` later than the first label's event. */
      readonly kind: 'within';
      readonly from: string;
      readonly to: string;
      readonly nanoseconds: bigint;
    }
  /** A FILTER conjunct. */
  | { readonly kind: 'condition'; readonly condition: ast.Condition }
);

/** Absent labels that requirements connect, and all requirements on these labels. */
export interface Absence {
  readonly labels: readonly string[];
  readonly parts: readonly MeaningPart[];
}

/** An expression's requirements, separated for bound and absent labels. */
export interface Meaning {
  /** The bound labels, in text order. */
  readonly present: readonly string[];
  /** The requirements on bound labels alone, including arrows through absent labels. */
  readonly parts: readonly MeaningPart[];
  readonly absences: readonly Absence[];
}

type Clauses = Pick<ast.Tree, 'match' | 'when' | 'filter'>;

/** Returns the labels of patterns with NOT. */
export function absentLabelsIn({ match }: Pick<ast.Tree, 'match'>): ReadonlySet<string> {
  const absent = (match?.patterns ?? []).filter((pattern) => pattern.absent);
  return new Set(absent.map(({ label }) => label.text));
}

/** Splits an expression into its requirements. */
export function meaningOf(tree: Clauses): Meaning {
  const bound = (tree.match?.patterns ?? []).filter((pattern) => !pattern.absent);
  const presentLabels = bound.map(({ label }) => label.text);
  const absent = absentLabelsIn(tree);
  const isAbsent = (label: string) => absent.has(label);
  const allParts = partsOfClauses(tree);
  if (absent.size === 0) return { present: presentLabels, parts: allParts, absences: [] };
  const groups = new Components<string>();
  for (const { labels } of allParts) groups.join(labels.filter(isAbsent));
  const absences = new Map<string, { labels: string[]; parts: MeaningPart[] }>();
  for (const label of absent) {
    const root = groups.rootOf(label);
    const group = absences.get(root) ?? { labels: [], parts: [] };
    group.labels.push(label);
    absences.set(root, group);
  }
  const boundParts: MeaningPart[] = [];
  for (const part of allParts) {
    const label = part.labels.find(isAbsent);
    const parts = label === undefined ? boundParts : absences.get(groups.rootOf(label))?.parts;
    parts?.push(part);
  }
  return {
    present: presentLabels,
    parts: [...boundParts, ...impliedArrows(allParts, isAbsent)],
    absences: [...absences.values()],
  };
}

/**
 * Returns the labels that an expression's parts connect with a bound label, including the bound
 * label. Also returns the absent labels that no part connects with any bound label.
 */
export function componentLabels(tree: Clauses, label: string): ReadonlySet<string> {
  const groups = new Components<string>();
  for (const { labels } of partsOfClauses(tree)) groups.join(labels);
  const patterns = tree.match?.patterns ?? [];
  const rootsOf = (list: typeof patterns) =>
    list.map((pattern) => groups.rootOf(pattern.label.text));
  const bound = new Set(rootsOf(patterns.filter(({ absent }) => !absent)));
  const ownRoot = groups.rootOf(label);
  const roots = rootsOf(patterns);
  return new Set(
    patterns.flatMap((pattern, at) => {
      const root = roots[at] as string;
      return root === ownRoot || !bound.has(root) ? [pattern.label.text] : [];
    }),
  );
}

/** Returns the parts in WHEN and FILTER, in text order. */
function partsOfClauses(tree: Clauses): MeaningPart[] {
  const bound = new Set(tree.match?.patterns.map(({ label }) => label.text));
  const parts: MeaningPart[] = [];
  for (const relation of tree.when?.relations ?? []) {
    const names = relation.labels.map(({ text }) => text);
    const between = (first: number, last: number, span: Span) => {
      const [from = '', to = ''] = [names.at(first), names.at(last)];
      return { from, to, labels: [...new Set([from, to])], span };
    };
    if (relation.kind !== 'chain') {
      parts.push({ kind: relation.kind, ...between(0, 1, relation.signSpan) });
      continue;
    }
    relation.arrows.forEach(({ next = false, span }, at) => {
      parts.push({ kind: 'arrow', next, implied: false, ...between(at, at + 1, span) });
    });
    const { within } = relation;
    if (within === undefined) continue;
    const nanoseconds = within.value;
    parts.push({ kind: 'within', nanoseconds, ...between(0, -1, within.span) });
  }
  for (const condition of conjunctsOfFilter(tree)) {
    const labels = labelsOfCondition(condition, bound);
    parts.push({ kind: 'condition', condition, labels, span: condition.span });
  }
  return parts;
}

/** Returns the FILTER conjuncts. */
function conjunctsOfFilter({ filter }: Pick<ast.Tree, 'filter'>): readonly ast.Condition[] {
  return filter === undefined ? [] : conjunctsOf(filter.condition);
}

/** Returns the bound labels that a FILTER condition mentions. */
export function labelsOfCondition(
  condition: ast.Condition,
  bound: ReadonlySet<string>,
): readonly string[] {
  const attributes = leavesOf(condition).flatMap(attributesOf);
  const names = attributes.map(({ path }) => (path[0] as ast.Name).text);
  return [...new Set(names.filter((name) => bound.has(name)))];
}

/** Returns `a -> b` for each path from one bound label to another through absent labels only. */
function impliedArrows(
  parts: readonly MeaningPart[],
  isAbsent: (label: string) => boolean,
): MeaningPart[] {
  const arrows = parts.filter((part) => part.kind === 'arrow');
  const outgoing = new Map<string, typeof arrows>();
  for (const arrow of arrows) {
    const siblings = outgoing.get(arrow.from);
    if (siblings === undefined) outgoing.set(arrow.from, [arrow]);
    else siblings.push(arrow);
  }
  const implied: MeaningPart[] = [];
  for (const firstArrow of arrows) {
    if (isAbsent(firstArrow.from) || !isAbsent(firstArrow.to)) continue;
    const visited = new Set([firstArrow.to]);
    const bound = new Set<string>();
    for (const label of visited) {
      for (const { to } of outgoing.get(label) ?? []) (isAbsent(to) ? visited : bound).add(to);
    }
    for (const to of bound) {
      const labels = [...new Set([firstArrow.from, to])];
      implied.push({ ...firstArrow, to, next: false, implied: true, labels });
    }
  }
  return implied;
}

/** An equality of two labels' attributes. */
export interface Equality {
  readonly of: ast.Attribute;
  readonly with: ast.Attribute;
}

/**
 * Returns the FILTER conjuncts that `a -> NEXT b` also requires of events in between: `a.p = b.q`,
 * in either order, without `@`. `of` is a's attribute, and `with` is b's attribute.
 */
export function equalitiesOfNext(
  tree: Pick<ast.Tree, 'filter'>,
  from: string,
  to: string,
): Equality[] {
  return conjunctsOfFilter(tree).flatMap((condition) => {
    if (condition.kind !== 'comparison' || condition.comparator !== '=') return [];
    const { left, right } = condition;
    if (isPlainOf(left, from) && isPlainOf(right, to)) return [{ of: left, with: right }];
    if (isPlainOf(right, from) && isPlainOf(left, to)) return [{ of: right, with: left }];
    return [];
  });
}

function isPlainOf(operand: ast.Operand, label: string): operand is ast.Attribute {
  if (operand.kind !== 'attribute' || operand.probe !== undefined) return false;
  return operand.path.length > 1 && operand.path[0]?.text === label;
}

/** Returns the label of a BY key. */
export function labelOfKey(key: ast.Key): ast.Name {
  if (key.kind === 'name') return key;
  return (key.kind === 'window' ? key.time : key).path[0] as ast.Name;
}

/**
 * True if an expression, once true, stays true when events are added. False for expressions with
 * NOT (absence), NEXT, `||`, AGGREGATE, `session.start` or `session.end`.
 */
export function staysTrue({ match, when, filter, aggregate }: ast.Expression): boolean {
  if (aggregate !== undefined || match.patterns.some(({ absent }) => absent)) return false;
  const isOrder = (relation: ast.RelationNode) =>
    relation.kind === 'chain'
      ? relation.arrows.every(({ next }) => !next)
      : relation.kind === 'distinct';
  if (when !== undefined && !when.relations.every(isOrder)) return false;
  const bound = new Set(match.patterns.map(({ label }) => label.text));
  const attributes = filter === undefined ? [] : leavesOf(filter.condition).flatMap(attributesOf);
  return !attributes.some((attribute) => isOfSession(attribute, bound));
}

/** True if an attribute is `session.start` or `session.end`, and `session` is not a label. */
export function isOfSession({ path }: ast.Attribute, bound: ReadonlySet<string>): boolean {
  const [first, second] = path;
  if (path.length !== 2 || first?.text !== 'session' || bound.has('session')) return false;
  return second?.text === 'start' || second?.text === 'end';
}

/**
 * True if a measure's numbers are exact decimals as written. False if the measure reads attributes
 * outside `distinct` and `share`, because the numbers are then the nearest doubles.
 */
export function hasDecimals({ left, right }: Pick<ast.Measure, 'left' | 'right'>): boolean {
  return [left, right].flatMap(leavesOfTerm).every((term): boolean => {
    if (term.kind === 'baseline') return hasDecimals({ left: term.term, right: term.term });
    if (term.kind !== 'call' || term.name.text === 'distinct') return true;
    return term.argument === undefined || attributesIn(term.argument).length === 0;
  });
}

/** Returns the exact value of a literal as written. */
export function decimalOf(literal: ast.NumberLiteral): Fraction {
  if (literal.kind === 'integer') return { n: literal.value, d: 1n };
  const text = literal.written ?? String(literal.value);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? [];
  const digits = BigInt(sign + whole + fraction);
  const power = Number(exponent) - fraction.length;
  return power < 0
    ? { n: digits, d: 10n ** BigInt(-power) }
    : { n: digits * 10n ** BigInt(power), d: 1n };
}
