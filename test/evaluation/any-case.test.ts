import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { SessionBuilder } from '../../src/session/index.js';

test('functions are evaluated in any case', () => {
  const builder = new SessionBuilder();
  for (const x of [-4n, 2n, 8n]) {
    builder.event({ probe: 'P', name: 'A', time: x + 4n, attributes: { x } });
  }
  const measures = [
    ['COUNT()', '3'],
    ['Max(ABS(a.x))', '8'],
    ['MIN(a.x)', '-4'],
    ['Sum(a.x)', '6'],
    ['mEAN(a.x)', '2'],
    ['StdDev(a.x)', '6'],
    ['Percentile(a.x, 50)', '2'],
    ['DISTINCT(a.x)', '3'],
    ['Share(Exists(a.x))', '1'],
  ] as const;
  const list = measures.map(([term, value]) => `${term} = ${value}`).join(', ');
  const text = `MATCH (EXISTS(x)) AS a AGGREGATE ${list}`;
  const result = evaluate(builder.build(), parse(text).expression as Expression);
  expect(result.measures?.map(({ left }) => left)).toEqual(measures.map(([, value]) => value));
  expect(result.status).toBe('holds');
});
