import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Bench, LISTING, OBJECTIVE, openBench, withoutProgress } from './bench.js';

const FILE = 'level.objective.toml';
const COMMAND = ['--', 'sh', 'system.sh'] as const;
/** Only the mode, which has three values. */
const MODES = OBJECTIVE.replace(
  '[mutation_constraints]\nmax_concurrent_mutations = 2',
  '[[mutator]]\nname = "mode"',
).replace('attempts = 12', 'attempts = 5');
const TWO = OBJECTIVE.replace('attempts = 12', 'attempts = 2').replace('< 70', '< 1000');

test('lines that are no events make an attempt inconclusive, with their number', async () => {
  const bench = await openBench({ [FILE]: TWO });
  const torn = `sh system.sh; printf 'no event\\n{"probe":"SYS' >> "$PERTURB_SESSION"`;
  const strict = await bench.run(
    ...[FILE, '-s', bench.url, '--format', 'json', '--', 'sh', '-c', torn],
  );
  const { attempts, end } = JSON.parse(strict.stdout);
  expect(attempts[0]).toMatchObject({ outcome: 'inconclusive', lost_lines: 2, measurements: [] });
  expect(attempts[0].reasons[0]).toMatch(/^2 lines were not events: /);
  expect(end.reason).toBe('inconclusive');
  expect(strict.code).toBe(4);
  writeFileSync(join(bench.directory, 'perturb.toml'), '[run]\ntolerant = true\n');
  const tolerant = await bench.run(
    ...[FILE, '-s', bench.url, '--format', 'pretty', '--format', 'junit=it.xml'],
    ...['--', 'sh', '-c', torn],
  );
  expect(tolerant.stdout).toContain(
    '2: 2 passed, 0 failed, 0 skipped, 0 inconclusive; 4 lines lost\n',
  );
  expect(tolerant.code).toBe(0);
  const junit = readFileSync(join(bench.directory, 'it.xml'), 'utf8');
  expect(junit.match(/<property name="lost_lines" value="2"\/>/g)).toHaveLength(2);
});

/** The parameters of injections that the bench was asked for. */
const postsOf = ({ changes }: Bench) => changes.filter((one) => one.startsWith('POST'));

test('an attempt whose injection got no answer once is repeated', async () => {
  const bench = await openBench({ [FILE]: TWO });
  bench.answer = (change) =>
    change.startsWith('POST') && postsOf(bench).length === 1 ? 'drop' : undefined;
  const { stdout, code } = await bench.run(FILE, '-s', bench.url, ...COMMAND);
  expect(stdout).toContain('attempts   2: 2 passed, 0 failed, 0 skipped, 0 inconclusive\n');
  expect(code).toBe(0);
});

test('a set whose injection gets no answer twice is set aside, and the others are tried', async () => {
  const bench = await openBench({ [FILE]: MODES });
  bench.answer = async (change) => {
    if (!change.startsWith('POST') || bench.asked.at(-1) !== 'b') return undefined;
    return 'drop';
  };
  const { stdout, stderr, code } = await bench.run(
    ...[FILE, '-s', bench.url, '--out', 'out', ...COMMAND],
  );
  // Of a, b and c, b is never in force: it is asked for twice and no more.
  expect(bench.asked.filter((one) => one === 'b')).toHaveLength(2);
  expect(stdout).toContain(
    'attempts   6: 5 passed, 0 failed, 0 skipped, 1 inconclusive; 1 set aside without an answer\n',
  );
  expect(withoutProgress(stderr)).toMatch(
    /^perturb: repeating attempt \d: .* closed the connection .*\nperturb: setting aside the set of attempt \d: .* closed the connection /m,
  );
  expect(code).toBe(0);
});

test('a run all of whose sets are set aside ends, and tries them again when it goes on', async () => {
  const bench = await openBench({ [FILE]: MODES });
  bench.answer = (change) => (change.startsWith('POST') ? 'drop' : undefined);
  const ended = await bench.run(...[FILE, '-s', bench.url, '--out', 'out', ...COMMAND]);
  expect(ended.stdout).toContain(
    'ended      all sets were set aside because no server responded to their injections\n',
  );
  expect(ended.code).toBe(4);
  expect([...bench.asked].sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  bench.answer = () => undefined;
  const resumed = await bench.run('--resume', 'out');
  expect(resumed.stdout).toContain('8: 5 passed, 0 failed, 0 skipped, 3 inconclusive; 3 set aside');
  expect(resumed.code).toBe(0);
});

test('ten sets that are set aside end a run that has tried nothing else', async () => {
  const level = JSON.stringify(JSON.parse(LISTING).slice(0, 1));
  const bench = await openBench({ [FILE]: TWO });
  bench.listing = level;
  bench.answer = (change) => (change.startsWith('POST') ? 'drop' : undefined);
  const { stdout, code } = await bench.run(FILE, '-s', bench.url, ...COMMAND);
  expect(stdout).toContain('attempts   10: 0 passed, 0 failed, 0 skipped, 10 inconclusive; 10 set');
  expect(code).toBe(4);
});

test('a server that is away longer than --patience is given up; with it back the run goes on', async () => {
  const bench = await openBench({ [FILE]: TWO });
  bench.answer = (change) => {
    if (change.startsWith('POST')) void bench.stop();
    return change.startsWith('POST') ? 'drop' : undefined;
  };
  const away = await bench.run(
    ...[FILE, '-s', bench.url, '--out', 'out', '--patience', '1ms', ...COMMAND],
  );
  expect(away.stdout).toContain('a mutator could not be reset');
  expect(away.code).toBe(4);
  bench.answer = () => undefined;
  await bench.resume();
  const back = await bench.run('--resume', 'out');
  expect(back.stdout).toContain('attempts   2: 2 passed');
});

test('--patience with --resume counts from then on', async () => {
  const bench = await openBench({ [FILE]: TWO });
  bench.answer = (change) => {
    if (change.startsWith('POST')) void bench.stop();
    return change.startsWith('POST') ? 'drop' : undefined;
  };
  const begun = [FILE, '-s', bench.url, '--out', 'out', '--patience', '1ms', ...COMMAND];
  expect((await bench.run(...begun)).code).toBe(4);
  bench.answer = () => undefined;
  await bench.resume();
  const before = postsOf(bench).length;
  bench.answer = (change) => {
    if (!change.startsWith('POST') || postsOf(bench).length > before + 1) return undefined;
    void bench.stop().then(() => bench.resumeAfter(2));
    return 'drop';
  };
  const { code, stdout } = await bench.run('--resume', 'out', '--patience', '1min');
  expect(stdout).toContain('attempts   2: 2 passed');
  expect(code).toBe(0);
});

test('what fails is shrunk only once the system can be judged', async () => {
  const failing = OBJECTIVE.replace('attempts = 12', 'attempts = 2').replace('< 70', '< 0');
  const bench = await openBench({ [FILE]: failing });
  const script = '[ $PERTURB_ATTEMPT = 1 ] || [ -e mended ] || exit 125; exec sh system.sh';
  const ended = await bench.run(
    ...[FILE, '-s', bench.url, '--out', 'out', '--shrink', '--', 'sh', '-c', script],
  );
  expect(ended.stdout).toContain('ended      ten attempts in a row were inconclusive\n');
  expect(ended.stdout).not.toContain('could not be repeated');
  writeFileSync(join(bench.directory, 'mended'), '');
  const resumed = await bench.run('--resume', 'out');
  expect(resumed.stdout).toContain(
    'attempt 1  low fails without mutations: 12 of 12 times, 100 % (75.8 to 100 %)\n',
  );
  const numbers = bench.journal().flatMap(({ step, n }) => (step === 'attempt' ? [n] : []));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('a failure that cannot be judged again is shrunk when the run goes on', async () => {
  const bench = await openBench({ [FILE]: OBJECTIVE.replace('attempts = 12', 'attempts = 6') });
  const script = '[ $PERTURB_ATTEMPT -le 6 ] || [ -e mended ] || exit 125; exec sh system.sh';
  const ended = await bench.run(
    ...[FILE, '-s', bench.url, '--out', 'out', '--shrink', '--', 'sh', '-c', script],
  );
  expect(ended.stdout).toMatch(
    /^ended {6}ten attempts in a row were inconclusive \(shrinking attempt \d+\)$/m,
  );
  expect(ended.stdout).not.toContain('could not be repeated');
  writeFileSync(join(bench.directory, 'mended'), '');
  const resumed = await bench.run('--resume', 'out');
  expect(resumed.stdout).toContain(
    'smaller set  level value=72\nborder       level value begins to fail between 68 and 72 (97 %)',
  );
});

test('a run that ended because nothing could be learnt goes on', async () => {
  const bench = await openBench({ [FILE]: TWO });
  const script = '[ -e mended ] && exec sh system.sh; exit 125';
  const command = ['--', 'sh', '-c', script];
  const ended = await bench.run(FILE, '-s', bench.url, '--out', 'out', ...command);
  expect(ended.stdout).toContain('ten attempts in a row were inconclusive');
  expect(ended.stderr).toContain('continue with perturb objective run --resume out');
  expect(ended.code).toBe(4);
  writeFileSync(join(bench.directory, 'mended'), '');
  const resumed = await bench.run('--resume', 'out');
  expect(resumed.stdout).toContain('12: 2 passed, 0 failed, 0 skipped, 10 inconclusive');
  expect(resumed.code).toBe(0);
  expect(existsSync(join(bench.directory, 'level'))).toBe(false);
});
