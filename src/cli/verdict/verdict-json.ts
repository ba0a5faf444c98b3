import { type JsonObject, jsonNumber } from '../../values/index.js';
import { evaluationToJson } from './evaluation-json.js';
import { type Measured, outcomeOf, type SessionVerdict } from './measured.js';
import { tallies } from './verdict-text.js';

/** What an objective came to over sessions, for scripts: each session, then all. */
export function verdictToJson(objective: string, verdicts: readonly SessionVerdict[]): JsonObject {
  const number = (value: number) => jsonNumber(String(value));
  return {
    objective,
    passed: verdicts.every(hasPassed),
    sessions: verdicts.map((verdict) => ({
      session: verdict.session,
      passed: hasPassed(verdict),
      ...(verdict.unread !== undefined && { unread: [...verdict.unread] }),
      measurements: verdict.measurements.map(measuredToJson),
    })),
    all: tallies(verdicts).map(({ name, passed, failed, undecided }) => ({
      name,
      passed: number(passed),
      failed: number(failed),
      undecided: number(undecided),
    })),
  };
}

function hasPassed({ measurements, unread }: SessionVerdict): boolean {
  return unread === undefined && measurements.every((one) => outcomeOf(one) === 'passed');
}

function measuredToJson(measured: Measured): JsonObject {
  const { name, shouldPass, evaluation } = measured;
  return {
    name,
    should_pass: shouldPass,
    status: evaluation.status,
    passed: outcomeOf(measured) === 'passed',
    ...evaluationToJson(evaluation),
  };
}
