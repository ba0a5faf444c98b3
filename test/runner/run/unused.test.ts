import { expect, test } from 'vitest';
import { unusedMutators, unusedText } from '../../../src/results/index.js';
import { type DoneAttempt, type Outcome, stateOf } from '../../../src/runner/index.js';
import { perturb } from '../../cli/program.js';
import { type Bench, OBJECTIVE, openBench } from './bench.js';

/* A mutator that was planned, and in force in no attempt that counted. */

const FILE = 'level.objective.toml';
const FOUR = OBJECTIVE.replace('attempts = 12', 'attempts = 4')
  .replace('max_concurrent_mutations = 2', 'max_concurrent_mutations = 1')
  .replace('< 70', '< 1000');
const COMMAND = ['--', 'sh', 'system.sh'] as const;
const WHY =
  'perturb: a mutator was never in force in an attempt that counted (--allow-unused accepts this)\n';
/** @param url the server's */
const reason = (url: string) =>
  `${url}/mutator/mode/mutation returned 500: the mutator failed and may be active; check the server's log for the cause`;

/** A bench whose mode cannot be injected. */
async function openFailing(): Promise<Bench> {
  const bench = await openBench({ [FILE]: FOUR });
  bench.answer = (change) => (change === 'POST mode' ? 500 : undefined);
  return bench;
}

const begin = (bench: Bench, ...flags: readonly string[]) =>
  bench.run(FILE, '-s', bench.url, '--out', 'out', ...flags, ...COMMAND);

test('fails a run whose attempts all passed, and every form of its results names it', async () => {
  const bench = await openFailing();
  const { url, directory: cwd } = bench;
  const ran = await begin(bench);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(WHY) });
  const said =
    /^mode was planned in (\d+) attempts, none of which counted: attempt (\d+) was inconclusive: (.*)$/m;
  const [line = '', planned, attempt, why] = said.exec(ran.stdout) ?? [];
  expect(why).toBe(reason(url));

  const again = await bench.run('--resume', 'out');
  expect(again).toMatchObject({ code: 1, stdout: ran.stdout, stderr: WHY });
  const shown = await perturb(['runs', 'show', 'out', '--format', 'json'], { cwd });
  expect(JSON.parse(shown.stdout)).toMatchObject({
    summary: { passed: 4, failed: 0 },
    unused: [
      {
        ...{ server: url, id: 'mode', name: 'mode', reasons: [reason(url)] },
        ...{ attempts: Number(planned), attempt: Number(attempt) },
      },
    ],
  });
  const junit = await bench.run('--resume', 'out', '--format', 'junit');
  expect(junit.stdout).toContain('name="in force: mode"');
  const [, text] = line.split(/^mode /);
  expect(junit.stdout).toContain(`<failure type="unused" message="${text}"`);
  const html = await bench.run('--resume', 'out', '--format', 'html');
  expect(html.stdout).toContain('>Failed because mode was never in force.<');
  expect(html.stdout).toContain(`<td>${line.replace("'", '&#39;')}</td>`);
});

test('what a server that is not of Perturb cannot say is said once, whatever it has', async () => {
  const bench = await openBench({ [FILE]: FOUR });
  const { stderr } = await begin(bench);
  expect(stderr.match(/^.*not a Perturb server.*$/gm)).toEqual([
    `perturb: warning: "${bench.url}": not a Perturb server, so the run cannot detect when its mutations end`,
  ]);
});

test('is accepted where that is asked for, at once or later', async () => {
  const bench = await openFailing();
  const ran = await begin(bench, '--allow-unused');
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('mode was planned in ') });
  expect(ran.stderr).not.toContain(WHY);
  const again = await bench.run('--resume', 'out', '--format', 'html');
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(again.stdout).toContain(
    '>Nothing failed; 4 of 7 attempts passed; &quot;low&quot; came closest to failing: attempt 4, max(level.value) &lt; 1000: 100, 10 % of its bound; mode was never in force.<',
  );

  const late = await openFailing();
  expect((await begin(late)).code).toBe(1);
  expect((await late.run('--resume', 'out', '--allow-unused')).code).toBe(0);
  expect((await late.run('--resume', 'out')).code).toBe(1);
});

/** An attempt of an outcome, with these mutators in its plan. */
function attempt(n: number, outcome: Outcome, ...names: readonly string[]): DoneAttempt {
  const plan = names.map((name) => ({ server: 's', id: name, name, params: new Map() }));
  const reasons = [`reason ${n}`];
  return {
    ...{ n, plan },
    result: { ...{ step: 'measured', n, outcome, reasons }, measurements: [], ms: 1, events: 1 },
  };
}

const unusedIn = (...attempts: readonly DoneAttempt[]) =>
  unusedMutators({ ...stateOf([]), attempts }).map(
    (one) => `${one.mutator.name} ${unusedText(one)}`,
  );

test('is one that no judged attempt had, with the reason of the smallest set', () => {
  const attempts = [
    attempt(1, 'passed', 'a'),
    attempt(2, 'skipped', 'b'),
    attempt(3, 'guarded', 'b', 'c'),
    attempt(4, 'failed', 'd'),
    attempt(5, 'inconclusive', 'd'),
  ];
  expect(unusedIn(...attempts)).toEqual([
    'b was planned in 2 attempts, none of which counted: attempt 2 was skipped: reason 2',
    'c was planned in 1 attempt, which did not count: attempt 3 was guarded: reason 3',
  ]);
});

test('is none where no attempt was judged, and none that only shrinking planned', () => {
  expect(unusedIn(attempt(1, 'inconclusive', 'a'))).toEqual([]);
  const shrinking = { ...attempt(2, 'inconclusive', 'b'), shrinks: 1 };
  expect(unusedIn(attempt(1, 'failed', 'a'), shrinking)).toEqual([]);
});
