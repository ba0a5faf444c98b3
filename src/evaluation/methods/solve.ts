import { joinTrees } from '../join/join-tree.js';
import { countByTrees } from './count-trees.js';
import { countForEachEvent } from './each-event.js';
import { countByEnumeration } from './enumerate.js';
import type { Method, Problem, Question, Solution, Solved } from './problem.js';
import { Undecided } from './problem.js';

/** What part of the budget a search for one binding may take before other methods are tried. */
const SEARCH_PART = 0.1;

type Attempt = (problem: Problem, question: Question) => readonly Solution[] | undefined;

const ATTEMPTS: Readonly<Record<Method, Attempt>> = {
  reachability: decideByReachability,
  'join tree': countByTrees,
  'each event': (problem, question) => {
    const solution = countForEachEvent(problem, question);
    return solution && [solution];
  },
  enumeration: (problem, question) => [countByEnumeration(problem, question)],
};

/**
 * Finds the bindings by the first method that applies.
 *
 * @throws {Undecided} when the budget is spent before there is an answer
 */
export function solve(problem: Problem, question: Question): Solved {
  const { query, lists, limits } = problem;
  const isEmpty = lists.some(({ size }) => size === 0);
  if (isEmpty || query.neverHolds || query.circular.size > 0) {
    return { method: 'reachability', solutions: [] };
  }
  const methods: Method[] = ['reachability', 'join tree', 'each event', 'enumeration'];
  const order = limits.method === undefined ? methods : [limits.method, ...methods];
  for (const method of order) {
    if (method === 'each event' && isSearch(question) && limits.method === undefined) {
      const found = search(problem, question);
      if (found !== undefined) return { method: 'enumeration', solutions: found };
    }
    const solutions = ATTEMPTS[method](problem, question);
    if (solutions !== undefined) return { method, solutions };
  }
  throw new RangeError('no method applies');
}

/** Without counts, and with arrows alone that make no circle, the reducer has decided already: O(labels). */
function decideByReachability(problem: Problem, question: Question): Solution[] | undefined {
  const { query, relations, lists } = problem;
  if (question.counts || query.joins.length + query.others.length > 0) return undefined;
  const labels = query.labels.map((_, label) => label);
  if (joinTrees(labels, relations) === undefined) return undefined;
  return [{ total: 1n, lists, of: new Map(labels.map((label) => [label, () => 1])) }];
}

/** One binding is often found soon, where to count them all would be dear. */
function search(problem: Problem, question: Question): Solution[] | undefined {
  const { limits } = problem;
  try {
    const some = { ...limits, budget: limits.budget * SEARCH_PART };
    return [countByEnumeration({ ...problem, limits: some }, question)];
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

function isSearch({ wanted, counts }: Question): boolean {
  return wanted.size === 0 && !counts;
}
