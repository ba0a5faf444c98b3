import { expect, test } from 'vitest';
import { type RunAttempts, selectAttempts, selectBaselines } from '../../src/comparison/index.js';
import { madeRun, times } from './made-run.js';

const numbers = ({ judged }: RunAttempts) => judged.map(({ n }) => n);

test('runs with the same seed have the same sets, wherever their servers are', () => {
  const { basis, a, b, sets } = selectAttempts(
    madeRun(times(3)),
    madeRun([{}, { outcome: 'failed' }, { outcome: 'inconclusive' }], { server: 'elsewhere' }),
  );
  expect(basis).toBe('same-choice');
  expect([numbers(a), numbers(b)]).toEqual([
    [1, 2, 3],
    [1, 2],
  ]);
  expect(b.unjudged.map(({ n }) => n)).toEqual([3]);
  expect(sets.map((set) => [set.a[0]?.n, set.b[0]?.n])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('later sets of the longer run have no counterpart', () => {
  const { a, b } = selectAttempts(madeRun(times(3)), madeRun(times(5), { seed: 2n }));
  expect([numbers(a), numbers(b)]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  expect(b.unmatched).toBe(2);
});

test('independent draws are all compared', () => {
  const strategy = 'uniform';
  const short = madeRun(times(3), { strategy });
  const { b } = selectAttempts(short, madeRun(times(5), { strategy, seed: 2n }));
  expect(numbers(b)).toEqual([1, 2, 3, 4, 5]);
});

test('sets that margins chose count only if both runs made them', () => {
  const strategy = 'guided';
  const guided = { set: 0.123 };
  const a = madeRun([...times(3), guided, { set: 0.5 }], { strategy });
  const b = selectAttempts(a, madeRun([...times(3), { set: 0.7 }, guided], { strategy }));
  expect([numbers(b.a), numbers(b.b)]).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 5],
  ]);
  expect([b.a.guided, b.b.guided]).toEqual([1, 1]);
  // Without a seed in common, only what follows from the seeds.
  const c = selectAttempts(a, madeRun([...times(3), { set: 0.7 }], { strategy, seed: 2n }));
  expect([numbers(c.a), numbers(c.b)]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test('runs that chose sets in different ways are compared by equal sets', () => {
  const a = madeRun([{ set: 1 }, { set: 2 }, { set: 2 }, { set: 3 }]);
  const b = madeRun([{ set: 2 }, { set: 3 }, { set: 3 }, { set: 4 }], { upper: 10 });
  const compared = selectAttempts(a, b);
  expect(compared.basis).toBe('same-sets');
  expect([numbers(compared.a), numbers(compared.b)]).toEqual([
    [2, 4],
    [1, 2],
  ]);
  expect([compared.a.unmatched, compared.b.unmatched]).toEqual([2, 2]);
});

test('two replays of one set are compared with all of their attempts', () => {
  const replay = { record: { replay: { run: 'x', attempt: 1, plan: [], times: 3 } } };
  const [a, b] = [madeRun(times(3, { set: 5 }), replay), madeRun(times(5, { set: 5 }), replay)];
  const compared = selectAttempts(a, b);
  expect([numbers(compared.a).length, numbers(compared.b).length]).toEqual([3, 5]);
});

test('shrinking and repetitions do not count', () => {
  const a = madeRun([{}, { shrinks: 1, set: 4 }, { repeats: 1, set: 4 }, {}]);
  const compared = selectAttempts(a, madeRun(times(4)));
  expect(numbers(compared.a)).toEqual([1, 4]);
});

test('baselines are compared with each other alone', () => {
  const setting = { baselines: [{}, { outcome: 'inconclusive' }] as const };
  const compared = selectBaselines(madeRun(times(3), setting), madeRun([], setting));
  expect(compared.basis).toBe('baselines');
  expect([numbers(compared.a), numbers(compared.b)]).toEqual([[1], [1]]);
});
