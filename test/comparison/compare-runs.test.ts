import { expect, test } from 'vitest';
import {
  type ComparableProperties,
  compareRuns,
  differingSettings,
  matchMeasurements,
  selectAttempts,
} from '../../src/comparison/index.js';
import { type Made, madeRun, times } from './made-run.js';

const COMPARABLE: ComparableProperties = {
  measurements: ['m'],
  recovery: true,
  namesInA: () => undefined,
  namesInB: () => undefined,
};

function compared(
  a: readonly Made[],
  b: readonly Made[],
  comparable: Partial<ComparableProperties> = {},
) {
  const seeds = { seed: 2n, strategy: 'uniform' } as const;
  const attempts = selectAttempts(madeRun(a, { ...seeds, seed: 1n }), madeRun(b, seeds));
  return compareRuns(attempts, { ...COMPARABLE, ...comparable });
}

/** The tests of a kind: the tendency, and whether it was found. */
function ofKind({ differences }: ReturnType<typeof compared>, kind: string) {
  return differences
    .filter(({ contrast }) => contrast.kind === kind)
    .map(({ contrast, tendency, isSignificant }) => ({
      name: contrast.name,
      tendency,
      isSignificant,
    }));
}

/** A measurement with one comparison. */
function measuredAs(left: number, { shouldPass = true, kept = true } = {}): Made {
  const margin = (100 - left) / 100;
  const measures = [{ text: 'max(x.y) < 100', left: `${left}`, right: '100', margin }];
  const status = left < 100 ? 'holds' : 'fails';
  const own = shouldPass ? margin : -margin;
  const result = {
    name: 'm',
    shouldPass,
    status,
    margin: own,
    ...(kept && { details: { measures } }),
  };
  return { measurements: [result] };
}

test('a value that comes closer to its limit is worse, one that leaves it better', () => {
  const [low, high] = [times(12, measuredAs(10)), times(12, measuredAs(20))];
  const found = { name: 'm', isSignificant: true };
  expect(ofKind(compared(low, high), 'value')).toEqual([{ ...found, tendency: 'worse' }]);
  expect(ofKind(compared(high, low), 'value')).toEqual([{ ...found, tendency: 'better' }]);
});

test('where a measurement should fail, the direction is the other one', () => {
  const [low, high] = [110, 120].map((left) => times(12, measuredAs(left, { shouldPass: false })));
  expect(ofKind(compared(low ?? [], high ?? []), 'value')[0]?.tendency).toBe('better');
});

test('margins stand for values that the journal has not kept', () => {
  const kept = times(12, measuredAs(10));
  const lost = [measuredAs(20, { kept: false }), ...times(11, measuredAs(20))];
  const result = compared(kept, lost);
  expect(ofKind(result, 'value')).toEqual([]);
  expect(ofKind(result, 'margin')).toEqual([{ name: 'm', tendency: 'worse', isSignificant: true }]);
});

test('a measurement that the runs do not share is not compared', () => {
  const result = compared(times(12, measuredAs(10)), times(12, measuredAs(20)), {
    measurements: [],
  });
  expect(result.differences.some(({ isSignificant }) => isSignificant)).toBe(false);
});

test('attempts that come to no verdict are worse, and a recovery that takes longer', () => {
  const result = compared(times(12, { recovery: { recovered: true, ms: 5 } }), [
    ...times(12, { recovery: { recovered: false, ms: 9 } }),
    ...times(12, { outcome: 'inconclusive' }),
  ]);
  const found = { name: undefined, tendency: 'worse', isSignificant: true };
  expect(ofKind(result, 'recovery')).toEqual([found]);
  expect(ofKind(result, 'no-verdict')[0]?.tendency).toBe('worse');
  const apart = compared(times(12), times(12), { recovery: false });
  expect(ofKind(apart, 'recovery')).toEqual([]);
});

test("an event that is gone is worse, a new one only different, and Perturb's own do not count", () => {
  const result = compared(times(12), times(12), {
    namesInA: () => new Set(['order', 'answer', 'perturb.injected']),
    namesInB: () => new Set(['order', 'panic']),
  });
  expect(ofKind(result, 'event')).toEqual([
    { name: 'answer', tendency: 'worse', isSignificant: true },
    { name: 'panic', tendency: 'other', isSignificant: true },
    { name: 'order', tendency: 'other', isSignificant: false },
  ]);
});

test('names that occur once each do not hide one that is always gone', () => {
  let next = 0;
  const once = () => `request ${next++}`;
  const result = compared(times(12), times(12), {
    namesInA: () => new Set(['answer', once(), once(), once()]),
    namesInB: () => new Set([once(), once(), once()]),
  });
  const [first] = result.differences;
  expect(first?.contrast.name).toBe('answer');
  expect(first?.corrected).toBeCloseTo(first?.p ?? 0, 12);
});

test('equal sets are compared in pairs, which shows what their differences hide', () => {
  const values = Array.from({ length: 16 }, (_, at) => 5 * at);
  const [a, b] = [0, 2].map((more) => madeRun(values.map((value) => measuredAs(value + more))));
  if (a === undefined || b === undefined) throw new Error('there are two runs');
  const [first] = compareRuns(selectAttempts(a, b), COMPARABLE).differences;
  expect(first).toMatchObject({
    isSignificant: true,
    contrast: { kind: 'value', pairs: 16, delta: 1 },
  });
  const unpaired = compared(
    values.map((value) => measuredAs(value)),
    values.map((value) => measuredAs(value + 2)),
  );
  expect(ofKind(unpaired, 'value')[0]?.isSignificant).toBe(false);
});

test('sets that fail in one run alone are counted against each other', () => {
  const failed = { outcome: 'failed' } as const;
  const a = madeRun([...times(4), failed, ...times(11)]);
  const b = madeRun([...times(5), ...times(11, failed)]);
  const { differences } = compareRuns(selectAttempts(a, b), COMPARABLE);
  const sets = differences.find(({ contrast }) => contrast.kind === 'sets');
  expect(sets).toMatchObject({
    contrast: { a: { count: 1, of: 16 }, b: { count: 11, of: 16 } },
    tendency: 'worse',
  });
  // 13 of 4,096 ways to divide twelve sets are as uneven to either side.
  expect(sets?.p).toBeCloseTo((2 * 13) / 4_096, 12);
});

test('the smallest detectable difference would be found, and a lesser one not', () => {
  const failed = (count: number) => [...times(count, { outcome: 'failed' }), ...times(30 - count)];
  const { detectable } = compared(times(30), times(30));
  expect(detectable.more).toBe(8);
  const isSignificant = (count: number) => {
    return ofKind(compared(times(30), failed(count)), 'failed')[0]?.isSignificant;
  };
  expect([isSignificant(7), isSignificant(8)]).toEqual([false, true]);
  expect(compared(times(3), times(3)).detectable).toMatchObject({
    more: undefined,
    share: undefined,
  });
});

test('checks may differ in their spaces only', () => {
  const a = new Map([
    ['same', 'MATCH a\n  FILTER b'],
    ['changed', 'MATCH a'],
    ['gone', 'MATCH a'],
  ]);
  const b = new Map([
    ['same', 'MATCH a FILTER b'],
    ['changed', 'MATCH b'],
    ['new', 'MATCH a'],
  ]);
  expect(matchMeasurements(a, b)).toEqual({
    same: ['same'],
    changed: ['changed'],
    inAAlone: ['gone'],
    inBAlone: ['new'],
  });
});

test('settings that decide what attempts record are told', () => {
  const a = madeRun([], { record: { command: ['a'], attemptMs: 5, perturb: '1' } });
  const b = madeRun([], { record: { command: ['b'], attemptMs: 5, skew: '9' } });
  expect(differingSettings(a, b)).toEqual(['the command', '--skew']);
});
