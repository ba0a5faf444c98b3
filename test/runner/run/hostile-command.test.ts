import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isLong } from '../../long.js';
import { OBJECTIVE, openBench } from './bench.js';

const FILE = 'level.objective.toml';
const TWO = OBJECTIVE.replace('attempts = 12', 'attempts = 2');

/** The first time it does something else with its session than to write to it. */
const once = (make: string) => `[ -e once ] && exec sh system.sh
rm -f "$PERTURB_SESSION"
${make}
touch once
while [ -e stay ]; do sleep 0.05; done
`;

const isRoot = process.getuid?.() === 0;

describe.each<readonly [string, string, string]>([
  ['a directory', 'mkdir "$PERTURB_SESSION"; touch "$PERTURB_SESSION/file"', 'it is a directory'],
  ['a pipe', 'mkfifo "$PERTURB_SESSION"', 'it is a pipe'],
  ['a link to a file', 'ln -s "$PWD/victim" "$PERTURB_SESSION"', 'it is a symbolic link'],
  ['a link to a device', 'ln -s /dev/zero "$PERTURB_SESSION"', 'it is a symbolic link'],
  ...(isRoot ? [['a device', 'mknod "$PERTURB_SESSION" c 1 5', 'it is a device'] as const] : []),
])('a command that makes its session file %s', (what, make, reason) => {
  const files = { [FILE]: TWO, 'hostile.sh': once(make), victim: 'as it was\n' };

  test('makes its attempt inconclusive, and the run goes on', async () => {
    const bench = await openBench(files);
    const { code, stdout } = await bench.run(
      ...[FILE, '-s', bench.url, '--seed', '3', '--format', 'json', '--', 'sh', 'hostile.sh'],
    );
    const { attempts, end } = JSON.parse(stdout);
    expect(attempts.length).toBe(3);
    expect(attempts[0]).toMatchObject({
      outcome: 'inconclusive',
      reasons: [`the command's session file cannot be read: ${reason}`],
    });
    expect(end).toEqual({ reason: 'attempts' });
    expect([0, 1]).toContain(code);
    expect(bench.active.size).toBe(0);
  });

  // What is found by the run that goes on is taken away as above; so two kinds tell enough.
  const isTried = isLong || ['a directory', 'a link to a file'].includes(what);
  test.runIf(isTried)('and is killed with the run, does not keep it from going on', async () => {
    const bench = await openBench({ ...files, stay: '' });
    const run = bench.start(
      ...[FILE, '-s', bench.url, '--seed', '3', '--out', 'out', '--', 'sh', 'hostile.sh'],
    );
    await expect.poll(() => existsSync(join(bench.directory, 'once'))).toBe(true);
    run.child.kill('SIGKILL');
    await run.ended;
    rmSync(join(bench.directory, 'stay'));
    const { stdout } = await bench.run('--resume', 'out', '--format', 'json');
    const { attempts, summary } = JSON.parse(stdout);
    expect(attempts.length).toBe(2);
    expect(summary.inconclusive).toBe(0);
    expect(readFileSync(join(bench.directory, 'victim'), 'utf8')).toBe('as it was\n');
    expect(bench.active.size).toBe(0);
  });
});

test.each([
  ['removes', 'rm "$PERTURB_SESSION"'],
  ['moves away', 'mv "$PERTURB_SESSION" elsewhere'],
])('a command that %s its session file makes its attempt inconclusive', async (_, away) => {
  const script = `[ -e once ] && exec sh system.sh\ntouch once\nsh system.sh\n${away}\n`;
  const bench = await openBench({ [FILE]: TWO, 'hostile.sh': script });
  const { stdout } = await bench.run(
    ...[FILE, '-s', bench.url, '--baseline', '0', '--format', 'json', '--', 'sh', 'hostile.sh'],
  );
  const { attempts, end } = JSON.parse(stdout);
  expect(attempts.map(({ reasons }: { reasons: unknown }) => reasons)).toEqual([
    ["the command's session file cannot be read: it no longer exists"],
    [],
    [],
  ]);
  expect(attempts[0].outcome).toBe('inconclusive');
  expect(end).toEqual({ reason: 'attempts' });
});

test('what a command puts in the place of the files of its attempt is replaced, and not followed', async () => {
  const hostile = `cd "$(dirname "$PERTURB_SESSION")"
ln -s "$OLDPWD/victim" $PERTURB_ATTEMPT.output
[ $PERTURB_ATTEMPT = 1 ] && mkfifo 1.jsonl
[ $PERTURB_ATTEMPT = 2 ] && ln -s "$OLDPWD/victim" 2.jsonl && rm 1.jsonl && mkfifo 1.jsonl
cd "$OLDPWD"
echo printed
exec sh system.sh`;
  const bench = await openBench({ [FILE]: TWO, victim: 'as it was\n' });
  const { code, stdout } = await bench.run(
    ...[FILE, '-s', bench.url, '--seed', '3', '--out', 'out', '--format', 'json'],
    ...['--report', 'report.html', '--', 'sh', '-c', hostile],
  );
  expect([0, 1]).toContain(code);
  expect(JSON.parse(stdout).summary.inconclusive).toBe(0);
  const at = (name: string) => join(bench.directory, name);
  expect(readFileSync(at('victim'), 'utf8')).toBe('as it was\n');
  expect(readFileSync(at('out/attempts/1.output'), 'utf8')).toBe('printed\n');
  expect(lstatSync(at('out/attempts/2.jsonl')).isFile()).toBe(true);
  expect(existsSync(at('report.html'))).toBe(true);
});

/** Does something that nobody foresaw as soon as something is mutated. */
const PRELOAD = `const { existsSync } = require('node:fs');
const wait = setInterval(() => {
  if (!existsSync('level') && !existsSync('mode')) return;
  clearInterval(wait);
  if (process.env.BUG === 'rejection') Promise.reject(new Error('unforeseen'));
  else throw new Error('unforeseen');
}, 1).unref();
`;

test.each(['rejection', 'exception'])(
  'a %s that nobody handles resets first, and is told as a bug',
  async (kind) => {
    const bench = await openBench({ 'preload.cjs': PRELOAD });
    bench.env = { BUG: kind, NODE_OPTIONS: '--require ./preload.cjs' };
    const run = bench.start(FILE, '-s', bench.url, '--out', 'out', '--', 'sleep', '600');
    expect(await run.ended).toBe(3);
    expect(bench.active.size).toBe(0);
    expect(run.stderr()).toContain(
      'perturb: internal error: resetting\nperturb: continue with perturb objective run --resume out\nperturb: internal error: unforeseen\nThis is a bug in Perturb',
    );
    // Nobody has interrupted it.
    expect(bench.journal().at(-1)).toMatchObject({ step: 'end', reason: 'error' });
  },
);
