import type { Expression } from '../../expression/index.js';
import type { Undecided } from '../exact/undecided.js';
import { sidesOf } from '../query/build-terms.js';
import type { Query, QueryRequirement } from '../query/query.js';
import { readsBaseline } from './baseline.js';
import { explainAnswer, type Search, type SearchResult } from './explain.js';
import {
  type AggregateOutcome,
  isUnmatched,
  judgeAll,
  judgeGroups,
  type MeasuredRequirement,
} from './judge.js';
import { findUnmetOperands } from './met-nothing.js';
import { nearMisses } from './near-misses.js';
import { type OpenQuery, openQuery } from './open.js';
import type { EvaluateOptions } from './options.js';
import {
  type Binding,
  type Evaluation,
  type EventPlace,
  undecidedResult,
  verdictOf,
} from './result.js';
import type { CountedBindings, FoundEvidence, MatchedBindings, SessionSource } from './source.js';
import { attempt, type Steps, settle } from './steps.js';

/** Evaluates an expression over a session in any engine. */
export function* evaluation(
  source: SessionSource,
  expression: Expression,
  options: EvaluateOptions,
): Steps<Evaluation> {
  const reasons: Undecided[] = [];
  const opened = yield* attempt(
    () => openQuery(source, expression, options),
    (reason) => reasons.push(reason),
  );
  if (opened === undefined) return undecidedResult(expression, reasons);
  const { query, matches } = opened;
  const judgement = yield* judge(opened, options);
  const { counted, outcome, verdict } = judgement;
  const metNothing =
    (yield* attempt(() => findUnmetOperands(expression, matches, options.expected))) ?? [];
  const note = (reason: Undecided) => reasons.push(reason);
  const vacuous =
    metNothing.length > 0 || (yield* attempt(() => isVacuous(opened, judgement, options), note));
  const limit = options.evidence ?? 0;
  const hasTested = limit > 0 && testsAbsence(query);
  const testedCount = hasTested ? yield* attempt(() => countTested(opened)) : undefined;
  const evidence =
    limit > 0 ? yield* attempt(() => collectEvidence(opened, judgement, options)) : [];
  return {
    ...(vacuous === undefined ? verdictOf(undefined, reasons) : verdict),
    ...(counted?.number !== undefined && { bindings: String(counted.number) }),
    ...(testedCount !== undefined && { tested: String(testedCount) }),
    measures: outcome.measures,
    labels: matches.labels,
    vacuous: vacuous === true,
    ...(metNothing.length > 0 && { metNothing }),
    ...(outcome.groups !== undefined && { groups: outcome.groups }),
    ...(outcome.margin !== undefined && vacuous === false && { margin: outcome.margin }),
    evidence: evidence ?? [],
    method: counted?.method ?? 'enumeration',
  };
}

/** Evaluates an expression without searching for an explanation. */
export function* verdict(
  source: SessionSource,
  expression: Expression,
  options: EvaluateOptions,
): Steps<Pick<Evaluation, 'status' | 'undecided'>> {
  const reasons: Undecided[] = [];
  const opened = yield* attempt(
    () => openQuery(source, expression, options),
    (reason) => reasons.push(reason),
  );
  if (opened === undefined) return verdictOf(undefined, reasons);
  return (yield* judge(opened, options)).verdict;
}

/** Returns an expression's first bindings; undefined if undecided. Ignores AGGREGATE. */
export function* listing(
  source: SessionSource,
  { aggregate: _, ...expression }: Expression,
  limit: number,
): Steps<Binding[] | undefined> {
  return yield* attempt(function* () {
    const { matches } = yield* openQuery(source, expression);
    const bindings = yield* settle(matches.bindings(limit));
    const events = bindings.flatMap((binding) => [...binding.values()]);
    const places = yield* settle(source.placesOf(events));
    return bindings.map((binding) =>
      Object.fromEntries(
        [...binding].map(([label, event]) => [label, places.get(event) as EventPlace]),
      ),
    );
  });
}

interface Judgement {
  /** The binding count; undefined if undecided. */
  readonly counted: CountedBindings | undefined;
  readonly outcome: AggregateOutcome;
  readonly verdict: Pick<Evaluation, 'status' | 'undecided'>;
}

/** Counts the bindings, evaluates both sides of each measure, and compares the two sides. */
function* judge(
  { query, matches, terms }: OpenQuery,
  { baseline = [] }: EvaluateOptions,
): Steps<Judgement> {
  const reasons: Undecided[] = [];
  const note = (reason: Undecided) => reasons.push(reason);
  const counted = yield* attempt(() => settle(matches.counted()), note);
  const having = query.by?.having && (yield* measureRequirement(query.by.having));
  const measures: MeasuredRequirement[] = [];
  for (const measure of query.measures ?? []) measures.push(yield* measureRequirement(measure));
  const outcome: AggregateOutcome =
    query.measures === undefined
      ? { measures: [], holds: counted?.isAny }
      : query.by && matches.groups
        ? yield* judgeGroups(query.by, matches.groups, measures, having)
        : judgeAll(measures);
  const hasBaseline = baseline.length > 0 || !readsBaseline(query);
  return { counted, outcome, verdict: verdictOf(hasBaseline ? outcome.holds : undefined, reasons) };

  function* measureRequirement(requirement: QueryRequirement): Steps<MeasuredRequirement> {
    if (requirement.kind !== 'measure') {
      const operands: MeasuredRequirement[] = [];
      for (const operand of requirement.operands) operands.push(yield* measureRequirement(operand));
      return { ...requirement, operands };
    }
    const leftValues = yield* attempt(() => terms.of(requirement.left), note);
    const right = yield* attempt(() => terms.of(requirement.right), note);
    return { kind: 'measure', measure: requirement, left: leftValues, right };
  }
}

/**
 * Returns true if the result is vacuous, as `Evaluation.vacuous` defines.
 *
 * @throws {Undecided} if no binding is known and the engine cannot determine whether any exists before NOT
 */
function* isVacuous(
  { expression, query, matches }: OpenQuery,
  { counted, outcome }: Judgement,
  { expected }: EvaluateOptions,
): Steps<boolean> {
  if (isUnmatched(expression, matches.labels, expected) || outcome.groups?.all === 0) return true;
  if (counted?.isAny || !testsAbsence(query)) return false;
  return !(yield* settle(matches.hasChoice()));
}

function testsAbsence({ absences }: Query): boolean {
  return absences.some(({ isOfMatch }) => isOfMatch);
}

/**
 * Counts the bindings of the other labels that were checked for absences; if all labels are absent, counts the events.
 */
function* countTested({ source, query, matches }: OpenQuery): Steps<bigint | number> {
  return query.labels.length === 0
    ? yield* settle(source.size())
    : yield* settle(matches.choices());
}

/**
 * Collects a result's evidence: a binding of the worst group, or extremes and an explanation, or else the first
 * bindings.
 */
function* collectEvidence(opened: OpenQuery, judgement: Judgement, options: EvaluateOptions) {
  const { outcome, verdict } = judgement;
  const { source, expression, query, times, matches } = opened;
  const { evidence: limit = 0, expects } = options;
  const evidence: FoundEvidence[] = [];
  if (matches.groups !== undefined) {
    evidence.push(...(yield* worstGroupEvidence(opened, outcome)));
  } else {
    evidence.push(...(yield* extremeEvidence(opened)));
    if (verdict.status !== 'undecided' && verdict.status !== expects) {
      const holds = verdict.status === 'holds';
      const isUnexpected = !holds || expects !== undefined;
      const { measures } = outcome;
      evidence.push(
        ...(yield* explain(opened, { expression, query, measures, holds, isUnexpected })),
      );
    }
    if (evidence.length === 0) evidence.push(...(yield* firstBindings(matches, limit)));
  }
  const bindings = yield* settle(source.describe(expression, times, evidence));
  if (options.nearMisses === undefined) return bindings;
  const nearMissList = yield* attempt(() => nearMisses(opened, judgement, options, evidence));
  return [...bindings, ...(nearMissList ?? [])];
}

function* firstBindings(matches: MatchedBindings, limit: number): Steps<FoundEvidence[]> {
  const bindings = yield* settle(matches.evidence(limit));
  return bindings.map((events) => ({ why: 'first', events }));
}

/** Returns a binding for each extreme. */
function* extremeEvidence({ matches, terms }: OpenQuery): Steps<FoundEvidence[]> {
  const evidence: FoundEvidence[] = [];
  for (const { why, of, events: fixedEvents } of terms.extremes) {
    const bindings = yield* settle(matches.evidence(1, fixedEvents));
    evidence.push(...bindings.map((events) => ({ why, of, events })));
  }
  return evidence;
}

/** Returns the worst group's first binding; without bindings, the group's first event. */
function* worstGroupEvidence(
  { query, matches }: OpenQuery,
  { worst }: AggregateOutcome,
): Steps<FoundEvidence[]> {
  const [group] = worst ?? [];
  const { groups } = matches;
  if (groups === undefined || group === undefined) return [];
  const firstEvent = groups.first(group);
  if (firstEvent === undefined) return [];
  const groupBindings = yield* settle(matches.narrowed({ group }));
  const [events] = yield* settle(groupBindings.evidence(1));
  const label = query.labels[groups.label] as string;
  return [{ why: 'group', events: events ?? new Map([[label, firstEvent]]) }];
}

/** Runs the searches that explain a result, in sequence. Skips undecided searches. */
function* explain(
  opened: OpenQuery,
  answer: Parameters<typeof explainAnswer>[0],
): Steps<FoundEvidence[]> {
  const explanation = explainAnswer(answer);
  let step = explanation.next();
  while (!step.done) {
    const { value } = step;
    const searchResult = yield* attempt(() => search(opened, value));
    step = explanation.next(searchResult ?? { evidence: [] });
  }
  return step.value;
}

function* search(opened: OpenQuery, request: Search): Steps<SearchResult> {
  if (request.kind === 'missing')
    return { evidence: yield* missingEvidence(opened, request.limit) };
  const variant = yield* openQuery(opened.source, request.expression, {}, true);
  const [side] = sidesOf(variant.query);
  if (side === undefined) return { evidence: yield* firstBindings(variant.matches, request.limit) };
  const [of] = yield* variant.terms.of(side);
  const evidence = yield* extremeEvidence(variant);
  return { evidence, ...(of?.is === 'number' && { value: of.value }) };
}

/** Returns the first unbound events of the first label with unbound events. */
function* missingEvidence({ query, matches }: OpenQuery, limit: number): Steps<FoundEvidence[]> {
  for (const [number, label] of query.labels.entries()) {
    const events = yield* settle(matches.unbound(number, limit));
    if (events.length === 0) continue;
    return events.map((event) => ({ why: 'missing', events: new Map([[label, event]]) }));
  }
  return [];
}
