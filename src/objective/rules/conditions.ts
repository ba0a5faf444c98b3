import type { ObjectiveRule } from '../draft.js';
import { MEASUREMENT, objectiveExample } from './example.js';

const PRECONDITION = `mutation_precondition = "MATCH (name = 'TAKEOFF') AS takeoff"`;

export const preconditionConflict: ObjectiveRule = {
  id: 'objective/precondition-conflict',
  severity: 'error',
  summary: 'a global and a per-mutator `mutation_precondition` together',
  why: 'The two exclude each other: it is not defined which of them triggers the mutation.',
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
        message: 'a "mutation_precondition" of a mutator excludes the global one',
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
  why: 'With no stopping condition, general or on a measurement, new runs are generated for ever.',
  action: 'Add `[stopping_conditions]` with `attempts` or `time`.',
  examples: {
    fails: objectiveExample(MEASUREMENT, ''),
    passes: objectiveExample(`${MEASUREMENT}\n[stopping_conditions]\ntime = "2h"`, ''),
  },
  check({ document, objective, measurements, misfits }, report) {
    const stops = [objective, ...measurements.map(({ keys }) => keys)];
    const isStop = (keys: object = {}): boolean => Object.keys(keys).length > 0;
    if (stops.some((keys) => isStop(keys.stopping_conditions?.keys))) return;
    // What was meant to stop, and does not fit or has another name, is reported separately.
    const key = 'stopping_conditions';
    if (misfits.some(({ path, meant }) => [...path, ...(meant ?? [])].includes(key))) return;
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
  summary: 'a count above `attempts`, so that `attempts` always stops first',
  why: 'The condition can never be met: each attempt adds at most one to the count.',
  action: 'Lower the count, raise `attempts`, or remove one of the two.',
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
  check({ document, measurements, objective: { stopping_conditions: general } }, report) {
    const attempts = general?.keys.attempts;
    if (attempts === undefined) return;
    for (const stop of [general, ...measurements.map(({ keys }) => keys.stopping_conditions)]) {
      for (const key of COUNTS) {
        const value = stop?.keys[key];
        if (stop === undefined || value === undefined || value <= attempts) continue;
        report({
          message: `"${key}" is never reached: "attempts" stops after ${attempts} attempts`,
          help: `write a count of at most ${attempts}, or raise "attempts"`,
          span: document.valueSpan([...stop.path, key]),
          related: [
            {
              message: 'this stops first',
              span: document.valueSpan(['stopping_conditions', 'attempts']),
            },
          ],
        });
      }
    }
  },
};
