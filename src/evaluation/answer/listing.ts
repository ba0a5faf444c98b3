import { Kind, type Session } from '../../session/index.js';
import { bindingTests } from '../methods/binding-tests.js';
import type { Problem } from '../methods/problem.js';
import { solve } from '../methods/solve.js';
import type { Matches } from '../order/matches.js';
import { firstAfter, lastBefore } from '../order/reach.js';
import { exactAt } from '../select/cells.js';
import { restrict } from './matching.js';
import type { Binding, EventPlace } from './result.js';

/** The search gives up after this many events tried, and shows what it has. */
const MOST_TRIED = 1e6;

/**
 * The first bindings: labels along the relations from the first one, the events of each in the
 * order of the session. It does not depend on the method.
 *
 * One pass over the receives for each event bound, after the events in no binding are left out.
 *
 * @throws {Undecided} when the budget is spent before these are known
 */
export function listBindings(given: Problem, limit: number): Binding[] {
  const problem = withoutUnbound(given);
  const { query, lists } = problem;
  const isEmpty = lists.some(({ size }) => size === 0);
  if (isEmpty || query.neverHolds || query.circular.size > 0 || limit < 1) return [];
  const order = listingOrder(problem);
  const tests = bindingTests(problem, order);
  const bound = new Int32Array(query.labels.length).fill(-1);
  const found: Binding[] = [];
  const ends = order.map((label) => arrowsBack(problem, label, order));
  let tried = 0;
  const descend = (depth: number): void => {
    const label = order[depth];
    if (label === undefined) {
      found.push(bindingOf(problem, bound));
      return;
    }
    const list = lists[label] as Matches;
    const test = tests[depth] as (typeof tests)[number];
    const isOrdered = orderTest(problem, ends[depth] as Arrows, bound);
    const candidates = test.group?.(bound) ?? list.events.keys();
    for (const position of candidates) {
      if (found.length === limit || tried++ > MOST_TRIED) break;
      bound[label] = position;
      if (test.holds(bound) && isOrdered(list, position)) descend(depth + 1);
    }
    bound[label] = -1;
  };
  descend(0);
  return found;
}

/** The problem with only the events that are in some binding, so that the search meets no dead end. */
function withoutUnbound(problem: Problem): Problem {
  const { query, limits } = problem;
  const wanted = new Set(query.labels.keys());
  const { solutions } = solve(
    { ...problem, limits: { ...limits, method: undefined } },
    { wanted, counts: false },
  );
  const events = new Map(
    query.labels.map((_, label): [number, Int32Array] => {
      const some = solutions.flatMap(({ total, lists, of }) => {
        if (total === 0n) return [];
        const counts = of.get(label);
        return [(lists[label] as Matches).events.filter((_, at) => (counts?.(at) ?? 0) > 0)];
      });
      const [only, ...others] = some;
      if (only !== undefined && others.length === 0) return [label, only];
      const all = new Set(some.flatMap((events) => [...events]));
      return [label, Int32Array.from(all).sort()];
    }),
  );
  return restrict(problem, events);
}

/** From the first label along the relations, smaller numbers first. */
function listingOrder({ query, relations }: Problem): number[] {
  const order: number[] = [];
  const left = new Set(query.labels.keys());
  while (left.size > 0) {
    const near = [...left].find((label) =>
      relations.some(
        ({ u, v }) => (u === label && order.includes(v)) || (v === label && order.includes(u)),
      ),
    );
    const next = near ?? Math.min(...left);
    order.push(next);
    left.delete(next);
  }
  return order;
}

/** The labels bound before that must come earlier or later. */
interface Arrows {
  readonly earlier: readonly number[];
  readonly later: readonly number[];
}

function arrowsBack({ query }: Problem, label: number, order: readonly number[]): Arrows {
  const known = new Set(order.slice(0, order.indexOf(label)));
  return {
    earlier: query.arrows.flatMap(([a, b]) => (b === label && known.has(a) ? [a] : [])),
    later: query.arrows.flatMap(([a, b]) => (a === label && known.has(b) ? [b] : [])),
  };
}

/** Whether an event stands in the order that the arrows to bound labels ask for. */
function orderTest(
  { session, lists }: Problem,
  { earlier, later }: Arrows,
  bound: Int32Array,
): (list: Matches, position: number) => boolean {
  const single = (label: number, none: number) => {
    const list = lists[label] as Matches;
    const position = bound[label] as number;
    const events = new Int32Array(session.probes.length).fill(none);
    events[list.probes[position] as number] = list.events[position] as number;
    return events;
  };
  const after = earlier.map((label) => firstAfter(session, single(label, session.size)));
  const before = later.map((label) => lastBefore(session, single(label, -1)));
  return (list, position) => {
    const event = list.events[position] as number;
    const probe = list.probes[position] as number;
    return (
      after.every((first) => event >= (first[probe] as number)) &&
      before.every((last) => event <= (last[probe] as number))
    );
  };
}

function bindingOf({ session, query, lists }: Problem, bound: Int32Array): Binding {
  return Object.fromEntries(
    query.labels.map((label, number) => {
      const list = lists[number] as Matches;
      const position = bound[number] as number;
      return [
        label,
        placeOf(session, list.events[position] as number, list.probes[position] as number),
      ];
    }),
  );
}

/** Where a person finds an event. */
function placeOf(session: Session, event: number, probe: number): EventPlace {
  const seqs = session.columns.get('seq');
  const hasSeq = seqs !== undefined && seqs.kinds[event] === Kind.integer;
  const seq = hasSeq ? exactAt(seqs, event) : event - (session.start[probe] as number);
  return {
    probe: session.probes[probe] as string,
    seq: typeof seq === 'bigint' ? String(seq) : seq,
  };
}
