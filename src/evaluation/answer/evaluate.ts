import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { orUndecided, Undecided } from '../exact/undecided.js';
import { matchLabels } from '../methods/match-labels.js';
import { PLAN, solve } from '../methods/plan.js';
import {
  type BindingProblem,
  BUDGET,
  type OnProgress,
  type PlanStep,
  type Question,
  restrict,
  type Solved,
} from '../methods/problem.js';
import type { Matches } from '../order/matches.js';
import { buildQuery } from '../query/build-query.js';
import { sidesOf } from '../query/build-terms.js';
import { difference } from '../select/candidates.js';
import { timesOf } from '../select/cells.js';
import { baselineOf, readsBaseline } from './baseline.js';
import { describe } from './evidence.js';
import { explanationOf, type Search, type Searched } from './explain.js';
import { type Groups, groupsOf } from './groups.js';
import { type AggregateOutcome, isUnmatched, judgeAll, judgeGroups } from './judge.js';
import { eventsInBindings, evidenceLimits, type Found, findEvidence, placeOf } from './listing.js';
import {
  type Evaluation,
  nothingKnown,
  type UndecidedReason,
  verdictOf,
  whyUndecided,
} from './result.js';
import { totalOf } from './tally.js';
import { questionOf, Terms } from './terms.js';

export interface EvaluateOptions {
  /** The most steps to take where bindings must be tried one by one; 100 million by default. */
  readonly budget?: number;
  /** How many bindings to give as evidence where no measure asks for particular ones; none by default. */
  readonly evidence?: number;
  /**
   * The status that needs no explanation: what takes further searches is left out of its evidence.
   * By default, every status is explained.
   */
  readonly expects?: 'holds' | 'fails';
  /** The sessions that `baseline` reads. Without any, a measure that reads it is undecided. */
  readonly baseline?: readonly Session[];
  /** Names of events that a good session lacks: a pattern that asks only for these may match nothing. */
  readonly expected?: readonly string[];
  /** Count the bindings even if the expression does not ask for their number. */
  readonly count?: boolean;
  /** Called during a long search with what has been done so far: steps of the budget, or events. */
  readonly onProgress?: OnProgress;
}

/**
 * Evaluates an expression over a session, exactly.
 *
 * @param expression one that the checks find no error in
 * @throws {RangeError} for a label or a function that does not exist
 */
export function evaluate(
  session: Session,
  expression: Expression,
  options: EvaluateOptions = {},
): Evaluation {
  return evaluateBy(PLAN, session, expression, options);
}

/** Like `evaluate`, but by a given plan; the result does not depend on it. */
export function evaluateBy(
  plan: readonly PlanStep[],
  session: Session,
  expression: Expression,
  options: EvaluateOptions,
): Evaluation {
  const limits = { ...options, plan, budget: options.budget ?? BUDGET };
  const reasons: UndecidedReason[] = [];
  const attempt = <Value>(work: () => Value): Value | undefined => {
    const found = orUndecided(work);
    if (!(found instanceof Undecided)) return found;
    reasons.push(whyUndecided(found));
    return undefined;
  };
  const matched = orUndecided(() => {
    const query = buildQuery(expression, () => timesOf(session));
    const labels = matchLabels(session, query, limits);
    const groups = query.by && groupsOf(session, query.by, labels.own);
    return { query, groups, ...labels };
  });
  if (matched instanceof Undecided) return nothingKnown(expression, whyUndecided(matched));
  const { query, groups, problem, tested, own, stages } = matched;
  const sides = sidesOf(query);
  const before = options.baseline ?? [];
  const baseline = baselineOf(expression, query, before, limits);
  const question = questionOf(sides, query.by?.label, options.count ?? false);
  const terms = new Terms(problem, question, groups, baseline);
  const solved = attempt(() => terms.solved);
  const measured = (query.measures ?? []).map((measure) => ({
    measure,
    left: attempt(() => terms.values(measure.left)),
    right: attempt(() => terms.values(measure.right)),
  }));
  const outcome =
    query.measures === undefined
      ? { measures: [], holds: solved && totalOf(solved) > 0n }
      : query.by && groups
        ? judgeGroups(query.by, groups, measured)
        : judgeAll(measured);
  const hasBaseline = before.length > 0 || !readsBaseline(query);
  const wanted = options.evidence ?? 0;
  const bindings = bindingsText(solved, question);
  const isOfAbsence = query.absences.some(({ isOfMatch }) => isOfMatch);
  const isUntested =
    isOfAbsence &&
    !(solved && totalOf(solved) > 0n) &&
    orUndecided(() => totalOf(solve(tested, { wanted: new Set(), counts: false }))) === 0n;
  const testedOn = isOfAbsence && wanted > 0 ? testedText(tested) : undefined;
  const isVacuous =
    isUnmatched(expression, stages, options.expected) || groups?.all === 0 || isUntested;
  const verdict = verdictOf(hasBaseline ? outcome.holds : undefined, reasons);
  const isExplained = verdict.status !== 'undecided' && verdict.status !== options.expects;
  const found = () => {
    if (groups !== undefined) return evidenceOfGroup(problem, groups, outcome);
    const extremes = terms.extremes.length > 0 ? findEvidence(problem, terms.extremes, wanted) : [];
    const { measures } = outcome;
    const holds = verdict.status === 'holds';
    const isUnexpected = !holds || options.expects !== undefined;
    const explained = isExplained
      ? explain(explanationOf({ expression, query, measures, holds, isUnexpected }), (asked) =>
          asked.kind === 'missing'
            ? { found: missing(problem, own, asked.limit) }
            : search(problem, asked.expression, asked.limit),
        )
      : [];
    const certain = [...extremes, ...explained];
    return certain.length > 0 ? certain : findEvidence(problem, [], wanted);
  };
  return {
    ...verdict,
    ...(bindings !== undefined && { bindings }),
    ...(testedOn !== undefined && { tested: testedOn }),
    measures: outcome.measures,
    labels: stages,
    vacuous: isVacuous,
    ...(outcome.groups !== undefined && { groups: outcome.groups }),
    ...(outcome.margin !== undefined && !isVacuous && { margin: outcome.margin }),
    evidence:
      wanted < 1
        ? []
        : describe(
            { session, times: () => timesOf(session), placeOf: (event) => placeOf(session, event) },
            expression,
            found(),
          ),
    method: solved?.method ?? 'enumeration',
  };
}

/** Does the searches one after another. */
function explain(
  steps: ReturnType<typeof explanationOf>,
  answer: (search: Search) => Searched,
): Found[] {
  let step = steps.next();
  while (!step.done) step = steps.next(answer(step.value));
  return step.value;
}

/** Finds bindings of an expression whose AGGREGATE is one measure of one function, or that has none. */
function search(
  { session, limits }: BindingProblem,
  expression: Expression,
  limit: number,
): Searched {
  const result = orUndecided(() => {
    const query = buildQuery(expression, () => timesOf(session));
    const some = matchLabels(session, query, evidenceLimits(limits)).problem;
    const [side] = sidesOf(query);
    const terms = new Terms(some, questionOf(side === undefined ? [] : [side]));
    const [of] = side === undefined ? [] : terms.values(side);
    const isFound = side === undefined || terms.extremes.length > 0;
    const found = isFound ? findEvidence(some, terms.extremes, limit) : [];
    return { found, ...(of?.is === 'number' && { value: of.value }) };
  });
  return result instanceof Undecided ? { found: [] } : result;
}

/** The first events that are in no binding, of the first label that has such events. */
function missing(problem: BindingProblem, own: readonly Int32Array[], limit: number): Found[] {
  const limits = evidenceLimits(problem.limits);
  const bound = orUndecided(() => eventsInBindings({ ...problem, limits }));
  if (bound instanceof Undecided) return [];
  for (const [number, label] of problem.query.labels.entries()) {
    const left = difference(own[number] as Int32Array, bound.get(number) as Int32Array);
    if (left.length === 0) continue;
    const events = [...left.subarray(0, limit)];
    return events.map((event) => ({ why: 'missing', events: new Map([[label, event]]) }));
  }
  return [];
}

/** Evidence of the worst group: one of its bindings or, if it has none, its first event. */
function evidenceOfGroup(
  problem: BindingProblem,
  groups: Groups,
  { worst }: AggregateOutcome,
): Found[] {
  const [group] = worst ?? [];
  if (group === undefined) return [];
  const [event] = groups.events(group);
  if (event === undefined) return [];
  // Not all of its events: absences have left some out.
  const { events } = problem.lists[groups.label] as Matches;
  const own = events.filter((one) => groups.groupOf[one] === group);
  const some = restrict(problem, new Map([[groups.label, own]]));
  const found = findEvidence(some, [], 1);
  if (found.length > 0) return found.map((one) => ({ ...one, why: 'group' }));
  const label = problem.query.labels[groups.label] as string;
  return [{ why: 'group', events: new Map([[label, event]]) }];
}

/** On how many choices of the bound labels absences were tested; undefined if that is not found out soon. */
function testedText(tested: BindingProblem): string | undefined {
  if (tested.query.labels.length === 0) return String(tested.session.size);
  const limits = evidenceLimits(tested.limits);
  const solved = orUndecided(() =>
    solve({ ...tested, limits }, { wanted: new Set(), counts: true }),
  );
  return solved instanceof Undecided ? undefined : String(totalOf(solved));
}

/** If only existence was asked for, a total above zero is not the number of bindings. */
function bindingsText(solved: Solved | undefined, { counts }: Question): string | undefined {
  if (solved === undefined) return undefined;
  const total = totalOf(solved);
  return counts || total === 0n ? String(total) : undefined;
}
