import type { Fact, Ordering } from './claims.js';

/*
 * The implications of comparisons of subjects with each other, alone and together with comparisons
 * with values.
 */

/** A step from the smaller subject to the larger one, or between equal ones. */
interface Step {
  readonly from: string;
  readonly to: string;
  readonly strict: boolean;
  readonly equal: boolean;
  readonly relation: Ordering;
}

function stepsOf(relations: readonly Ordering[]): Step[] {
  return relations.flatMap((relation): Step[] => {
    const { left, comparator, right } = relation;
    if (comparator === '!=') return [];
    const step = { strict: comparator.length === 1, equal: false, relation };
    if (comparator.startsWith('<')) return [{ from: left, to: right, ...step }];
    if (comparator.startsWith('>')) return [{ from: right, to: left, ...step }];
    const equal = { strict: false, equal: true, relation };
    return [
      { from: left, to: right, ...equal },
      { from: right, to: left, ...equal },
    ];
  });
}

/** A subject that a path leads to. */
interface Reached {
  readonly subject: string;
  readonly strict: boolean;
  readonly equal: boolean;
  readonly path: readonly Ordering[];
}

/** Maximum number of steps to search: larger expressions are not written by hand. */
const MOST_STEPS = 200;

/** Returns the subjects that steps lead to, each by a shortest path, strictly and not. */
function reachedFrom(start: string, steps: ReadonlyMap<string, readonly Step[]>): Reached[] {
  const queue: Reached[] = [{ subject: start, strict: false, equal: true, path: [] }];
  const seen = new Set([`${start}\nfalse true`]);
  for (const { subject, strict, equal, path } of queue) {
    for (const step of steps.get(subject) ?? []) {
      const next = {
        subject: step.to,
        strict: strict || step.strict,
        equal: equal && step.equal,
        path: [...path, step.relation],
      };
      const key = `${next.subject}\n${next.strict} ${next.equal}`;
      if (!seen.has(key)) queue.push(next);
      seen.add(key);
    }
  }
  return queue.slice(1);
}

function byStart(steps: readonly Step[]): Map<string, Step[]> {
  const map = new Map<string, Step[]>();
  for (const step of steps) map.set(step.from, [...(map.get(step.from) ?? []), step]);
  return map;
}

/**
 * Returns the smallest set of relations that cannot all hold, because something would be less than
 * itself, or equal and unequal.
 */
export function impossible(relations: readonly Ordering[]): readonly Ordering[] | undefined {
  const steps = stepsOf(relations);
  if (steps.length > MOST_STEPS) return undefined;
  const outgoing = byStart(steps);
  const between = (from: string, to: string) =>
    reachedFrom(from, outgoing).find(({ subject }) => subject === to)?.path;
  for (const relation of relations) {
    const { left, comparator, right } = relation;
    if (comparator === '=' || comparator.length === 2) {
      if (comparator !== '!=') continue;
      const [there, back] = [between(left, right), between(right, left)];
      if (there && back) return [...new Set([relation, ...there, ...back])];
      continue;
    }
    const [small, large] = comparator === '<' ? [left, right] : [right, left];
    const back = between(large, small);
    if (back !== undefined) return [...new Set([relation, ...back])];
  }
  return undefined;
}

/** Returns the facts about other subjects that comparisons with values imply through relations. */
export function factsThrough(facts: readonly Fact[], relations: readonly Ordering[]): Fact[] {
  const up = stepsOf(relations);
  if (up.length > MOST_STEPS || facts.length > MOST_STEPS) return [];
  const down = up.map(({ from, to, ...step }) => ({ from: to, to: from, ...step }));
  const [above, below] = [byStart(up), byStart(down)];
  return [
    ...facts.flatMap((fact) => carried(fact, '>', above)),
    ...facts.flatMap((fact) => carried(fact, '<', below)),
  ];
}

/** Carries a bound in one direction along the steps. An equal subject gets all facts of the other. */
function carried(fact: Fact, sign: '<' | '>', steps: ReadonlyMap<string, readonly Step[]>): Fact[] {
  const { comparator } = fact;
  const excludes = comparator === '!=' || fact.glob?.negated === true;
  const isBound = !excludes && (comparator === '=' || comparator.startsWith(sign));
  if (!steps.has(fact.subject) || !(isBound || excludes)) return [];
  return reachedFrom(fact.subject, steps).flatMap(({ subject, strict, equal, path }): Fact[] => {
    if (subject === fact.subject || !(isBound || equal)) return [];
    const because = path.find((relation) => relation.because !== undefined)?.because;
    const isStrict = strict || comparator === sign;
    const { glob, ...bound } = fact;
    return [
      {
        ...(equal ? fact : bound),
        subject,
        nature: {},
        comparator: equal ? comparator : isStrict ? sign : `${sign}=`,
        through: path.flatMap(({ span }) => span ?? []),
        ...(because !== undefined && { because }),
      },
    ];
  });
}
