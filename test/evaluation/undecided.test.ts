import { expect, test } from 'vitest';
import { evaluateWith } from '../../src/evaluation/answer/evaluate.js';
import { bindings, evaluate } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { type Session, SessionBuilder } from '../../src/session/index.js';
import { isLong } from '../long.js';
import { planOf } from './compare.js';

const expressionOf = (text: string) => parse(text).expression as Expression;

/** Many events on one probe, whose x and y go up and down. */
function session(events: number): Session {
  const builder = new SessionBuilder();
  for (let at = 0; at < events; at++) {
    const attributes = { x: BigInt((at * 7) % events), y: BigInt((at * 11) % events) };
    builder.event({ probe: 'P', name: at % 2 === 0 ? 'A' : 'B', attributes });
  }
  return builder.build();
}

const ONE = "MATCH (name = 'A') AS a";
const TWO =
  "MATCH (name = 'A') AS a, (name = 'B') AS b FILTER a.x < b.x AND a.y < b.y AND a.x * 2 < b.y";

test('beyond the budget there is no verdict, but the clause and what would help', () => {
  const result = evaluate(session(400), expressionOf(`${TWO} AGGREGATE count() > 1`), {
    budget: 1000,
  });
  expect(result).toEqual({
    status: 'undecided',
    vacuous: false,
    measures: [{ text: 'count() > 1', left: 'undecided', right: '1' }],
    labels: [
      { label: 'a', matched: 200, filtered: 200, ordered: 200 },
      { label: 'b', matched: 200, filtered: 200, ordered: 200 },
    ],
    evidence: [],
    method: 'enumeration',
    undecided: {
      clause: 'a.x < b.x AND a.y < b.y AND a.x * 2 < b.y',
      reason:
        'it would take more than 1000 steps to try the bindings of a (200 events), b (200 events)',
      help: 'match fewer events with a narrower pattern or FILTER, or raise the budget',
    },
  });
});

test('a measure that is false decides all the same', () => {
  const text = `${TWO} AGGREGATE count() > 1, 1 > 2`;
  expect(evaluate(session(400), expressionOf(text), { budget: 1000 }).status).toBe('fails');
});

test('the budget is spent once, however many measures need what is not known', () => {
  const done: number[] = [];
  const text = `${TWO} AGGREGATE count() > 1, count() > 2, mean(a.x) > 1, count() < 9`;
  const { status, measures } = evaluateWith(
    planOf('enumeration'),
    session(2000),
    expressionOf(text),
    {
      budget: 400_000,
      onProgress: (steps) => done.push(steps),
    },
  );
  expect([status, measures.map(({ left }) => left)]).toEqual([
    'undecided',
    new Array(4).fill('undecided'),
  ]);
  expect(done.length).toBeGreaterThan(3);
  expect(done).toEqual([...new Set(done)].toSorted((a, b) => a - b));
});

test('within the budget there is a verdict', () => {
  const text = `${TWO} AGGREGATE count() > 1`;
  const result = evaluate(session(400), expressionOf(text));
  expect(result.status).toBe('holds');
  expect(result.method).toBe('each event');
});

test('existence is found where to count would be too much', () => {
  const small = { budget: 2000 };
  expect(evaluate(session(400), expressionOf(TWO), small).status).toBe('holds');
  expect(bindings(session(400), expressionOf(TWO), 3, { budget: 2 })).toBeUndefined();
  expect(bindings(session(400), expressionOf(TWO), 3, { budget: 10 })).toHaveLength(3);
});

test('numbers of bindings are exact beyond the doubles', () => {
  const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const match = labels.map((label) => `(name = 'A') AS ${label}`).join(', ');
  const text = `MATCH ${match} WHEN ${labels.join(' -> ')} AGGREGATE count() > 1`;
  // Of 500 events in a row, 8 in their order: 500 over 8.
  let wanted = 1n;
  for (let at = 0n; at < 8n; at++) wanted = (wanted * (500n - at)) / (at + 1n);
  const result = evaluate(session(1000), expressionOf(text));
  expect(wanted > 2n ** 53n).toBe(true);
  expect(result.bindings).toBe(String(wanted));
});

test('evidence shows the binding of an extreme', () => {
  const text =
    "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b AGGREGATE max(b.x) < 5, count() > 3";
  const result = evaluate(session(10), expressionOf(text), { evidence: 2 });
  expect(result.evidence).toMatchObject([
    {
      why: 'max',
      of: 'max(b.x)',
      binding: { a: { probe: 'P', seq: 0 }, b: { probe: 'P', seq: 7 } },
    },
  ]);
});

test('an event of the evidence is named exactly', () => {
  const builder = new SessionBuilder();
  for (const seq of [5n, 2n ** 60n, 2n ** 60n + 24n]) builder.event({ probe: 'P', name: 'A', seq });
  const result = evaluate(builder.build(), expressionOf("MATCH (name = 'A') AS a"), {
    evidence: 3,
  });
  expect(result.evidence.map(({ binding }) => binding['a']?.seq)).toEqual([
    5,
    '1152921504606846976',
    '1152921504606847000',
  ]);
});

test('without an extreme evidence shows the first bindings', () => {
  const text = "MATCH (name = 'B') AS b, (name = 'A') AS a WHEN a -> b";
  const result = evaluate(session(10), expressionOf(text), { evidence: 2 });
  expect(
    result.evidence.map(({ why, binding }) => [why, binding['b'], binding['a']]),
  ).toMatchObject([
    ['first', { probe: 'P', seq: 1 }, { probe: 'P', seq: 0 }],
    ['first', { probe: 'P', seq: 3 }, { probe: 'P', seq: 0 }],
  ]);
});

test('the first bindings are found however late their events are', () => {
  const builder = new SessionBuilder();
  const [late, early] = ['A', 'C'].map((probe) => builder.event({ probe, name: 'A' }));
  const received = Array.from({ length: 150_000 }, () => builder.event({ probe: 'B', name: 'B' }));
  builder.interaction(early as number, received[1] as number);
  builder.interaction(late as number, received.at(-2) as number);
  const expression = expressionOf("MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b");
  const place = (probe: string, seq: number) => ({ probe, seq });
  const first = [149_998, 149_999].map((seq) => ({ a: place('A', 0), b: place('B', seq) }));
  const all = [...first, { a: place('C', 0), b: place('B', 1) }];
  expect(bindings(builder.build(), expression, 3, { budget: 1000 })).toEqual(all);
  const { evidence } = evaluate(builder.build(), expression, { evidence: 1 });
  expect(evidence.map(({ binding }) => binding)).toMatchObject(first?.slice(0, 1) ?? []);
});

test('what the search for a list takes besides the events that it tries counts too', () => {
  const builder = new SessionBuilder();
  for (let at = 0; at < 200; at++) {
    const attributes = { x: BigInt(at) };
    const a = builder.event({ probe: 'P', name: 'A', attributes });
    const b = builder.event({ probe: 'Q', name: 'B', attributes });
    builder.interaction(a, b);
  }
  const expression = expressionOf(
    "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b FILTER a.x = b.x",
  );
  const list = (budget: number) => bindings(builder.build(), expression, 100, { budget });
  // For each of the first 100 events a pass over 200 receives.
  expect(list(5_000)).toBeUndefined();
  expect(list(5_300)).toHaveLength(100);
});

test('a list that the budget does not suffice for is not given in part', () => {
  const text = "MATCH (name = 'A') AS a, (name = 'B') AS b FILTER a.x < b.x";
  const list = (budget: number) => bindings(session(400), expressionOf(text), 1000, { budget });
  expect(list(500)).toBeUndefined();
  expect(list(100_000)).toHaveLength(1000);
});

test.each([
  ['each event', 1000],
  ['enumeration', 100e6],
] as const)('a long search tells how far it has come: %s', (method, whole) => {
  const told: [number, number][] = [];
  const text = `${TWO} AGGREGATE count() > 1`;
  evaluateWith(planOf(method), session(2000), expressionOf(text), {
    onProgress: (done, total) => told.push([done, total]),
  });
  expect(told.length).toBeGreaterThan(5);
  expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).toSorted((a, b) => a - b));
  expect(new Set(told.map(([, total]) => total))).toEqual(new Set([whole]));
});

test.each([
  [
    'beside one label',
    `${ONE}, NOT (name = 'B') AS x, NOT (name = 'A') AS y FILTER x.x * y.x + a.x = 7777 AGGREGATE count() > 1`,
    'x.x * y.x + a.x = 7777',
  ],
  [
    'between two labels',
    `${ONE}, (name = 'B') AS b, NOT (name = 'A') AS x FILTER x.x > a.x + 300 AND x.x < b.x AGGREGATE count() > 1`,
    'NOT x',
  ],
  [
    'beside none',
    `${ONE}, NOT (name = 'B') AS x, NOT (name = 'A') AS y FILTER x.x * y.x = 7777 AGGREGATE count() > 1`,
    'x.x * y.x = 7777',
  ],
])('an absence %s that cannot be decided within the budget is named', (_, text, clause) => {
  const result = evaluate(session(400), expressionOf(text), { budget: 1000 });
  expect(result.status).toBe('undecided');
  expect(result.undecided?.clause).toBe(clause);
});

test('numbers that get too long are not calculated with', () => {
  const text = `MATCH (x ${'* x '.repeat(10_000)} > 1) AS a`;
  const { status, undecided } = evaluate(session(9), expressionOf(text));
  expect(status).toBe('undecided');
  expect(undecided).toEqual({
    clause: 'the calculation with x',
    reason: 'it needs numbers with more than 4096 bits',
    help: 'multiply or divide fewer numbers',
  });
  expect(bindings(session(9), expressionOf(text), 3)).toBeUndefined();
});

test.each([
  ['in what is written', 'MATCH (x > 1e308 * 1e308 * 1e308 * 1e308 * 1e308) AS a'],
  [
    'over two labels',
    `${ONE}, (name = 'A') AS b AGGREGATE sum(a.small * a.small / 7 - b.large * b.large / 3) > 1`,
  ],
])('a number that gets too long %s is undecided', (_, text) => {
  const builder = new SessionBuilder();
  for (const small of [5e-324, 1, 3e-320]) {
    builder.event({ probe: 'P', name: 'A', attributes: { small, large: 1.5e308, x: 1n } });
  }
  const { status, undecided } = evaluate(builder.build(), expressionOf(text));
  expect([status, undecided]).toEqual([
    'undecided',
    {
      clause: 'the calculation',
      reason: 'it needs numbers with more than 4096 bits',
      help: 'multiply or divide fewer numbers',
    },
  ]);
});

test('fractions whose denominators divide each other are added, however long they are', () => {
  const builder = new SessionBuilder();
  for (const small of [5e-324, 1, 3e-320]) {
    builder.event({ probe: 'P', name: 'A', attributes: { small } });
  }
  const text = `${ONE} AGGREGATE sum(a.small * a.small / 3) > 1 / 3, stddev(a.small / 3) < 0.2`;
  const { measures } = evaluate(builder.build(), expressionOf(text));
  expect(measures.map(({ left, holds }) => [left, holds])).toEqual([
    [String(1 / 3), true],
    [String(Math.sqrt(1 / 27)), true],
  ]);
});

test('no binding is listed where a written number gets too long', () => {
  const expression = expressionOf(`MATCH (x > 1${' * 1e308'.repeat(5)}) AS a`);
  expect(bindings(session(9), expression, 3)).toBeUndefined();
});

test.each([
  ['window(a.time, 1ns)', 2n ** 61n],
  ['a.x, window(a.time, 1us)', 2n ** 61n],
])('more groups than can be told apart are not judged: BY %s', (keys, end) => {
  const builder = new SessionBuilder();
  for (const [x, time] of [0n, 1n, 2n, 3n, end - 2_000n, end].entries()) {
    builder.event({ probe: 'P', name: 'A', time, attributes: { x: BigInt(x) } });
  }
  const text = `${ONE} AGGREGATE count() <= 1 BY ${keys}`;
  const { status, undecided } = evaluate(builder.build(), expressionOf(text));
  expect([status, undecided]).toEqual([
    'undecided',
    {
      clause: `BY ${keys}`,
      reason: 'too many groups',
      help: 'make the windows longer',
    },
  ]);
});

test('long lists, patterns and sums are answered', () => {
  const many = isLong ? 100_000 : 30_000;
  const numbers = Array.from({ length: many }, (_, at) => at + 4).join(', ');
  const count = (condition: string) =>
    evaluate(session(9), expressionOf(`MATCH (${condition}) AS a`), { count: true }).bindings;
  expect(count(`x IN (${numbers})`)).toBe('5');
  expect(count(`name GLOB '${'*A'.repeat(many / 2)}*'`)).toBe('0');
  expect(count(`name GLOB '${'*'.repeat(many)}A'`)).toBe('5');
  expect(count(`x ${'+ x '.repeat(many / 2)} > ${5 * (many / 2 + 1)}`)).toBe('3');
});

test('as many groups as events, and a percentile of all of them, are answered', () => {
  const events = isLong ? 1_000_000 : 20_000;
  const many = session(events);
  const everyX = evaluate(many, expressionOf('MATCH (x >= 0) AS a AGGREGATE count() = 1 BY a.x'));
  expect([everyX.status, everyX.groups?.all, everyX.groups?.hold]).toEqual([
    'holds',
    events,
    events,
  ]);
  const median = evaluate(
    many,
    expressionOf('MATCH (x >= 0) AS a AGGREGATE percentile(a.x, 50) > 0'),
  );
  expect(median.measures[0]?.left).toBe(String(events / 2 - 1));
}, 120_000);

test('a thousand labels are answered, absent ones too', () => {
  const labels = (not: string) =>
    Array.from({ length: 1000 }, (_, at) => `${at > 0 ? not : ''}(x = ${at % 9}) AS l${at}`);
  const pairs = (sign: string) =>
    Array.from({ length: 999 }, (_, at) => `l${at} ${sign} l${at + 1}`).join(' AND ');
  const status = (not: string, sign: string) =>
    evaluate(session(9), expressionOf(`MATCH ${labels(not).join(', ')} WHEN ${pairs(sign)}`))
      .status;
  expect(status('', '!=')).toBe('holds');
  expect(status('', '||')).toBe('fails');
  expect(status('NOT ', '->')).toBe('holds');
  expect(status('', '-> NEXT')).toBe('fails');
});

test.each([
  ['distinct(a.x * b.y) >= 1', 'distinct(a.x * b.y)'],
  ['percentile(a.x * b.y, 50) >= 1', 'percentile(a.x * b.y, 50)'],
  ['count() >= 1, distinct(b.x) >= 1 BY a', 'distinct(b.x)'],
])('values that have to be kept are bounded by a part of the budget: %s', (measures, clause) => {
  const text = `MATCH (name = 'A') AS a, (name = 'B') AS b AGGREGATE ${measures}`;
  const { undecided } = evaluate(session(200), expressionOf(text), { budget: 20_000 });
  expect(undecided).toEqual({
    clause,
    reason: 'more than 2,000 distinct values would have to be kept',
    help: 'match fewer events, with narrower patterns or FILTER',
  });
  const { status } = evaluate(session(200), expressionOf(text), { budget: 200_000 });
  expect(status).toBe('holds');
});
