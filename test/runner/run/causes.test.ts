import { expect, test } from 'vitest';
import {
  type DoneAttempt,
  type Plan,
  type RunState,
  unexplainedFailures,
} from '../../../src/runner/index.js';
import { openBench } from './bench.js';

/** The level fails one measurement, and one of the modes another. */
const OBJECTIVE = `name = "two causes"
[mutation_constraints]
max_concurrent_mutations = 2
[[measurement]]
name = "low"
check = "MATCH (name = 'level' AND probe = 'SYSTEM') AS level AGGREGATE max(level.value) < 70"
[[measurement]]
name = "not b"
should_pass = false
check = "MATCH (name = 'mode' AND to = 'b') AS mode"
[stopping_conditions]
attempts = 12
`;

const SYSTEM = `#!/bin/sh
value=$(cat level 2>/dev/null || echo 0)
mode=$(cat mode 2>/dev/null || echo a)
printf '{"probe":"SYSTEM","name":"level","seq":0,"attributes":{"value":%s}}\\n' "$value" >> "$PERTURB_SESSION"
printf '{"probe":"SYSTEM","name":"mode","seq":1,"attributes":{"to":"%s"}}\\n' "$mode" >> "$PERTURB_SESSION"
`;

test('each cause has a set of its own, with the name of what fails', async () => {
  const bench = await openBench({ 'two.objective.toml': OBJECTIVE, 'system.sh': SYSTEM });
  const { stdout } = await bench.run(
    ...['two.objective.toml', '-s', bench.url, '--seed', '3', '--shrink', '--out', 'out'],
    ...['--', 'sh', 'system.sh'],
  );
  const sets = stdout.match(/^(?:smaller|failing) set.*\n(?:border.*\n)?fails.*/gm);
  expect(sets).toEqual([
    'failing set  mode to=b\nfails        not b, 4 of 4 times, 100 % (51 to 100 %); before, 4 of 4 times, 100 % (51 to 100 %)',
    'smaller set  level value=72\nborder       level value begins to fail between 68 and 72 (97 %); it never failed from 0 to 68, in 16 attempts\nfails        low, 5 of 5 times, 100 % (56.6 to 100 %); before, 4 of 4 times, 100 % (51 to 100 %)',
  ]);
  expect(stdout).toMatch(/MEASUREMENT +PASSED +FAILED +UNDECIDED +FAILED IN SHRINKING\n/);
  expect(stdout).toMatch(/^low .* [1-9]\d*$/m);
  expect(stdout).toContain('sets       12 of 407 judged\n');
});

test('a set explains what fails for its own cause alone, and where its mutators are', () => {
  const plan = (...ids: readonly string[]): Plan =>
    ids.map((id) => ({ server: 's', id, name: id, params: new Map() }));
  const failed = (n: number, ids: readonly string[], ...names: readonly string[]): DoneAttempt => ({
    ...{ n, plan: plan(...ids) },
    result: {
      ...{ step: 'measured', n, outcome: 'failed', reasons: [], ms: 1, events: 1 },
      measurements: names.map((name) => ({ name, shouldPass: true, status: 'fails' })),
    },
  });
  const attempts = [
    failed(1, ['a', 'b'], 'low', 'high'),
    failed(2, ['b'], 'low'),
    failed(3, ['a'], 'low'),
  ];
  const rate = { tried: 5, failed: 5 };
  const low = { step: 'shrunk', of: 1, cause: 'low', plan: plan('a'), ...rate } as const;
  const shrunk: RunState['shrunkSets'] = [
    {
      ...low,
      before: rate,
      attempts: 20,
      ended: 'found',
      isSmaller: true,
      borders: [],
      idle: [],
      interacts: false,
    },
  ];
  const open = unexplainedFailures({ attempts, shrunkSets: shrunk }).map(({ attempt, cause }) => [
    attempt.n,
    cause,
  ]);
  expect(open).toEqual([
    [2, 'low'],
    [1, 'high'],
  ]);
});

test('the report counts no failure of a command whose attempt is inconclusive', async () => {
  const bench = await openBench({ 'two.objective.toml': OBJECTIVE, 'system.sh': SYSTEM });
  // Every mutation expires before its attempt is over.
  bench.listing = bench.listing.replaceAll('600000000000', '1000000');
  const { stdout } = await bench.run(
    ...['two.objective.toml', '-s', bench.url, '--format', 'html', '--', 'sh', '-c', 'exit 7'],
  );
  expect(stdout).toContain('No attempt came to a verdict.');
  expect(stdout).not.toContain('Failed in');
});
