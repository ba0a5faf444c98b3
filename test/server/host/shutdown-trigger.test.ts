import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { type Process, watchShutdownTriggers } from '../../../src/server/host/shutdown-trigger.js';

function watch() {
  const process = new EventEmitter();
  const told: unknown[] = [];
  let now = 0;
  const triggers = watchShutdownTriggers({
    process: process as unknown as Process,
    stdin: false,
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
