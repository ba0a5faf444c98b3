import { quote, type Violation } from '../../diagnostics/index.js';
import { cover, type Span } from '../../source/index.js';
import {
  bindingsInGroups,
  type Claim,
  claimOfMeasure,
  type Fact,
  subjectIn,
} from '../analysis/claims.js';
import type { Context, ExpressionRule, RuleInput } from '../analysis/context.js';
import {
  addClaims,
  type Contradiction,
  certainFacts,
  contradictionInMeasures,
  contradictions,
  contradictionsInClaim,
  deniedClaimsOf,
  Facts,
  factsOf,
  isRefuted,
  limitDeniedClaims,
  NEGATED_COMPARATORS,
  type SignedTest,
  toSignedTest,
} from '../analysis/contradictions.js';
import { Domain } from '../analysis/domain.js';
import { toLowerCaseLetters } from '../functions/lowercase.js';
import {
  type Condition,
  holds,
  type Measure,
  MIRRORED_COMPARATORS,
  type Name,
  type Operand,
  type Pattern,
  type StringLiteral,
  type Tree,
} from '../tree/ast.js';
import { printCondition } from '../tree/print.js';
import {
  callsIn,
  conjunctsOf,
  isLiteral,
  type Leaf,
  measuresOf,
  sharesIn,
  splitRequirements,
} from '../tree/walk.js';
import { orderBetween } from './bindings.js';
import { redundancies } from './redundant.js';

/** Reports a condition that is always false. */
export const alwaysFalse: ExpressionRule = {
  id: 'expression/always-false',
  severity: 'warning',
  summary: 'a condition that is always false',
  why: 'No event or session satisfies the condition, so the measurement reveals nothing about the system.',
  action:
    'Correct the values, or replace an unintended AND with OR. Perturb does not look for contradictions among more than 200 comparisons between attributes.',
  examples: {
    fails: 'MATCH (severity > 5 AND severity < 3) AS f',
    passes: 'MATCH (severity > 3 AND severity < 5) AS f',
  },
  check({ text, tree, context }, report) {
    const requirements = makeRequirements(tree, context);
    const isPlain = context.isIndependent && whenFacts(tree).length === 0;
    const conflicts = [
      ...findInRelations(tree),
      ...(isPlain ? [] : findInConditions(requirements())),
      ...findInAggregate(tree, context, requirements),
    ];
    for (const contradiction of conflicts) report(describe(text, contradiction, tree));
    for (const violation of explainCapitals(text, context)) report(violation);
  },
};

/** An expression's requirements, prepared for analysis. */
interface Requirements {
  readonly tree: Tree;
  readonly context: Context;
  readonly patterns: readonly CheckedPattern[];
  readonly filter: SignedTest | undefined;
}

interface CheckedPattern extends Pattern {
  readonly test: SignedTest;
  /** The contradictions within the pattern. */
  readonly conflicts: readonly Contradiction[];
}

/**
 * Returns a function that computes an expression's requirements on its first call, because most
 * expressions need no further analysis.
 */
function makeRequirements(tree: Tree, context: Context): () => Requirements {
  let requirements: Requirements | undefined;
  return () => {
    if (requirements !== undefined) return requirements;
    const patterns = (tree.match?.patterns ?? []).map((pattern) => {
      const test = toSignedTest(pattern.condition, context.claims);
      return { ...pattern, test, conflicts: contradictions(test) };
    });
    const filter = tree.filter && toSignedTest(tree.filter.condition, context.claims);
    requirements = { tree, context, patterns, filter };
    return requirements;
  };
}

/** Returns the contradictions in MATCH and FILTER. If there are none, returns the contradictions in shares. */
function findInConditions(requirements: Requirements): Contradiction[] {
  const conflicts = [
    ...requirements.patterns.flatMap((pattern) => pattern.conflicts),
    ...findInFilter(requirements),
  ];
  return conflicts.length > 0 ? conflicts : findInShares(requirements);
}

/** Returns the contradictions within FILTER, or between FILTER and the patterns. */
function findInFilter(requirements: Requirements): Contradiction[] {
  const { filter, context } = requirements;
  if (filter === undefined) return [];
  const { knownFacts, denied: deniedClaims, healthy } = knownBeforeFilter(requirements);
  const conflicts = contradictions(filter, knownFacts, deniedClaims);
  if (conflicts.length > 0) return conflicts;
  addClaims(filter, knownFacts);
  const parts = healthy
    .flatMap((pattern) => conjunctsOf(pattern.condition))
    .map((part) => toSignedTest(part, context.claims));
  const fewClaims = limitDeniedClaims(parts, [...deniedClaimsOf(filter), ...deniedClaims]);
  const refuted = parts.find((part) => isRefuted(part, knownFacts, fewClaims));
  return refuted === undefined
    ? []
    : [{ kind: 'alternatives', span: filter.span, or: refuted.span }];
}

/**
 * Returns the facts and denied claims that MATCH and WHEN imply for every binding, and the patterns
 * without contradictions.
 */
function knownBeforeFilter(requirements: Requirements) {
  const knownFacts = new Facts();
  const patterns = patternsOfOneLabel(requirements);
  for (const { test } of patterns) addClaims(test, knownFacts);
  for (const fact of whenFacts(requirements.tree)) knownFacts.add(fact);
  const healthy = patterns.filter(({ conflicts }) => conflicts.length === 0);
  const deniedClaims = healthy.flatMap(({ test }) => deniedClaimsOf(test));
  return { knownFacts, denied: deniedClaims, healthy };
}

/** Returns the facts that WITHIN requires of every binding. */
function whenFacts({ when }: Tree): Fact[] {
  return (when?.relations ?? []).flatMap((relation): Fact[] => {
    if (relation.kind !== 'chain' || relation.within === undefined) return [];
    const [first, last] = [relation.labels[0], relation.labels.at(-1)];
    const subject = `${last?.text}\`time\`\`-${first?.text}\`time`;
    const { span } = relation;
    const { value } = relation.within;
    return [{ subject, nature: {}, kind: 'number', comparator: '<=', value, span }];
  });
}

/** Finds `a != a`, `a || a`, and `a || b` for labels that arrows order. */
function findInRelations({ when }: Tree): Contradiction[] {
  const pairs = (when?.relations ?? []).filter((relation) => relation.kind !== 'chain');
  if (pairs.length === 0) return [];
  return pairs.flatMap(({ kind, labels, span }): Contradiction[] => {
    const [a, b] = labels.map(({ text }) => text);
    if (a === b) return [{ kind: 'constant', span, self: true }];
    const orders = kind === 'concurrent' && when ? orderBetween(when, a ?? '', b ?? '') : [];
    return orders.length === 0 ? [] : [{ kind: 'ordered', span, orders }];
  });
}

/** Maximum number of shares to check against the claims denied by MATCH and FILTER. */
const MAX_SHARES = 20;

/**
 * Returns the contradictions within each share's condition, or between the condition and the
 * earlier requirements.
 */
function findInShares(requirements: Requirements): Contradiction[] {
  const { tree, context, filter } = requirements;
  const measures = measuresOf(tree);
  const shares = measures.flatMap(({ left, right }) => sharesIn(left, right));
  if (shares.length === 0) return [];
  const { knownFacts, denied: deniedClaims } = knownBeforeFilter(requirements);
  if (filter !== undefined) addClaims(filter, knownFacts);
  const allDeniedClaims = [...deniedClaims, ...(filter ? deniedClaimsOf(filter) : [])];
  const fewClaims = shares.length > MAX_SHARES ? [] : allDeniedClaims;
  const tests = shares.map(({ condition }) => toSignedTest(condition, context.claims));
  return tests.flatMap((test) => contradictions(test, knownFacts, fewClaims));
}

/** Returns the patterns with a unique label. */
function patternsOfOneLabel({ tree, patterns }: Requirements): CheckedPattern[] {
  const uses = new Map<string, number>();
  for (const { text } of tree.labels) uses.set(text, (uses.get(text) ?? 0) + 1);
  return patterns.filter(({ label }) => uses.get(label.text) === 1);
}

/** Returns the contradictions among measures, or between measures and the requirements on events. */
function findInAggregate(
  tree: Tree,
  context: Context,
  requirements: () => Requirements,
): Contradiction[] {
  const { claims, scope } = context;
  const { measures: judgedMeasures = [], by } = tree.aggregate ?? {};
  // HAVING holds for every measured group.
  const requiredParts = splitRequirements(
    by?.having === undefined ? judgedMeasures : [...judgedMeasures, by.having],
  );
  const measures = requiredParts.filter((part) => part.kind === 'measure');
  const knownFacts = new Facts();
  const conflicts = measures.flatMap((measure) => {
    const claim = claims.get(measure);
    return claim === undefined ? [] : contradictionsInClaim(claim, measure.span, knownFacts);
  });
  if (conflicts.length > 0 || measures.length === 0) return conflicts;
  const facts = () => factsAbout(measures, tree, context, requirements);
  const conflict = contradictionInMeasures(measures, claims, knownFacts, { facts, scope });
  return conflict === undefined ? [] : [conflict];
}

/** Reports strings with capitals compared with `lower()` for equality. */
function explainCapitals(text: string, { claims }: Context): Violation[] {
  return [...claims.keys()].flatMap(upperCaseTexts).map(({ span }) => ({
    message: `lower() returns no capitals, so nothing is ${quote(text.slice(span.start, span.end))}`,
    help: 'compare it with a string in lower case',
    span,
  }));
}

function upperCaseTexts(leaf: Leaf | Measure): StringLiteral[] {
  const isText = (operand: Operand): operand is StringLiteral =>
    operand.kind === 'string' && toLowerCaseLetters(operand.value) !== operand.value;
  if (leaf.kind === 'in') return leaf.operand.kind === 'lower' ? leaf.values.filter(isText) : [];
  if (leaf.kind !== 'comparison' || leaf.comparator !== '=') return [];
  const { left, right } = leaf;
  const otherSide = left.kind === 'lower' ? right : right.kind === 'lower' ? left : undefined;
  return otherSide !== undefined && isText(otherSide) ? [otherSide] : [];
}

/** Returns the facts that hold for every binding; empty if no fact is about an argument of the measures. */
function factsAbout(
  measures: readonly Measure[],
  tree: Tree,
  { claims, scope, inPatterns, inFilter }: Context,
  requirements: () => Requirements,
): readonly Fact[] {
  const subjects = measures
    .flatMap(({ left, right }) => callsIn(left, right))
    .map(({ argument }) => argument && subjectIn(scope, argument));
  const isAbout = ({ subject }: Fact) => subjects.includes(subject);
  const isRequired =
    [...inPatterns, ...inFilter].some((leaf) => factsOf(claims.get(leaf)).some(isAbout)) ||
    whenFacts(tree).some(isAbout);
  return isRequired ? factsOfBindings(requirements()) : [];
}

/** Returns the facts that MATCH, WHEN and FILTER require of every binding. */
function factsOfBindings(requirements: Requirements): readonly Fact[] {
  const tests = patternsOfOneLabel(requirements).map(({ test }) => test);
  const statedFacts = [...tests, ...(requirements.filter ? [requirements.filter] : [])].flatMap(
    certainFacts,
  );
  return [...statedFacts, ...whenFacts(requirements.tree)];
}

function describe(text: string, contradiction: Contradiction, tree: Tree): Violation {
  if (contradiction.kind === 'relations') {
    return describeParts(text, contradiction.spans, tree, contradiction.because);
  }
  if (contradiction.kind === 'facts') {
    const { facts } = contradiction;
    const spans = facts.flatMap(({ span, through = [] }) => [span, ...through]);
    return describeParts(text, spans, tree, helpFor(facts));
  }
  const { span } = contradiction;
  const message = `nothing satisfies ${quote(text.slice(span.start, span.end))}`;
  if (contradiction.kind === 'alternatives') {
    const help = 'change the alternatives, or the other conditions';
    const incompatible = 'no alternative here is compatible with the rest';
    return { message, help, span, related: [{ message: incompatible, span: contradiction.or }] };
  }
  if (contradiction.kind === 'ordered') {
    const relatedOrders = contradiction.orders.map((order) => ({
      message: 'ordered here',
      span: order,
    }));
    return { message, help: 'WHEN orders these two events', span, related: relatedOrders };
  }
  const help = contradiction.self
    ? 'both sides are the same'
    : 'both sides are values: compare an attribute';
  return { message, help, span };
}

/**
 * Describes a contradiction between parts. The finding marks the parts in the last affected clause,
 * and lists the other parts as related.
 */
function describeParts(
  text: string,
  parts: readonly Span[],
  { when, filter, aggregate }: Tree,
  help: string | undefined,
): Violation {
  const spans = [...new Map(parts.map((span) => [span.start, span])).values()].sort(
    (a, b) => a.start - b.start,
  );
  const isIn = ({ start }: Span, clause: { readonly span: Span } | undefined) =>
    clause !== undefined && start >= clause.span.start && start < clause.span.end;
  const lastClause = [aggregate, filter, when].find((clause) =>
    spans.some((span) => isIn(span, clause)),
  );
  const spansInLast =
    lastClause === undefined ? spans : spans.filter((span) => isIn(span, lastClause));
  const relatedSpans = spans.filter((span) => !spansInLast.includes(span));
  const toRelated = (span: Span) => ({
    message: `${isIn(span, filter) ? 'FILTER' : isIn(span, when) ? 'WHEN' : 'the pattern'} requires this`,
    span,
  });
  return {
    message: `nothing satisfies ${joinParts(spans.map(({ start, end }) => quote(text.slice(start, end))))}`,
    help,
    span: spansInLast.reduce(cover),
    related: relatedSpans.map(toRelated),
  };
}

function joinParts(parts: readonly string[]): string {
  const [first, second, ...more] = parts;
  if (second === undefined) return `${first}`;
  if (more.length === 0) return `both ${first} and ${second}`;
  const listedParts = parts.slice(0, MAX_PARTS);
  const remainingCount = parts.length - listedParts.length;
  const lastPart = remainingCount > 0 ? `${remainingCount} more` : listedParts.pop();
  return `${listedParts.join(', ')} and ${lastPart} together`;
}

const MAX_PARTS = 4;

function helpFor(facts: readonly Fact[]): string | undefined {
  const because = facts.find((fact) => fact.because !== undefined)?.because;
  // A reason shared by all facts does not explain the contradiction.
  const isReason = facts.length === 1 || facts.some((fact) => fact.because !== because);
  if (because !== undefined && isReason) return because;
  const kinds = [...new Set(facts.map(({ kind }) => kind))];
  const isPlain = ({ subject, through }: Fact) => subject.endsWith('`probe') && !through;
  if (facts.length === 2 && facts.every(isPlain)) {
    const isOne = facts[0]?.span === facts[1]?.span;
    const advice = isOne
      ? 'compare two events in FILTER'
      : 'join the two with OR, or use a separate pattern for each';
    return `an event has one probe: ${advice}`;
  }
  if (kinds.length > 1) return `nothing is a ${kinds.join(' and a ')} at once`;
  const nature = facts[0]?.nature;
  if (nature?.least === undefined) return undefined;
  if (nature.most !== undefined) return `the value ranges from ${nature.least} to ${nature.most}`;
  return nature.integer ? 'the value is an integer of at least 0' : 'the value is at least 0';
}

/** Reports a comparison that is always true or redundant. */
export const alwaysTrue: ExpressionRule = {
  id: 'expression/always-true',
  severity: 'warning',
  summary: 'a comparison that is always true or redundant',
  why: 'The comparison looks like a test, but can never fail.',
  action:
    'Correct the comparison, delete it, or swap AND and OR. Perturb does not look for redundant conditions among more than 50 adjacent conditions.',
  examples: {
    fails: "MATCH (name = 'fault') AS f AGGREGATE count() >= 0",
    passes: "MATCH (name = 'fault') AS f AGGREGATE count() > 0",
  },
  check(input, report) {
    const { text, context } = input;
    for (const violation of redundancies(input)) report(violation);
    for (const violation of satisfiedMeasures(input)) report(violation);
    for (const [{ span }, claim] of context.claims) {
      if (!holdsAlways(claim)) continue;
      // `always-false` reports a comparison under NOT that is always true.
      if (/\bNOT\s$/i.test(text.slice(Math.max(0, span.start - 5), span.start))) continue;
      const message = `everything satisfies ${quote(text.slice(span.start, span.end))}`;
      const because = claim.kind === 'facts' ? claim.facts[0]?.because : undefined;
      report({ message, help: because ?? 'correct it, or delete it', span });
    }
  },
};

function holdsAlways(claim: Claim): boolean {
  if (claim.kind === 'constant') return claim.holds;
  return claim.kind === 'facts' && claim.facts.length > 0 && claim.facts.every(isCertain);
}

/**
 * True if a comparison with a count cannot be false. Other subjects may have no value, which makes
 * any comparison false.
 */
function isCertain({ nature, kind, comparator, value }: Fact): boolean {
  if (!nature.integer) return false;
  const oppositeFact = { kind, comparator: NEGATED_COMPARATORS[comparator], value };
  return new Domain<string>(nature).add(oppositeFact, 'opposite') !== undefined;
}

/** Maximum number of measures to check against all requirements on events. */
const MAX_MEASURES = 20;

/** Reports measures that hold for every binding, because MATCH, WHEN, FILTER or BY imply the measures. */
function satisfiedMeasures({ text, tree, context }: RuleInput): Violation[] {
  const requiredParts = splitRequirements(tree.aggregate?.measures ?? []);
  const measures = requiredParts.filter((part) => part.kind === 'measure');
  if (measures.length > MAX_MEASURES || tree.broken.size > 0) return [];
  const requirements = makeRequirements(tree, context);
  const isImpossible = context.isIndependent
    ? () => false
    : () => findInConditions(requirements()).length > 0;
  return measures.flatMap((measure): Violation[] => {
    const { left, right, span } = measure;
    if (callsIn(left, right).every(({ argument }) => argument === undefined)) {
      if (sharesIn(left, right).length === 0) return [];
    }
    const violation =
      satisfiedShare(measure, context, requirements) ??
      (isAlwaysOne(measure, tree, context, requirements) ||
      isSatisfied(measure, tree, context, requirements)
        ? { help: 'correct it, or delete it', span }
        : undefined);
    if (violation === undefined || isImpossible()) return [];
    const measureText = text.slice(violation.span.start, violation.span.end);
    return [{ message: `every match satisfies ${quote(measureText)}`, ...violation }];
  });
}

type SatisfiedMeasure = Pick<Violation, 'help' | 'span'>;

/** Reports a measure of a share if every binding satisfies the share's condition. */
function satisfiedShare(
  { left, comparator, right, span }: Measure,
  context: Context,
  requirements: () => Requirements,
): SatisfiedMeasure | undefined {
  for (const { condition } of sharesIn(left, right)) {
    if (!isRequired(condition, context, requirements)) continue;
    const [share, bound, sign] =
      left.kind === 'share'
        ? [left, right, comparator]
        : [right, left, MIRRORED_COMPARATORS[comparator]];
    const isWhole = share.kind === 'share' && isLiteral(bound) && bound.kind !== 'string';
    const isAlwaysMet = isWhole && holds(sign, Math.sign(1 - Number(bound.value)));
    return {
      span: isAlwaysMet ? span : condition.span,
      help: 'use a condition that can fail, or delete it',
    };
  }
  return undefined;
}

/**
 * True if every binding satisfies a condition, because FILTER contains the condition, or the
 * requirements contradict its opposite.
 */
function isRequired(
  condition: Condition,
  { claims }: Context,
  requirements: () => Requirements,
): boolean {
  const oppositeTest = toSignedTest(condition, claims, true);
  if (contradictions(oppositeTest).length > 0) return false;
  const { knownFacts, denied: deniedClaims } = knownBeforeFilter(requirements());
  const { filter, tree } = requirements();
  const conjunctTexts = tree.filter ? conjunctsOf(tree.filter.condition).map(printCondition) : [];
  if (conjunctsOf(condition).every((part) => conjunctTexts.includes(printCondition(part))))
    return true;
  if (filter !== undefined) addClaims(filter, knownFacts);
  for (const label of tree.labels) for (const fact of clockFacts(label)) knownFacts.add(fact);
  return contradictions(oppositeTest, knownFacts, deniedClaims).length > 0;
}

/** Returns the facts that a label's `time` and `seq` are at least 1. */
function clockFacts({ text, span }: Name): Fact[] {
  return ['time', 'seq'].map((name) => ({
    ...{ subject: `${text}\`${name}`, nature: {}, kind: 'number', comparator: '>=', span },
    value: 1n,
  }));
}

/**
 * True if a measure of `distinct(a.x)` holds because the value is always 1, due to `BY a.x` or a
 * required value of `a.x`.
 */
function isAlwaysOne(
  { left, comparator, right }: Measure,
  tree: Tree,
  { scope }: Context,
  requirements: () => Requirements,
): boolean {
  const [call, bound, sign] = isLiteral(right)
    ? [left, right, comparator]
    : [right, left, MIRRORED_COMPARATORS[comparator]];
  if (call.kind !== 'call' || call.name.text !== 'distinct' || !isLiteral(bound)) return false;
  const { argument } = call;
  if (argument === undefined || !holds(sign, Math.sign(1 - Number(bound.value)))) return false;
  const subject = subjectIn(scope, argument);
  if (subject === undefined) return false;
  const keys = (tree.aggregate?.by?.keys ?? []).filter((key) => key.kind === 'attribute');
  return (
    keys.some((key) => subjectIn(scope, key) === subject) ||
    factsOfBindings(requirements()).some((fact) => {
      return fact.subject === subject && fact.comparator === '=' && fact.glob === undefined;
    })
  );
}

/** True if the opposite of a measure is impossible, given the requirements on every binding. */
function isSatisfied(
  measure: Measure,
  tree: Tree,
  context: Context,
  requirements: () => Requirements,
): boolean {
  const { scope } = context;
  const oppositeMeasure = { ...measure, comparator: NEGATED_COMPARATORS[measure.comparator] };
  const claim = claimOfMeasure(oppositeMeasure, scope, bindingsInGroups(tree));
  if (claim.kind !== 'facts' || holdsAlways(claimOfMeasure(measure, scope))) return false;
  const knownFacts = new Facts();
  // Even if no value satisfies the opposite, the function may have no value, which makes the measure false.
  if (contradictionsInClaim(claim, measure.span, knownFacts).length > 0) return false;
  const facts = () => factsAbout([measure], tree, context, requirements);
  return (
    contradictionInMeasures([oppositeMeasure], new Map([[oppositeMeasure, claim]]), knownFacts, {
      facts,
      scope,
    }) !== undefined
  );
}
