import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checksum } from '../../../src/durable/index.js';
import { perturb } from '../../cli/program.js';
import { type Bench, openBench, withoutProgress } from './bench.js';

const FILE = 'level.objective.toml';
/** Fails where the mode is not c and the level is 70 or more. */
const COMMAND = ['--', 'sh', '-c', 'echo $PERTURB_ATTEMPT >> numbers; exec sh system.sh'];

async function benchWithRun(...more: readonly string[]): Promise<Bench> {
  const bench = await openBench();
  await bench.run(
    ...[FILE, '-s', bench.url, '--seed', '3', '--out', 'out', '--baseline', '0'],
    ...[...more, ...COMMAND],
  );
  return bench;
}

test('--attempts comes before the attempts of the objective', async () => {
  const bench = await benchWithRun('--attempts', '2');
  expect(bench.journal().filter(({ step }) => step === 'measured')).toHaveLength(2);
  expect((await bench.run('--resume', 'out')).stdout).toContain('attempts   2: ');
});

test('a run that is kept is listed, shown, reported and repeated', async () => {
  const bench = await benchWithRun();
  const { directory } = bench;
  const runs = (...args: readonly string[]) => perturb(['runs', ...args], { cwd: directory });
  const { code, stdout: shown } = await runs('show', 'out');
  expect(code).toBe(0);
  const [, attempt = ''] =
    /^to repeat: perturb runs replay out --attempt (\d+)(?: \(or .*\))?$/m.exec(shown) ?? [];

  const one = await runs('show', 'out', '--attempt', attempt);
  expect(one.stdout).toMatch(/^outcome +failed$/m);
  expect(one.stdout).toMatch(/^command +status 0$/m);
  expect(one.stdout).toMatch(/^low +failed +max\(level\.value\) < 70: \d+$/m);
  expect(one.stdout).toMatch(
    /\nlow\n {2}the binding with max\(level\.value\):\n {4}level: level SYSTEM #0, value \d+\n$/,
  );
  expect(one.stdout).toContain(`session    out/attempts/${attempt}.jsonl\n`);
  // The command has printed nothing.
  expect(one.stdout).not.toMatch(/^output/m);
  const json = JSON.parse(
    (await runs('show', 'out', '--attempt', attempt, '--format', 'json')).stdout,
  );
  expect(json).toMatchObject({
    attempt: Number(attempt),
    outcome: 'failed',
    command: { status: 0 },
    session: `out/attempts/${attempt}.jsonl`,
    repeat: `perturb runs replay out --attempt ${attempt}`,
  });
  expect(json).not.toHaveProperty('output');
  const [{ evidence }] = json.measurements;
  expect(evidence[0].binding.level.attributes).toEqual({
    name: 'level',
    value: expect.any(Number),
  });

  const before = readFileSync(join(directory, 'out/journal'), 'utf8');
  const replay = await runs('replay', 'out', '--attempt', attempt, '--times', '3');
  expect(withoutProgress(replay.stderr)).toBe('');
  expect(replay.stdout).toContain('3: 0 passed, 3 failed');
  expect(replay.code).toBe(1);
  const kept = `out-attempt-${attempt}`;
  const plans = bench.journal(kept).flatMap(({ step, plan }) => (step === 'attempt' ? [plan] : []));
  expect(plans).toEqual([json.set, json.set, json.set]);
  expect(readFileSync(join(directory, 'numbers'), 'utf8').split('\n').slice(-4, -1)).toEqual(
    Array(3).fill(attempt),
  );
  expect(bench.active.size).toBe(0);
  // The run that it repeats is as it was; a second replay has a directory of its own.
  expect(readFileSync(join(directory, 'out/journal'), 'utf8')).toBe(before);
  await runs('replay', 'out', '--attempt', attempt);
  expect(existsSync(join(directory, `${kept}-2/journal`))).toBe(true);

  const listed = JSON.parse((await runs('list', '.', '--format', 'json')).stdout).runs;
  expect(listed.map((run: { directory: string }) => run.directory)).toEqual([
    `${kept}-2`,
    kept,
    'out',
  ]);
  expect(listed[2]).toMatchObject({
    objective: 'level',
    attempts: 12,
    ended: 'attempt limit reached',
  });
  expect((await runs('list')).stdout).toBe('no runs in .perturb/runs\n');

  expect((await runs('report', 'out')).stdout).toBe('wrote out/report.html\n');
  expect((await runs('report', 'out', '-')).stdout).toBe(
    readFileSync(join(directory, 'out/report.html'), 'utf8'),
  );
  expect(readFileSync(join(directory, 'out/report.html'), 'utf8')).toContain(
    '<code>perturb runs replay out <span class="flag">--attempt ',
  );
});

test('a run within the second of another one is kept beside it', async () => {
  const bench = await openBench();
  // Whatever second of the next minutes the run begins in.
  const taken = Array.from({ length: 300 }, (_, second) => {
    const time = new Date(Date.now() + second * 1000).toISOString().replace(/[-:]|\.\d+Z/g, '');
    return `level-${time}`;
  });
  for (const name of taken)
    mkdirSync(join(bench.directory, '.perturb/runs', name), { recursive: true });
  const { stdout, code } = await bench.run(
    'level.objective.toml',
    '-s',
    bench.url,
    '--attempts',
    '1',
    '--',
    'sh',
    'system.sh',
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/kept in +\.perturb\/runs\/level-\d{8}T\d{6}-2$/m);
});

test('of a run whose journal is damaged the list says so, and nothing else', async () => {
  const bench = await benchWithRun('--attempts', '1');
  const path = join(bench.directory, 'out/journal');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"step":"run"', '"step":"ran"'));
  const list = (...more: readonly string[]) =>
    perturb(['runs', 'list', '.', ...more], { cwd: bench.directory });
  const ended = 'its journal is damaged';
  expect(JSON.parse((await list('--format', 'json')).stdout).runs).toEqual([
    { directory: 'out', ended },
  ]);
  expect((await list()).stdout).toMatch(/^out( +-){4} +its journal is damaged$/m);
});

test.each([
  ['a form', /^perturb-run 1/, 'perturb-run 2', 'format version 2'],
  [
    'a result',
    /"status":"[a-z]+"/,
    '"status":"missed"',
    'line 11: measurements[0].status must be "holds", "fails" or "undecided"',
  ],
  ['a step', '"step":"end"', '"step":"stopped"', 'line 12: unknown step "stopped"'],
])(
  '%s of another version is said to be, beside the runs that can be read',
  async (_, from, to, why) => {
    const bench = await benchWithRun('--attempts', '1');
    const path = join(bench.directory, 'out/journal');
    cpSync(join(bench.directory, 'out'), join(bench.directory, 'good'), { recursive: true });
    const text = readFileSync(path, 'utf8').replace(from, to);
    const sealed = text.replace(
      /^[0-9a-f]{8} (.*)$/gm,
      (_line, json) => `${checksum(json)} ${json}`,
    );
    writeFileSync(path, sealed);
    const shown = (...words: readonly string[]) => perturb(words, { cwd: bench.directory });
    const { stdout, code } = await shown('runs', 'list', '.');
    expect(stdout).toMatch(/^out( +-){4} +written by another version of Perturb$/m);
    expect(stdout).toMatch(/^good +level /m);
    expect(code).toBe(0);
    for (const words of [
      ['runs', 'show', 'out'],
      ['runs', 'report', 'out'],
      ['runs', 'replay', 'out', '--attempt', '1', '--out', 'again'],
      ['objective', 'run', '--resume', 'out'],
    ]) {
      expect(await shown(...words)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(
          `out/journal was written by another version of Perturb (${why}): continue with that version`,
        ),
      });
    }
  },
);

test('a run below .perturb/runs is found by its name, the start of it, or as the last', async () => {
  const bench = await benchWithRun('--attempts', '1');
  const { directory } = bench;
  const runs = join(directory, '.perturb/runs');
  const later = [FILE, '-s', bench.url, '--out', 'later', '--attempts', '1', ...COMMAND];
  await bench.run(...later);
  cpSync(join(directory, 'later'), join(runs, 'level-a'), { recursive: true });
  cpSync(join(directory, 'out'), join(runs, 'level-b'), { recursive: true });
  cpSync(join(directory, 'out'), join(runs, 'wind'), { recursive: true });
  mkdirSync(join(runs, 'wind-not-a-run'));
  const shown = async (word: string) => {
    const { code, stdout, stderr } = await perturb(['runs', 'show', word], { cwd: directory });
    return [code, /^kept in +(.*)$/m.exec(stdout)?.[1] ?? stderr.split('\n')[0]];
  };
  expect(await shown('last')).toEqual([0, '.perturb/runs/level-a']);
  expect(await shown('level-b')).toEqual([0, '.perturb/runs/level-b']);
  expect(await shown('wind')).toEqual([0, '.perturb/runs/wind']);
  expect(await shown('wind-n')).toEqual([
    2,
    'perturb: .perturb/runs/wind-not-a-run is not a run directory: perturb runs list shows the runs',
  ]);
  expect(await shown('out')).toEqual([0, 'out']);
  expect(await shown('lev')).toEqual([2, 'perturb: "lev" matches 2 runs: level-a, level-b']);
  expect(await shown('nope')).toEqual([
    2,
    'perturb: nope is not a run directory: perturb runs list shows the runs',
  ]);
});

test('a replay finds the servers where they are by now', async () => {
  const bench = await benchWithRun('--attempts', '1');
  const other = await openBench();
  await bench.stop();
  const { stdout } = await perturb(
    ['runs', 'replay', 'out', '--attempt', '1', '--server', other.url, '--out', 'again'],
    { cwd: bench.directory },
  );
  expect(stdout).toContain('attempts   1: ');
  expect(other.changes.length).toBeGreaterThan(0);
});

test('what cannot be shown or repeated is refused with what to do', async () => {
  const bench = await benchWithRun('--attempts', '1');
  const runs = (...args: readonly string[]) => perturb(['runs', ...args], { cwd: bench.directory });
  const none = await runs('show', 'nowhere');
  expect(none.stderr).toContain('nowhere is not a run directory: perturb runs list shows the runs');
  expect(none.code).toBe(2);
  const late = await runs('replay', 'out', '--attempt', '7');
  expect(late.stderr).toContain('the run has no attempt 7\nIts attempts are 1 to 1.');
  expect(late.code).toBe(2);
  const two = await runs('replay', 'out', '--attempt', '1', '-s', bench.url, '-s', 'other');
  expect(two.stderr).toContain('--server is used 2 times, but the run has 1 server');
  expect(two.code).toBe(2);
  const listing = JSON.parse(bench.listing);
  bench.listing = JSON.stringify(
    listing.map((one: object) => ({ ...one, mutator_correlation_id: 'other' })),
  );
  const gone = await runs('replay', 'out', '--attempt', '1');
  expect(gone.stderr).toContain(
    'attempt 1 cannot be repeated: the servers lack some of its mutators',
  );
  expect(gone.code).toBe(2);
});
