import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Bench, OBJECTIVE, openBench, withoutProgress } from './bench.js';

const FILE = 'level.objective.toml';
const TWO = OBJECTIVE.replace('attempts = 12', 'attempts = 2').replace('< 70', '< 1000');

function run(bench: Bench, script: string, ...flags: readonly string[]) {
  const baseline = flags.includes('--baseline') ? [] : ['--baseline', '1'];
  return bench.run(
    ...[FILE, '-s', bench.url, '--out', 'out', ...baseline, ...flags],
    ...['--', 'sh', '-c', script],
  );
}

test('before the first attempt the command runs without mutations', async () => {
  const bench = await openBench({ [FILE]: TWO });
  const script = `echo "$PERTURB_ATTEMPT $PERTURB_PLAN" >> plans; ls level mode >> plans 2>/dev/null; sh system.sh`;
  const { code, stdout } = await run(bench, script, '--baseline', '2');
  expect(stdout).toContain('baseline   2 passed\n');
  expect(code).toBe(0);
  const plans = readFileSync(join(bench.directory, 'plans'), 'utf8').split('\n');
  expect(plans.slice(0, 2)).toEqual(['0 []', '0 []']);
  expect(plans[2]).toMatch(/^1 \[\{"server"/);
  const session = readFileSync(join(bench.directory, 'out/attempts/baseline-2.jsonl'), 'utf8');
  expect(session).toContain('"level"');
  expect(session).not.toContain('perturb.injected');
  expect(bench.journal().filter(({ step }) => step === 'measured')).toHaveLength(4);
});

test('a command that fails without mutations ends the run, and with it mended the run goes on', async () => {
  const bench = await openBench({ [FILE]: TWO });
  const script = 'sh system.sh; [ -e mended ] || { echo no disk >&2; exit 3; }';
  const { code, stdout, stderr } = await run(bench, script);
  const why =
    'the system fails without mutations: the command exited with status 3: no disk; its output is in attempts/baseline-1.output';
  expect(stdout).toContain(`ended      ${why}\n`);
  expect(withoutProgress(stderr)).toBe(
    `perturb: ${why}\nperturb: continue with perturb objective run --resume out\n`,
  );
  expect(code).toBe(4);
  expect(bench.changes).toEqual([]);
  expect((await bench.run('--resume', 'out')).code).toBe(4);
  await bench.run(FILE, '-s', bench.url, '--', 'touch', 'mended');
  const mended = await bench.run('--resume', 'out');
  expect(mended.stdout).toContain('attempts   2: 2 passed');
  expect(mended.stdout).toContain('baseline   1 passed\n');
  expect(mended.code).toBe(0);
});

test('a measurement that fails without mutations ends the run', async () => {
  const bench = await openBench({ [FILE]: TWO.replace('< 1000', '< 0') });
  const { code, stderr } = await run(bench, 'sh system.sh');
  expect(stderr).toContain('perturb: the system fails without mutations: "low" failed\n');
  expect(code).toBe(4);
});

test('what speaks of mutations, or matches nothing, is not tested by the baseline', async () => {
  const more = `[[measurement]]
name = "mutated"
check = "MATCH (name = 'perturb.injected') AS mutation, (name = 'end') AS end WHEN mutation -> end"
[[measurement]]
name = "crash"
check = "MATCH (name = 'crash') AS crash AGGREGATE count() = 1"
[stopping_conditions]`;
  const bench = await openBench({ [FILE]: TWO.replace('[stopping_conditions]', more) });
  const { code, stdout } = await run(bench, 'sh system.sh');
  expect(stdout).toContain('baseline   1 passed; not tested by the baseline: mutated, crash\n');
  expect(stdout).toContain('attempts   2: ');
  expect(code).toBe(1);
});

test('an inconclusive baseline ends the run with the reason, and is made again when the run goes on', async () => {
  const bench = await openBench({ [FILE]: TWO });
  const script = '[ $PERTURB_ATTEMPT = 0 ] && [ ! -e mended ] && exit 125; exec sh system.sh';
  const { code, stdout, stderr } = await run(bench, script);
  const why = 'the baseline is inconclusive: the command exited with status 125 (inconclusive)';
  expect(stdout).toContain(`ended      ${why}\n`);
  expect(withoutProgress(stderr)).toBe(
    `perturb: ${why}\nperturb: continue with perturb objective run --resume out; --baseline 0 starts a run without a baseline\n`,
  );
  expect(code).toBe(4);
  expect(bench.changes).toEqual([]);
  writeFileSync(join(bench.directory, 'mended'), '');
  const mended = await bench.run('--resume', 'out');
  expect(mended.stdout).toContain('baseline   1 passed\n');
  expect(mended.stdout).toContain('attempts   2: 2 passed');
  expect(mended.code).toBe(0);
});

test('--baseline 0 makes attempts although a baseline would be inconclusive', async () => {
  const bench = await openBench({ [FILE]: TWO });
  const script = '[ $PERTURB_ATTEMPT = 0 ] && exit 125; exec sh system.sh';
  const { code, stdout } = await run(bench, script, '--baseline', '0');
  expect(stdout).toContain('attempts   2: 2 passed');
  expect(code).toBe(0);
});

test('what says nothing without mutations has not failed in shrinking either', async () => {
  const more = `[[measurement]]
name = "after a mutation"
check = "MATCH (name = 'perturb.injected') AS mutation, (name = 'end') AS end WHEN mutation -> end"
[stopping_conditions]`;
  const objective = OBJECTIVE.replace('[stopping_conditions]', more).replace('= 12', '= 6');
  const bench = await openBench({ [FILE]: objective });
  const { stdout } = await run(bench, 'sh system.sh', '--shrink');
  expect(stdout).toMatch(/^low +\d+ +[1-9]\d* +0 +[1-9]\d*$/m);
  expect(stdout).toMatch(/^after a mutation +6 +0 +0 +0$/m);
});

test('a command that cannot be started ends the run at once', async () => {
  const bench = await openBench({ [FILE]: TWO });
  const { code, stderr } = await bench.run(
    ...[FILE, '-s', bench.url, '--baseline', '1', '--', './missing'],
  );
  expect(stderr).toContain(
    'the system fails without mutations: the command "./missing" could not be started: program not found',
  );
  expect(code).toBe(4);
  expect(bench.changes).toEqual([]);
});

test('a run that is killed within the baseline makes it anew', async () => {
  const bench = await openBench({ [FILE]: TWO });
  const script = '[ -e once ] && exec sh system.sh; touch once; sleep 600';
  const killed = bench.start(
    ...[FILE, '-s', bench.url, '--out', 'out', '--baseline', '1', '--', 'sh', '-c', script],
  );
  await expect.poll(() => existsSync(join(bench.directory, 'once'))).toBe(true);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const { stdout } = await bench.run('--resume', 'out');
  expect(stdout).toContain('baseline   1 passed\n');
  expect(stdout).toContain('attempts   2: 2 passed');
});

test('shrinking finds out that a set fails without it', async () => {
  const bench = await openBench({ [FILE]: TWO });
  const { stdout } = await run(bench, 'sh system.sh; exit 1', '--baseline', '0', '--shrink');
  expect(stdout).toMatch(
    /attempt 1 {2}the command fails without mutations: 12 of 12 times, 100 % \(75\.8 to 100 %\)/,
  );
});
