import { describe, expect, it, test } from 'vitest';
import {
  decimalOf,
  type Expression,
  equalitiesOfNext,
  hasDecimals,
  labelOfKey,
  type MeaningPart,
  meaningOf,
  measuresIn,
  parse,
  printCondition,
  printOperand,
  staysTrue,
} from '../../../src/expression/index.js';

function read(text: string): Expression {
  const { expression, violations } = parse(text);
  expect(violations).toEqual([]);
  return expression as Expression;
}

/** A part in a few characters, and the labels that it mentions. */
function short(part: MeaningPart): string {
  const labels = ` [${part.labels.join(' ')}]`;
  if (part.kind === 'condition') return printCondition(part.condition) + labels;
  const { from, to } = part;
  if (part.kind === 'within') return `${from} within ${part.nanoseconds} of ${to}${labels}`;
  if (part.kind !== 'arrow') return `${from} ${part.kind} ${to}${labels}`;
  return `${from} ->${part.next ? ' NEXT' : ''} ${to}${part.implied ? ' implied' : ''}${labels}`;
}

describe('the meaning of an expression', () => {
  it('is one part for each arrow, ||, !=, WITHIN and conjunct of FILTER', () => {
    const { present, parts, absences } = meaningOf(
      read(`MATCH (x = 1) AS a, (x = 2) AS b, (x = 3) AS c
        WHEN a -> NEXT b -> c WITHIN 2us AND (a || c AND b != b)
        FILTER (a.x = 1 AND (b.y = a.y AND NOT (c.z = a.z))) AND (a.x = 1 OR session.end > 3) AND 1 = 2`),
    );
    expect(present).toEqual(['a', 'b', 'c']);
    expect(absences).toEqual([]);
    expect(parts.map(short)).toEqual([
      'a -> NEXT b [a b]',
      'b -> c [b c]',
      'a within 2000 of c [a c]',
      'a concurrent c [a c]',
      'b distinct b [b]',
      'a.x = 1 [a]',
      'b.y = a.y [b a]',
      'NOT c.z = a.z [c a]',
      'a.x = 1 OR session.end > 3 [a]',
      '1 = 2 []',
    ]);
  });

  it('chooses absent labels together that share a part, and asks for the order through them', () => {
    const { present, parts, absences } = meaningOf(
      read(`MATCH (x = 1) AS a, NOT (x = 2) AS n, (x = 3) AS b, NOT (x = 4) AS m, NOT (x = 5) AS o
        WHEN a -> n -> m -> b AND a -> o -> a WITHIN 5s
        FILTER a.t = b.t AND o.t = a.t OR o.u = 1 AND m.u = 2`),
    );
    expect(present).toEqual(['a', 'b']);
    expect(parts.map(short)).toEqual([
      'a within 5000000000 of a [a]',
      'a -> b implied [a b]',
      'a -> a implied [a]',
    ]);
    expect(absences.map(({ labels, parts }) => [labels, parts.map(short)])).toEqual([
      [
        ['n', 'm', 'o'],
        [
          'a -> n [a n]',
          'n -> m [n m]',
          'm -> b [m b]',
          'a -> o [a o]',
          'o -> a [o a]',
          '(a.t = b.t AND o.t = a.t) OR (o.u = 1 AND m.u = 2) [a b o m]',
        ],
      ],
    ]);
  });

  it('leaves absent labels apart that share no part, also those nothing is asked of', () => {
    const { absences, parts } = meaningOf(
      read(`MATCH (x = 1) AS a, NOT (x = 2) AS n, NOT (x = 4) AS m, NOT (x = 5) AS o
        WHEN a -> n FILTER m.x = a.x`),
    );
    expect(parts).toEqual([]);
    expect(absences.map(({ labels, parts }) => [labels, parts.map(short)])).toEqual([
      [['n'], ['a -> n [a n]']],
      [['m'], ['m.x = a.x [m a]']],
      [['o'], []],
    ]);
  });
});

test('NEXT asks the equalities of its labels of what stands between', () => {
  const tree = read(`MATCH (x = 1) AS a, (x = 2) AS b, (x = 1) AS c WHEN a -> NEXT b
    FILTER a.p = b.q.r AND b.s = a.s AND (a.p = b.p OR b.x = 1) AND a.p < b.p AND a.p = b.p + 1
    AND a.p @ P = b.p AND a.p = c.p AND NOT (a.z = b.z)`);
  const found = equalitiesOfNext(tree, 'a', 'b');
  expect(found.map((each) => [printOperand(each.of), printOperand(each.with)])).toEqual([
    ['a.p', 'b.q.r'],
    ['a.s', 'b.s'],
  ]);
});

test('a key of BY is of one label', () => {
  const tree = read(
    'MATCH (x = 1) AS a, (x = 2) AS b AGGREGATE count() > 1 BY a.x, window(a.time, 1s), b',
  );
  const keys = tree.aggregate?.by?.keys ?? [];
  expect(keys.map((key) => labelOfKey(key).text)).toEqual(['a', 'a', 'b']);
});

test.each([
  ["MATCH (name = 'x') AS a", true],
  ['ready @ P', true],
  ["MATCH (NOT (name = 'x')) AS a, (x = 1) AS b WHEN a -> b WITHIN 5s AND a != b", true],
  ['MATCH (x = 1) AS session, (x = 2) AS b FILTER session.end < b.time', true],
  ["MATCH NOT (name = 'x') AS a", false],
  ['MATCH (x = 1) AS a, (x = 1) AS b WHEN a -> NEXT b', false],
  ['MATCH (x = 1) AS a, (x = 1) AS b WHEN a || b', false],
  ['MATCH (x = 1) AS a FILTER a.time < session.end - 5s', false],
  ['MATCH (x = 1) AS a AGGREGATE count() > 1', false],
])('whether %s stays true', (text, stays) => {
  expect(staysTrue(read(text))).toBe(stays);
});

test.each([
  ['count() * 2 < 0.1 + distinct(a.x)', true],
  ['share(a.x > 0.1) < baseline(count() / 3)', true],
  ['sum(3) < 0.1', true],
  ['max(a.x) < 0.1', false],
  ['count() * 1s / (session.end - session.start) < 0.1', true],
  ['max(session.end) < 0.1', false],
  ['2 * baseline(percentile(a.x, 9)) > count()', false],
])('whether %s is reckoned with decimals', (measure, has) => {
  const { aggregate } = read(`MATCH (x = 1) AS a AGGREGATE ${measure}`);
  expect(measuresIn(aggregate?.measures ?? []).map(hasDecimals)).toEqual([has]);
});

test.each([
  ['0.01', 1n, 100n],
  ['-12.50', -125n, 10n],
  ['1e3', 1000n, 1n],
  ['2.5e-7', 25n, 10n ** 8n],
  ['7', 7n, 1n],
  ['0.12345678901234567890', 1234567890123456789n, 10n ** 19n],
  ['1e-400', 1n, 10n ** 400n],
  ['123456789012345678901.5', 1234567890123456789015n, 10n],
])('%s is the decimal as written', (text, n, d) => {
  const { aggregate } = read(`MATCH (x = 1) AS a AGGREGATE count() = ${text}`);
  const right = measuresIn(aggregate?.measures ?? [])[0]?.right;
  if (right?.kind !== 'integer' && right?.kind !== 'float') throw new Error('no number');
  const found = decimalOf(right);
  expect(found.n * d).toBe(n * found.d);
});
