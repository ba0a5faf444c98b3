import { expect, test } from 'vitest';
import { closestText } from '../../../src/results/index.js';
import { type Bench, OBJECTIVE, openBench } from './bench.js';

const FILE = 'level.objective.toml';
const COMMAND = ['--', 'sh', 'system.sh'] as const;
const LEVEL = "MATCH (name = 'level') AS level";

/** For each measurement its check, and whether it should pass. */
const CHECKS: Readonly<Record<string, readonly [check: string, shouldPass: boolean]>> = {
  low: [`${LEVEL} AGGREGATE max(level.value) < 125`, true],
  'not high': [`${LEVEL} AGGREGATE max(level.value) > 400`, false],
  both: [`${LEVEL} AGGREGATE max(level.value) < 125, count() >= 1`, true],
  each: [`${LEVEL} AGGREGATE max(level.value) <= 200 BY level`, true],
  most: [`${LEVEL} AGGREGATE max(level.value) <= 40 BY level FOR 80%`, false],
  existence: [LEVEL, true],
  vacuous: ["MATCH (name = 'alarm') AS alarm AGGREGATE count() < 10", true],
};

const MEASURED = Object.entries(CHECKS).map(
  ([name, [check, pass]]) =>
    `[[measurement]]\nname = "${name}"\ncheck = "${check}"\nshould_pass = ${pass}\n`,
);

test('each measurement has a margin, and what came closest to failing is told', async () => {
  const objective = OBJECTIVE.replace(/\[\[measurement\]\]\n.*\n.*\n/, MEASURED.join('')).replace(
    'attempts = 12',
    'attempts = 2',
  );
  const bench = await openBench({
    [FILE]: `${objective}[[mutator]]\nname = "level"\n[[mutator.param_constraints]]\nname = "value"\nrange = [50, 100]\n`,
  });
  const json = await bench.run(
    ...[FILE, '-s', bench.url, '--out', 'out', '--format', 'json'],
    ...['--', 'sh', 'system.sh'],
  );
  const { attempts, closest } = JSON.parse(json.stdout);
  const margins = Object.fromEntries(
    attempts[closest[0].attempt - 1].measurements.map(
      ({ name, margin }: { name: string; margin?: number }) => [name, margin],
    ),
  );
  expect(margins).toEqual({
    low: 0.2,
    'not high': 0.75,
    // The least of the two, which is the same in all attempts: none is closest.
    both: 0,
    each: 0.5,
    // None of the groups holds, and 80 % of them should not.
    most: 0.8,
    existence: undefined,
    vacuous: undefined,
  });
  const { attempt } = closest[0];
  expect(closest).toContainEqual({ measurement: 'low', attempt, margin: 0.2 });
  expect(closest.map(({ measurement }: { measurement: string }) => measurement)).toEqual([
    'low',
    'not high',
    'each',
  ]);
  const text = await bench.run('--resume', 'out');
  for (const line of [
    `low is closest to failing: attempt ${attempt}, max(level.value) < 125: 100, 80 % of its bound\n`,
    `not high is closest to failing: attempt ${attempt}, max(level.value) > 400: 100, 25 % of its bound\n`,
    `each is closest to failing: attempt ${attempt}, max(level.value) <= 200: 100, 50 % of its bound\n`,
  ]) {
    expect(text.stdout).toContain(line);
  }
  expect(text.stdout).not.toMatch(/^(?:both|most|existence) is closest/m);
  const html = await bench.run('--resume', 'out', '--format', 'html');
  expect(html.stdout).toContain(
    `low: attempt ${attempt}, max(level.value) &lt; 125: 100, 80 % of its bound`,
  );
  expect(html.stdout).toContain('>least margin</th>');
  expect(html.stdout).toContain('<td>20 %</td>');
});

test('what has failed is not told as close to failing', async () => {
  const bench = await openBench({ [FILE]: OBJECTIVE.replace('< 70', '< 0') });
  const run = [FILE, '-s', bench.url, '--out', 'out', '--attempts', '2'];
  await bench.run(...run, '--', 'sh', 'system.sh');
  const { stdout } = await bench.run('--resume', 'out', '--format', 'json');
  const { attempts, closest } = JSON.parse(stdout);
  expect(closest).toEqual([]);
  const margins = attempts.map(
    (one: { measurements: { margin: number }[] }) => one.measurements[0]?.margin,
  );
  for (const margin of margins) expect([-1, 0]).toContain(margin);
});

test('a share of groups is told as their number', () => {
  const measured = {
    ...({ name: 'most', shouldPass: true, status: 'holds', margin: 0.02 } as const),
    details: { groups: { all: 50, hold: 49, worst: [] } },
  };
  expect(closestText({ attempt: 7, measured })).toBe('attempt 7, 49 of 50 groups');
});

test('guided plans from the margins, and the same after it was killed', {
  timeout: 240_000,
}, async () => {
  const files = { [FILE]: OBJECTIVE.replace('< 70', '< 1000').replace('= 12', '= 18') };
  const planned = (bench: Bench) =>
    bench.journal().flatMap(({ step, plan }) => (step === 'attempt' ? [JSON.stringify(plan)] : []));
  const plansOf = async (objective: string) => {
    const bench = await openBench({ [FILE]: objective });
    await bench.run(...[FILE, '-s', bench.url, '--out', 'out', ...COMMAND]);
    return planned(bench).map((plan) => plan.replaceAll(bench.url, 'URL'));
  };
  const guided = await plansOf(files[FILE]);
  const mixed = await plansOf(files[FILE].replace(/ AGGREGATE max\S+ < 1000/, ''));
  expect(mixed).toHaveLength(guided.length);
  const first = guided.findIndex((plan, n) => plan !== mixed[n]);
  // Behind the pairs.
  expect(first).toBeGreaterThan(5);
  expect(first).toBeLessThan(15);

  const bench = await openBench(files);
  const run = bench.start(FILE, '-s', bench.url, '--out', 'out', ...COMMAND);
  await expect.poll(() => planned(bench).length, { timeout: 120_000 }).toBeGreaterThan(first + 1);
  run.child.kill('SIGKILL');
  await run.ended;
  expect(planned(bench).length).toBeLessThan(18);
  await bench.run('--resume', 'out');
  expect(planned(bench).map((plan) => plan.replaceAll(bench.url, 'URL'))).toEqual(guided);
});
