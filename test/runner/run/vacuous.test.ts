import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeVacuity, runVacuities } from '../../../src/results/index.js';
import { type DoneAttempt, stateOf } from '../../../src/runner/index.js';
import { perturb } from '../../cli/program.js';
import { OBJECTIVE, openBench } from './bench.js';

/* What a run says of measurements that say nothing about the system, and what `baseline()` reads. */

const FILE = 'level.objective.toml';

const checking = (check: string) =>
  OBJECTIVE.replace('attempts = 12', 'attempts = 2').replace(/check = .*/, `check = "${check}"`);

const MISSPELT = checking("MATCH (name = 'levle') AS a AGGREGATE count() = 0");

const WHY = 'perturb: a measurement is vacuous, and --fail-vacuous is set\n';
const SAID =
  'low is vacuous: no event matched `levle` in the baseline or in any of 2 attempts; did you mean `level`?\n';

const run = (...flags: readonly string[]) => [
  ...[FILE, '--out', 'out', '--baseline', '1', ...flags],
  ...['--', 'sh', 'system.sh'],
];

test('a misspelt name is told once over all attempts, and fails the run where that is asked for', async () => {
  const bench = await openBench({ [FILE]: MISSPELT });
  const allowed = await bench.run(...run('-s', bench.url));
  expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining(SAID) });
  const warning =
    /^level\.objective\.toml:\d+:\d+: warning recorded\/unknown-name: .*; did you mean "level"\?$/m;
  expect(allowed.stdout).toMatch(warning);
  const shown = await bench.run('--resume', 'out', '--format', 'json');
  expect(JSON.parse(shown.stdout)).toMatchObject({
    findings: [{ rule: 'recorded/unknown-name' }],
    vacuous: [{ measurement: 'low', labels: [{ label: 'a', names: ['levle'], near: 'level' }] }],
    attempts: [{ measurements: [{ vacuous: true }] }, { measurements: [{ vacuous: true }] }],
  });
  const report = await bench.run('--resume', 'out', '--format', 'html');
  expect(report.stdout).toContain('>Nothing failed in 2 attempts; &quot;low&quot; is vacuous.<');
  const junit = await bench.run('--resume', 'out', '--format', 'junit');
  expect(junit.stdout.match(/<property name="vacuous" value="low"\/>/g)).toHaveLength(2);

  // Asked for only once it has ended, too.
  const late = await bench.run('--resume', 'out', '--fail-vacuous', '--format', 'html');
  expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining(WHY) });
  expect(late.stdout).toContain('>Failed because &quot;low&quot; is vacuous.<');

  const failing = await openBench({ [FILE]: MISSPELT });
  const failed = await failing.run(...run('-s', failing.url, '--fail-vacuous'));
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(WHY) });
  expect((await failing.run('--resume', 'out')).code).toBe(1);
  const failures = await failing.run('--resume', 'out', '--format', 'junit');
  expect(failures.stdout).toContain('<testsuite name="level" tests="5" failures="1"');
  expect(failures.stdout).toContain('name="tested: low"');
  expect(failures.stdout).toContain('name="checked: low"');
  expect(failures.stdout).toMatch(
    /<failure type="vacuous" message="no event matched `levle` in the b/,
  );
  const set = await openBench({ [FILE]: MISSPELT });
  writeFileSync(join(set.directory, 'perturb.toml'), '[measure]\nvacuous = "fail"\n');
  expect((await set.run(...run('-s', set.url))).code).toBe(1);
});

test('of a measurement that is vacuous throughout, only the labels are named that never matched', () => {
  const attempt = (n: number, ...labels: readonly string[]): DoneAttempt => ({
    ...{ n, plan: [] },
    result: {
      ...{ step: 'measured', n, outcome: 'passed', reasons: [], ms: 1, events: 1 },
      measurements: [
        {
          ...{ name: 'low', shouldPass: true, status: 'holds', vacuous: true },
          unmatched: labels.map((label) => ({ label, names: [label] })),
        },
      ],
    },
  });
  const attempts = [attempt(1, 'a', 'b'), attempt(2, 'b')];
  const state = { ...stateOf([]), attempts };
  expect(runVacuities(state).flatMap(describeVacuity)).toEqual([
    'no event matched `b` in any of 2 attempts',
  ]);
});

test('a name that several labels ask for is named once', () => {
  const labels = ['a', 'b'].map((label) => ({ label, names: ['x'] }));
  const measurement = { name: 'm', labels, operands: [], where: '', among: '', reason: 'nothing' };
  expect(describeVacuity(measurement)).toEqual(['no event matched `x`']);
});

test('what matches in one attempt is not vacuous, nor what good sessions rightly lack', async () => {
  const bench = await openBench({ [FILE]: MISSPELT });
  const once = 'sh system.sh; [ "$PERTURB_ATTEMPT" != 2 ] || echo \'{"probe":"S","name":"levle"}\'';
  const script = `${once} >> "$PERTURB_SESSION"`;
  const flags = [FILE, '-s', bench.url, '--out', 'out', '--fail-vacuous'];
  const { code, stdout } = await bench.run(...flags, '--', 'sh', '-c', script);
  expect(stdout).not.toContain('vacuous');
  expect(stdout).toContain('attempts   2: 1 passed, 1 failed');
  expect(code).toBe(1);

  const lacking = await openBench({ [FILE]: MISSPELT });
  writeFileSync(join(lacking.directory, 'perturb.toml'), '[recorded]\nexpected = ["levle"]\n');
  const passed = await lacking.run(...run('-s', lacking.url, '--fail-vacuous'));
  expect(passed.stdout).not.toContain('vacuous');
  expect(passed.code).toBe(0);
});

const AS_BEFORE = checking(
  "MATCH (name = 'level') AS a AGGREGATE count() <= 2 * baseline(count())",
);

test('baseline() reads the sessions that were recorded without mutations', async () => {
  const bench = await openBench({ [FILE]: AS_BEFORE });
  const { code, stdout } = await bench.run(...run('-s', bench.url));
  expect(stdout).toContain('baseline   1 passed\n');
  expect({ code, table: stdout.includes('low          2       0       0') }).toEqual({
    code: 0,
    table: true,
  });
});

test('a replay makes a baseline of its own where a check asks for one', async () => {
  for (const [objective, baselines] of [
    [AS_BEFORE, 1],
    [MISSPELT, 0],
  ] as const) {
    const bench = await openBench({ [FILE]: objective });
    await bench.run(...run('-s', bench.url));
    const replay = ['runs', 'replay', 'out', '--attempt', '2', '--format', 'json'];
    const { stdout } = await perturb(replay, { cwd: bench.directory });
    const shown = JSON.parse(stdout);
    expect(shown.baselines).toHaveLength(baselines);
    expect(shown.summary).toMatchObject({ attempts: 1, passed: 1 });
  }
});

test.each(['true', 'mkfifo $path'])(
  'a session of the baseline that is gone leaves undecided what reads it: %s',
  async (planted) => {
    const bench = await openBench({ [FILE]: AS_BEFORE });
    const script = `path=out/attempts/baseline-1.jsonl; [ ! -f $path ] || { rm $path; ${planted}; }; exec sh system.sh`;
    const flags = [FILE, '-s', bench.url, '--out', 'out', '--baseline', '1', '--attempts', '1'];
    const { code, stdout } = await bench.run(...flags, '--', 'sh', '-c', script);
    expect(stdout).toContain('ten attempts in a row were inconclusive');
    expect(stdout).toContain('low: baseline');
    expect(code).toBe(4);
  },
);
