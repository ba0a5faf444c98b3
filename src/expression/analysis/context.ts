import type { Rule, Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { FUNCTIONS } from '../functions/index.js';
import type * as ast from '../tree/ast.js';
import {
  attributesIn,
  attributesOf,
  callsIn,
  collectLeaves,
  type Leaf,
  sharesIn,
} from '../tree/walk.js';
import { bindingsInGroups, type Claim, type Claims, claimOf, claimOfMeasure } from './claims.js';
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
  /** The functions of AGGREGATE, also those in `baseline`. */
  readonly calls: readonly ast.Call[];
  /** The attributes of AGGREGATE that are where one can be: not those in `count(x)`. */
  readonly measured: readonly ast.Attribute[];
}

/** Looks once through the tree of a text. */
export function contextOf(text: string, tree: ast.Tree): Context {
  const bound = new Set(tree.labels.map(({ text }) => text));
  const scope = labelScope(tree, bound);
  const claims = new Map<Leaf | ast.Measure, Claim>();
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
  const inShares: Leaf[] = [];
  const calls: ast.Call[] = [];
  const measured: ast.Attribute[] = [];
  const inGroup = bindingsInGroups(tree);
  for (const measure of tree.aggregate?.measures ?? []) {
    claims.set(measure, claimOfMeasure(measure, scope, inGroup));
    for (const term of [measure.left, measure.right]) {
      for (const call of callsIn(term)) addCall(call, calls, measured);
      for (const share of sharesIn(term)) collectLeaves(share.condition, inShares);
    }
  }
  for (const leaf of inShares) inFilter.push(leaf);
  for (const leaf of inFilter) claims.set(leaf, claimOf(leaf, scope));
  const labelled =
    labelsInPatterns.length === 0 ? [] : [...inFilter.flatMap(attributesOf), ...measured];
  const asked = new Set(
    labelled.map((attribute) => pathText({ ...attribute, path: attribute.path.slice(1) })),
  );
  return {
    bound,
    scope,
    inPatterns,
    inFilter,
    inShares,
    // An event has the attribute where another clause asks its label for it.
    labelsInPatterns: labelsInPatterns.filter(({ attribute }) => !asked.has(pathText(attribute))),
    claims,
    calls,
    measured,
  };
}

function addCall(term: ast.Call, calls: ast.Call[], measured: ast.Attribute[]): void {
  calls.push(term);
  if (term.argument === undefined || FUNCTIONS.get(term.name.text)?.argument === 'none') return;
  // Not `push(...)`: a long argument list overflows the stack.
  for (const attribute of attributesIn(term.argument)) measured.push(attribute);
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
    if (text[label.span.start] === '`' || WELL_KNOWN.test(pathText(attribute))) continue;
    found.push({ attribute, label, comparison, pattern });
  }
}

/** Dotted names that OpenTelemetry gives attributes, and those that importers of traces write. */
const WELL_KNOWN =
  /^(?:(?:span|trace|scope|service|host|thread|error|exception|db|rpc|messaging|server|client|url|process|code|log)\.(?:id|parent\.id|name|kind|start|end|duration|status|version|type|message|stacktrace|system|operation|statement|method|service|destination|address|port|full|path|scheme|query|pid|namespace|severity)|(?:http|net|network|k8s|faas|otel|telemetry|user_agent)\.\w+(?:\.\w+)*)$/;

function pathText({ path }: ast.Attribute): string {
  return path.map(({ text }) => text).join('.');
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
