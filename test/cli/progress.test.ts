import { expect, onTestFinished, test, vi } from 'vitest';
import { startRunProgress } from '../../src/cli/objective/run/progress.js';
import { startProgress } from '../../src/cli/runtime/progress.js';
import type { Objective } from '../../src/objective/index.js';
import { stateOf } from '../../src/runner/index.js';
import type { JournalRecord, MeasuredRecord, Stamp } from '../../src/runner/journal/records.js';

/** A terminal and a clock; what was written since it was last asked for. */
function terminal(isTTY = true) {
  let written = '';
  let time = 0;
  return {
    output: {
      isTTY,
      write: (text: string) => {
        written += text;
        return true;
      },
    },
    now: () => time,
    at(ms: number) {
      time = ms;
    },
    shown() {
      const text = written;
      written = '';
      return text;
    },
  };
}

test('long work is shown from its second second on, ten times a second, and goes', () => {
  const { output, now, at, shown } = terminal();
  const progress = startProgress({ stderr: output }, 3, 'measurements', now);
  at(999);
  progress.step();
  progress.part(1, 2);
  expect(shown()).toBe('');
  at(1000);
  progress.part(37, 100);
  progress.part(38, 100);
  expect(shown()).toBe('\r\x1b[K1 of 3 measurements, the next at 37 %');
  at(1100);
  progress.step();
  expect(shown()).toBe('\r\x1b[K2 of 3 measurements');
  progress.end();
  expect(shown()).toBe('\r\x1b[K');
});

test('one piece of work is shown by its share alone', () => {
  const { output, now, at, shown } = terminal();
  const progress = startProgress({ stderr: output }, 1, 'expressions', now);
  at(5000);
  progress.part(999, 1000);
  expect(shown()).toBe('\r\x1b[K99 %');
});

test('what is quick shows nothing', () => {
  for (const { output, now, at, shown } of [terminal(), terminal(false)]) {
    const progress = startProgress({ stderr: output }, 3, 'measurements', now);
    at(output.isTTY ? 900 : 9_900);
    progress.part(1, 2);
    progress.step();
    progress.end();
    expect(shown()).toBe('');
  }
});

test('off a terminal there is a line every ten seconds', () => {
  const { output, now, at, shown } = terminal(false);
  const progress = startProgress({ stderr: output }, 3, 'measurements', now);
  for (const ms of [9_999, 10_000, 19_999, 20_000]) {
    at(ms);
    progress.part(ms / 100, 1_000);
  }
  expect(shown()).toBe(
    'perturb: 0 of 3 measurements, the next at 10 %\nperturb: 0 of 3 measurements, the next at 20 %\n',
  );
  progress.end();
  expect(shown()).toBe('');
});

test('off a terminal a run shows a line every ten seconds, and each attempt that failed', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { output, shown } = terminal(false);
  const stoppingConditions = { attempts: 3n };
  const progress = startRunProgress(output, { stoppingConditions } as Objective);
  vi.advanceTimersByTime(10_000);
  expect(shown()).toBe('');
  const stamp = { time: 0, elapsed: 10_000 };
  const record = { step: 'attempt', n: 1, plan: [], ...stamp } as const;
  const low = { name: 'low', shouldPass: true, status: 'fails' } as const;
  const result: MeasuredRecord & Stamp = {
    step: 'measured',
    ...{ n: 1, outcome: 'failed', reasons: [], ms: 10_000, events: 1 },
    ...{ measurements: [low], ...stamp },
  };
  const records: JournalRecord[] = [record];
  progress.tell({ kind: 'attempt', record }, stateOf(records));
  progress.tell({ kind: 'phase', phase: 'running', n: 1 }, stateOf(records));
  expect(shown()).toBe('');
  vi.advanceTimersByTime(10_000);
  expect(shown()).toBe('perturb: 1 of 3: 0 passed, 0 failed | running | no mutation\n');
  records.push(result);
  const attempt = { n: 1, plan: [], result };
  progress.tell({ kind: 'measured', attempt }, stateOf(records));
  expect(shown()).toBe('perturb: attempt 1 failed: low\n');
  // Those of shrinking are counted in the lines.
  progress.tell({ kind: 'measured', attempt: { ...attempt, shrinks: 1 } }, stateOf(records));
  expect(shown()).toBe('');
  vi.advanceTimersByTime(10_000);
  expect(shown()).toBe('perturb: 2 of 3: 0 passed, 1 failed | 20s left\n');
  progress.end();
  vi.advanceTimersByTime(100_000);
  expect(shown()).toBe('');
});
