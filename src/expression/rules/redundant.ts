import { duplicatesIn, quote, type Violation } from '../../diagnostics/index.js';
import { cover, type Span } from '../../source/index.js';
import { type Claims, type Fact, isOfEveryEvent } from '../analysis/claims.js';
import type { RuleInput } from '../analysis/context.js';
import { certainFacts, NEGATED_COMPARATORS, toSignedTest } from '../analysis/contradictions.js';
import { Domain } from '../analysis/domain.js';
import type { Condition, Measure, Tree } from '../tree/ast.js';
import { printCondition, printMeasure } from '../tree/print.js';
import {
  attributesOf,
  isLeaf,
  type Leaf,
  measuresOf,
  sharesIn,
  splitRequirements,
} from '../tree/walk.js';

/** Reports redundant conditions and measures. The redundancy does not depend on a session. */
export function redundancies({ text, tree, context }: RuleInput): Violation[] {
  const conditionViolations = context.isIndependent
    ? []
    : redundantConditions(text, tree, context.claims);
  const requirements = splitRequirements(tree.aggregate?.measures ?? []);
  const measures = requirements.filter((requirement) => requirement.kind === 'measure');
  const among = measures.length > 1 ? checkAnd(text, measures, context.claims, []) : [];
  return [...conditionViolations, ...among, ...checkWhen(text, tree)];
}

function redundantConditions(text: string, tree: Tree, claims: Claims): Violation[] {
  const violations: Violation[] = [];
  const search = (condition: Condition, knownFacts: readonly Fact[] = []): void => {
    if (isLeaf(condition)) return;
    if (condition.kind === 'not') {
      search(condition.operand);
      return;
    }
    const { kind, operands } = condition;
    const here =
      kind === 'and'
        ? checkAnd(text, operands, claims, knownFacts)
        : checkOr(text, operands, claims);
    for (const violation of here) violations.push(violation);
    for (const operand of operands) search(operand);
  };
  const patternFacts: Fact[] = [];
  for (const { condition } of tree.match?.patterns ?? []) {
    search(condition);
    if (tree.filter !== undefined)
      patternFacts.push(...certainFacts(toSignedTest(condition, claims)));
  }
  const filter = tree.filter?.condition;
  if (filter !== undefined && isLeaf(filter))
    violations.push(...checkAnd(text, [filter], claims, patternFacts));
  else if (filter !== undefined) search(filter, patternFacts);
  for (const { left, right } of measuresOf(tree)) {
    for (const { condition } of sharesIn(left, right)) search(condition);
  }
  return violations;
}

type Part = Condition | Measure;

/** Maximum number of parts to compare pairwise. Nobody writes longer lists by hand. */
const MAX_PARTS = 50;

/** Reports AND operands that other operands or known facts imply. */
function checkAnd(
  text: string,
  parts: readonly Part[],
  claims: Claims,
  knownFacts: readonly Fact[],
): Violation[] {
  if (parts.length + knownFacts.length < 2 || parts.length > MAX_PARTS) return [];
  const repetitionsByPart = repetitions(text, parts);
  const violations = [...repetitionsByPart.values()];
  const statedFacts = [...knownFacts, ...parts.flatMap((part) => factsOfPart(part, claims))];
  const subjects = new Set(statedFacts.map(({ subject }) => subject));
  // Only facts with the same subject imply a fact.
  if (subjects.size === statedFacts.length) return violations;
  const remainingParts = new Set(parts.filter((part) => !repetitionsByPart.has(part)));
  for (const part of [...remainingParts].reverse()) {
    const ownFacts = isExact(part) ? factsOfPart(part, claims) : [];
    if (ownFacts.length === 0) continue;
    const otherFacts = [...remainingParts].flatMap((otherPart) =>
      otherPart === part ? [] : factsOfPart(otherPart, claims),
    );
    const reasons = ownFacts.map((fact) => reasonsFor(fact, [...knownFacts, ...otherFacts]));
    const [first] = reasons;
    if (first === undefined || reasons.includes(undefined)) continue;
    remainingParts.delete(part);
    violations.push(redundantPart(text, part, first, 'delete it'));
  }
  return violations;
}

/**
 * Reports OR alternatives that another alternative includes, and alternatives that together are
 * always true.
 */
function checkOr(text: string, parts: readonly Condition[], claims: Claims): Violation[] {
  if (parts.length > MAX_PARTS) return [];
  const repetitionsByPart = repetitions(text, parts);
  const violations = [...repetitionsByPart.values()];
  const remainingParts = parts.filter((part) => !repetitionsByPart.has(part));
  const single = remainingParts.flatMap((part) => {
    const facts = isExact(part) ? factsOfPart(part, claims) : [];
    return facts.length === 1 ? [{ part, fact: facts[0] as Fact }] : [];
  });
  for (const subject of new Set(single.map(({ fact }) => fact.subject))) {
    const alternatives = single.filter(({ fact }) => fact.subject === subject);
    const everything = findCovering(alternatives.map(({ fact }) => fact));
    if (everything !== undefined) {
      violations.push(describeCovering(text, everything));
      continue;
    }
    const wider = new Set(alternatives);
    for (const alternative of [...alternatives].reverse()) {
      const otherPart = [...wider].find(
        (candidate) => candidate !== alternative && reasonsFor(candidate.fact, [alternative.fact]),
      );
      if (otherPart === undefined) continue;
      wider.delete(alternative);
      violations.push(
        redundantPart(
          text,
          alternative.part,
          [otherPart.fact],
          'delete it, or join the two with AND',
        ),
      );
    }
  }
  return violations;
}

/**
 * Returns the facts that a comparison or an event claims; empty for NOT, and for a comparison of
 * two subjects.
 */
function factsOfPart(part: Part, claims: Claims): readonly Fact[] {
  const claim = claims.get(part as Leaf | Measure);
  return claim?.kind === 'facts' && claim.relation === undefined ? claim.facts : [];
}

/** True if a part is equivalent to its facts. Other parts may require more. */
function isExact(part: Part): boolean {
  if (part.kind === 'located' || part.kind === 'measure') return true;
  return part.kind === 'comparison' && attributesOf(part).every(({ probe }) => probe === undefined);
}

/** Returns the facts that imply a fact; undefined if none do. */
function reasonsFor(fact: Fact, facts: readonly Fact[]): readonly Fact[] | undefined {
  const sameSubject = facts.filter(({ subject }) => subject === fact.subject);
  if (sameSubject.length === 0 || sameSubject.some(({ kind }) => kind !== fact.kind))
    return undefined;
  const domain = new Domain<Fact>(fact.nature);
  if (sameSubject.some((otherPart) => domain.add(otherPart, otherPart) !== undefined))
    return undefined;
  const opposite = { ...fact, comparator: NEGATED_COMPARATORS[fact.comparator] };
  const reasons = domain.add(opposite, fact)?.filter((reason) => reason !== fact);
  return reasons?.length === 0 ? undefined : reasons;
}

/** Returns facts that together cover every value of their subject; undefined if there are none. */
function findCovering(facts: readonly Fact[]): readonly Fact[] | undefined {
  const [first] = facts;
  if (first === undefined || facts.some(({ kind }) => kind !== first.kind)) return undefined;
  const domain = new Domain<Fact>(first.nature);
  for (const fact of facts) {
    const conflict = domain.add(
      { ...fact, comparator: NEGATED_COMPARATORS[fact.comparator] },
      fact,
    );
    if (conflict !== undefined) return conflict.length > 1 ? conflict : undefined;
  }
  return undefined;
}

const NOUNS = { number: 'number', string: 'text', boolean: 'boolean' } as const;

function describeCovering(text: string, facts: readonly Fact[]): Violation {
  const spans = facts.map(({ span }) => span).sort((a, b) => a.start - b.start);
  const partTexts = spans.map(({ start, end }) => text.slice(start, end));
  const [{ subject, kind }] = facts as [Fact];
  const noun = isOfEveryEvent(subject) ? 'everything' : `every ${NOUNS[kind]}`;
  const span = spans.reduce(cover);
  const violation = { message: `${noun} satisfies ${quote(partTexts.join(' OR '))}`, span };
  const domain = new Domain<Fact>();
  const isNone = facts.some((fact) => domain.add(fact, fact) !== undefined);
  if (isNone) return { ...violation, help: 'correct the values, or delete it' };
  const conjunction = partTexts.join(' AND ');
  // A replacement is possible only for adjacent parts.
  const isWhole =
    text.slice(span.start, span.end).replace(/\s+OR\s+/gi, ' OR ') === partTexts.join(' OR ');
  return {
    ...violation,
    help: `write AND: ${conjunction}`,
    instead: isWhole ? conjunction : undefined,
  };
}

function redundantPart(
  text: string,
  { span }: Part,
  reasons: readonly Fact[],
  help: string,
): Violation {
  const spans = [...new Map(reasons.map((fact) => [fact.span.start, fact.span])).values()];
  const otherTexts = spans.map(({ start, end }) => quote(text.slice(start, end)));
  const relatedSpans = spans.map((otherSpan) => ({
    message: 'this makes it redundant',
    span: otherSpan,
  }));
  const message = `${quote(text.slice(span.start, span.end))} adds nothing to ${otherTexts.join(' and ')}`;
  return { message, help, span, related: relatedSpans };
}

/** Returns a violation for each part that repeats an earlier part. */
function repetitions<Item extends Part>(
  text: string,
  parts: readonly Item[],
): Map<Item, Violation> {
  const partText = ({ span }: Part) => text.slice(span.start, span.end).replaceAll(/\s+/g, ' ');
  const printed = (part: Part) =>
    part.kind === 'measure' ? printMeasure(part) : printCondition(part);
  const repeats = [...duplicatesIn(parts, printed)];
  return new Map(
    repeats.map(([part, first]) => [part, repetition(partText(part), part.span, first.span)]),
  );
}

function repetition(partText: string, span: Span, first: Span): Violation {
  const message = `${quote(partText)} appears here twice`;
  const relatedSpans = [{ message: 'the first occurrence', span: first }];
  return { message, help: 'delete one of the two', span, related: relatedSpans };
}

/** Reports relations that WHEN states twice. */
function checkWhen(text: string, { when }: Tree): Violation[] {
  if (when === undefined || when.relations.length > MAX_PARTS) return [];
  const repeats = duplicatesIn(when.relations, (relation) => {
    const { kind, labels } = relation;
    const names = labels.map((label) => label.text);
    if (kind !== 'chain') return JSON.stringify([kind, names.sort()]);
    const arrows = relation.arrows.map(({ next = false }) => next);
    return JSON.stringify([names, arrows, String(relation.within?.value)]);
  });
  return [...repeats].map(([relation, first]) => {
    const { start, end } = relation.span;
    return repetition(text.slice(start, end), relation.span, first.span);
  });
}
