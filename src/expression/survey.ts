import type { Attribute, Call, Condition, Measure, Term } from './ast.js';
import { type Saying, sayingOf, sayingOfMeasure } from './facts.js';
import { FUNCTIONS } from './functions.js';
import { labelScope, type Scope } from './scope.js';
import type { Tree } from './tree.js';
import { isLeaf, type Leaf } from './walk.js';

/** A comparison, an event or a measure, and what it says where it stands. */
export interface Said<N extends Leaf | Measure = Leaf | Measure> {
  readonly node: N;
  readonly saying: Saying;
}

/** What the rules look at, gathered once for all of them; everything in text order. */
export interface Survey {
  /** The labels that MATCH binds. */
  readonly bound: ReadonlySet<string>;
  /** How attributes are written in FILTER and AGGREGATE. */
  readonly scope: Scope;
  readonly inPatterns: readonly Said<Leaf>[];
  readonly inFilter: readonly Said<Leaf>[];
  readonly inAggregate: readonly Said<Measure>[];
  /** The functions of AGGREGATE. */
  readonly calls: readonly Call[];
  /** The attributes of AGGREGATE that are where one can be: not those in `count(x)`. */
  readonly measured: readonly Attribute[];
}

/** Looks through a tree once. */
export function survey(tree: Tree): Survey {
  const { match, filter, aggregate } = tree;
  const bound = new Set<string>();
  for (const { text } of tree.labels) bound.add(text);
  const scope = labelScope(tree, bound);
  const inPatterns: Said<Leaf>[] = [];
  const inFilter: Said<Leaf>[] = [];
  const inAggregate: Said<Measure>[] = [];
  const calls: Call[] = [];
  for (const { condition, label } of match?.patterns ?? []) {
    collect(condition, { kind: 'pattern', label: label.text }, inPatterns);
  }
  if (filter !== undefined) collect(filter.condition, scope, inFilter);
  for (const node of aggregate?.measures ?? []) {
    inAggregate.push({ node, saying: sayingOfMeasure(node, scope) });
    addCall(node.left, calls);
    addCall(node.right, calls);
  }
  const measured: Attribute[] = [];
  for (const { name, argument } of calls) {
    if (argument?.kind !== 'attribute' || FUNCTIONS.get(name.text)?.argument === 'none') continue;
    measured.push(argument);
  }
  return { bound, scope, inPatterns, inFilter, inAggregate, calls, measured };
}

function collect(condition: Condition, scope: Scope, found: Said<Leaf>[]): void {
  if (isLeaf(condition)) found.push({ node: condition, saying: sayingOf(condition, scope) });
  else for (const operand of condition.operands) collect(operand, scope, found);
}

function addCall(term: Term, calls: Call[]): void {
  if (term.kind === 'call') calls.push(term);
}
