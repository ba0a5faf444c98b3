import { FUNCTIONS } from '../functions/index.js';
import type { Attribute, Call, Measure, Term } from '../tree/ast.js';
import type { Tree } from '../tree/tree.js';
import { attributesIn, collectLeaves, type Leaf } from '../tree/walk.js';
import { type Claim, type Claims, claimOf, claimOfMeasure } from './claims.js';
import { addLabelsInPattern, type LabelInPattern } from './labels-in-patterns.js';
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
  /** The attributes of MATCH that begin with a label. */
  readonly labelsInPatterns: readonly LabelInPattern[];
  /** What each comparison, event and measure claims. */
  readonly claims: Claims;
  /** The functions of AGGREGATE. */
  readonly calls: readonly Call[];
  /** The attributes of AGGREGATE that are where one can be: not those in `count(x)`. */
  readonly measured: readonly Attribute[];
}

/** Looks once through the tree of a text. */
export function contextOf(text: string, tree: Tree): Context {
  const bound = new Set(tree.labels.map(({ text }) => text));
  const scope = labelScope(tree, bound);
  const claims = new Map<Leaf | Measure, Claim>();
  const inPatterns: Leaf[] = [];
  const labelsInPatterns: LabelInPattern[] = [];
  for (const pattern of tree.match?.patterns ?? []) {
    const own: Scope = { kind: 'pattern', label: pattern.label.text };
    const start = inPatterns.length;
    collectLeaves(pattern.condition, inPatterns);
    for (let at = start; at < inPatterns.length; at += 1) {
      const leaf = inPatterns[at] as Leaf;
      claims.set(leaf, claimOf(leaf, own));
      addLabelsInPattern(text, leaf, pattern, bound, labelsInPatterns);
    }
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
  return { bound, scope, inPatterns, inFilter, labelsInPatterns, claims, calls, measured };
}

function addCall(term: Term, calls: Call[], measured: Attribute[]): void {
  if (term.kind !== 'call') return;
  calls.push(term);
  if (term.argument === undefined || FUNCTIONS.get(term.name.text)?.argument === 'none') return;
  // Not `push(...)`: a long argument list overflows the stack.
  for (const attribute of attributesIn(term.argument)) measured.push(attribute);
}
