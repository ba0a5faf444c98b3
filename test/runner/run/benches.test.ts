import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { recordedSpace } from '../../../src/cli/objective/run/prepare.js';
import { createPlanner } from '../../../src/runner/attempt/stopping.js';
import { type RunRecord, stateOf, toPlan } from '../../../src/runner/index.js';
import { readJournal } from '../../../src/runner/journal/journal.js';
import { ownPort } from '../../adversary/harness/systems.js';
import { perturb } from '../../cli/program.js';
import { type Bench, OBJECTIVE, openBench, processesWith, withoutProgress } from './bench.js';

/* Attempts at several benches at the same time: `--bench`. */

const FILE = 'level.objective.toml';
const NAMES = ['a', 'b', 'c', 'd'] as const;

/** Each writes to the system of its bench. */
const AT_BENCH = ['--', 'sh', '-c', 'cd "$SYSTEM" && . ./system.sh'] as const;

/** Goes on once somebody says so. */
const WAITING = [
  '--',
  'sh',
  '-c',
  'cd "$SYSTEM" && until [ -e "$GATE" ]; do sleep 0.05; done; . ./system.sh',
] as const;

interface Benches {
  readonly all: readonly Bench[];
  /** Where the run is. */
  readonly home: Bench;
  readonly gate: string;
}

async function openBenches(count: number, objective = OBJECTIVE): Promise<Benches> {
  const all: Bench[] = [];
  for (let at = 0; at < count; at += 1) all.push(await openBench({ [FILE]: objective }));
  const [home] = all as [Bench];
  const gate = join(home.directory, 'gate');
  const tables = all.map(
    ({ url, directory }, at) =>
      `[benches.${NAMES[at]}]\nservers = ["${url}"]\nenv = { SYSTEM = "${directory}", GATE = "${gate}" }\n`,
  );
  writeFileSync(join(home.directory, 'perturb.toml'), tables.join(''));
  return { all, home, gate };
}

type Entry = Record<string, unknown>;

function entries(bench: Bench, step: string, out = 'out'): readonly Entry[] {
  return bench.journal(out).filter((one) => one['step'] === step);
}

/** Waits until something is so; the time of the test is all that it has. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(10);
}

test('each bench has its own servers, environment and baseline, and one journal has it all', async () => {
  const own = `${OBJECTIVE}[[measurement]]\nname = "own"\ncheck = "MATCH (name = 'end') AS end AGGREGATE count() <= baseline(count())"\n`;
  const { all, home } = await openBenches(2, own.replace('= 12', '= 6'));
  // The baseline of b has more ends than its attempts, that of a one fewer.
  const system = readFileSync(join(home.directory, 'system.sh'), 'utf8');
  const more = `${system}[ $PERTURB_BENCH = a ] || [ $PERTURB_ATTEMPT != 0 ] || echo '{"probe":"SYSTEM","name":"end","seq":2}' >> "$PERTURB_SESSION"\n[ $PERTURB_BENCH = b ] || [ $PERTURB_ATTEMPT = 0 ] || echo '{"probe":"SYSTEM","name":"end","seq":2}' >> "$PERTURB_SESSION"\n`;
  for (const { directory } of all) writeFileSync(join(directory, 'system.sh'), more);
  const { code, stdout } = await home.run(
    ...[FILE, '--bench', 'all', '--out', 'out', '--baseline', '1', '--format', 'json', ...AT_BENCH],
  );
  expect(code).toBe(1);
  const result = JSON.parse(stdout);
  expect(result.summary.attempts).toBe(6);
  expect(result.baselines.map((one: Entry) => one['bench']).sort()).toEqual(['a', 'b']);
  const at = (bench: string) => result.attempts.filter((one: Entry) => one['bench'] === bench);
  expect(at('a').length + at('b').length).toBe(6);
  for (const [bench, passed] of [
    ['a', false],
    ['b', true],
  ] as const) {
    for (const { measurements } of at(bench)) {
      expect(measurements.find((one: Entry) => one['name'] === 'own').passed).toBe(passed);
    }
  }
  for (const [number, bench] of all.entries()) {
    const injected = entries(home, 'attempt').filter((one) => one['bench'] === NAMES[number]);
    const posts = bench.changes.filter((one) => one.startsWith('POST'));
    const sets = injected.flatMap(({ plan }) => plan as readonly unknown[]);
    expect(posts.length).toBe(sets.length);
    expect(bench.active.size).toBe(0);
  }
});

test('attempts are made at all benches at the same time, and no more than are asked for', async () => {
  const { home } = await openBenches(4, OBJECTIVE.replace('= 12', '= 10'));
  // Each waits until four are there; the last two, until all are.
  const meeting = join(home.directory, 'meeting');
  const together = `echo x >> ${meeting}; n=$(($PERTURB_ATTEMPT > 8 ? 10 : ($PERTURB_ATTEMPT + 3) / 4 * 4)); until [ $(wc -l < ${meeting}) -ge $n ]; do sleep 0.05; done; cd "$SYSTEM" && . ./system.sh`;
  const { stdout } = await home.run(
    ...[FILE, '--bench', 'all', '--out', 'out', '--', 'sh', '-c', together],
  );
  expect(stdout).toContain('ended      attempt limit reached\nattempts   10: ');
  expect(readFileSync(meeting, 'utf8')).toBe('x\n'.repeat(10));
  const numbers = entries(home, 'attempt').map(({ n }) => n);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('the set of an attempt follows from what stands before its line, after kills too', async () => {
  const { all, home } = await openBenches(2, OBJECTIVE.replace('= 12', '= 16'));
  const begin = [FILE, '--bench', 'all', '--out', 'out', '--strategy', 'guided', ...AT_BENCH];
  for (const count of [5, 9]) {
    const run = count === 5 ? home.start(...begin) : home.start('--resume', 'out');
    await until(() => entries(home, 'measured').length >= count && home.active.size > 0);
    run.child.kill('SIGKILL');
    await run.ended;
  }
  const { code } = await home.run('--resume', 'out');
  expect(code).toBe(1);
  const records = await readJournal(join(home.directory, 'out'));
  const { strategy, seed } = records[0] as RunRecord;
  const space = recordedSpace(records[0] as RunRecord);
  const first = new Set<number>();
  for (const [at, record] of records.entries()) {
    if (record.step !== 'attempt' || first.has(record.n)) continue;
    first.add(record.n);
    const next = createPlanner(space, { strategy, seed })(stateOf(records.slice(0, at)));
    expect(record.plan, `${record.n}`).toEqual(toPlan(space, next ?? []));
  }
  expect(first.size).toBe(16);
  expect(stateOf(records).attempts.map(({ n }) => n)).toEqual([...first]);
  for (const bench of all) expect(bench.active.size).toBe(0);
  expect(processesWith(join(home.directory, 'out', 'attempts'))).toEqual([]);
});

test('what a kill left is reset at every bench, also at one that the run goes on without', async () => {
  const { all, home, gate } = await openBenches(3, OBJECTIVE.replace('= 12', '= 4'));
  const run = home.start(FILE, '--bench', 'a', '--bench', 'b', '--out', 'out', ...WAITING);
  await until(() => entries(home, 'injected').length >= 2 && all[1]?.active.size !== 0);
  run.child.kill('SIGKILL');
  await run.ended;
  expect(all[1]?.active.size).toBeGreaterThan(0);
  writeFileSync(gate, '');
  const { code, stdout } = await home.run('--resume', 'out', '--bench', 'a', '--bench', 'c');
  expect(stdout).toContain('attempts   4: ');
  expect([0, 1]).toContain(code);
  for (const bench of all) expect(bench.active.size).toBe(0);
  const made = entries(home, 'measured').map(({ bench }) => bench);
  expect(new Set(made)).toEqual(new Set(['a', 'c']));
  expect(entries(home, 'resumed')[0]).toMatchObject({
    benches: [{ name: 'a' }, { name: 'c', servers: [all[2]?.url] }],
  });
  // Each is reset under the name of its own server.
  const left = entries(home, 'reset').find(({ bench }) => bench === 'b');
  expect(left).not.toHaveProperty('failed');
});

test('where a bench is away, --resume says how to go on without it', async () => {
  const { all, home, gate } = await openBenches(3, OBJECTIVE.replace('= 12', '= 4'));
  const run = home.start(FILE, '--bench', 'all', '--out', 'out', ...WAITING);
  await until(() => all.every(({ active }) => active.size > 0));
  run.child.kill('SIGKILL');
  await run.ended;
  const config = join(home.directory, 'perturb.toml');
  const text = readFileSync(config, 'utf8');
  writeFileSync(config, text.replace('benches.b', 'benches.d'));
  const renamed = await home.run('--resume', 'out');
  expect(renamed.code).toBe(2);
  expect(renamed.stderr).toContain(
    'perturb: there is no bench "b" in perturb.toml\nTo continue on others: --bench a --bench d --bench c\n',
  );
  writeFileSync(config, text);
  await all[1]?.stop();
  writeFileSync(gate, '');
  const { code, stderr } = await home.run('--resume', 'out');
  expect(code).toBe(4);
  expect(stderr).toContain(
    `perturb: bench "b": ${all[1]?.url}/mutator refused the connection: check that the mutator server is running on this port\nTo continue without it: --bench a --bench c\n`,
  );
  const without = await home.run('--resume', 'out', '--bench', 'a', '--bench', 'c');
  expect(without.code).toBe(4);
  expect(without.stdout).toContain('attempts   4: ');
  expect(without.stdout).toContain('ended      a mutator could not be reset (');
  await all[1]?.resume();
  const last = await home.run('--resume', 'out', '--bench', 'all');
  expect(last.stdout).toContain('attempts   4: ');
  for (const bench of all) expect(bench.active.size).toBe(0);
});

test('a guard ends the attempt of its bench alone, and resets that one', async () => {
  const { all, home, gate } = await openBenches(2, OBJECTIVE.replace('= 12', '= 2'));
  const config = join(home.directory, 'perturb.toml');
  const guard = `[guard]\ncheck = "MATCH (name = 'LOW') AS low"\n`;
  writeFileSync(config, readFileSync(config, 'utf8') + guard);
  // Bench b says LOW once; all others wait until it is known how that ended.
  const script = `cd "$SYSTEM"; if [ $PERTURB_BENCH = b ] && [ ! -e once ]; then touch once
until [ -e "$GATE" ]; do sleep 0.02; done
echo '{"probe":"SYSTEM","name":"LOW","seq":0}' >> "$PERTURB_SESSION"; exec sleep 100
fi; until [ -e "$GATE-guarded" ]; do sleep 0.02; done; . ./system.sh`;
  const run = home.start(FILE, '--bench', 'all', '--out', 'out', '--', 'sh', '-c', script);
  await until(() => all.every(({ active }) => active.size > 0));
  writeFileSync(gate, '');
  await until(() => entries(home, 'measured').length > 0);
  expect(all[0]?.changes.some((one) => one.startsWith('DELETE'))).toBe(false);
  expect(all[1]?.changes.some((one) => one.startsWith('DELETE'))).toBe(true);
  writeFileSync(`${gate}-guarded`, '');
  expect([0, 1]).toContain(await run.ended);
  const measured = entries(home, 'measured');
  expect(measured[0]).toMatchObject({ bench: 'b', outcome: 'guarded' });
  expect(measured).toHaveLength(3);
  const { stdout } = await home.run('--resume', 'out');
  expect(stdout).toMatch(/^attempts {3}3: .*; 1 guarded$/m);
  for (const bench of all) expect(bench.active.size).toBe(0);
});

test('a signal resets all benches', async () => {
  const { all, home } = await openBenches(2);
  const run = home.start(FILE, '--bench', 'all', '--out', 'out', ...WAITING);
  await until(() => all.every(({ active }) => active.size > 0));
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(4);
  for (const bench of all) expect(bench.active.size).toBe(0);
  expect(home.journal().at(-1)).toMatchObject({ step: 'end', reason: 'interrupted' });
});

test('a bench that stops answering is set aside, its attempt goes elsewhere, and it comes back', async () => {
  const { all, home, gate } = await openBenches(2);
  const [, second] = all as [Bench, Bench];
  second.answer = (change) => {
    if (change.startsWith('POST')) void second.stop();
    return change.startsWith('POST') ? 'drop' : undefined;
  };
  const gated = `[ $PERTURB_ATTEMPT -lt 4 ] || until [ -e "$GATE-$([ $PERTURB_ATTEMPT = 4 ] && echo 1 || echo 2)" ]; do sleep 0.05; done; cd "$SYSTEM" && . ./system.sh`;
  const command = ['--', 'sh', '-c', gated];
  const run = home.start(FILE, '--bench', 'all', '--out', 'out', ...command);
  await until(() =>
    run.stderr().includes('perturb: bench b is not responding; continuing without it\n'),
  );
  second.answer = () => undefined;
  writeFileSync(`${gate}-1`, '');
  await until(() => entries(home, 'measured').some(({ n }) => n === 2));
  await second.resume();
  const isBack = ({ n, bench }: Entry) => bench === 'b' && Number(n) > 4;
  await until(() => entries(home, 'attempt').some(isBack));
  writeFileSync(`${gate}-2`, '');
  expect([0, 1]).toContain(await run.ended);
  expect(run.stderr()).toContain('perturb: bench b is responding again\n');
  const moved = entries(home, 'attempt').filter(({ n }) => n === 2);
  expect(moved.map(({ bench }) => bench)).toEqual(['b', 'a']);
  expect(moved[0]?.['plan']).toEqual(moved[1]?.['plan']);
  expect(entries(home, 'measured')).toHaveLength(12);
  for (const bench of all) expect(bench.active.size).toBe(0);
});

test('a run whose benches are all away ends when patience does, and goes on later', async () => {
  const { all, home } = await openBenches(2, OBJECTIVE.replace('= 12', '= 2'));
  for (const bench of all) {
    bench.answer = (change) => {
      if (change.startsWith('POST')) void bench.stop();
      return change.startsWith('POST') ? 'drop' : undefined;
    };
  }
  const ended = await home.run(
    ...[FILE, '--bench', 'all', '--out', 'out', '--patience', '1ms', ...AT_BENCH],
  );
  expect(ended.code).toBe(4);
  expect(ended.stdout).toContain('ended      a mutator could not be reset (');
  for (const bench of all) {
    bench.answer = () => undefined;
    await bench.resume();
  }
  const resumed = await home.run('--resume', 'out');
  expect(resumed.stdout).toContain('attempts   2: ');
});

test('each bench receives its own events', async () => {
  const port = await ownPort();
  const { home } = await openBenches(2, OBJECTIVE.replace('= 12', '= 2'));
  const tell = `cd "$SYSTEM" && . ./system.sh; printf '{"probe":"SYSTEM","name":"%s %s","seq":2}\\n' $PERTURB_BENCH $OTEL_EXPORTER_OTLP_ENDPOINT >> "$PERTURB_SESSION"`;
  const { stdout } = await home.run(
    ...[FILE, '--bench', 'all', '--out', 'out', '--baseline', '1', '--events', `otlp:${port}`],
    ...['--format', 'json', '--', 'sh', '-c', tell],
  );
  const { baselines } = JSON.parse(stdout);
  for (const { baseline, bench } of baselines) {
    const file = join(home.directory, 'out', 'attempts', `baseline-${baseline}.jsonl`);
    const place = bench === 'a' ? port : port + 1;
    expect(readFileSync(file, 'utf8')).toContain(`"${bench} http://127.0.0.1:${place}"`);
  }
});

test('what fails is made smaller, and repeated, at all benches', async () => {
  const { home } = await openBenches(2, OBJECTIVE.replace('= 12', '= 8'));
  const { stdout, code } = await home.run(
    ...[FILE, '--bench', 'all', '--out', 'out', '--shrink', '--repeat', 'auto', ...AT_BENCH],
  );
  expect(code).toBe(1);
  expect(stdout).toContain(
    'smaller set  level value=72\nborder       level value begins to fail between 68 and 72 (97 %)',
  );
  const attempts = entries(home, 'attempt');
  const benchesOf = (key: string) =>
    new Set(attempts.filter((one) => one[key] !== undefined).map(({ bench }) => bench));
  expect(benchesOf('shrinks')).toEqual(new Set(['a', 'b']));
  expect(benchesOf('repeats')).toEqual(new Set(['a', 'b']));
  // One that a slow bench gave up is made again elsewhere, with its set.
  const sets = new Set(attempts.map(({ n, plan }) => JSON.stringify([n, plan])));
  expect(sets.size).toBe(new Set(attempts.map(({ n }) => n)).size);
});

test('an attempt is repeated where it was made', async () => {
  const { all, home } = await openBenches(2, OBJECTIVE.replace('= 12', '= 2'));
  await home.run(FILE, '--bench', 'all', '--out', 'out', ...AT_BENCH);
  const { n } = entries(home, 'attempt').find(({ bench }) => bench === 'b') as { n: number };
  const before = all[0]?.changes.length;
  const replay = await perturb(
    ['runs', 'replay', 'out', '--attempt', `${n}`, '--out', 'again', '--format', 'json'],
    { cwd: home.directory },
  );
  expect(JSON.parse(replay.stdout).attempts).toMatchObject([{ attempt: 1, bench: 'b' }]);
  expect(all[0]?.changes.length).toBe(before);
});

test('benches that cannot be used together are refused before anything begins', async () => {
  const { all, home } = await openBenches(2);
  const [first, second] = all as [Bench, Bench];
  const refused = async (...args: readonly string[]) => {
    const { code, stderr } = await home.run(FILE, ...args, '--out', 'out', ...AT_BENCH);
    expect(existsSync(join(home.directory, 'out'))).toBe(false);
    return `${code} ${withoutProgress(stderr)}`;
  };
  expect(await refused('--bench', 'bb')).toMatch(
    /^2 perturb: there is no bench "bb" in perturb.toml\n/,
  );
  expect(await refused('--bench', 'a', '-s', first.url)).toMatch(
    /^2 perturb: option .--bench <bench>. cannot be used with option/,
  );
  expect(await refused('--bench', 'all', '--events', 'it.jsonl')).toContain(
    '2 perturb: several benches cannot share the events of it.jsonl\n',
  );
  const listing = second.listing;
  second.listing = listing.replaceAll('"mode"', '"other"');
  expect(await refused('--bench', 'all')).toContain(
    '4 perturb: bench "b" does not have the same mutators as bench "a"\n',
  );
  second.listing = listing;
  const config = join(home.directory, 'perturb.toml');
  const text = readFileSync(config, 'utf8');
  writeFileSync(config, text.replace(second.url, first.url));
  expect(await refused('--bench', 'all')).toContain(
    `2 perturb: perturb.toml: "${first.url}" is already a server of bench "a"\n`,
  );
  writeFileSync(config, text.replace(`"${second.url}"`, `"${second.url}", "${first.url}"`));
  expect(await refused('--bench', 'all')).toContain(
    '2 perturb: perturb.toml: bench "b" has 2 servers; expected 1\n',
  );
});
