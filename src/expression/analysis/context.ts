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
import type { Recorded, UnrecordedRequirement } from './recorded.js';

/** The parts of an expression that rules inspect, in text order, collected once for all rules. */
export interface Context {
  /** The labels that MATCH binds. */
  readonly bound: ReadonlySet<string>;
  /** The scope of attributes in FILTER and AGGREGATE. */
  readonly scope: Scope;
  /** The leaves in MATCH. */
  readonly inPatterns: readonly Leaf[];
  /** The leaves in FILTER and `share`, whose attributes have labels. */
  readonly inFilter: readonly Leaf[];
  /** The leaves in `share` alone. */
  readonly inShares: readonly Leaf[];
  /** The attributes in MATCH that begin with a label. */
  readonly labelsInPatterns: readonly LabelInPattern[];
  /** The claim of each comparison, event and measure. */
  readonly claims: Claims;
  /** True if every comparison can hold by itself, and no two share a subject. */
  readonly isIndependent: boolean;
  /** The function calls in AGGREGATE, including calls in `baseline`. */
  readonly calls: readonly ast.Call[];
  /** The attributes in arguments of AGGREGATE functions, excluding arguments of `count`. */
  readonly measuredAttributes: readonly ast.Attribute[];
  /** The labels in `count(label)`. */
  readonly counted: readonly ast.Name[];
}

/** Collects the context from an expression's tree. */
export function makeContext(text: string, tree: ast.Tree): Context {
  const bound = new Set(tree.labels.map(({ text }) => text));
  const scope = labelScope(tree, bound);
  const claims = new Map<Leaf | ast.Measure, Claim>();
  const inPatterns: Leaf[] = [];
  const labelsInPatterns: LabelInPattern[] = [];
  for (const pattern of tree.match?.patterns ?? []) {
    const scope: Scope = { kind: 'pattern', label: pattern.label.text };
    for (const leaf of leavesOf(pattern.condition)) {
      inPatterns.push(leaf);
      claims.set(leaf, claimOf(leaf, scope));
      addLabelsInPattern(text, leaf, pattern, bound, labelsInPatterns);
    }
  }
  const measures = measuresOf(tree);
  const inGroup = bindingsInGroups(tree);
  for (const measure of measures) claims.set(measure, claimOfMeasure(measure, scope, inGroup));
  const terms = measures.flatMap(({ left, right }) => [left, right]);
  const inShares = terms
    .flatMap((term) => sharesIn(term))
    .flatMap((share) => leavesOf(share.condition));
  const inFilter = [...(tree.filter ? leavesOf(tree.filter.condition) : []), ...inShares];
  for (const leaf of inFilter) claims.set(leaf, claimOf(leaf, scope));
  const calls = terms.flatMap((term) => callsIn(term));
  const measuredAttributes = calls.flatMap(({ name, argument }) =>
    argument && FUNCTIONS.get(name.text)?.argument !== 'label' ? attributesIn(argument) : [],
  );
  return {
    isIndependent: areIndependent([...inPatterns, ...inFilter], claims),
    labelsInPatterns,
    ...{ bound, scope, inPatterns, inFilter, inShares, claims, calls, measuredAttributes },
    counted: calls.flatMap(({ label }) => label ?? []),
  };
}

/** A dotted attribute in a pattern whose first name is a label. */
export interface LabelInPattern {
  readonly attribute: ast.Attribute;
  readonly label: ast.Name;
  readonly comparison: Leaf;
  readonly pattern: ast.Pattern;
}

/**
 * Adds the dotted attributes of a pattern's comparison whose first name is a label, in text order.
 * A first name in backquotes is not a label.
 */
function addLabelsInPattern(
  text: string,
  comparison: Leaf,
  pattern: ast.Pattern,
  bound: ReadonlySet<string>,
  labelsInPattern: LabelInPattern[],
): void {
  for (const attribute of attributesOf(comparison)) {
    const label = attribute.path[0] as ast.Name;
    if (attribute.path.length < 2 || !bound.has(label.text)) continue;
    if (text[label.span.start] === '`') continue;
    labelsInPattern.push({ attribute, label, comparison, pattern });
  }
}

/** The role of an expression: a measurement's `check` or a `mutation_precondition`. */
export type Role = 'check' | 'precondition';

/** The input of a rule. */
export interface RuleInput {
  readonly text: string;
  readonly role: Role;
  readonly tree: ast.Tree;
  readonly context: Context;
  /** Tokenizes the text, on demand. */
  readonly tokens: () => readonly (Span & { readonly type: string })[];
  /** The syntax violations. */
  readonly syntax: readonly Violation[];
  /** The contents of recorded sessions; absent without recorded sessions. */
  readonly recorded?: Recorded;
  /** Requirements of the expression that no recorded event satisfies. */
  readonly unrecorded?: readonly UnrecordedRequirement[];
}

/** A rule about one expression. */
export type ExpressionRule = Rule<RuleInput>;
