import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { perturb } from '../../cli/program.js';
import { openBench, withoutProgress } from './bench.js';

/* Mutations that begin and end at planned times, with real commands. */

const OBJECTIVE = `name = "timed"
[[mutator]]
name = "level"
[[measurement]]
name = "well again"
check = """
MATCH (name = 'perturb.reset' AND mutator.name = 'level' AND reason = 'duration') AS reset,
  (name = 'value' AND value = 0) AS well
WHEN reset -> well
"""
[stopping_conditions]
attempts = 1
`;

/** Writes a value during and after the mutation of a mutator, which is not reset before it was seen. */
const FOLLOW = `
emit() { echo "{\\"probe\\":\\"S\\",\\"name\\":\\"value\\",\\"time\\":$(date +%s%N),\\"attributes\\":{\\"value\\":$1}}" >> "$PERTURB_SESSION"; }
follow() {
  until [ -f $1 ]; do sleep 0.01; done
  emit 1
  touch seen-$1
  while [ -f $1 ]; do sleep 0.01; done
  emit 0
}
`;
const UNTIL_RESET = `${FOLLOW}follow level\n`;

async function timed(timing: string, script = UNTIL_RESET, objective = OBJECTIVE) {
  const bench = await openBench({ 'x.toml': objective, 'system.sh': script });
  writeFileSync(
    join(bench.directory, 'perturb.toml'),
    `[servers.bench]\nurl = "${bench.url}"\n${timing}\n`,
  );
  bench.answer = async (change) => {
    const [method, id = ''] = change.split(' ');
    const seen = join(bench.directory, `seen-${id}`);
    if (method !== 'DELETE' || !bench.active.has(id)) return undefined;
    while (!existsSync(seen)) await pause(5);
    rmSync(seen);
    return undefined;
  };
  const run = async (...flags: readonly string[]) => {
    const args = ['x.toml', '--out', 'out', '--format', 'json', ...flags, '--', 'sh', 'system.sh'];
    const { code, stdout, stderr } = await bench.run(...args);
    return { code, stderr: withoutProgress(stderr), result: JSON.parse(stdout || 'null') };
  };
  const events = (n = 1) =>
    readFileSync(join(bench.directory, `out/attempts/${n}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
  return { bench, run, events };
}

const TIMING = `[run.timing]\nonset = ["100ms", "300ms"]\nduration = ["50ms", "200ms"]\n`;

test('a fault begins and ends while the command goes on, and the system is well again after it', async () => {
  const { bench, run, events } = await timed(TIMING);
  const formats = ['--format', 'junit=junit.xml', '--report', 'report.html'];
  const { code, result, stderr } = await run(...formats);
  const [attempt] = result.attempts;
  expect([code, attempt.outcome, attempt.reasons, stderr]).toEqual([0, 'passed', [], '']);
  const [{ timing }] = attempt.set;
  const text = (name: string) => readFileSync(join(bench.directory, name), 'utf8');
  const words = `after ${timing.onset_ms}ms for ${timing.duration_ms}ms`;
  expect([text('junit.xml'), text('report.html')]).toEqual([
    expect.stringContaining(words),
    expect.stringContaining(words),
  ]);
  expect(text('report.html')).toMatch(/level timing\.onset,\u00a0ms/);
  expect(timing.onset_ms).toBeGreaterThanOrEqual(100);
  expect(timing.onset_ms).toBeLessThanOrEqual(300);
  expect(timing.duration_ms).toBeGreaterThanOrEqual(50);
  expect(timing.duration_ms).toBeLessThanOrEqual(200);
  const found = events();
  const values = found.flatMap(({ attributes }) => attributes.value ?? []);
  expect(values).toEqual([1, 0]);
  const own = found.filter(({ name }) => name === 'perturb.injected' || name === 'perturb.reset');
  for (const { attributes } of own) {
    expect(attributes).toMatchObject({
      'mutator.timing.onset': { Nanoseconds: timing.onset_ms * 1_000_000 },
      'mutator.timing.duration': { Nanoseconds: timing.duration_ms * 1_000_000 },
    });
  }
  expect(own.map(({ attributes }) => attributes.reason)).toEqual([undefined, 'duration']);
  // Reset again at the end, like every mutator of a set.
  expect(bench.changes).toEqual(['POST level', 'DELETE level', 'DELETE level']);
});

test('faults one after another: the second waits for the end of the first', async () => {
  const both = OBJECTIVE.replace(
    '[[measurement]]',
    `[[mutator]]
name = "mode"
mutation_precondition = "MATCH (name = 'perturb.reset' AND mutator.name = 'level') AS reset"
[mutation_constraints]
max_concurrent_mutations = 2
[[measurement]]
name = "in sequence"
check = """
MATCH (name = 'perturb.reset' AND mutator.name = 'level') AS first,
  (name = 'perturb.injected' AND mutator.name = 'mode') AS second
WHEN first -> second
"""
[[measurement]]`,
  );
  const script = `${UNTIL_RESET}follow mode\n`;
  const timing = `[run.timing]\nduration = "100ms"\n[run.timing.mode]\nonset = "50ms"\n`;
  const { bench, run } = await timed(timing, script, both);
  // A set of both: the other sets never come to an end of their command.
  const plan = JSON.parse((await bench.run('x.toml', '--plan', '--format', 'json')).stdout).sets;
  const number = plan.findIndex((set: unknown[]) => set.length === 2);
  expect(number).toBe(0);
  const { result } = await run();
  const [attempt] = result.attempts;
  expect(attempt.set.map(({ timing: one }: { timing: object }) => one)).toEqual([
    { duration_ms: 100 },
    { onset_ms: 50, duration_ms: 100 },
  ]);
  expect([attempt.outcome, attempt.reasons]).toEqual(['passed', []]);
  expect(bench.changes.slice(0, 4)).toEqual([
    ...['POST level', 'DELETE level', 'POST mode', 'DELETE mode'],
  ]);
});

test('an attempt that is over before an onset has judged nothing', async () => {
  const once = OBJECTIVE.replace('attempts = 1', 'time = "1ms"');
  const { bench, run } = await timed('[run.timing]\nonset = "20s"\n', `${FOLLOW}emit 0\n`, once);
  const { code, result } = await run();
  const [{ outcome, reasons }] = result.attempts;
  expect([code, outcome, reasons]).toEqual([
    ...[4, 'skipped', ['the attempt ended before the onset of level']],
  ]);
  expect(bench.changes).toEqual(['DELETE level']);
});

test('a planned end that cannot be reset ends the run like any other reset that fails', async () => {
  const { bench, run } = await timed('[run.timing]\nduration = "50ms"\n');
  bench.answer = (change) => (change.startsWith('DELETE') ? 500 : undefined);
  const { code, result, stderr } = await run();
  expect([
    code,
    result.attempts,
    result.in_force.map(({ name }: { name: string }) => name),
  ]).toEqual([4, [], ['level']]);
  expect(stderr).toContain(
    'These mutators may still be active:\n  perturb mutators reset level --server bench\n',
  );
  expect(result.end.reason).toBe('reset-failed');
});

test.each([
  ['onset = ["0s", "40s"]', 'an onset of up to 40s'],
  ['onset = "30s"', 'an onset of up to 30s'],
  ['duration = "31s"', 'a duration of up to 31s'],
  [
    'onset = ["1s", "10s"]\nduration = ["1s", "25s"]',
    'an onset of up to 10s and a duration of up to 25s',
  ],
  ['[run.timing.level]\nonset = "40s"', 'an onset of up to 40s'],
])(
  'what an attempt has no time for is refused before anything starts: %s',
  async (timing, what) => {
    const { bench, run } = await timed(`[run.timing]\n${timing}\n`);
    for (const flags of [[], ['--plan']]) {
      const { code, stderr } = await run(...flags);
      expect([code, stderr]).toEqual([
        2,
        `perturb: perturb.toml: [run.timing]: ${what} for mutator "level" exceeds the duration of an attempt, 30s\nShorten the onset or duration, or lengthen attempts with --attempt-time.\n`,
      ]);
    }
    expect([bench.changes, existsSync(join(bench.directory, 'out'))]).toEqual([[], false]);
    expect((await run('--plan', '--attempt-time', '1min')).code).toBe(0);
  },
);

test('a replay keeps the timing of its attempt', async () => {
  const { bench, run } = await timed(TIMING);
  const { result } = await run();
  const [{ set }] = result.attempts;
  writeFileSync(
    join(bench.directory, 'perturb.toml'),
    `[servers.bench]\nurl = "${bench.url}"\n[run.timing]\nonset = "29s"\n`,
  );
  const replay = ['runs', 'replay', 'out', '--attempt', '1', '--format', 'json', '--out', 'again'];
  const again = await perturb(replay, { cwd: bench.directory });
  const [repeated] = JSON.parse(again.stdout).attempts;
  expect([again.code, repeated.set, repeated.outcome]).toEqual([0, set, 'passed']);
  const planned = (out: string) =>
    bench.journal(out).find(({ step }) => step === 'attempt')?.['plan'];
  expect(planned('again')).toEqual(planned('out'));
  const { timing } = set[0];
  const shown = await perturb(['runs', 'show', 'out', '--attempt', '1'], { cwd: bench.directory });
  expect(shown.stdout).toMatch(
    new RegExp(`level value=\\d+ after ${timing.onset_ms}ms for ${timing.duration_ms}ms`),
  );
});

test('a resumed run repeats the interrupted attempt with its timing', async () => {
  const { bench, events } = await timed(TIMING);
  const { child, ended } = bench.start('x.toml', '--out', 'out', '--', 'sh', 'system.sh');
  const attempts = () => bench.journal().filter(({ step }) => step === 'attempt');
  while (attempts().length === 0) await pause(5);
  child.kill('SIGKILL');
  await ended;
  const [{ plan } = {}] = attempts();
  writeFileSync(
    join(bench.directory, 'perturb.toml'),
    `[servers.bench]\nurl = "${bench.url}"\n[run.timing]\nonset = "29s"\n`,
  );
  const { code, stdout } = await bench.run('--resume', 'out', '--format', 'json');
  const [attempt] = JSON.parse(stdout).attempts;
  expect([code, attempt.outcome, attempts()]).toEqual([
    0,
    'passed',
    [expect.objectContaining({ n: 1, plan })],
  ]);
  expect(events().filter(({ name }) => name === 'perturb.reset')).toHaveLength(1);
});

test('a table for a mutator that the objective does not use, or the catalog lacks, is a warning', async () => {
  const levle = '[run.timing.levle]\nonset = "1s"\n[run.timing."level@S"]\n';
  const { bench, run } = await timed(`${TIMING}${levle}`);
  const { code, stderr } = await run();
  const warning = (of: string, name: string) =>
    `warning[config/unknown-mutator]: ${of} has no mutator "${name}"\n`;
  expect(code).toBe(0);
  expect(stderr).toContain(warning('the objective', 'levle'));
  expect(stderr).toContain('╰─ help: did you mean "level"?\n');
  expect(stderr).toContain(warning('the objective', 'level@S'));
  writeFileSync(join(bench.directory, 'listing.json'), bench.listing);
  const lint = ['objective', 'lint', 'x.toml', '--mutators', 'listing.json'];
  const linted = await perturb(lint, { cwd: bench.directory });
  expect(linted.stderr).toContain(warning('the catalog', 'levle'));
});
