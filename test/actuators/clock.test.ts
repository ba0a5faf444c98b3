import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/actuators/scheduling.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY = 86_400_000;

test('the clock of the system waits longer than a timer of Node can', async () => {
  let calls = 0;
  systemClock.after(100 * DAY, () => {
    calls += 1;
  });
  await vi.advanceTimersByTimeAsync(100 * DAY - 1);
  expect(calls).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(calls).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('what waits can be prevented at any time', async () => {
  let calls = 0;
  const stop = systemClock.after(100 * DAY, () => {
    calls += 1;
  });
  await vi.advanceTimersByTimeAsync(60 * DAY);
  stop();
  await vi.advanceTimersByTimeAsync(100 * DAY);
  expect([calls, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a negative delay ends at once, without the warning that Node 24 emits', async () => {
  vi.useRealTimers();
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on('warning', note);
  await new Promise<void>((resolve) => systemClock.after(-5, resolve));
  // Node emits warnings asynchronously.
  await new Promise(setImmediate);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
