import type { Attribute, Call, Term } from './ast.js';
import type { Sayings } from './facts.js';
import { FUNCTIONS } from './functions.js';
import { arePlainMeasures, isPlainFilter, isPlainPattern } from './glance.js';
import { labelScope, type Scope } from './scope.js';
import { suspectsOf } from './suspects.js';
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
  /** What is worth a closer look of all that is said. Of most expressions, nothing is. */
  readonly suspects: Sayings;
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
  let plain = true;
  const inPatterns: Leaf[] = [];
  for (const { condition } of match?.patterns ?? []) {
    const start = inPatterns.length;
    collectLeaves(condition, inPatterns);
    plain &&= isPlainPattern(inPatterns, start);
  }
  const inFilter: Leaf[] = [];
  if (filter !== undefined) {
    collectLeaves(filter.condition, inFilter);
    plain &&= isPlainFilter(inFilter);
  }
  const calls: Call[] = [];
  const measured: Attribute[] = [];
  if (aggregate !== undefined) {
    for (const { left, right } of aggregate.measures) {
      addCall(left, calls, measured);
      addCall(right, calls, measured);
    }
    plain &&= arePlainMeasures(aggregate.measures);
  }
  const suspects = plain ? NONE : suspectsOf(tree, inFilter, scope);
  return { bound, scope, inPatterns, inFilter, suspects, calls, measured };
}

const NONE: Sayings = new Map();

function addCall(term: Term, calls: Call[], measured: Attribute[]): void {
  if (term.kind !== 'call') return;
  calls.push(term);
  const { argument } = term;
  if (argument?.kind !== 'attribute') return;
  if (FUNCTIONS.get(term.name.text)?.argument !== 'none') measured.push(argument);
}
