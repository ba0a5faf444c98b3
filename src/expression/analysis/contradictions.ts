import type { Span } from '../../source/index.js';
import { FUNCTIONS } from '../functions/index.js';
import type { Call, Condition, Measure } from '../tree/ast.js';
import { callsIn, isLeaf } from '../tree/walk.js';
import {
  type Claim,
  type Claims,
  type Fact,
  isOfEveryEvent,
  type Ordering,
  subjectIn,
  subjectOfCall,
  subjectOfFunction,
} from './claims.js';
import { Domain } from './domain.js';
import type { Scope } from './kinds.js';
import { deriveFacts, findConflict } from './relations.js';

/** The reason why nothing satisfies a part of an expression. */
export type Contradiction =
  /** A comparison that is false by itself. */
  | { readonly kind: 'constant'; readonly span: Span; readonly self: boolean }
  /**
   * Comparisons of one subject that cannot all hold, in text order. A single comparison may be
   * impossible by itself.
   */
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  /** Comparisons between subjects that cannot all hold. */
  | {
      readonly kind: 'relations';
      readonly spans: readonly Span[];
      readonly because: string | undefined;
    }
  /** Two events that must be concurrent although WHEN orders them. */
  | { readonly kind: 'ordered'; readonly span: Span; readonly orders: readonly Span[] }
  /** An `or` whose alternatives all contradict the other parts of the condition. */
  | { readonly kind: 'alternatives'; readonly span: Span; readonly or: Span };

/**
 * The possible values of each subject under comparisons joined by AND. Reports only the first
 * contradiction of each subject.
 */
export class Facts {
  readonly #domains = new Map<string, Domain<Fact>>();
  /** The subjects without a possible value. */
  readonly #dead = new Set<string>();
  readonly #parent: Facts | undefined;
  readonly #added: Fact[] = [];
  /** The first span that requires each attribute. */
  readonly #needed = new Map<string, Span>();

  constructor(parent?: Facts) {
    this.#parent = parent;
  }

  /**
   * Adds a fact. On a contradiction, returns the contradictory facts, including the new fact, in
   * text order.
   */
  add(fact: Fact): readonly Fact[] | undefined {
    const { subject, nature } = fact;
    if (this.#isDead(subject)) return undefined;
    this.#added.push(fact);
    let domain = this.#domains.get(subject);
    domain ??= this.#known(subject)?.fork() ?? new Domain<Fact>(nature);
    this.#domains.set(subject, domain);
    const conflict = domain.add(fact, fact);
    if (conflict === undefined) return undefined;
    this.#dead.add(subject);
    return [...conflict].sort((a, b) => a.span.start - b.span.start);
  }

  /** True if a subject is known to have a value of the fact's kind. A name and a probe are always strings. */
  hasKind({ subject, kind }: Fact): boolean {
    if (isOfEveryEvent(subject)) return kind === 'string';
    return this.#known(subject)?.kind === kind;
  }

  /** Records that a span requires attributes. */
  need(subjects: readonly string[], span: Span): void {
    for (const subject of subjects) {
      if (!this.#needed.has(subject)) this.#needed.set(subject, span);
    }
  }

  /** Returns the first span that requires an attribute. */
  neededAt(subject: string): Span | undefined {
    return this.#needed.get(subject) ?? this.#parent?.neededAt(subject);
  }

  /** Returns all facts added here and to the parent. */
  all(): readonly Fact[] {
    return [...(this.#parent?.all() ?? []), ...this.#added];
  }

  #known(subject: string): Domain<Fact> | undefined {
    const domain = this.#domains.get(subject);
    return domain === undefined && this.#parent ? this.#parent.#known(subject) : domain;
  }

  #isDead(subject: string): boolean {
    return this.#dead.has(subject) || (this.#parent ? this.#parent.#isDead(subject) : false);
  }
}

interface SignedClaim {
  readonly kind: 'claim';
  readonly claim: Claim;
  readonly negated: boolean;
  readonly span: Span;
}

/**
 * A condition in negation normal form: a claim that must or must not hold, or a conjunction or
 * disjunction of such tests. IN is a disjunction of equalities.
 */
export type SignedTest =
  | SignedClaim
  | { readonly kind: 'all' | 'any'; readonly tests: readonly SignedTest[]; readonly span: Span };

/** Converts a condition to negation normal form. */
export function toSignedTest(
  condition: Condition,
  claims: Claims,
  negated = false,
  not?: Span,
): SignedTest {
  const span = not ?? condition.span;
  if (condition.kind === 'not') return toSignedTest(condition.operand, claims, !negated, span);
  if (!isLeaf(condition)) {
    const tests = condition.operands.map((operand) =>
      // Report contradictions inside NOT on the whole NOT.
      toSignedTest(operand, claims, negated, negated ? span : not),
    );
    return joinTests((condition.kind === 'and') !== negated ? 'all' : 'any', tests, span);
  }
  const claim = claims.get(condition) ?? NO_CLAIM;
  const signedSpan = { negated, span } as const;
  if (claim.kind === 'oneOf') {
    const { facts, pins, needs } = claim;
    const eachFact = (facts: readonly Fact[]) =>
      facts.map(
        (fact): SignedTest => ({
          kind: 'claim',
          claim: { needs, ...claimFact(fact) },
          ...signedSpan,
        }),
      );
    const values = joinTests(negated ? 'all' : 'any', eachFact(facts), span);
    return joinTests(negated ? 'any' : 'all', [values, ...eachFact(pins)], span);
  }
  if (negated && claim.kind === 'facts' && claim.facts.length > 0) {
    if (claim.isPartial) return { kind: 'claim', claim: NO_CLAIM, ...signedSpan };
    const eachFact = claim.facts.map(
      (fact): SignedTest => ({ kind: 'claim', claim: claimFact(fact), ...signedSpan }),
    );
    if (claim.exists)
      eachFact.push({ kind: 'claim', claim: { ...claim, facts: [] }, ...signedSpan });
    return joinTests('any', eachFact, span);
  }
  return { kind: 'claim', claim, ...signedSpan };
}

const NO_CLAIM: Claim = { kind: 'facts', facts: [] };

function claimFact(fact: Fact) {
  return { kind: 'facts' as const, facts: [fact] };
}

/** Joins tests by AND or OR. Returns a single test unchanged, and flattens nested tests of the same kind. */
function joinTests(kind: 'all' | 'any', tests: readonly SignedTest[], span: Span): SignedTest {
  const [single, ...moreTests] = tests;
  if (single !== undefined && moreTests.length === 0) return single;
  const flattened = tests.flatMap((test) => (test.kind === kind ? test.tests : [test]));
  return { kind, tests: flattened, span };
}

/**
 * Returns the alternatives with a unique span. Alternatives derived from NOT or IN share a span.
 */
function topLevelTests(test: SignedTest): readonly SignedTest[] {
  if (test.kind !== 'any') return [];
  const [seenSpans, sharedSpans] = [new Set<Span>(), new Set<Span>()];
  for (const { span } of test.tests) (seenSpans.has(span) ? sharedSpans : seenSpans).add(span);
  return test.tests.filter(({ span }) => !sharedSpans.has(span));
}

function testsOf(test: SignedTest): readonly SignedTest[] {
  return test.kind === 'all' ? test.tests : [test];
}

/**
 * Returns the claims that a condition certainly denies: claims under NOT, outside every
 * alternative. A missing attribute also satisfies a denied claim, so the claim counts only if
 * another requirement ensures the attribute.
 */
export function deniedClaimsOf(test: SignedTest): SignedClaim[] {
  return claimsOf(test).filter(({ negated }) => negated);
}

/** Returns the claims that a condition certainly states. */
function statedBy(test: SignedTest): SignedClaim[] {
  return claimsOf(test).filter(({ negated }) => !negated);
}

function claimsOf(test: SignedTest): SignedClaim[] {
  return testsOf(test).filter((part) => part.kind === 'claim');
}

/** Adds the claims that a condition certainly states. Returns true if a claim contradicts the known facts. */
export function addClaims(test: SignedTest, knownFacts: Facts): boolean {
  const conflicts = statedBy(test).map(({ claim, span }) =>
    contradictionsInClaim(claim, span, knownFacts),
  );
  return conflicts.some(({ length }) => length > 0);
}

/** Returns the facts that a condition certainly states, outside alternatives and NOT. */
export function certainFacts(test: SignedTest): Fact[] {
  return statedBy(test).flatMap(({ claim, span }) =>
    factsOf(claim).map((fact) => ({ ...fact, span })),
  );
}

/**
 * Returns the smallest contradictory parts of a condition.
 *
 * @param knownFacts facts known to hold, besides the condition's facts
 * @param additionalClaims denied claims, besides the condition's claims
 */
export function contradictions(
  test: SignedTest,
  knownFacts: Facts = new Facts(),
  additionalClaims: readonly SignedClaim[] = [],
): Contradiction[] {
  const results: Contradiction[] = [];
  const facts = new Facts(knownFacts);
  const undecidedTests: SignedTest[] = [];
  for (const part of testsOf(test)) {
    if (part.kind === 'claim') {
      if (!part.negated) results.push(...contradictionsInClaim(part.claim, part.span, facts));
      continue;
    }
    const innerContradictions = topLevelTests(part).flatMap((alternative) =>
      contradictions(alternative),
    );
    for (const contradiction of innerContradictions) results.push(contradiction);
    if (innerContradictions.length === 0) undecidedTests.push(part);
  }
  const deniedClaims = [...deniedClaimsOf(test), ...additionalClaims];
  results.push(...deniedClaims.flatMap((part) => contradictionsInNegated(part, facts)));
  if (results.length > 0) return results;
  const relations = statedBy(test).flatMap(({ claim }) => relationsOf(claim));
  const relatedSpans =
    relations.length === 0
      ? undefined
      : (contradictionInRelations(relations, facts) ??
        deniedClaims.flatMap((part) => contradictionsInNegated(part, facts))[0]);
  if (relatedSpans !== undefined) return [relatedSpans];
  const reducedTests = limitDeniedClaims(undecidedTests, deniedClaims);
  const refuted = undecidedTests.find((candidate) => isRefuted(candidate, facts, reducedTests));
  return refuted === undefined ? [] : [{ kind: 'alternatives', span: test.span, or: refuted.span }];
}

/**
 * Maximum number of pairs to try, each of an alternative and a denied claim. Limits the analysis
 * time.
 */
const MAX_PAIRS = 2_000;

/**
 * Returns the denied claims, or an empty array if their pairs with the tests' alternatives exceed
 * `MAX_PAIRS`.
 */
export function limitDeniedClaims(
  undecidedTests: readonly SignedTest[],
  deniedClaims: readonly SignedClaim[],
): readonly SignedClaim[] {
  const branches = undecidedTests.reduce(
    (sum, test) => sum + (test.kind === 'any' ? test.tests.length : 0),
    0,
  );
  return branches * deniedClaims.length > MAX_PAIRS ? [] : deniedClaims;
}

/** Returns the contradiction among relations, or between relations and the known facts. */
function contradictionInRelations(
  relations: readonly Ordering[],
  knownFacts: Facts,
): Contradiction | undefined {
  if (relations.length === 0) return undefined;
  const cycle = findConflict(relations);
  if (cycle !== undefined) {
    const spans = cycle.flatMap(({ span }) => span ?? []);
    const because = cycle.find((relation) => relation.because !== undefined)?.because;
    return { kind: 'relations', spans, because };
  }
  return contradictionInFacts(deriveFacts(knownFacts.all(), relations), knownFacts);
}

/** Adds facts to the known facts, and returns the first contradiction. */
function contradictionInFacts(
  facts: readonly Fact[],
  knownFacts: Facts,
): Contradiction | undefined {
  for (const fact of facts) {
    const facts = knownFacts.add(fact);
    if (facts !== undefined) return { kind: 'facts', facts };
  }
  return undefined;
}

/**
 * True if the certain facts of every alternative contradict the known facts. A complete analysis
 * would have to try every combination.
 */
export function isRefuted(
  test: SignedTest,
  knownFacts: Facts,
  deniedClaims: readonly SignedClaim[],
): boolean {
  if (test.kind !== 'any') return false;
  return test.tests.every((branch) => {
    const facts = new Facts(knownFacts);
    if (addClaims(branch, facts)) return true;
    return [...deniedClaimsOf(branch), ...deniedClaims].some(
      (part) => contradictionsInNegated(part, facts).length > 0,
    );
  });
}

/** Adds a claim to the known facts, and returns the contradictions. */
export function contradictionsInClaim(
  claim: Claim,
  span: Span,
  knownFacts: Facts,
): Contradiction[] {
  if (claim.kind === 'constant') {
    return claim.holds ? [] : [{ kind: 'constant', span, self: claim.self }];
  }
  if (claim.kind === 'facts') knownFacts.need(claim.needs ?? [], span);
  // A comparison may state two facts, such as a name and a probe, but one contradiction is enough.
  const conflicts = factsOf(claim).map((fact) => knownFacts.add({ ...fact, span }));
  return conflicts.flatMap((facts) => (facts ? [{ kind: 'facts' as const, facts }] : [])).slice(-1);
}

const EVERY_EVENT = 'every event has a name and a probe';

/**
 * Returns the contradictions with a denied claim, if another requirement ensures the claim's
 * attribute.
 */
function contradictionsInNegated({ claim, span }: SignedClaim, knownFacts: Facts): Contradiction[] {
  if (claim.kind === 'constant') {
    return claim.holds ? [{ kind: 'constant', span, self: claim.self }] : [];
  }
  const [subject] = (claim.kind === 'facts' && claim.exists && claim.needs) || [];
  if (subject !== undefined) {
    if (isOfEveryEvent(subject))
      return [{ kind: 'relations', spans: [span], because: EVERY_EVENT }];
    const at = knownFacts.neededAt(subject);
    return at === undefined ? [] : [{ kind: 'relations', spans: [at, span], because: undefined }];
  }
  const [fact, ...moreFacts] = factsOf(claim);
  if (fact === undefined || moreFacts.length > 0 || !knownFacts.hasKind(fact)) return [];
  const { glob, comparator } = fact;
  const oppositeFact = glob
    ? { glob: { ...glob, negated: !glob.negated } }
    : { comparator: NEGATED_COMPARATORS[comparator] };
  const facts = knownFacts.add({ ...fact, ...oppositeFact, span });
  return facts === undefined ? [] : [{ kind: 'facts' as const, facts }];
}

/** The negation of each comparator, for values of the same kind. */
export const NEGATED_COMPARATORS = {
  '=': '!=',
  '!=': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
} as const;

/** Returns the facts of a claim. */
export function factsOf(claim: Claim | undefined): readonly Fact[] {
  return claim?.kind === 'facts' ? claim.facts : [];
}

/** Returns the relation in a claim, if any. */
function relationsOf(claim: Claim | undefined): readonly Ordering[] {
  return claim?.kind === 'facts' && claim.relation ? [claim.relation] : [];
}

/**
 * Returns a contradiction among measures, or between measures and facts about the attributes in
 * their arguments. Each measure must be satisfiable by itself.
 *
 * @param knownFacts the claims of the measures
 * @param requirements the requirements of MATCH, WHEN and FILTER on every binding
 */
export function contradictionInMeasures(
  measures: readonly Measure[],
  claims: Claims,
  knownFacts: Facts,
  requirements: { readonly facts: () => readonly Fact[]; readonly scope: Scope },
): Contradiction | undefined {
  const calls = measures.flatMap(({ left, right }) => callsIn(left, right));
  const relations = measures.flatMap((measure) => relationsOf(claims.get(measure)));
  // Requirements on events affect only functions of the events' attributes.
  if (relations.length === 0 && !calls.some(({ argument }) => argument)) return undefined;
  const counts = measures.flatMap(({ left, right, span }) =>
    callsIn(left, right).flatMap((call) => impliedCount(call, span)),
  );
  const about = new Map<string, Fact[]>();
  for (const fact of requirements.facts()) {
    const sameSubject = about.get(fact.subject) ?? [];
    about.set(fact.subject, sameSubject);
    sameSubject.push(fact);
  }
  const values = calls.flatMap((call) => impliedValues(call, about, requirements.scope));
  const conflict = contradictionInFacts([...counts, ...values], knownFacts);
  if (conflict !== undefined) return conflict;
  // Bounds in one direction do not contradict the natural order.
  const knownList = knownFacts.all().filter(({ subject }) => subject !== 'count');
  const isOneWay = ['<', '>'].some((sign) =>
    knownList.every(({ comparator }) => comparator.startsWith(sign)),
  );
  if (relations.length === 0 && isOneWay) return undefined;
  return contradictionInRelations([...relations, ...naturalOrder(calls)], knownFacts);
}

/**
 * Returns the minimum count that a function implies, because the function has no value over fewer
 * bindings (spec: trace expressions, "Meaning", 5).
 */
function impliedCount({ name, argument }: Call, span: Span): Fact[] {
  const definition = FUNCTIONS.get(name.text);
  const nature = FUNCTIONS.get('count')?.nature;
  if (definition === undefined || nature === undefined || argument === undefined) return [];
  const value = definition.fewest;
  const countText = value === 1n ? 'no' : 'fewer than two';
  const because = `${name.text} of ${countText} bindings has no value`;
  return [{ subject: 'count', nature, kind: 'number', comparator: '>=', value, span, because }];
}

/** The functions that return one of their input values or, for `mean`, a value between two input values. */
const WITHIN_VALUES: ReadonlySet<string> = new Set(['min', 'mean', 'max', 'percentile']);

/** Returns the facts about a function's input values that also hold for its result. */
function impliedValues(
  call: Call,
  factsBySubject: ReadonlyMap<string, readonly Fact[]>,
  scope: Scope,
): Fact[] {
  const { name, argument } = call;
  const subject = subjectOfCall(call);
  if (!WITHIN_VALUES.has(name.text) || argument === undefined || subject === undefined) return [];
  const facts = factsBySubject.get(subjectIn(scope, argument) ?? '') ?? [];
  const isUnimplied = ({ kind, comparator }: Fact): boolean =>
    kind !== 'number' || (name.text === 'mean' && comparator === '!=');
  return facts.flatMap((fact) => (isUnimplied(fact) ? [] : [{ ...fact, subject }]));
}

/** Returns the natural order of functions of the same values: min <= mean and percentiles <= max. */
function naturalOrder(calls: readonly Call[]): Ordering[] {
  return calls.flatMap((call): Ordering[] => {
    const { name, argument } = call;
    const subject = subjectOfCall(call);
    if (argument === undefined || subject === undefined || !WITHIN_VALUES.has(name.text)) return [];
    const otherText = name.text === 'percentile' ? 'each percentile' : 'mean';
    const because = `min is at most ${otherText}, and ${otherText} is at most max`;
    const [min, max] = ['min', 'max'].map((name) => subjectOfFunction(name, argument)) as [
      string,
      string,
    ];
    return [
      { left: min, comparator: '<=' as const, right: subject, because },
      { left: subject, comparator: '<=' as const, right: max, because },
      { left: min, comparator: '<=' as const, right: max, because: LEAST_AND_MOST },
    ].filter(({ left, right }) => left !== right);
  });
}

const LEAST_AND_MOST = 'min is at most mean, and mean is at most max';
