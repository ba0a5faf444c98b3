import {
  type Measured,
  type MeasureResult,
  type SessionResult,
  verdictCounts,
  verdictOf,
} from '../../results/index.js';
import { type JsonObject, jsonNumber } from '../../values/index.js';
import { evaluationToJson } from './evaluation-json.js';

/** What an objective came to over sessions, for scripts: each session, then all. */
export function measureToJson({ objective, sessions }: MeasureResult): JsonObject {
  const number = (value: number) => jsonNumber(String(value));
  return {
    objective,
    passed: sessions.every(hasPassed),
    sessions: sessions.map((verdict) => ({
      session: verdict.name,
      passed: hasPassed(verdict),
      ...(verdict.unread !== undefined && { unread: [...verdict.unread] }),
      measurements: verdict.measurements.map(measuredToJson),
    })),
    all: verdictCounts(sessions).map(({ name, passed, failed, undecided }) => ({
      name,
      passed: number(passed),
      failed: number(failed),
      undecided: number(undecided),
    })),
  };
}

function hasPassed({ measurements, unread }: SessionResult): boolean {
  return unread === undefined && measurements.every((one) => verdictOf(one) === 'passed');
}

function measuredToJson(measured: Measured): JsonObject {
  const { name, shouldPass, evaluation } = measured;
  return {
    name,
    should_pass: shouldPass,
    status: evaluation.status,
    passed: verdictOf(measured) === 'passed',
    ...evaluationToJson(evaluation),
  };
}
