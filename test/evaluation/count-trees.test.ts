import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { countTrees } from '../../src/evaluation/join/count-trees.js';
import { Solver } from '../../src/evaluation/join/propagate.js';
import { isCountable } from '../../src/evaluation/join/relation.js';
import { BIGINTS, DoubleCounting } from '../../src/evaluation/join/weights.js';
import { matchLabels } from '../../src/evaluation/methods/match-labels.js';
import { Selection } from '../../src/evaluation/order/selection.js';
import { buildQuery } from '../../src/evaluation/query/build-query.js';
import { joinTrees } from '../../src/evaluation/query/query.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { SessionBuilder } from '../../src/session/index.js';
import { randomCase } from './compare.js';
import { allToAll, toSession } from './to-session.js';

test('counts in bigints, which are used beyond the doubles, are those in doubles', () => {
  let compared = 0;
  for (let seed = 1; seed <= 250; seed++) {
    const { session: plain, expression } = randomCase(seed);
    const { session } = toSession(plain);
    const { problem } = matchLabels(new Selection(session), buildQuery(expression), {
      budget: 0,
      plan: [],
    });
    const { lists, relations, query } = problem;
    const labels = [...query.labels.keys()];
    const trees = joinTrees(labels, relations);
    if (trees === undefined || !relations.every(isCountable) || labels.length < 2) continue;
    const solver = new Solver(session, lists);
    const wanted = new Set(labels);
    const doubles = countTrees(solver, trees, wanted, new DoubleCounting());
    const bigints = countTrees(solver, trees, wanted, BIGINTS);
    expect(bigints.totals.map(Number), `seed ${seed}`).toEqual(doubles.totals);
    for (const label of labels) {
      const counts = bigints.of.get(label) as unknown as bigint[];
      expect(counts.map(Number)).toEqual(Array.from(doubles.of.get(label) as Float64Array));
    }
    compared++;
  }
  expect(compared).toBeGreaterThan(80);
});

test('clocks of more probes than are swept together are put together', () => {
  const builder = new SessionBuilder();
  const [probes, rounds] = [300, 10];
  let before: readonly number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = round === 0 ? 'A' : 'B';
    const now = Array.from({ length: probes }, (_, probe) => {
      return builder.event({ probe: `P${probe}`, name, attributes: { round: BigInt(round) } });
    });
    before.forEach((from, probe) => {
      builder.interaction(from, now[(probe + 1) % probes] as number);
    });
    before = now;
  }
  allToAll(builder, before);
  const text = "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b";
  const { expression } = parse(`${text} AGGREGATE count() = 16200, sum(b.round) = 99000`);
  const session = builder.build();
  // In round r an event comes after the first events of r + 1 probes, its own among them.
  expect(evaluate(session, expression as Expression).measures).toMatchObject([
    { left: '16200', holds: true },
    { left: '99000', holds: true },
  ]);
  // Next after an A is the B of round 1 on its own probe, and on that which it is sent to.
  const next = parse(`${text.replace('->', '-> NEXT')} AGGREGATE count() = 600`).expression;
  expect(evaluate(session, next as Expression).measures).toMatchObject([
    { left: '600', holds: true },
  ]);
});

/** Events A and B in turn at one probe, the k-th of each with a value. */
function inTurn(size: number, xOf: (k: number) => number) {
  const builder = new SessionBuilder();
  for (let k = 0; k < size; k++) {
    const attributes = { x: BigInt(xOf(k)) };
    for (const name of ['A', 'B']) builder.event({ probe: 'P', name, attributes });
  }
  const text = "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b FILTER a.x < b.x";
  const { expression } = parse(`${text} AGGREGATE count() > 0, sum(a.x) > 0, sum(b.x) > 0`);
  return evaluate(builder.build(), expression as Expression).measures.map(({ left }) => left);
}

test('comparisons over long runs are counted as those of each pair are', () => {
  const size = 1500;
  const xOf = (k: number) => (k * 1009) % 1499;
  let [count, sumA, sumB] = [0, 0, 0];
  for (let b = 0; b < size; b++) {
    for (let a = 0; a <= b; a++) {
      if (xOf(a) >= xOf(b)) continue;
      count++;
      sumA += xOf(a);
      sumB += xOf(b);
    }
  }
  expect(inTurn(size, xOf)).toEqual([count, sumA, sumB].map(String));
});

test('comparisons over a run of 70,000 events are counted', () => {
  const size = 70_000n;
  const pairs = (size * (size - 1n)) / 2n;
  const sumA = (size * (size - 1n) * (size - 2n)) / 6n;
  const sumB = (size * (size - 1n) * (2n * size - 1n)) / 6n;
  expect(inTurn(Number(size), (k) => k)).toEqual([pairs, sumA, sumB].map(String));
});
