import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';

/** Begins attacks with a directory of their own for all that they make. */
function begin(...args: string[]) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'perturb-attacks-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const child = spawn(process.execPath, ['test/adversary/run.js', ...args], {
    env: { ...process.env, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code]) => code);
  return { directory, child, ended, said: Promise.all([text(child.stdout), text(child.stderr)]) };
}

/** How many processes work in a directory, or in one that was there. */
function processesIn(directory: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(directory);
    } catch {
      return false;
    }
  }).length;
}

test('attacks run at the same time, and are told in the order of the table', async () => {
  const { ended, said } = begin('--small', '--jobs', '2', 'secrets', 'removed-state');
  const [stdout, stderr] = await said;
  const rows = stdout.split('\n').map((row) => row.replace(/^\| (\S+) .* (\S+) \|$/, '$1 $2'));
  expect(rows.slice(2)).toEqual(['removed-state yes', 'secrets yes', '']);
  expect(stderr.replaceAll(/\d+\.\d/g, '1.0')).toBe(`\
removed-state took 1.0 s, 1.0 s of processor time
secrets took 1.0 s, 1.0 s of processor time
2 held, 0 did not, 0 skipped, in 1.0 s, 1.0 s of processor time
`);
  expect(await ended).toBe(0);
});

test('a wrong flag is told, with how to call it', async () => {
  const [help, wrong] = [begin('--help'), begin('--smal')];
  const [usage] = await help.said;
  expect(usage).toMatch(/^usage: npm run adversary -- /);
  const [stdout, stderr] = await wrong.said;
  expect([stdout, stderr.startsWith("Unknown option '--smal'"), stderr.endsWith(usage)]).toEqual([
    ...['', true, true],
  ]);
  expect([await help.ended, await wrong.ended]).toEqual([0, 2]);
});

test.runIf(process.platform === 'linux')(
  'Ctrl-C ends all of them, and leaves nothing',
  async () => {
    const { directory, child, ended, said } = begin('--jobs', '2', 'kills', 'damaged-journal');
    await expect.poll(() => processesIn(directory), { timeout: 60_000 }).toBeGreaterThan(1);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect([processesIn(directory), readdirSync(directory)]).toEqual([0, []]);
    expect((await said)[1]).toBe('ending the attacks\n');
  },
  120_000,
);
