import { expect, test } from 'vitest';
import { type Bench, OBJECTIVE, openBench } from './bench.js';

/* `--repeat auto`: how often a set fails that failed, or came close to it. */

const FILE = 'level.objective.toml';
const ONE_SET = `[[mutator]]
name = "level"
[[mutator.param_constraints]]
name = "value"
range = [100, 100]
`;
const limited = (bound: number, attempts: number) =>
  OBJECTIVE.replace('< 70', `< ${bound}`).replace('= 12', `= ${attempts}`) + ONE_SET;

/** Writes the level, and more of it in the runs that are listed, the baseline not counted. */
const FLAKY = (more: string) => `#!/bin/sh
[ "$PERTURB_ATTEMPT" = 0 ] || echo x >> runs
value=$(cat level 2>/dev/null || echo 0)
n=$(cat runs 2>/dev/null | wc -l)
case " ${more} " in *" $n "*) value=$((value + 10));; esac
printf '{"probe":"SYSTEM","name":"level","seq":0,"attributes":{"value":%s}}\\n' "$value" >> "$PERTURB_SESSION"
`;

const run = (bench: Bench) => [
  ...[FILE, '-s', bench.url, '--out', 'out', '--baseline', '2', '--repeat', 'auto'],
  ...['--', 'sh', 'system.sh'],
];

test('a set that failed is repeated until it is clear that it does so often, and counts once', async () => {
  const bench = await openBench({ [FILE]: limited(70, 2) });
  const { code, stdout, stderr } = await bench.run(...run(bench));
  expect(code).toBe(1);
  expect(stderr).toContain('perturb: attempt 2, which repeats 1, failed: low\n');
  expect(stdout).toContain('attempts   2: 0 passed, 2 failed, 0 skipped, 0 inconclusive');
  expect(stdout).toContain(
    'the set of attempt 1 fails 2 of 2 times, 100 % (34.2 to 100 %); 0 of 2 without mutations, 0 % (0 to 65.8 %)\n',
  );
  const json = JSON.parse((await bench.run('--resume', 'out', '--format', 'json')).stdout);
  expect(json.summary).toMatchObject({ attempts: 2, failed: 2 });
  expect(json.repeated).toMatchObject([
    { attempt: 1, tried: 2, failed: 2, verdict: 'often', interval: [0.3424, 1].map(near) },
    { attempt: 4, tried: 2, failed: 2, verdict: 'often' },
  ]);
  expect(json.repeats.map(({ attempt, repeats }: never) => [attempt, repeats])).toEqual([
    [2, 1],
    [3, 1],
    [5, 4],
    [6, 4],
  ]);
});

const near = (value: number) => expect.closeTo(value, 3);

test('a failure that does not come again is told as one by chance, and is a failure', async () => {
  const bench = await openBench({ [FILE]: limited(110, 1), 'system.sh': FLAKY('1') });
  const { code, stdout } = await bench.run(...run(bench));
  expect(code).toBe(1);
  expect(stdout).toContain(
    'the set of attempt 1 fails 0 of 5 times, 0 % (0 to 43.4 %); 0 of 2 without mutations, 0 % (0 to 65.8 %), rarely or by chance\n',
  );
});

test('a set that came close to failing is repeated, and its attempt fails if a repetition does', async () => {
  const bench = await openBench({ [FILE]: limited(104, 1), 'system.sh': FLAKY('3 5') });
  const { code, stdout } = await bench.run(...run(bench));
  expect(code).toBe(1);
  expect(stdout).toContain('attempts   1: 0 passed, 1 failed, 0 skipped, 0 inconclusive');
  expect(stdout).toContain('the set of attempt 1 fails 2 of 4 times, 50 % (15 to 85 %)');
  expect(stdout).toContain('to repeat: perturb runs replay out --attempt 3\n');
  const json = JSON.parse((await bench.run('--resume', 'out', '--format', 'json')).stdout);
  expect(json.repeats.map(({ attempt }: { attempt: number }) => attempt)).toEqual([2, 1, 3, 4, 5]);
  const far = await openBench({ [FILE]: limited(140, 2) });
  await far.run(...run(far));
  expect(far.journal().filter(({ step, repeats }) => step === 'attempt' && repeats)).toEqual([]);
});

test('a run that is killed while it repeats goes on with the next repetition', async () => {
  const bench = await openBench({ [FILE]: limited(104, 2) });
  const started = bench.start(...run(bench));
  const made = () => bench.journal().filter(({ step }) => step === 'measured').length;
  await expect.poll(made, { timeout: 120_000, interval: 5 }).toBeGreaterThan(4);
  started.child.kill('SIGKILL');
  await started.ended;
  const { stdout } = await bench.run('--resume', 'out');
  expect(stdout).toContain('attempts   2: 2 passed, 0 failed, 0 skipped, 0 inconclusive');
  for (const attempt of [1, 7]) {
    expect(stdout).toContain(`the set of attempt ${attempt} fails 0 of 5 times`);
  }
  const measured = bench.journal().filter(({ step }) => step === 'measured');
  expect(measured.map(({ n }) => n).slice(2)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});
