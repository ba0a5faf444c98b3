import { expect, test } from 'vitest';
import { compareRuns, selectAttempts } from '../../src/comparison/index.js';
import { toComparisonMarkdown, toComparisonText } from '../../src/reporters/results/index.js';
import { type ComparisonResult, comparisonDocument } from '../../src/results/index.js';
import { type Made, madeRun, times } from '../comparison/made-run.js';

const LOOK = { title: (text: string) => text };

interface Given {
  readonly a: readonly Made[];
  readonly b: readonly Made[];
  readonly inA?: readonly string[];
  readonly inB?: readonly string[];
  readonly setting?: Parameters<typeof madeRun>[1];
}

function resultOf({ a, b, inA = [], inB = [], setting = { seed: 2n } }: Given): ComparisonResult {
  const record = { objective: { name: 'Orders', digest: 'd' }, perturb: '0.1.0' };
  const one = madeRun(a, { strategy: 'uniform', record });
  const other = madeRun(b, {
    strategy: 'uniform',
    ...setting,
    record: { ...record, ...setting?.record },
  });
  const attempts = selectAttempts(one, other);
  const comparison = compareRuns(attempts, {
    measurements: ['fast'],
    recovery: true,
    namesInA: () => new Set(inA),
    namesInB: () => new Set(inB),
  });
  return {
    a: { directory: 'runs/1', state: one.state, gone: 0 },
    b: { directory: 'runs/2', state: other.state, gone: 0 },
    measurements: { same: ['fast'], changed: [], inAAlone: [], inBAlone: [] },
    ...{ attempts, comparison, settings: [] },
  };
}

function answeredIn(ms: number): Made {
  const margin = (1_000 - ms) / 1_000;
  const text = 'percentile(b.time - a.time, 99) < 1s';
  const measures = [{ text, left: `${ms}000000`, right: '1000000000', unit: 'duration', margin }];
  return {
    measurements: [
      { name: 'fast', shouldPass: true, status: 'holds', margin, details: { measures } },
    ],
  };
}

const sentence = (given: Given) => comparisonDocument(resultOf(given)).sentence;

test('the first sentence says what is worse, by how much, and how sure that is', () => {
  expect(sentence({ a: times(12, answeredIn(120)), b: times(12, answeredIn(480)) })).toBe(
    'B is slower: percentile(b.time - a.time, 99) of "fast" rose from 0.12s to 0.48s (p < 0.0001, corrected); nothing else differs.',
  );
  expect(sentence({ a: times(12, answeredIn(480)), b: times(12, answeredIn(120)) })).toBe(
    'B is better: percentile(b.time - a.time, 99) of "fast" fell from 0.48s to 0.12s (p < 0.0001, corrected); nothing else differs.',
  );
  // The medians are equal, and hide that B is never lower.
  const halfSlower = [...times(13, answeredIn(120)), ...times(12, answeredIn(480))];
  expect(sentence({ a: times(25, answeredIn(120)), b: halfSlower })).toMatch(
    /^B is slower: percentile\(b\.time - a\.time, 99\) of "fast" is greater in B in 74 % of pairs of attempts \(/,
  );
  const failed = times(12, { outcome: 'failed' });
  expect(sentence({ a: times(12), b: failed, inA: ['gone', 'lost', 'kept'], inB: ['kept'] })).toBe(
    'B is worse: failed attempts rose from 0 of 12 to 12 of 12 (p < 0.0001, corrected); event "gone" is gone, from 12 of 12 attempts (p < 0.0001, corrected); 1 more difference below.',
  );
  expect(sentence({ a: times(12), b: failed })).toBe(
    'B fails more often: failed attempts rose from 0 of 12 to 12 of 12 (p < 0.0001, corrected); nothing else differs.',
  );
  expect(sentence({ a: times(12), b: times(12), inB: ['panic'] })).toBe(
    'B differs: event "panic" is new, in 12 of 12 attempts (p < 0.0001, corrected); nothing else differs.',
  );
});

test('where nothing differs, it says what would be significant', () => {
  expect(sentence({ a: times(30), b: times(30) })).toBe(
    'A and B do not differ significantly. With 30 attempts of A and 30 of B, 8 or more failures in B or a greater value in B in 70 % of pairs would be significant.',
  );
  expect(sentence({ a: times(3), b: times(2) })).toBe(
    'A and B do not differ significantly. With 3 attempts of A and 2 of B, no difference would be significant.',
  );
});

test('runs that have nothing in common are not compared, and it says why', () => {
  const inconclusive = times(4, { outcome: 'inconclusive' });
  expect(comparisonDocument(resultOf({ a: times(4), b: inconclusive }))).toMatchObject({
    verdict: 'not comparable',
    sentence: 'A and B cannot be compared: no attempt of B had a verdict.',
    b: { attempts: '0 compared; left out: 4 inconclusive' },
  });
  expect(sentence({ a: times(4), b: times(4), setting: { upper: 5 } })).toBe(
    'A and B cannot be compared: A and B have no attempts with sets chosen in the same way.',
  );
});

test('each thing that differs between the runs is a line', () => {
  const result = resultOf({
    a: times(4),
    b: times(4),
    setting: {
      seed: 1n,
      record: {
        objective: { name: 'Orders', digest: 'e' },
        perturb: '0.2.0',
        benches: [{ name: 'lab', servers: [] }],
      },
    },
  });
  const { notes } = comparisonDocument({
    ...result,
    a: { ...result.a, gone: 2 },
    measurements: { same: [], changed: ['fast'], inAAlone: ['old'], inBAlone: ['new'] },
    settings: ['the command', '--skew'],
  });
  expect(notes).toEqual([
    'A and B chose sets in the same way, with the same seed, and have 4 judged sets in common',
    'the objectives differ',
    'not compared: fast (its check differs), old (only in A), new (only in B)',
    'different in A and B: the command, --skew',
    'benches: none in A, lab in B',
    'versions: Perturb 0.1.0 in A, Perturb 0.2.0 in B',
    'event names: 2 sessions of A missing',
  ]);
});

test('a terminal and Markdown show the same, and names act in neither', () => {
  const a = [...times(11), { outcome: 'failed' } as const];
  const b = [{ outcome: 'failed' } as const, ...times(11)];
  const document = comparisonDocument(
    resultOf({ a, b, inB: ['*new* \x1b[2J'], setting: { seed: 1n } }),
  );
  const text = toComparisonText(document, LOOK);
  expect(text).toContain('event "*new* \\u{1b}[2J" is new, in 12 of 12 attempts');
  expect(text).toMatch(/^A {2}runs\/1: Orders, 12 compared$/m);
  expect(text).toMatch(/^failed attempts +1 of 12, 8\.3 % \(1\.5 to 35\.4 %\) +1 of 12, .* 1 +-$/m);
  expect(text).toMatch(/^fails in B alone: level value=\S+ \(attempt 1 of A, attempt 1 of B\)$/m);
  const markdown = toComparisonMarkdown(document);
  expect(markdown).toContain('**B differs: event "\\*new\\* ');
  expect(markdown).toContain('| failed attempts | 1 of 12, 8.3 % (1.5 to 35.4 %) |');
  expect(markdown).toMatch(
    /^- fails in A alone: `level value=\S+` \(attempt 12 of A, attempt 12 of B\)$/m,
  );
});
