import { unlessUndecided } from '../exact/undecided.js';
import { joinTrees } from '../query/query.js';
import { countByTrees, countForEachEvent } from './count-by-trees.js';
import { countByEnumeration } from './enumerate.js';
import {
  type BindingProblem,
  hasNone,
  type PlanStep,
  type Question,
  type Solution,
  type SolvedProblem,
} from './problem.js';

/**
 * The methods for finding bindings, in order of preference. The first applicable method is used.
 *
 * | method       | applies to                                                         | cost                              |
 * |--------------|--------------------------------------------------------------------|-----------------------------------|
 * | reachability | only arrows that form trees, if no counts are needed               | nothing                           |
 * | join tree    | trees of labels and relations, OR between comparisons of one label | sorting                           |
 * | enumeration  | one binding, if no counts are needed                               | a tenth of the budget             |
 * | each event   | relations that form trees once one label is bound                  | this label's events times sorting |
 * | enumeration  | all problems                                                       | the budget                        |
 */
export const PLAN: readonly PlanStep[] = [
  { method: 'reachability', find: decideByReachability },
  { method: 'join tree', find: countByTrees },
  { method: 'enumeration', find: findOne },
  { method: 'each event', find: countForEachEvent },
  { method: 'enumeration', find: countByEnumeration },
];

/**
 * Finds the bindings with the first applicable method of the plan.
 *
 * @throws {Undecided} if the budget is spent first
 */
export function solve(problem: BindingProblem, question: Question): SolvedProblem {
  if (hasNone(problem)) return { method: 'reachability', solutions: [] };
  for (const { method, find } of problem.limits.plan) {
    const solutions = find(problem, question);
    if (solutions !== undefined) return { method, solutions };
  }
  throw new RangeError('no method applies');
}

/** Answers from the lists, which are already reduced along the arrows. O(labels). */
function decideByReachability(problem: BindingProblem, question: Question): Solution[] | undefined {
  const { query, relations, lists } = problem;
  const { joins, others, concurrent } = query;
  if (question.counts || joins.length + others.length + concurrent.length > 0) return undefined;
  if (problem.absences.length > 0) return undefined;
  const labels = [...query.labels.keys()];
  if (joinTrees(labels, relations) === undefined) return undefined;
  return [{ total: 1n, lists, of: new Map(labels.map((label) => [label, () => 1])) }];
}

/** Fraction of the budget for finding one binding before other methods are tried. */
const SEARCH_SHARE = 0.1;

/** Searches for one binding, which is often found soon even if counting all bindings would be expensive. */
function findOne(problem: BindingProblem, question: Question): Solution[] | undefined {
  if (question.wanted.size > 0 || question.counts) return undefined;
  const { limits } = problem;
  const searchLimits = { ...limits, budget: limits.budget * SEARCH_SHARE };
  return unlessUndecided(() => countByEnumeration({ ...problem, limits: searchLimits }, question));
}
