import type { Rule, Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { FUNCTIONS } from '../functions/index.js';
import type * as ast from '../tree/ast.js';
import {
  attributesIn,
  attributesOf,
  callsIn,
  type Leaf,
  leavesOf,
  measuresOf,
  sharesIn,
} from '../tree/walk.js';
import {
  areIndependent,
  bindingsInGroups,
  type Claim,
  type Claims,
  claimOf,
  claimOfMeasure,
} from './claims.js';
import { labelScope, type Scope } from './kinds.js';
import type { Recorded, Unrecorded } from './recorded.js';

/** What the rules look at, gathered once for all of them; everything in text order. */
export interface Context {
  /** The labels that MATCH binds. */
  readonly bound: ReadonlySet<string>;
  /** How attributes are written in FILTER and AGGREGATE. */
  readonly scope: Scope;
  /** The comparisons and events of MATCH. */
  readonly inPatterns: readonly Leaf[];
  /** The leaves of FILTER and of `share`, whose attributes have labels. */
  readonly inFilter: readonly Leaf[];
  /** Those of `share` alone. */
  readonly inShares: readonly Leaf[];
  /** The attributes of MATCH that begin with a label. */
  readonly labelsInPatterns: readonly LabelInPattern[];
  /** What each comparison, event and measure claims. */
  readonly claims: Claims;
  /** Whether no comparison is about what another one is about. */
  readonly isIndependent: boolean;
  /** The functions of AGGREGATE, including those in `baseline`. */
  readonly calls: readonly ast.Call[];
  /** The attributes in functions of AGGREGATE that take one: not those in `count(x.y)`. */
  readonly measured: readonly ast.Attribute[];
  /** The labels in `count(label)`. */
  readonly counted: readonly ast.Name[];
}

/** Walks once through the tree of a text. */
export function contextOf(text: string, tree: ast.Tree): Context {
  const bound = new Set(tree.labels.map(({ text }) => text));
  const scope = labelScope(tree, bound);
  const claims = new Map<Leaf | ast.Measure, Claim>();
  const inPatterns: Leaf[] = [];
  const labelsInPatterns: LabelInPattern[] = [];
  for (const pattern of tree.match?.patterns ?? []) {
    const own: Scope = { kind: 'pattern', label: pattern.label.text };
    for (const leaf of leavesOf(pattern.condition)) {
      inPatterns.push(leaf);
      claims.set(leaf, claimOf(leaf, own));
      addLabelsInPattern(text, leaf, pattern, bound, labelsInPatterns);
    }
  }
  const measures = measuresOf(tree);
  const inGroup = bindingsInGroups(tree);
  for (const measure of measures) claims.set(measure, claimOfMeasure(measure, scope, inGroup));
  const terms = measures.flatMap(({ left, right }) => [left, right]);
  const inShares = terms
    .flatMap((term) => sharesIn(term))
    .flatMap((one) => leavesOf(one.condition));
  const inFilter = [...(tree.filter ? leavesOf(tree.filter.condition) : []), ...inShares];
  for (const leaf of inFilter) claims.set(leaf, claimOf(leaf, scope));
  const calls = terms.flatMap((term) => callsIn(term));
  const measured = calls.flatMap(({ name, argument }) =>
    argument && FUNCTIONS.get(name.text)?.argument !== 'label' ? attributesIn(argument) : [],
  );
  return {
    isIndependent: areIndependent([...inPatterns, ...inFilter], claims),
    labelsInPatterns,
    ...{ bound, scope, inPatterns, inFilter, inShares, claims, calls, measured },
    counted: calls.flatMap(({ label }) => label ?? []),
  };
}

/** An attribute of a pattern that is written as if it were of the event with a label. */
export interface LabelInPattern {
  readonly attribute: ast.Attribute;
  readonly label: ast.Name;
  readonly comparison: Leaf;
  readonly pattern: ast.Pattern;
}

/**
 * Adds the dotted attributes of a comparison in a pattern whose first name is a label, in text
 * order. In backquotes it is meant as an attribute.
 */
function addLabelsInPattern(
  text: string,
  comparison: Leaf,
  pattern: ast.Pattern,
  bound: ReadonlySet<string>,
  found: LabelInPattern[],
): void {
  for (const attribute of attributesOf(comparison)) {
    const label = attribute.path[0] as ast.Name;
    if (attribute.path.length < 2 || !bound.has(label.text)) continue;
    if (text[label.span.start] === '`') continue;
    found.push({ attribute, label, comparison, pattern });
  }
}

/** What an expression is for: a `check` of a measurement or a `mutation_precondition`. */
export type Role = 'check' | 'precondition';

/** What a rule looks at. */
export interface RuleInput {
  readonly text: string;
  readonly role: Role;
  readonly tree: ast.Tree;
  readonly context: Context;
  /** Cuts the text into tokens, which few rules need. */
  readonly tokens: () => readonly (Span & { readonly type: string })[];
  /** What the parser could not read. */
  readonly syntax: readonly Violation[];
  /** What recorded sessions hold, where there are some. */
  readonly recorded?: Recorded;
  /** What the expression asks for and none of them has. */
  readonly unrecorded?: readonly Unrecorded[];
}

/** A rule about one expression: its docs and its check. */
export type ExpressionRule = Rule<RuleInput>;
