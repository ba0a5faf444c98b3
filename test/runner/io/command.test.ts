import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openGuard, startCommand } from '../../../src/runner/io/command.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'perturb-command-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function start(script: string) {
  return startCommand({
    vector: ['/bin/sh', '-c', script],
    cwd: directory,
    env: { PATH: process.env['PATH'] },
    events: directory,
    output: join(directory, 'output'),
    guard: openGuard('PERTURB_SESSION='),
  });
}

/** Waits for a file that a process writes its id to. */
async function pidIn(name: string): Promise<number> {
  for (;;) {
    const path = join(directory, name);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (text.endsWith('\n')) return Number(text);
    await pause(5);
  }
}

/** Whether a process runs: one that has ended and is not waited for does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('ends by itself, and what it printed is kept', async () => {
  const command = await start('echo out; echo err >&2');
  await command.ended;
  expect(readFileSync(join(directory, 'output'), 'utf8').split('\n').sort()).toEqual([
    '',
    'err',
    'out',
  ]);
});

test('one that cannot be started says why', async () => {
  await expect(
    startCommand({
      vector: ['./no-such-program'],
      cwd: directory,
      env: {},
      events: join(directory, 'events'),
      output: join(directory, 'output'),
      guard: openGuard('PERTURB_SESSION='),
    }),
  ).rejects.toThrow('the command "./no-such-program" could not be started: program not found');
});

test('one that ignores the signal to end is killed', async () => {
  const command = await start("trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done");
  const pid = await pidIn('pid');
  command.end();
  await command.ended;
  expect(isAlive(pid)).toBe(false);
});

test('children that it leaves are ended with it, also those that left its session', async () => {
  const command = await start(
    "(echo $(exec sh -c 'echo $PPID') > child; sleep 60) & setsid sh -c 'echo $$ > stray; exec sleep 60' & until [ -e seen ]; do sleep 0.05; done",
  );
  const [child, stray] = await Promise.all([pidIn('child'), pidIn('stray')]);
  expect(isAlive(stray)).toBe(true);
  writeFileSync(join(directory, 'seen'), '');
  await command.ended;
  expect([child, stray].map(isAlive)).toEqual([false, false]);
});

test('a flood of output is read, and only its beginning kept', async () => {
  const command = await start('head -c 20000000 /dev/zero; echo done > finished');
  await command.ended;
  expect(existsSync(join(directory, 'finished'))).toBe(true);
  expect(readFileSync(join(directory, 'output')).length).toBeLessThan(1024 * 1024 + 100);
});
