import { expect, test } from 'vitest';
import { OBJECTIVE, openBench, withoutProgress } from './bench.js';

const FILE = 'level.objective.toml';
const PLAN = ['--plan', '--format', 'json'] as const;

const unbounded = (id: string) => ({
  mutator_correlation_id: id,
  attributes: {
    'mutator.name': id,
    'mutator.perturb.max_active': { Timestamp: 600_000_000_000 },
    'mutator.params.by.name': 'by',
    'mutator.params.by.value_type': 'Integer',
  },
});

const lacks = (id: string) =>
  `mutator "${id}", parameter "by": it has no bounds and no default, so no value can be planned`;

test('a mutator without bounds that the objective does not name is left out with a warning', async () => {
  const bench = await openBench();
  bench.listing = JSON.stringify([...JSON.parse(bench.listing), unbounded('drift')]);
  const { code, stdout, stderr } = await bench.run(FILE, '-s', bench.url, ...PLAN);
  expect(withoutProgress(stderr)).toBe(
    `perturb: warning: ${lacks('drift')}; skipping the mutator (constrain the parameter to a "range" of two numbers)\n`,
  );
  const ids = JSON.parse(stdout)
    .sets.flat()
    .map(({ id }: { id: string }) => id);
  expect(new Set(ids)).toEqual(new Set(['level', 'mode']));
  expect(code).toBe(0);
});

test('exit 4 if no mutator is left, and 1 if the objective names one without bounds', async () => {
  const bench = await openBench({
    'named.objective.toml': `${OBJECTIVE.replace('mutations = 2', 'mutations = 1')}[[mutator]]\nname = "drift"\n`,
  });
  bench.listing = JSON.stringify([unbounded('drift'), unbounded('skew')]);
  const problem = (id: string) =>
    `error: ${lacks(id)}\n  constrain the parameter to a "range" of two numbers\n`;
  const last = 'perturb: "level" cannot be planned\n';
  expect(await bench.run(FILE, '-s', bench.url, ...PLAN)).toEqual({
    code: 4,
    stdout: '',
    stderr: `${problem('drift')}${problem('skew')}${last}`,
  });
  expect(await bench.run('named.objective.toml', '-s', bench.url, ...PLAN)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${problem('drift')}${last}`,
  });
});
