import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Process, watchShutdownTriggers } from '../../../src/server/host/shutdown-trigger.js';

/** Watches a process that nobody has started as a plugin, unless its parent is given. */
function watch(plugin: { readonly ppid?: number; readonly parentPid?: number } = {}) {
  const process = Object.assign(new EventEmitter(), { ppid: plugin.ppid ?? 1 });
  const told: unknown[] = [];
  let now = 0;
  const triggers = watchShutdownTriggers({
    process: process as unknown as Process,
    plugin: plugin.ppid !== undefined,
    ...(plugin.parentPid !== undefined && { parentPid: plugin.parentPid }),
    onSecondSignal: () => told.push('second signal'),
    onError: (error) => told.push(error),
    now: () => now,
  });
  const signal = (name: string, at: number) => {
    now = at;
    process.emit(name, name);
  };
  return { process, told, triggers, signal };
}

test('the first reason counts', async () => {
  const { process, told, triggers } = watch();
  expect(triggers.current()).toBeUndefined();
  process.emit('uncaughtException', 'a bug');
  process.emit('unhandledRejection', 'another');
  process.emit('SIGTERM', 'SIGTERM');
  expect(await triggers.first).toEqual({ kind: 'error', error: 'a bug' });
  expect(triggers.current()).toEqual({ kind: 'error', error: 'a bug' });
  expect(told).toEqual(['another']);
});

test('a second signal is told, but not the echo of the first', () => {
  const { told, signal } = watch();
  signal('SIGINT', 1_000);
  signal('SIGINT', 1_250);
  expect(told).toEqual([]);
  signal('SIGINT', 1_251);
  expect(told).toEqual(['second signal']);
  signal('SIGTERM', 1_252);
  expect(told).toEqual(['second signal', 'second signal']);
});

test('another signal is no echo', () => {
  const { told, signal } = watch();
  signal('SIGHUP', 0);
  signal('SIGTERM', 1);
  expect(told).toEqual(['second signal']);
});

test('leaves nothing behind', () => {
  const { process, triggers } = watch();
  expect(process.eventNames()).not.toEqual([]);
  triggers.stop();
  expect(process.eventNames()).toEqual([]);
});

test.each([1, 0, 4711])('a plugin whose parent %i changes', async (ppid) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { process, triggers } = watch({ ppid, parentPid: ppid });
  vi.advanceTimersByTime(10_000);
  expect(triggers.current()).toBeUndefined();
  process.ppid = 23;
  vi.advanceTimersByTime(1_000);
  expect(triggers.current()).toEqual({ kind: 'parent' });
  expect(vi.getTimerCount()).toBe(0);
});

test('a plugin whose parent has changed before it began', () => {
  const { triggers } = watch({ ppid: 23, parentPid: 4711 });
  expect(triggers.current()).toEqual({ kind: 'parent' });
});

test('a plugin that is not told of its parent takes the one that it has', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { process, triggers } = watch({ ppid: 4711 });
  process.ppid = 1;
  vi.advanceTimersByTime(1_000);
  expect(triggers.current()).toEqual({ kind: 'parent' });
});

test('a parent that changes means nothing to a server that is no plugin', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { process, triggers } = watch();
  process.ppid = 23;
  vi.advanceTimersByTime(10_000);
  expect([triggers.current(), vi.getTimerCount()]).toEqual([undefined, 0]);
});

test('a parent is watched no longer than the rest', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  watch({ ppid: 4711 }).triggers.stop();
  expect(vi.getTimerCount()).toBe(0);
});
