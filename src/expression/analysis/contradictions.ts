import type { Span } from '../../source/index.js';
import { FUNCTIONS } from '../functions/index.js';
import type { Call, Comparator, Condition, Logical, Measure } from '../tree/ast.js';
import { conjunctsOf, isLeaf, type Leaf } from '../tree/walk.js';
import { type Claims, type Fact, subjectOfFunction } from './claims.js';
import { Domain } from './domain.js';

/** Why nothing satisfies a part of an expression. */
export type Contradiction =
  /** A comparison that is false by itself. */
  | { readonly kind: 'constant'; readonly span: Span; readonly self: boolean }
  /** Comparisons of one subject that cannot all hold, in text order; one alone is possible. */
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  /** Every alternative of an `or` contradicts the rest of the condition. */
  | { readonly kind: 'alternatives'; readonly span: Span; readonly or: Span };

/**
 * What comparisons joined by AND leave of each subject. Of a subject without a
 * value left, only the first contradiction is reported.
 */
export class Facts {
  readonly #domains = new Map<string, Domain<Fact>>();
  /** The subjects without a value left. */
  readonly #dead = new Set<string>();
  readonly #parent: Facts | undefined;

  constructor(parent?: Facts) {
    this.#parent = parent;
  }

  /** Takes in a fact; gives those that it contradicts, with it, in text order. */
  add(fact: Fact): readonly Fact[] | undefined {
    const { subject, nature } = fact;
    if (this.#isDead(subject)) return undefined;
    let domain = this.#domains.get(subject);
    domain ??= this.#known(subject)?.fork() ?? new Domain<Fact>(nature);
    this.#domains.set(subject, domain);
    const conflict = domain.add(fact, fact);
    if (conflict === undefined) return undefined;
    this.#dead.add(subject);
    return [...conflict].sort((a, b) => a.span.start - b.span.start);
  }

  #known(subject: string): Domain<Fact> | undefined {
    const own = this.#domains.get(subject);
    return own === undefined && this.#parent ? this.#parent.#known(subject) : own;
  }

  #isDead(subject: string): boolean {
    return this.#dead.has(subject) || (this.#parent ? this.#parent.#isDead(subject) : false);
  }
}

/** The facts that a condition states for certain: those outside every `or`. */
export function certainFacts(condition: Condition, claims: Claims): Fact[] {
  return conjunctsOf(condition).flatMap((part) => (isLeaf(part) ? factsOf(part, claims) : []));
}

/**
 * The smallest parts of a condition that nothing satisfies.
 *
 * @param known what holds besides it
 */
export function contradictions(
  condition: Condition,
  claims: Claims,
  known: Facts = new Facts(),
): Contradiction[] {
  const found: Contradiction[] = [];
  const facts = new Facts(known);
  const open: Logical[] = [];
  for (const part of conjunctsOf(condition)) {
    if (isLeaf(part)) {
      found.push(...inLeaf(part, claims, facts));
      continue;
    }
    if (part.kind === 'not') continue;
    const inside = part.operands.flatMap((branch) => contradictions(branch, claims));
    for (const contradiction of inside) found.push(contradiction);
    if (inside.length === 0) open.push(part);
  }
  if (found.length > 0) return found;
  const refuted = open.find((or) => isRefuted(or, claims, facts));
  return refuted === undefined
    ? []
    : [{ kind: 'alternatives', span: condition.span, or: refuted.span }];
}

/** Whether the certain facts of each alternative contradict what is known: more would mean trying every combination. */
export function isRefuted(or: Condition, claims: Claims, known: Facts): boolean {
  if (or.kind !== 'or') return false;
  return or.operands.every((branch) => {
    const facts = new Facts(known);
    return certainFacts(branch, claims).some((fact) => facts.add(fact) !== undefined);
  });
}

/** What contradicts in a comparison, an event or a measure, given what is known already. */
export function inLeaf(node: Leaf | Measure, claims: Claims, known: Facts): Contradiction[] {
  const claim = claims.get(node);
  if (claim === undefined) return [];
  if (claim.kind === 'constant') {
    return claim.holds ? [] : [{ kind: 'constant', span: node.span, self: claim.self }];
  }
  // A comparison may claim two things, as of a name and a probe: one contradiction is enough.
  const conflicts = factsOf(node, claims).map((fact) => known.add(fact));
  return conflicts
    .flatMap((facts) => (facts ? [{ kind: 'facts' as const, facts }] : []))
    .slice(0, 1);
}

/** What a comparison, an event or a measure claims of subjects. */
export function factsOf(node: Leaf | Measure, claims: Claims): readonly Fact[] {
  const claim = claims.get(node);
  return claim?.kind === 'facts' ? claim.facts : [];
}

/** The functions that are at most the others after them, over the same values. */
const ASCENDING = ['min', 'mean', 'max'];

/**
 * What follows of other functions when a measure holds (spec: trace expressions,
 * "Meaning", 4): each but `count` has a value only where there are bindings, and
 * min is at most mean, which is at most max.
 */
export function impliedFacts(measure: Measure, claims: Claims): Fact[] {
  const calls = [measure.left, measure.right].filter((term) => term.kind === 'call');
  return calls.flatMap((call) => [
    ...impliedCount(call, measure),
    ...factsOf(measure, claims).flatMap((fact) => impliedOrder(call, fact)),
  ]);
}

function impliedCount({ name, argument }: Call, { span }: Measure): Fact[] {
  const known = FUNCTIONS.get(name.text);
  const nature = FUNCTIONS.get('count')?.nature;
  if (known === undefined || nature === undefined || argument === undefined) return [];
  const value = known.fewest;
  const fewer = value === 1n ? 'no' : 'fewer than two';
  const because = `${name.text} of ${fewer} bindings has no value`;
  return [{ subject: 'count', nature, kind: 'number', comparator: '>=', value, span, because }];
}

function impliedOrder({ name, argument }: Call, fact: Fact): Fact[] {
  const at = ASCENDING.indexOf(name.text);
  if (at < 0 || argument === undefined) return [];
  const because = 'min is at most mean, and mean is at most max';
  const of = (comparator: Comparator) => (other: string) => ({
    ...fact,
    subject: subjectOfFunction(other, argument),
    comparator,
    because,
  });
  const smaller = ASCENDING.slice(0, at);
  const larger = ASCENDING.slice(at + 1);
  const { comparator } = fact;
  if (comparator === '!=') return [];
  if (comparator === '=') return [...smaller.map(of('<=')), ...larger.map(of('>='))];
  return (comparator.startsWith('<') ? smaller : larger).map(of(comparator));
}
