import type { Attribute, Call, Measure, Term } from '../tree/ast.js';
import { FUNCTIONS } from '../tree/functions.js';
import type { Tree } from '../tree/tree.js';
import { attributesIn, collectLeaves, type Leaf } from '../tree/walk.js';
import { type Claim, type Claims, claimOf, claimOfMeasure } from './claims.js';
import { labelScope, type Scope } from './scope.js';

/** What the rules look at, gathered once for all of them; everything in text order. */
export interface Context {
  /** The labels that MATCH binds. */
  readonly bound: ReadonlySet<string>;
  /** How attributes are written in FILTER and AGGREGATE. */
  readonly scope: Scope;
  /** The comparisons and events of MATCH. */
  readonly inPatterns: readonly Leaf[];
  readonly inFilter: readonly Leaf[];
  /** What each comparison, event and measure claims. */
  readonly claims: Claims;
  /** The functions of AGGREGATE. */
  readonly calls: readonly Call[];
  /** The attributes of AGGREGATE that are where one can be: not those in `count(x)`. */
  readonly measured: readonly Attribute[];
}

/** Looks through a tree once. */
export function contextOf(tree: Tree): Context {
  const bound = new Set(tree.labels.map(({ text }) => text));
  const scope = labelScope(tree, bound);
  const claims = new Map<Leaf | Measure, Claim>();
  const inPatterns: Leaf[] = [];
  for (const { condition, label } of tree.match?.patterns ?? []) {
    const own: Scope = { kind: 'pattern', label: label.text };
    const start = inPatterns.length;
    collectLeaves(condition, inPatterns);
    for (const leaf of inPatterns.slice(start)) claims.set(leaf, claimOf(leaf, own));
  }
  const inFilter: Leaf[] = [];
  if (tree.filter !== undefined) collectLeaves(tree.filter.condition, inFilter);
  for (const leaf of inFilter) claims.set(leaf, claimOf(leaf, scope));
  const calls: Call[] = [];
  const measured: Attribute[] = [];
  for (const measure of tree.aggregate?.measures ?? []) {
    claims.set(measure, claimOfMeasure(measure, scope));
    for (const term of [measure.left, measure.right]) addCall(term, calls, measured);
  }
  return { bound, scope, inPatterns, inFilter, claims, calls, measured };
}

function addCall(term: Term, calls: Call[], measured: Attribute[]): void {
  if (term.kind !== 'call') return;
  calls.push(term);
  if (term.argument === undefined || FUNCTIONS.get(term.name.text)?.argument === 'none') return;
  // Not `push(...)`: a long argument list overflows the stack.
  for (const attribute of attributesIn(term.argument)) measured.push(attribute);
}
