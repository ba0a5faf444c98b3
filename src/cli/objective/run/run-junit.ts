import type { TestCase, TestResult } from '../../../results/index.js';
import { type DoneAttempt, hasPassed, type RunState } from '../../../runner/index.js';
import { planText } from './preview.js';

/** A run as a suite: an attempt is a test case. */
export function runTests({ run, attempts, elapsed }: RunState): TestResult {
  const own = attempts.filter(({ shrinks }) => shrinks === undefined);
  const name = run?.objective.name ?? 'objective';
  return {
    name,
    time: seconds(elapsed),
    suites: [{ name, cases: own.map((one) => testCase(name, one)) }],
  };
}

function testCase(classname: string, { n, plan, result }: DoneAttempt): TestCase {
  const text = planText(plan);
  const tested = { classname, name: `attempt ${n}: ${text}`, time: seconds(result.ms) };
  const reasons = result.reasons.join('\n');
  switch (result.outcome) {
    case 'passed':
      return tested;
    case 'skipped':
      return { ...tested, outcome: { kind: 'skipped', message: reasons } };
    case 'inconclusive':
      return {
        ...tested,
        outcome: { kind: 'error', type: 'inconclusive', message: reasons, text },
      };
    case 'failed': {
      const failed = result.measurements.filter((one) => hasPassed(one) === false);
      const message = failed
        .map(({ name, shouldPass }) => `${name} ${shouldPass ? 'fails' : 'holds, and should not'}`)
        .join('; ');
      return { ...tested, outcome: { kind: 'failure', type: 'measurement', message, text } };
    }
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}
