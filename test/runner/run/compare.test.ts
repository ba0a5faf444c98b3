import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perturb } from '../../cli/program.js';
import { openBench } from './bench.js';

/** A command that is the system, with what a version of it does in addition. */
const system = (more = '') => ['--', 'sh', '-c', `${more} exec sh system.sh`];
const PANIC = `printf '{"probe":"LOG","name":"panic","seq":0}\\n' >> "$PERTURB_SESSION";`;

test('two runs are compared from their directories alone', async () => {
  const bench = await openBench();
  const { directory, url } = bench;
  const run = (out: string, command: readonly string[], ...more: readonly string[]) =>
    bench.run('level.objective.toml', '-s', url, '--out', out, ...more, ...command);
  await run('.perturb/runs/level-1', system(), '--seed', '3');
  await run('.perturb/runs/level-2', system(PANIC), '--seed', '4');
  const compare = (...args: readonly string[]) =>
    perturb(['runs', 'compare', ...args], { cwd: directory });

  const { code, stdout, stderr } = await compare('level-1', 'last');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^B differs: event "panic" is new, in \d+ of \d+ attempts \(p .*, corrected\); nothing else differs\.$/m,
  );
  expect(stdout).toMatch(/^A {2}\.perturb\/runs\/level-1: level, \d+ compared/m);
  expect(stdout).toContain('with different seeds');
  expect((await compare('level-1', 'level-2', '--fail-on', 'regression')).code).toBe(0);
  expect((await compare('level-1', 'level-2', '--fail-on', 'difference')).code).toBe(1);
  // The other way, an event is gone.
  const back = await compare('level-2', 'level-1', '--fail-on', 'regression', '-f', 'json');
  expect(back.code).toBe(1);
  const { verdict, differences } = JSON.parse(back.stdout);
  expect(verdict).toBe('worse');
  expect(differences[0]).toMatchObject({
    ...{ kind: 'event', name: 'panic', b: { count: 0 }, found: true, tendency: 'worse' },
  });

  const written = await compare('level-1', 'level-2', '--format', 'markdown=comparison.md');
  expect(written.stdout).toBe(stdout.replaceAll('last', 'level-2'));
  expect(readFileSync(join(directory, 'comparison.md'), 'utf8')).toMatch(/^\*\*B differs: /);

  // The runs have no baseline attempts.
  const none = await compare('level-1', 'level-2', '--baseline', '--fail-on', 'regression');
  expect(none.code).toBe(4);
  expect(none.stdout).toContain('A and B cannot be compared: A or B has no baseline attempts');

  rmSync(join(directory, '.perturb/runs/level-2/attempts/1.jsonl'));
  const missing = await compare('level-1', 'level-2');
  expect(missing.stdout).toContain('event names: 1 session of B missing\n');
});

test('what is not two runs is refused', async () => {
  const bench = await openBench();
  const { directory, url } = bench;
  await bench.run(
    'level.objective.toml',
    '-s',
    url,
    '--out',
    'one',
    '--attempts',
    '1',
    ...system(),
  );
  const compare = (...args: readonly string[]) =>
    perturb(['runs', 'compare', ...args], { cwd: directory });
  expect(await compare('one', './one')).toMatchObject({
    code: 2,
    stderr: 'perturb: A and B are the same run, one\n',
  });
  expect((await compare('one', 'two')).code).toBe(2);
  expect((await compare('one')).stderr).toContain("missing required argument 'after'");
  const last = await compare('one', 'last');
  expect([last.code, last.stderr]).toEqual([
    2,
    "perturb: there is no run in .perturb/runs\nPass the run's directory.\n",
  ]);
});
