import type { Span } from '../../source/index.js';
import { type AggregateFunction, FUNCTIONS, type Nature } from '../functions/index.js';
import type * as ast from '../tree/ast.js';
import { holds, MIRRORED_COMPARATORS } from '../tree/ast.js';
import { printOperand, printTerm } from '../tree/print.js';
import {
  argumentKindOf,
  attributesOf,
  isArithmetic,
  isLiteral,
  isOperandCall,
  type Leaf,
} from '../tree/walk.js';
import type { StatedValue } from './domain.js';
import { globPrefix, hasOpenSet } from './glob.js';
import type { Scope } from './kinds.js';
import {
  compareValues,
  kindOfLiteral,
  type Mismatch,
  mismatchOf,
  type OrderedValue,
} from './kinds.js';

/** A comparison of a subject with a value, and the comparison's span. */
export interface Fact extends StatedValue {
  /** The left operand's identifier. Equal operands have the same identifier. */
  readonly subject: string;
  readonly nature: Nature;
  readonly span: Span;
  /** The reason for an implied fact. */
  readonly because?: string;
  /** The comparisons between subjects that imply the fact. */
  readonly through?: readonly Span[];
}

/** True if a subject is `name` or `probe`, which every event has. */
export function isOfEveryEvent(subject: string): boolean {
  return /^[^`]*`(?:name|probe)$/.test(subject);
}

/** A comparison of two subjects. Only values of the same kind can satisfy the comparison. */
export interface Ordering {
  readonly left: string;
  readonly comparator: ast.Comparator;
  readonly right: string;
  /** The comparison's position; absent for a comparison that always holds. */
  readonly span?: Span;
  /** The reason for an implied comparison. */
  readonly because?: string;
}

interface Needs {
  /** The attributes that an event must have to satisfy the comparison. */
  readonly needs?: readonly string[] | undefined;
}

/** The requirement of a leaf or a measure, prepared for analysis. */
export type Claim =
  | (Needs & {
      readonly kind: 'facts';
      readonly facts: readonly Fact[];
      readonly relation?: Ordering;
      /** True for `exists`, which requires only the attributes in `needs`, at the facts' probe. */
      readonly exists?: true;
      /** True if the comparison requires more than the facts. */
      readonly isPartial?: true;
    })
  /** An IN, which requires one of several values. */
  | (Needs & {
      readonly kind: 'oneOf';
      readonly facts: readonly Fact[];
      readonly pins: readonly Fact[];
    })
  | { readonly kind: 'constant'; readonly holds: boolean; readonly self: boolean }
  /** A comparison whose operands have incompatible kinds. */
  | { readonly kind: 'mismatch'; readonly mismatch: Mismatch };

/** The claims of leaves and measures. */
export type Claims = ReadonlyMap<Leaf | ast.Measure, Claim>;

/**
 * True if every comparison can hold by itself, and no two comparisons share a subject. No further
 * analysis is then necessary, as for most expressions.
 */
export function areIndependent(leaves: readonly Leaf[], claims: Claims): boolean {
  const subjects = new Set<string>();
  const isNew = (subject: string) => subjects.size < subjects.add(subject).size;
  return leaves.every((leaf) => {
    const claim = claims.get(leaf);
    if (claim?.kind !== 'facts' || claim.exists) return false;
    const { facts, relation } = claim;
    if (relation ? !(isNew(relation.left) && isNew(relation.right)) : facts.length === 0)
      return false;
    // No string sorts before the empty string.
    return facts.every(({ subject, value, comparator }) => {
      return isNew(subject) && (value !== '' || /^!?=$/.test(comparator));
    });
  });
}

/** Returns the claim of a comparison or an event in a condition. */
export function claimOf(leaf: Leaf, scope: Scope): Claim {
  const claim = claimOfLeaf(leaf, scope);
  if (claim.kind !== 'facts' && claim.kind !== 'oneOf') return claim;
  const needs = attributesOf(leaf).flatMap((attribute) => subjectOf(scope, attribute) ?? []);
  return { needs, ...claim };
}

function claimOfLeaf(leaf: Leaf, scope: Scope): Claim {
  if (leaf.kind === 'located') {
    if (scope.kind !== 'pattern') return NO_CLAIM;
    const { event, probe, span } = leaf;
    return facts([
      pinFact(scope.label, 'name', event.text, span),
      pinFact(scope.label, 'probe', probe.text, span),
    ]);
  }
  const mismatch = mismatchOf(leaf, scope);
  if (mismatch !== undefined) return { kind: 'mismatch', mismatch };
  const pins = pinsOf(leaf, scope);
  if (leaf.kind === 'exists') return { kind: 'facts', facts: pins, exists: true };
  if (leaf.kind !== 'comparison')
    return claimOfMembership(leaf, subjectIn(scope, leaf.operand), pins);
  const { left, comparator, right } = leaf;
  if (!isLiteral(left) && !isLiteral(right)) {
    const probes = new Set(pins.map(({ value }) => value));
    const [leftSubject, rightSubject] = [subjectIn(scope, left), subjectIn(scope, right)];
    const self =
      probes.size < 2 &&
      !holds(comparator, 0) &&
      leftSubject !== undefined &&
      leftSubject === rightSubject;
    return self
      ? { kind: 'constant', holds: false, self }
      : orderingClaim(leftSubject, leaf, rightSubject, pins);
  }
  const subject = subjectIn(scope, isLiteral(left) ? right : left);
  return comparisonClaim(leaf, subject, ANY, pins);
}

/** Returns the claim of an IN or a GLOB. A pattern without wildcards requires equality. */
function claimOfMembership(
  leaf: ast.In | ast.Glob,
  subject: string | undefined,
  pins: readonly Fact[],
): Claim {
  if (subject === undefined || isLiteral(leaf.operand)) return partialFacts(pins);
  const { span } = leaf;
  const fact = (literal: ast.Literal, comparator: ast.Comparator = '='): Fact => {
    const value = statedValue(literal);
    return { subject, nature: ANY, kind: kindOfLiteral(literal), comparator, value, span };
  };
  if (leaf.kind === 'in') {
    return { kind: 'oneOf', facts: leaf.values.map((value) => fact(value)), pins };
  }
  const { value } = leaf.pattern;
  if (hasOpenSet(value)) return partialFacts(pins);
  if (!/[*?[]/.test(value)) return facts([fact(leaf.pattern), ...pins]);
  const anyText = fact({ ...leaf.pattern, value: globPrefix(value) }, '>=');
  return facts([{ ...anyText, glob: { pattern: value, negated: false } }, ...pins]);
}

/** The minimum and maximum number of bindings in each BY group, with the reason. */
interface InGroup {
  readonly nature: Nature;
  readonly because: string;
}

/**
 * Returns the minimum and maximum number of bindings in each BY group; undefined if unknown, for
 * example because MATCH has several labels.
 */
export function bindingsInGroups({ match, aggregate, broken }: ast.Tree): InGroup | undefined {
  const patterns = match?.patterns ?? [];
  const keys = aggregate?.by?.keys ?? [];
  const isPlain = patterns.length === 1 && patterns[0]?.absent === undefined && broken.size === 0;
  // A window of time may have no events.
  if (!isPlain || keys.length === 0 || keys.some(({ kind }) => kind === 'window')) return undefined;
  const isEvent = keys.some(({ kind }) => kind === 'name');
  const because = isEvent
    ? "each group has one event: group by one of the event's attributes, or bind another label"
    : 'a group always has at least one event';
  return { nature: { least: 1n, ...(isEvent && { most: 1n }), integer: true }, because };
}

/** Returns the claim of a measure. */
export function claimOfMeasure(measure: ast.Measure, scope: Scope, inGroup?: InGroup): Claim {
  const { left, comparator, right } = measure;
  const mismatch = mismatchOf(measure, scope);
  if (mismatch !== undefined) return { kind: 'mismatch', mismatch };
  if (!isLiteral(left) && !isLiteral(right)) {
    const subject = subjectOfTerm(left);
    if (subject === undefined) return NO_CLAIM;
    if (subject !== subjectOfTerm(right)) {
      return orderingClaim(subject, measure, subjectOfTerm(right), []);
    }
    if (!holds(comparator, 0)) return { kind: 'constant', holds: false, self: true };
    const total = left.kind === 'call' && FUNCTIONS.get(left.name.text)?.fewest === 0n;
    return total ? { kind: 'constant', holds: true, self: true } : NO_CLAIM;
  }
  const term = isLiteral(left) ? right : left;
  const claim = comparisonClaim(measure, subjectOfTerm(term), natureOfTerm(term), []);
  const isCount = term.kind === 'call' && term.name.text === 'count' && term.label === undefined;
  if (claim.kind !== 'facts' || !isCount || inGroup === undefined) return claim;
  return { ...claim, facts: claim.facts.map((fact) => ({ ...fact, ...inGroup })) };
}

/** The range of a share. */
const FRACTION: Nature = { least: 0n, most: 1n };

function natureOfTerm(term: ast.Term): Nature {
  if (term.kind === 'share') return FRACTION;
  return (term.kind === 'call' && FUNCTIONS.get(term.name.text)?.nature) || ANY;
}

/** Returns an identifier for a function or a share; undefined for any other term. */
function subjectOfTerm(term: ast.Term): string | undefined {
  if (term.kind === 'share') return printTerm(term);
  return term.kind === 'call' ? subjectOfCall(term) : undefined;
}

const NO_CLAIM: Claim = { kind: 'facts', facts: [] };

function facts(factList: readonly Fact[]): Claim {
  return factList.length === 0 ? NO_CLAIM : { kind: 'facts', facts: factList };
}

function partialFacts(facts: readonly Fact[]): Claim & { readonly kind: 'facts' } {
  return { kind: 'facts', facts, isPartial: true };
}

/** Returns the claim of a comparison of two subjects. */
function orderingClaim(
  left: string | undefined,
  { comparator, span }: ast.Comparison | ast.Measure,
  right: string | undefined,
  pins: readonly Fact[],
): Claim {
  if (left === undefined || right === undefined || left === right) return partialFacts(pins);
  return { relation: { left, comparator, right, span }, ...partialFacts(pins) };
}

/** Returns the claim of a comparison with a value on at least one side. */
function comparisonClaim(
  { left, comparator, right, span }: ast.Comparison | ast.Measure,
  subject: string | undefined,
  nature: Nature,
  pins: readonly Fact[],
): Claim {
  if (isLiteral(left) && isLiteral(right)) {
    const order = compareValues(statedValue(left), statedValue(right));
    return { kind: 'constant', holds: holds(comparator, order), self: false };
  }
  const literal = isLiteral(left) ? left : right;
  if (subject === undefined || !isLiteral(literal)) return partialFacts(pins);
  const statedFact = {
    kind: kindOfLiteral(literal),
    comparator: literal === left ? MIRRORED_COMPARATORS[comparator] : comparator,
    value: statedValue(literal),
  };
  return facts([{ subject, nature, ...statedFact, span }, ...pins]);
}

function statedValue(literal: ast.Literal): OrderedValue {
  return literal.kind === 'boolean' ? (literal.value ? 1n : 0n) : literal.value;
}

/** The nature of a value without known limits. */
const ANY: Nature = {};

/**
 * Returns an identifier for an operand, with the label before each attribute's path. Returns
 * undefined if a label is missing or unknown. Separates names by backquotes, because no name is
 * empty or contains a backquote.
 */
export function subjectIn(scope: Scope, operand: ast.Operand): string | undefined {
  if (operand.kind === 'attribute') return subjectOf(scope, operand);
  if (isLiteral(operand)) return `\`${operand.kind}\`${operand.value}`;
  if (isOperandCall(operand)) {
    const innerSubject = subjectIn(scope, operand.operand);
    return innerSubject && `\`${operand.kind}\`(${innerSubject})`;
  }
  let subject = subjectIn(scope, operand.first);
  for (const { sign, operand: rightOperand } of operand.rest) {
    const otherSubject = subjectIn(scope, rightOperand);
    if (subject === undefined || otherSubject === undefined) return undefined;
    subject += `\`\`${sign}${isArithmetic(rightOperand) ? `(${otherSubject})` : otherSubject}`;
  }
  return operand.kind === 'sum' ? subject : `\`(${subject})`;
}

function subjectOf(scope: Scope, { path }: ast.Attribute): string | undefined {
  const label = labelIn(scope, path);
  if (label === undefined) return undefined;
  const names = (scope.kind === 'pattern' ? path : path.slice(1)).map(({ text }) => text);
  return [label, ...names].join('`');
}

/** Returns an attribute's label; undefined if it is missing or unknown. */
function labelIn(scope: Scope, path: ast.Attribute['path']): string | undefined {
  if (scope.kind === 'pattern') return scope.label;
  const first = (path[0] as ast.Name).text;
  return path.length > 1 && scope.isLabel(first) ? first : undefined;
}

/**
 * Returns an identifier for a call's function and argument; undefined if the function does not
 * accept the argument.
 */
export function subjectOfCall(call: ast.Call): string | undefined {
  const { name, label, argument } = call;
  const definition = FUNCTIONS.get(name.text);
  if (definition === undefined || !acceptsCall(definition, call)) return undefined;
  if (definition.percent || label) return printTerm(call);
  return argument === undefined ? name.text : subjectOfFunction(name.text, argument);
}

/** True if a function accepts a call's argument. Ignores a percentage. */
export function acceptsCall({ argument }: AggregateFunction, call: ast.Call): boolean {
  const kind = argumentKindOf(call);
  return argument === kind || (argument === 'label' && kind === 'none');
}

/** Returns an identifier for a function applied to an argument. */
export function subjectOfFunction(name: string, argument: ast.Operand): string {
  return `${name}(${printOperand(argument)}`;
}

function pinFact(label: string, attribute: 'name' | 'probe', value: string, span: Span): Fact {
  const subject = `${label}\`${attribute}`;
  return { subject, nature: ANY, kind: 'string', comparator: '=', value, span };
}

/** Returns the facts implied by `x @ p`: the event's probe is `p`. */
function pinsOf(leaf: Leaf, scope: Scope): readonly Fact[] {
  return attributesOf(leaf).flatMap(({ path, probe }) => {
    const label = labelIn(scope, path);
    return probe && label !== undefined ? [pinFact(label, 'probe', probe.text, leaf.span)] : [];
  });
}
