import { type Counted, countExactly } from '../join/exact-counts.js';
import { joinTrees } from '../join/join-tree.js';
import { isCountable } from '../join/relation.js';
import { Solver } from '../join/solver.js';
import type { Matches } from '../order/matches.js';
import { casesOf } from './cases.js';
import { NOTHING, type Problem, type Question, type Solution, Undecided } from './problem.js';

/**
 * Counts along the trees that the relations make of the labels, for each of the disjoint cases
 * that conditions over several labels leave.
 *
 * O(arrows * probes * receives) and what the joins need; undefined where it does not apply.
 */
export function countByTrees(problem: Problem, question: Question): Solution[] | undefined {
  const { relations, query } = problem;
  const labels = query.labels.map((_, label) => label);
  if (!relations.every(isCountable) || joinTrees(labels, relations) === undefined) return undefined;
  return casesOf(problem)?.map((lists) => countCase(problem, question, lists));
}

function countCase(problem: Problem, question: Question, lists: readonly Matches[]): Solution {
  const { session, query, relations, limits } = problem;
  if (lists.some(({ size }) => size === 0)) return NOTHING;
  const labels = query.labels.map((_, label) => label);
  const trees = joinTrees(labels, relations, question.wanted) ?? [];
  const solver = new Solver(session, lists, limits.clocks);
  const counted = countExactly(solver, trees, question.wanted, undefined, limits.doubleLimit);
  return { ...orTooMany(counted), lists };
}

/** @throws {Undecided} when the number of bindings is beyond all counting */
export function orTooMany(counted: Counted | undefined): Counted {
  if (counted !== undefined) return counted;
  throw new Undecided(
    'MATCH',
    'the number of bindings has more than a thousand bits',
    'bind fewer labels in one expression',
  );
}
