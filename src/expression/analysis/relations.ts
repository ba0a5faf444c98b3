import type { Fact, Ordering } from './claims.js';

/*
 * Consequences of comparisons between subjects: conflicts, and facts derived from comparisons with
 * values.
 */

/** A step from a smaller subject to a larger subject, or between equal subjects. */
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

/** A subject reached by steps, with the path to the subject. */
interface ReachedSubject {
  readonly subject: string;
  readonly strict: boolean;
  readonly equal: boolean;
  readonly path: readonly Ordering[];
}

/** Maximum number of steps to search. Nobody writes larger expressions by hand. */
const MAX_STEPS = 200;

/** Returns the reachable subjects, with the shortest path for each combination of `strict` and `equal`. */
function reachedFrom(start: string, steps: ReadonlyMap<string, readonly Step[]>): ReachedSubject[] {
  const queue: ReachedSubject[] = [{ subject: start, strict: false, equal: true, path: [] }];
  const visited = new Set([`${start}\nfalse true`]);
  for (const { subject, strict, equal, path } of queue) {
    for (const step of steps.get(subject) ?? []) {
      const nextSubject = {
        subject: step.to,
        strict: strict || step.strict,
        equal: equal && step.equal,
        path: [...path, step.relation],
      };
      const key = `${nextSubject.subject}\n${nextSubject.strict} ${nextSubject.equal}`;
      if (!visited.has(key)) queue.push(nextSubject);
      visited.add(key);
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
 * Returns relations that cannot all hold: a subject would be less than itself, or two subjects
 * would be equal and unequal.
 */
export function findConflict(relations: readonly Ordering[]): readonly Ordering[] | undefined {
  const steps = stepsOf(relations);
  if (steps.length > MAX_STEPS) return undefined;
  const outgoing = byStart(steps);
  const between = (from: string, to: string) =>
    reachedFrom(from, outgoing).find(({ subject }) => subject === to)?.path;
  for (const relation of relations) {
    const { left, comparator, right } = relation;
    if (comparator === '=' || comparator.length === 2) {
      if (comparator !== '!=') continue;
      const [forwardPath, backPath] = [between(left, right), between(right, left)];
      if (forwardPath && backPath) return [...new Set([relation, ...forwardPath, ...backPath])];
      continue;
    }
    const [small, large] = comparator === '<' ? [left, right] : [right, left];
    const backPath = between(large, small);
    if (backPath !== undefined) return [...new Set([relation, ...backPath])];
  }
  return undefined;
}

/** Returns the facts that comparisons with values imply for other subjects through relations. */
export function deriveFacts(facts: readonly Fact[], relations: readonly Ordering[]): Fact[] {
  const upSteps = stepsOf(relations);
  if (upSteps.length > MAX_STEPS || facts.length > MAX_STEPS) return [];
  const downSteps = upSteps.map(({ from, to, ...step }) => ({ from: to, to: from, ...step }));
  const [upByStart, downByStart] = [byStart(upSteps), byStart(downSteps)];
  return [
    ...facts.flatMap((fact) => carryFact(fact, '>', upByStart)),
    ...facts.flatMap((fact) => carryFact(fact, '<', downByStart)),
  ];
}

/**
 * Propagates a fact along the steps: a bound in one direction to all subjects, an exclusion only to
 * equal subjects.
 */
function carryFact(
  fact: Fact,
  sign: '<' | '>',
  steps: ReadonlyMap<string, readonly Step[]>,
): Fact[] {
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
