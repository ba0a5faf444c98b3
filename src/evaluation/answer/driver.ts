import type { Expression } from '../../expression/index.js';
import type { Undecided } from '../exact/undecided.js';
import { sidesOf } from '../query/build-terms.js';
import type { Query, QueryRequirement } from '../query/query.js';
import { readsBaseline } from './baseline.js';
import { explanationOf, type Search, type Searched } from './explain.js';
import {
  type AggregateOutcome,
  isUnmatched,
  judgeAll,
  judgeGroups,
  type MeasuredRequirement,
} from './judge.js';
import { operandsThatMetNothing } from './met-nothing.js';
import { nearMisses } from './near-misses.js';
import { type Opened, open } from './open.js';
import type { EvaluateOptions } from './options.js';
import {
  type Binding,
  type Evaluation,
  type EventPlace,
  undecidedResult,
  verdictOf,
} from './result.js';
import type { CountedBindings, FoundEvidence, Matched, SessionSource } from './source.js';
import { attempt, type Steps, settled } from './steps.js';

/** Evaluates an expression over a session in any engine. */
export function* evaluation(
  source: SessionSource,
  expression: Expression,
  options: EvaluateOptions,
): Steps<Evaluation> {
  const reasons: Undecided[] = [];
  const opened = yield* attempt(
    () => open(source, expression, options),
    (reason) => reasons.push(reason),
  );
  if (opened === undefined) return undecidedResult(expression, reasons);
  const { query, matched } = opened;
  const judged = yield* judge(opened, options);
  const { counted, outcome, verdict } = judged;
  const metNothing =
    (yield* attempt(() => operandsThatMetNothing(expression, matched, options.expected))) ?? [];
  const note = (reason: Undecided) => reasons.push(reason);
  const vacuous =
    metNothing.length > 0 || (yield* attempt(() => isVacuous(opened, judged, options), note));
  const wanted = options.evidence ?? 0;
  const hasTested = wanted > 0 && testsAbsence(query);
  const tested = hasTested ? yield* attempt(() => testedOn(opened)) : undefined;
  const evidence = wanted > 0 ? yield* attempt(() => evidenceOf(opened, judged, options)) : [];
  return {
    ...(vacuous === undefined ? verdictOf(undefined, reasons) : verdict),
    ...(counted?.number !== undefined && { bindings: String(counted.number) }),
    ...(tested !== undefined && { tested: String(tested) }),
    measures: outcome.measures,
    labels: matched.labels,
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
    () => open(source, expression, options),
    (reason) => reasons.push(reason),
  );
  if (opened === undefined) return verdictOf(undefined, reasons);
  return (yield* judge(opened, options)).verdict;
}

/** Returns the first bindings of an expression; undefined if undecided. Ignores AGGREGATE. */
export function* listing(
  source: SessionSource,
  { aggregate: _, ...expression }: Expression,
  limit: number,
): Steps<Binding[] | undefined> {
  return yield* attempt(function* () {
    const { matched } = yield* open(source, expression);
    const bindings = yield* settled(matched.bindings(limit));
    const events = bindings.flatMap((binding) => [...binding.values()]);
    const places = yield* settled(source.placesOf(events));
    return bindings.map((binding) =>
      Object.fromEntries(
        [...binding].map(([label, event]) => [label, places.get(event) as EventPlace]),
      ),
    );
  });
}

interface Judged {
  /** Undefined if undecided. */
  readonly counted: CountedBindings | undefined;
  readonly outcome: AggregateOutcome;
  readonly verdict: Pick<Evaluation, 'status' | 'undecided'>;
}

/** Counts the bindings, measures both sides of each measure, and compares them. */
function* judge(
  { query, matched, terms }: Opened,
  { baseline = [] }: EvaluateOptions,
): Steps<Judged> {
  const reasons: Undecided[] = [];
  const note = (reason: Undecided) => reasons.push(reason);
  const counted = yield* attempt(() => settled(matched.counted()), note);
  const having = query.by?.having && (yield* measured(query.by.having));
  const measures: MeasuredRequirement[] = [];
  for (const measure of query.measures ?? []) measures.push(yield* measured(measure));
  const outcome: AggregateOutcome =
    query.measures === undefined
      ? { measures: [], holds: counted?.isAny }
      : query.by && matched.groups
        ? yield* judgeGroups(query.by, matched.groups, measures, having)
        : judgeAll(measures);
  const hasBaseline = baseline.length > 0 || !readsBaseline(query);
  return { counted, outcome, verdict: verdictOf(hasBaseline ? outcome.holds : undefined, reasons) };

  function* measured(requirement: QueryRequirement): Steps<MeasuredRequirement> {
    if (requirement.kind !== 'measure') {
      const operands: MeasuredRequirement[] = [];
      for (const operand of requirement.operands) operands.push(yield* measured(operand));
      return { ...requirement, operands };
    }
    const left = yield* attempt(() => terms.of(requirement.left), note);
    const right = yield* attempt(() => terms.of(requirement.right), note);
    return { kind: 'measure', measure: requirement, left, right };
  }
}

/**
 * True if the result says nothing about the system, as `Evaluation` explains.
 *
 * @throws {Undecided} if no binding is known and it cannot be calculated whether absences were tested on any
 */
function* isVacuous(
  { expression, query, matched }: Opened,
  { counted, outcome }: Judged,
  { expected }: EvaluateOptions,
): Steps<boolean> {
  if (isUnmatched(expression, matched.labels, expected) || outcome.groups?.all === 0) return true;
  if (counted?.isAny || !testsAbsence(query)) return false;
  return !(yield* settled(matched.hasChoice()));
}

function testsAbsence({ absences }: Query): boolean {
  return absences.some(({ isOfMatch }) => isOfMatch);
}

/** Counts the choices that absences were tested on or, if all labels are absent, the events. */
function* testedOn({ source, query, matched }: Opened): Steps<bigint | number> {
  return query.labels.length === 0
    ? yield* settled(source.size())
    : yield* settled(matched.choices());
}

/** Collects evidence for a result: the worst group, extremes with the explanation, or else the first bindings. */
function* evidenceOf(opened: Opened, judged: Judged, options: EvaluateOptions) {
  const { outcome, verdict } = judged;
  const { source, expression, query, times, matched } = opened;
  const { evidence: limit = 0, expects } = options;
  const evidence: FoundEvidence[] = [];
  if (matched.groups !== undefined) {
    evidence.push(...(yield* ofWorstGroup(opened, outcome)));
  } else {
    evidence.push(...(yield* ofExtremes(opened)));
    if (verdict.status !== 'undecided' && verdict.status !== expects) {
      const holds = verdict.status === 'holds';
      const isUnexpected = !holds || expects !== undefined;
      const { measures } = outcome;
      evidence.push(
        ...(yield* explain(opened, { expression, query, measures, holds, isUnexpected })),
      );
    }
    if (evidence.length === 0) evidence.push(...(yield* firstOf(matched, limit)));
  }
  const described = yield* settled(source.describe(expression, times, evidence));
  if (options.nearMisses === undefined) return described;
  const near = yield* attempt(() => nearMisses(opened, judged, options, evidence));
  return [...described, ...(near ?? [])];
}

function* firstOf(matched: Matched, limit: number): Steps<FoundEvidence[]> {
  const bindings = yield* settled(matched.evidence(limit));
  return bindings.map((events) => ({ why: 'first', events }));
}

/** Returns a binding for each extreme. */
function* ofExtremes({ matched, terms }: Opened): Steps<FoundEvidence[]> {
  const evidence: FoundEvidence[] = [];
  for (const { why, of, events: only } of terms.extremes) {
    const bindings = yield* settled(matched.evidence(1, only));
    evidence.push(...bindings.map((events) => ({ why, of, events })));
  }
  return evidence;
}

/** Returns a binding of the worst group or, if that has none, the group's first event. */
function* ofWorstGroup(
  { query, matched }: Opened,
  { worst }: AggregateOutcome,
): Steps<FoundEvidence[]> {
  const [group] = worst ?? [];
  const { groups } = matched;
  if (groups === undefined || group === undefined) return [];
  const first = groups.first(group);
  if (first === undefined) return [];
  const inGroup = yield* settled(matched.narrowed({ group }));
  const [events] = yield* settled(inGroup.evidence(1));
  const label = query.labels[groups.label] as string;
  return [{ why: 'group', events: events ?? new Map([[label, first]]) }];
}

/** Runs the searches that explain a result, one after another, and skips undecided ones. */
function* explain(
  opened: Opened,
  answered: Parameters<typeof explanationOf>[0],
): Steps<FoundEvidence[]> {
  const searching = explanationOf(answered);
  let step = searching.next();
  while (!step.done) {
    const { value } = step;
    const searched = yield* attempt(() => search(opened, value));
    step = searching.next(searched ?? { evidence: [] });
  }
  return step.value;
}

function* search(opened: Opened, request: Search): Steps<Searched> {
  if (request.kind === 'missing') return { evidence: yield* missing(opened, request.limit) };
  const some = yield* open(opened.source, request.expression, {}, true);
  const [side] = sidesOf(some.query);
  if (side === undefined) return { evidence: yield* firstOf(some.matched, request.limit) };
  const [of] = yield* some.terms.of(side);
  const evidence = yield* ofExtremes(some);
  return { evidence, ...(of?.is === 'number' && { value: of.value }) };
}

/** Returns the first unbound events of the first label that has any. */
function* missing({ query, matched }: Opened, limit: number): Steps<FoundEvidence[]> {
  for (const [number, label] of query.labels.entries()) {
    const events = yield* settled(matched.unbound(number, limit));
    if (events.length === 0) continue;
    return events.map((event) => ({ why: 'missing', events: new Map([[label, event]]) }));
  }
  return [];
}
