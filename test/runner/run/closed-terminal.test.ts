import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isInstalled } from '../../cli/shells.js';
import { OBJECTIVE, openBench, processesWith } from './bench.js';

const FILE = 'level.objective.toml';
const LONG = OBJECTIVE.replace('attempts = 12', 'attempts = 10000');

/** Closes the terminal of a run in an attempt, waits until the run has ended, and gives its bench. */
async function closeTerminal(before: string, command: string) {
  const bench = await openBench({ [FILE]: LONG });
  const program = `"${process.execPath}" "${resolve('dist/bin.cjs')}" objective run`;
  const run = `exec ${before} ${program} ${FILE} -s ${bench.url} --seed 3 --baseline 0 --out out -- ${command}`;
  const terminal = spawn('script', ['--quiet', '--command', run, '/dev/null'], {
    cwd: bench.directory,
    env: { PATH: process.env['PATH'], TERM: 'xterm', PERTURB_TEST: bench.directory },
    stdio: 'ignore',
  });
  const left = () => processesWith(`PERTURB_TEST=${bench.directory}`);
  onTestFinished(() => {
    for (const pid of left()) process.kill(pid, 'SIGKILL');
  });
  await expect.poll(() => bench.journal().some(({ step }) => step === 'injected')).toBe(true);
  terminal.kill('SIGKILL');
  await expect.poll(left).toEqual([]);
  return bench;
}

test.skipIf(!isInstalled('script')).each([
  ['SIGHUP', '', 'sleep 600'],
  // In a session of its own it gets no signal: only its output fails.
  ['EIO', 'setsid --wait', 'sh system.sh'],
])(
  'a terminal that is closed in an attempt (%s) leaves nothing mutated, and the run can go on',
  async (name, before, command) => {
    const bench = await closeTerminal(before, command);
    expect(bench.active.size).toBe(0);
    expect(bench.journal().at(-1)).toMatchObject({ step: 'end', reason: 'interrupted' });
    if (name === 'EIO') expect(bench.journal().at(-1)).toMatchObject({ detail: 'EIO' });
  },
);

test('a signal when nobody reads stderr any more leaves nothing mutated', async () => {
  const bench = await openBench();
  const run = bench.start(FILE, '-s', bench.url, '--out', 'out', '--', 'sleep', '600');
  await expect.poll(() => bench.journal().some(({ step }) => step === 'injected')).toBe(true);
  run.child.stderr?.destroy();
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(4);
  expect(bench.active.size).toBe(0);
  expect(bench.journal().at(-1)).toMatchObject({ reason: 'interrupted', detail: 'SIGTERM' });
});

test('the end of a session sends two signals at once, and that means one', async () => {
  const bench = await openBench();
  bench.delayMs = 200;
  const run = bench.start(FILE, '-s', bench.url, '--out', 'out', '--', 'sleep', '600');
  await expect.poll(() => bench.journal().some(({ step }) => step === 'injected')).toBe(true);
  run.child.kill('SIGTERM');
  run.child.kill('SIGHUP');
  expect(await run.ended).toBe(4);
  expect(bench.active.size).toBe(0);
  expect(bench.journal().at(-1)).toMatchObject({ step: 'end', reason: 'interrupted' });
});
