import { expect, test } from 'vitest';
import { percentileOfSum } from '../../src/evaluation/answer/percentile.js';
import { evaluate } from '../../src/evaluation/index.js';
import { matchLabels } from '../../src/evaluation/methods/match-labels.js';
import { PLAN } from '../../src/evaluation/methods/plan.js';
import { Selection } from '../../src/evaluation/order/selection.js';
import { buildQuery } from '../../src/evaluation/query/build-query.js';
import type { AggregateTerm, QueryMeasure } from '../../src/evaluation/query/query.js';
import { parse } from '../../src/expression/index.js';
import { SessionBuilder } from '../../src/session/index.js';
import { roll } from '../dice.js';

/** 300 `a` and `b` at three probes, with messages between these; few values of `k`. */
function sessionOf(seed: number, values: number) {
  const dice = roll(seed);
  const builder = new SessionBuilder();
  let before = -1;
  for (let at = 0; at < 300; at++) {
    const event = builder.event({
      probe: `P${dice.upTo(2)}`,
      name: dice.pick(['a', 'b']),
      attributes: { x: BigInt(dice.upTo(values)), k: BigInt(dice.upTo(3)) },
    });
    if (at % 5 === 4) builder.interaction(before, event);
    before = event;
  }
  return builder.build();
}

const MATCH = "MATCH (name = 'a') AS a, (name = 'b') AS b WHEN a -> b";

test.each([
  ['many values', '', 1_000_000],
  ['few values, which many pairs have', '', 3],
  ['with keys', ' FILTER a.k = b.k', 1000],
  ['with another bound below', ' FILTER b.x - a.x > -500', 1000],
])('a bracketed percentile is that of all bindings: %s', (_, filter, values) => {
  const session = sessionOf(1, values);
  for (const percent of ['0.1', '50', '100']) {
    const measure = `percentile(b.x - a.x, ${percent}) < 0`;
    const { expression } = parse(`${MATCH}${filter} AGGREGATE ${measure}`);
    if (expression === undefined) throw new Error('no expression');
    const query = buildQuery(expression);
    const { problem } = matchLabels(new Selection(session), query, { budget: 1e8, plan: PLAN });
    const [measured] = query.measures as [QueryMeasure];
    const { argument, labels, percent: p } = measured.left as AggregateTerm;
    if (argument.kind !== 'sum' || p === undefined) throw new Error('no sum');
    // So few pairs may be listed that a sample must bracket the value first.
    const found = percentileOfSum(problem, argument, labels, p, 400);
    const listing = evaluate(session, expression, {}).measures[0]?.left;
    expect(found?.value).toMatchObject({ is: 'number', value: { d: 1n } });
    expect(found?.value.is === 'number' && String(found.value.value.n)).toBe(listing);
  }
});
