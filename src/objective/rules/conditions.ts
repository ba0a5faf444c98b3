import { quote } from '../../diagnostics/index.js';
import { type Condition, type Expression, requiredNames } from '../../expression/index.js';
import type { MutatorTable, ObjectiveRule } from '../draft.js';
import { MEASUREMENT, objectiveExample } from './example.js';

const PRECONDITION = `mutation_precondition = "MATCH (name = 'TAKEOFF') AS takeoff"`;

export const preconditionConflict: ObjectiveRule = {
  id: 'objective/precondition-conflict',
  severity: 'error',
  summary: 'a global and a per-mutator `mutation_precondition` together',
  why: 'The two exclude each other, so it is undefined which of them triggers the mutation.',
  action: 'Keep the global precondition, or move it into each `[[mutator]]` that needs it.',
  examples: {
    fails: objectiveExample(
      `[mutation_constraints]\n${PRECONDITION}\n\n[[mutator]]\nname = "wind"\n${PRECONDITION}`,
    ),
    passes: objectiveExample(`[[mutator]]\nname = "wind"\n${PRECONDITION}`),
  },
  check({ document, objective, mutators }, report) {
    if (objective.mutation_constraints?.keys.mutation_precondition === undefined) return;
    for (const { path, keys } of mutators) {
      if (keys.mutation_precondition === undefined) continue;
      report({
        message: 'the "mutation_precondition" of a mutator cannot be combined with the global one',
        help: 'keep one of the two',
        span: document.keySpan([...path, 'mutation_precondition']),
        related: [
          {
            message: 'the global precondition',
            span: document.keySpan(['mutation_constraints', 'mutation_precondition']),
          },
        ],
      });
    }
  },
};

export const noStoppingCondition: ObjectiveRule = {
  id: 'objective/no-stopping-condition',
  severity: 'warning',
  summary: 'nothing ever stops the objective',
  why: 'Without a stopping condition for the objective or a measurement, new attempts start forever.',
  action: 'Add `[stopping_conditions]` with `attempts` or `time`.',
  examples: {
    fails: objectiveExample(MEASUREMENT, ''),
    passes: objectiveExample(`${MEASUREMENT}\n[stopping_conditions]\ntime = "2h"`, ''),
  },
  check({ document, objective, measurements, misfits }, report) {
    const stops = [objective, ...measurements.map(({ keys }) => keys)];
    const isStop = (keys: object = {}): boolean => Object.keys(keys).length > 0;
    if (stops.some((keys) => isStop(keys.stopping_conditions?.keys))) return;
    // Separate findings report a stopping condition with an invalid value or name.
    const key = 'stopping_conditions';
    if (
      misfits.some(({ path, intended: intendedPath }) =>
        [...path, ...(intendedPath ?? [])].includes(key),
      )
    )
      return;
    report({
      message: 'nothing ever stops this objective',
      help: 'add [stopping_conditions] with "attempts" or "time"',
      span: document.valueSpan([]),
    });
  },
};

const COUNTS = ['passing_measurements', 'failing_measurements'] as const;

export const unreachableStoppingCondition: ObjectiveRule = {
  id: 'objective/unreachable-stopping-condition',
  severity: 'warning',
  summary: 'a count that is never reached, because `attempts` or another count stops first',
  why: 'The condition can never be met, because each attempt adds at most one to the count.',
  action: 'Lower the count, raise the condition that stops first, or remove one of the two.',
  examples: {
    fails: objectiveExample(
      '[stopping_conditions]\nattempts = 10\nfailing_measurements = 20',
      MEASUREMENT,
    ),
    passes: objectiveExample(
      '[stopping_conditions]\nattempts = 20\nfailing_measurements = 10',
      MEASUREMENT,
    ),
  },
  check({ document, measurements, objective: { stopping_conditions: generalConditions } }, report) {
    if (generalConditions === undefined) return;
    const { attempts, failing_measurements: failingLimit } = generalConditions.keys;
    const specific = measurements.flatMap(({ keys }) => keys.stopping_conditions ?? []);
    const compare = (
      stop: typeof generalConditions,
      key: (typeof COUNTS)[number],
      sooner: { readonly key: string; readonly after: bigint; readonly why: string; raise: string },
    ): void => {
      const { after, why, raise } = sooner;
      const value = stop.keys[key];
      if (value === undefined || value <= after) return;
      report({
        message: `"${key}" is never reached: ${why}`,
        help: `write a count of at most ${after}, or raise ${raise}`,
        instead: String(after),
        span: document.valueSpan([...stop.path, key]),
        related: [
          {
            message: 'this stops first',
            span: document.valueSpan([...generalConditions.path, sooner.key]),
          },
        ],
      });
    };
    if (failingLimit !== undefined) {
      // A failing measurement fails its attempt, so the general count is at least the measurement's count.
      const key = 'failing_measurements';
      const why = `the objective's "${key}" counts the same attempts, and stops after ${failingLimit}`;
      for (const stop of specific)
        compare(stop, key, { key, after: failingLimit, why, raise: "the objective's condition" });
    }
    if (attempts === undefined) return;
    const why = `"attempts" stops after ${attempts} attempts`;
    const sooner = { key: 'attempts', after: attempts, why, raise: '"attempts"' };
    for (const stop of [generalConditions, ...specific])
      for (const key of COUNTS) compare(stop, key, sooner);
  },
};

export const circularPrecondition: ObjectiveRule = {
  id: 'objective/circular-precondition',
  severity: 'warning',
  summary: 'a `mutation_precondition` that depends on the mutation it guards',
  why: '`perturb.injected` occurs when a mutation is injected, and no mutation is injected before its precondition holds, so every attempt is skipped.',
  action: 'Use a system event, or a mutation by another mutator.',
  examples: {
    fails: objectiveExample(
      `[mutation_constraints]\nmutation_precondition = "MATCH (name = 'perturb.injected') AS i"`,
    ),
    passes: objectiveExample(`[mutation_constraints]\n${PRECONDITION}`),
  },
  check({ document, objective, expressions, mutators }, report) {
    const { mutator_tags: tags, max_concurrent_mutations: maxConcurrent = 1n } =
      objective.mutation_constraints?.keys ?? {};
    const generalConstraints = objective.mutation_constraints;
    const injectionsOf = new Map<object, readonly Injection[]>();
    for (const table of generalConstraints === undefined
      ? mutators
      : [generalConstraints, ...mutators]) {
      const text = table.keys.mutation_precondition;
      const injections = requiredInjections(text && expressions.get(text)?.expression);
      if (injections.length > 0) injectionsOf.set(table, injections);
    }
    if (generalConstraints !== undefined && injectionsOf.has(generalConstraints)) {
      report({ ...CIRCULAR, span: document.valueSpan([...generalConstraints.path, KEY]) });
    }
    const waitingTables = mutators.filter((table) => injectionsOf.has(table));
    const freeTables = new Set(mutators.filter((table) => !waitingTables.includes(table)));
    // With tags, the run also mutates mutators without a table, which depend on nothing.
    const isOpen = ({ name }: Injection): boolean =>
      tags !== undefined &&
      !mutators.some(({ keys }) => keys.name === name && keys.probe === undefined);
    const comesFirst = (injection: Injection): boolean =>
      isOpen(injection) || [...freeTables].some(({ keys }) => isOf(injection, keys.name));
    const findBlocker = (table: MutatorTable): Injection | undefined =>
      injectionsOf.get(table)?.find((injection) => maxConcurrent === 1n || !comesFirst(injection));
    for (let previousSize = -1; previousSize < freeTables.size; ) {
      previousSize = freeTables.size;
      for (const table of waitingTables)
        if (findBlocker(table) === undefined) freeTables.add(table);
    }
    for (const table of waitingTables) {
      const blockedBy = findBlocker(table);
      if (blockedBy === undefined) continue;
      const isSelfBlocked = isOf(blockedBy, table.keys.name) && !comesFirst(blockedBy);
      const { name = '' } = blockedBy;
      const span = document.valueSpan([...table.path, KEY]);
      if (isSelfBlocked) report({ ...CIRCULAR, span });
      else if (maxConcurrent === 1n) report({ ...ONE_AT_A_TIME, span });
      else {
        report({
          message: `this precondition waits for a mutation by ${quote(name)}, which cannot come first`,
          help: `add a [[mutator]] for ${quote(name)} that does not wait for a mutation, or require a system event`,
          span,
        });
      }
    }
  },
};

const KEY = 'mutation_precondition';
const CIRCULAR = {
  message: 'this depends on the mutation it guards',
  help: 'require a system event, or a mutation by another mutator',
};
const ONE_AT_A_TIME = {
  message: 'this precondition waits for another mutation, but only one mutation runs at a time',
  help: 'require a system event, or raise "max_concurrent_mutations"',
};

/** A mutation required by an expression, either by a named mutator or by any mutator. */
interface Injection {
  readonly name: string | undefined;
}

function isOf({ name }: Injection, mutator: string | undefined): boolean {
  return name === undefined || name === mutator;
}

/** Returns the mutations required by an expression. `count() = 0` requires none; other measures are ignored. */
function requiredInjections(expression: Expression | undefined): readonly Injection[] {
  if (expression === undefined || expression.aggregate !== undefined) return [];
  return expression.match.patterns
    .filter(({ absent, condition }) => !absent && requiresInjection(condition))
    .map(({ condition }) => ({ name: requiredMutator(condition) }));
}

function requiresInjection(condition: Condition): boolean {
  if (condition.kind === 'and') return condition.operands.some(requiresInjection);
  if (condition.kind === 'or') return condition.operands.every(requiresInjection);
  const names = requiredNames(condition);
  return names.length > 0 && names.every((name) => name === 'perturb.injected');
}

/** Returns the mutator named in a condition `mutator.name = '...'`. */
function requiredMutator(condition: Condition): string | undefined {
  if (condition.kind === 'and') {
    return condition.operands.map(requiredMutator).find((name) => name !== undefined);
  }
  if (condition.kind !== 'comparison' || condition.comparator !== '=') return undefined;
  const { left, right } = condition;
  if (left.kind !== 'attribute' || right.kind !== 'string') return undefined;
  const isName = left.path.map(({ text }) => text).join('.') === 'mutator.name';
  return isName ? right.value : undefined;
}
