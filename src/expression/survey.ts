import type { Attribute, Call, Measure, Term } from './ast.js';
import { type Saying, type Sayings, sayingOf, sayingOfMeasure } from './facts.js';
import { FUNCTIONS } from './functions.js';
import { labelScope, type Scope } from './scope.js';
import type { Tree } from './tree.js';
import { collectLeaves, type Leaf } from './walk.js';

/** What the rules look at, gathered once for all of them; everything in text order. */
export interface Survey {
  /** The labels that MATCH binds. */
  readonly bound: ReadonlySet<string>;
  /** How attributes are written in FILTER and AGGREGATE. */
  readonly scope: Scope;
  /** The comparisons and events of MATCH. */
  readonly inPatterns: readonly Leaf[];
  readonly inFilter: readonly Leaf[];
  /** What those, and the measures of AGGREGATE, say. */
  readonly sayings: Sayings;
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
  const inPatterns: Leaf[] = [];
  const inFilter: Leaf[] = [];
  const sayings = new Map<Leaf | Measure, Saying>();
  const calls: Call[] = [];
  for (const { condition, label } of match?.patterns ?? []) {
    const start = inPatterns.length;
    collectLeaves(condition, inPatterns);
    const own: Scope = { kind: 'pattern', label: label.text };
    for (const leaf of inPatterns.slice(start)) sayings.set(leaf, sayingOf(leaf, own));
  }
  if (filter !== undefined) collectLeaves(filter.condition, inFilter);
  for (const leaf of inFilter) sayings.set(leaf, sayingOf(leaf, scope));
  for (const measure of aggregate?.measures ?? []) {
    sayings.set(measure, sayingOfMeasure(measure, scope));
    addCall(measure.left, calls);
    addCall(measure.right, calls);
  }
  const measured: Attribute[] = [];
  for (const { name, argument } of calls) {
    if (argument?.kind !== 'attribute' || FUNCTIONS.get(name.text)?.argument === 'none') continue;
    measured.push(argument);
  }
  return { bound, scope, inPatterns, inFilter, sayings, calls, measured };
}

function addCall(term: Term, calls: Call[]): void {
  if (term.kind === 'call') calls.push(term);
}
