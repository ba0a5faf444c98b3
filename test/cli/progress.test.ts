import { expect, onTestFinished, test, vi } from 'vitest';
import { startRunProgress, trackRun } from '../../src/cli/objective/run/progress.js';
import { startProgress } from '../../src/cli/runtime/progress.js';
import type { Objective } from '../../src/objective/index.js';
import { type RunUpdate, stateOf } from '../../src/runner/index.js';
import type {
  AttemptRecord,
  JournalRecord,
  MeasuredRecord,
  Stamp,
} from '../../src/runner/journal/records.js';

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

/** A run of an objective, as it is shown by its news. */
function runOf(output: Parameters<typeof startRunProgress>[0], attempts: bigint) {
  const tracked = trackRun({ stoppingConditions: { attempts } } as Objective);
  const progress = startRunProgress(output, tracked);
  return {
    end: progress.end,
    tell(news: RunUpdate, records: readonly JournalRecord[]) {
      tracked.tell(news, stateOf(records));
      progress.tell(news);
    },
  };
}

const announced = (n: number, more: Partial<AttemptRecord> = {}): AttemptRecord & Stamp => ({
  ...{ step: 'attempt', n, plan: [], time: 0, elapsed: 10_000, ...more },
});

const low = { name: 'low', shouldPass: true, status: 'fails' } as const;
const measured = (n: number, more: Partial<MeasuredRecord> = {}): MeasuredRecord & Stamp => ({
  ...{ step: 'measured', n, outcome: 'failed', reasons: [], ms: 10_000, events: 1 },
  ...{ measurements: [low], time: 0, elapsed: 10_000, ...more },
});

test('off a terminal a run shows a line every ten seconds, and each attempt that failed', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { output, shown } = terminal(false);
  const progress = runOf(output, 3n);
  vi.advanceTimersByTime(10_000);
  expect(shown()).toBe('');
  const record = announced(1);
  const records: JournalRecord[] = [record];
  progress.tell({ kind: 'attempt', record }, records);
  progress.tell({ kind: 'phase', phase: 'running', n: 1 }, records);
  expect(shown()).toBe('');
  vi.advanceTimersByTime(10_000);
  expect(shown()).toBe('perturb: 1 of 3: 0 passed, 0 failed | running | no mutation\n');
  const result = measured(1);
  records.push(result);
  const attempt = { n: 1, plan: [], result };
  progress.tell({ kind: 'measured', attempt }, records);
  expect(shown()).toBe('perturb: attempt 1 failed: low\n');
  // Those of shrinking are counted in the lines.
  progress.tell({ kind: 'measured', attempt: { ...attempt, shrinks: 1 } }, records);
  expect(shown()).toBe('');
  vi.advanceTimersByTime(10_000);
  expect(shown()).toBe('perturb: 2 of 3: 0 passed, 1 failed | 20s left\n');
  progress.end();
  vi.advanceTimersByTime(100_000);
  expect(shown()).toBe('');
});

test('on a terminal the line has the outcomes, the time left, the least margin and the current set', () => {
  const { output, shown } = terminal();
  const progress = runOf({ ...output, columns: 200 }, 4n);
  const passed = (n: number, margin: number) =>
    measured(n, {
      ...{ outcome: 'passed', elapsed: n * 10_000 },
      measurements: [{ ...low, status: 'holds', margin }],
    });
  const params = new Map([['speed', { type: 'integer', value: 9n }]] as const);
  const record = announced(3, { plan: [{ server: 's', id: 'w', name: 'wind', params }] });
  const records = [announced(1), passed(1, 0.5), announced(2), passed(2, 0.083), record];
  progress.tell({ kind: 'attempt', record }, records);
  expect(shown()).toBe(
    '\r\x1b[K3 of 4: 2 passed, 0 failed | 10s left | closest margin 8.3 % | wind speed=9',
  );
  // Shrinking counts its own tries.
  const shrinking = announced(4, { shrinks: 2 });
  const tries = [...records, measured(3), shrinking, measured(4)];
  const next = announced(5, { shrinks: 2 });
  progress.tell({ kind: 'attempt', record: next }, [...tries, next]);
  expect(shown()).toBe(
    '\r\x1b[Kshrinking attempt 2: try 2 of at most 200: 0 passed, 1 failed | no mutation',
  );
  progress.end();
  expect(shown()).toBe('\r\x1b[K');
});
