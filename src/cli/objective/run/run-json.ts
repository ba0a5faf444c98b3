import type { RunResult } from '../../../results/index.js';
import { hasPassed, type MeasurementResult, planToJson, tally } from '../../../runner/index.js';
import { type Json, type JsonObject, jsonNumber, parseJson } from '../../../values/index.js';

const number = (value: number): Json => jsonNumber(String(value));

/** The results of a run, for scripts. */
export function runToJson({ state, directory }: RunResult): JsonObject {
  const { run, end, attempts, shrunk, inForce } = state;
  const { attempts: made, ...counts } = tally(state);
  return {
    run: run?.id ?? '',
    objective: { name: run?.objective.name ?? '', digest: run?.objective.digest ?? '' },
    seed: String(run?.seed ?? ''),
    strategy: run?.strategy ?? '',
    directory,
    elapsed_ms: number(state.elapsed),
    ...(end && {
      end: { reason: end.reason, ...(end.detail !== undefined && { detail: end.detail }) },
    }),
    summary: {
      attempts: number(made),
      ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, number(count)])),
    },
    attempts: attempts.map(({ n, plan, shrinks, result }) => ({
      attempt: number(n),
      ...(shrinks !== undefined && { shrinks: number(shrinks) }),
      outcome: result.outcome,
      set: planToJson(plan),
      reasons: result.reasons,
      measurements: result.measurements.map(measurementToJson),
      events: number(result.events),
      ms: number(result.ms),
    })),
    shrunk: shrunk.map(({ of, plan, tried, failed, before, attempts: took, budget }) => ({
      attempt: number(of),
      set: planToJson(plan),
      tried: number(tried),
      failed: number(failed),
      before: { tried: number(before.tried), failed: number(before.failed) },
      attempts: number(took),
      smallest: !budget && before.failed > 0,
    })),
    in_force: inForce.map(({ server, id, name }) => ({ server, id, name })),
  };
}

function measurementToJson(result: MeasurementResult): JsonObject {
  const { name, shouldPass, status, reason, details } = result;
  const parsed = details === undefined ? undefined : parseJson(details);
  const passed = hasPassed(result);
  return {
    name,
    should_pass: shouldPass,
    status,
    ...(passed !== undefined && { passed }),
    ...(reason !== undefined && { reason }),
    ...(parsed !== undefined && 'value' in parsed && (parsed.value as JsonObject)),
  };
}
