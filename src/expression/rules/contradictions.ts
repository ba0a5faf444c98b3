import { quote, type Violation } from '../../diagnostics/index.js';
import { cover, type Span } from '../../source/index.js';
import type { Claim, Fact } from '../analysis/claims.js';
import type { Context, ExpressionRule } from '../analysis/context.js';
import {
  type Contradiction,
  certainFacts,
  contradictions,
  deniedBy,
  Facts,
  fewDenied,
  inClaim,
  inMeasures,
  isRefuted,
  OPPOSITES,
  type Signed,
  signed,
  takeIn,
} from '../analysis/contradictions.js';
import { Domain } from '../analysis/domain.js';
import type { Pattern, Tree } from '../tree/ast.js';
import { conjunctsOf, sharesIn } from '../tree/walk.js';
import { orderBetween } from './bindings.js';
import { redundancies } from './redundant.js';

/** A condition that nothing satisfies. */
export const alwaysFalse: ExpressionRule = {
  id: 'expression/always-false',
  severity: 'warning',
  summary: 'a condition that nothing satisfies',
  why: 'No event and no session satisfies it, so the measurement says nothing about the system.',
  action:
    'Correct the values, or write OR where AND was not meant. Contradictions among more than 200 comparisons of attributes with each other are not reported.',
  examples: {
    fails: 'MATCH (severity > 5 AND severity < 3) AS f',
    passes: 'MATCH (severity > 3 AND severity < 5) AS f',
  },
  check({ text, tree, context }, report) {
    const asked = askedIn(tree, context);
    const isPlain = context.isIndependent && askedInWhen(tree).length === 0;
    const found = [
      ...inRelations(tree),
      ...(isPlain ? [] : inConditions(asked())),
      ...inAggregate(tree, context, asked),
    ];
    for (const contradiction of found) report(describe(text, contradiction, tree));
  },
};

/** What an expression asks for. */
interface Asked {
  readonly tree: Tree;
  readonly context: Context;
  readonly patterns: readonly AskedPattern[];
  readonly filter: Signed | undefined;
}

interface AskedPattern extends Pattern {
  readonly test: Signed;
  /** What nothing satisfies in it. */
  readonly found: readonly Contradiction[];
}

/** Gives what an expression asks for, worked out once, and only for those that need a closer look. */
function askedIn(tree: Tree, context: Context): () => Asked {
  let asked: Asked | undefined;
  return () => {
    if (asked !== undefined) return asked;
    const patterns = (tree.match?.patterns ?? []).map((pattern) => {
      const test = signed(pattern.condition, context.claims);
      return { ...pattern, test, found: contradictions(test) };
    });
    const filter = tree.filter && signed(tree.filter.condition, context.claims);
    asked = { tree, context, patterns, filter };
    return asked;
  };
}

/** What nothing satisfies in MATCH and FILTER, or else in the shares. */
function inConditions(asked: Asked): Contradiction[] {
  const found = [...asked.patterns.flatMap((pattern) => pattern.found), ...inFilter(asked)];
  return found.length > 0 ? found : inShares(asked);
}

/** FILTER alone, and together with what the patterns ask of the events. */
function inFilter(asked: Asked): Contradiction[] {
  const { filter, context } = asked;
  if (filter === undefined) return [];
  const { known, denied, healthy } = askedBefore(asked);
  const found = contradictions(filter, known, denied);
  if (found.length > 0) return found;
  takeIn(filter, known);
  const parts = healthy
    .flatMap((pattern) => conjunctsOf(pattern.condition))
    .map((part) => signed(part, context.claims));
  const few = fewDenied(parts, [...deniedBy(filter), ...denied]);
  const refuted = parts.find((part) => isRefuted(part, known, few));
  return refuted === undefined
    ? []
    : [{ kind: 'alternatives', span: filter.span, or: refuted.span }];
}

/** What is known of the events of every binding before FILTER, and the patterns that some event satisfies. */
function askedBefore(asked: Asked) {
  const known = new Facts();
  const patterns = patternsOfOneLabel(asked);
  for (const { test } of patterns) takeIn(test, known);
  for (const fact of askedInWhen(asked.tree)) known.add(fact);
  const healthy = patterns.filter(({ found }) => found.length === 0);
  const denied = healthy.flatMap(({ test }) => deniedBy(test));
  return { known, denied, healthy };
}

/** What WITHIN asks of the events of every binding. */
function askedInWhen({ when }: Tree): Fact[] {
  return (when?.relations ?? []).flatMap((relation): Fact[] => {
    if (relation.kind !== 'chain' || relation.within === undefined) return [];
    const [first, last] = [relation.labels[0], relation.labels.at(-1)];
    const subject = `${last?.text}\`time\`\`-${first?.text}\`time`;
    const { span } = relation;
    const { value } = relation.within;
    return [{ subject, nature: {}, kind: 'number', comparator: '<=', value, span }];
  });
}

/** `a != a`, `a || a`, and `a || b` of labels that arrows order. */
function inRelations({ when }: Tree): Contradiction[] {
  const pairs = (when?.relations ?? []).filter((relation) => relation.kind !== 'chain');
  if (pairs.length === 0) return [];
  return pairs.flatMap(({ kind, labels, span }): Contradiction[] => {
    const [a, b] = labels.map(({ text }) => text);
    if (a === b) return [{ kind: 'constant', span, self: true }];
    const orders = kind === 'concurrent' && when ? orderBetween(when, a ?? '', b ?? '') : [];
    return orders.length === 0 ? [] : [{ kind: 'ordered', span, orders }];
  });
}

/** With more shares than this, they are not compared with all that is denied before. */
const MOST_SHARES = 20;

/** The condition of each share, alone and together with what is asked of the events before it. */
function inShares(asked: Asked): Contradiction[] {
  const { tree, context, filter } = asked;
  const measures = tree.aggregate?.measures ?? [];
  const shares = measures.flatMap(({ left, right }) => sharesIn(left, right));
  if (shares.length === 0) return [];
  const { known, denied } = askedBefore(asked);
  if (filter !== undefined) takeIn(filter, known);
  const all = [...denied, ...(filter ? deniedBy(filter) : [])];
  const few = shares.length > MOST_SHARES ? [] : all;
  const tests = shares.map(({ condition }) => signed(condition, context.claims));
  return tests.flatMap((test) => contradictions(test, known, few));
}

/** The patterns whose label no other pattern has. */
function patternsOfOneLabel({ tree, patterns }: Asked): AskedPattern[] {
  const uses = new Map<string, number>();
  for (const { text } of tree.labels) uses.set(text, (uses.get(text) ?? 0) + 1);
  return patterns.filter(({ label }) => uses.get(label.text) === 1);
}

/** What measures claim, together and with what is asked of the events that they cover. */
function inAggregate(tree: Tree, { claims, scope }: Context, asked: () => Asked): Contradiction[] {
  const measures = tree.aggregate?.measures ?? [];
  const known = new Facts();
  const found = measures.flatMap((measure) => {
    const claim = claims.get(measure);
    return claim === undefined ? [] : inClaim(claim, measure.span, known);
  });
  if (found.length > 0 || measures.length === 0) return found;
  const facts = () => {
    const { filter } = asked();
    const tests = patternsOfOneLabel(asked()).map(({ test }) => test);
    const stated = [...tests, ...(filter ? [filter] : [])].flatMap(certainFacts);
    return [...stated, ...askedInWhen(tree)];
  };
  const one = inMeasures(measures, claims, known, { facts, scope });
  return one === undefined ? [] : [one];
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
    const related = contradiction.orders.map((order) => ({ message: 'ordered here', span: order }));
    return { message, help: 'WHEN orders these two events', span, related };
  }
  const help = contradiction.self
    ? 'both sides are the same'
    : 'both sides are values: compare an attribute';
  return { message, help, span };
}

/** What is in the last of the clauses is marked; the rest is shown as related. */
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
  const last = [aggregate, filter, when].find((clause) => spans.some((span) => isIn(span, clause)));
  const own = last === undefined ? spans : spans.filter((span) => isIn(span, last));
  const others = spans.filter((span) => !own.includes(span));
  const asRelated = (span: Span) => ({
    message: `${isIn(span, filter) ? 'FILTER' : isIn(span, when) ? 'WHEN' : 'the pattern'} asks for this`,
    span,
  });
  return {
    message: `nothing satisfies ${together(spans.map(({ start, end }) => quote(text.slice(start, end))))}`,
    help,
    span: own.reduce(cover),
    related: others.map(asRelated),
  };
}

function together(parts: readonly string[]): string {
  const [first, second, ...more] = parts;
  if (second === undefined) return `${first}`;
  if (more.length === 0) return `both ${first} and ${second}`;
  const shown = parts.slice(0, MOST_PARTS);
  const rest = parts.length - shown.length;
  const last = rest > 0 ? `${rest} more` : shown.pop();
  return `${shown.join(', ')} and ${last} together`;
}

const MOST_PARTS = 4;

function helpFor(facts: readonly Fact[]): string | undefined {
  const because = facts.find((fact) => fact.because !== undefined)?.because;
  if (because !== undefined) return because;
  const kinds = [...new Set(facts.map(({ kind }) => kind))];
  const isPlain = ({ subject, through }: Fact) => subject.endsWith('`probe') && !through;
  if (facts.length === 2 && facts.every(isPlain)) {
    const isOne = facts[0]?.span === facts[1]?.span;
    const advice = isOne
      ? 'compare two events in FILTER'
      : 'join the two with OR, or make each a pattern of its own';
    return `an event has one probe: ${advice}`;
  }
  if (kinds.length > 1) return `nothing is a ${kinds.join(' and a ')} at once`;
  const nature = facts[0]?.nature;
  if (nature?.least === undefined) return undefined;
  if (nature.most !== undefined) return `it is from ${nature.least} to ${nature.most}`;
  return nature.integer ? 'it is an integer of at least 0' : 'it is at least 0';
}

/** A comparison that everything satisfies. */
export const alwaysTrue: ExpressionRule = {
  id: 'expression/always-true',
  severity: 'warning',
  summary: 'a comparison that everything satisfies, or that adds nothing to the others',
  why: 'It looks as if it tested something, but lets everything pass.',
  action:
    'Correct the comparison, delete it, or swap AND and OR. Among more than 50 conditions side by side, redundant ones are not reported.',
  examples: {
    fails: "MATCH (name = 'fault') AS f AGGREGATE count() >= 0",
    passes: "MATCH (name = 'fault') AS f AGGREGATE count() > 0",
  },
  check(input, report) {
    const { text, context } = input;
    for (const violation of redundancies(input)) report(violation);
    for (const [{ span }, claim] of context.claims) {
      if (!holdsAlways(claim)) continue;
      // What NOT makes false is reported by always-false.
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
 * Whether the opposite of a comparison with a count is impossible. Any other subject may be missing or
 * undefined, which makes every comparison with it false.
 */
function isCertain({ nature, kind, comparator, value }: Fact): boolean {
  if (!nature.integer) return false;
  const opposite = { kind, comparator: OPPOSITES[comparator], value };
  return new Domain<string>(nature).add(opposite, 'opposite') !== undefined;
}
