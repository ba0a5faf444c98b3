import { expect, test } from 'vitest';
import { engineOn } from '../../../src/evaluation/clickhouse/index.js';
import { parse } from '../../../src/expression/index.js';
import { recorder } from './recorder.js';

test.each([
  ['existence', "MATCH (name = 'GUST') AS a, (CRASH @ PX4) AS b WHEN a -> b"],
  [
    'aggregates',
    "MATCH (name = 'GUST' AND force > 2) AS a, (name = 'TILT') AS b WHEN a -> b FILTER b.note != 'naïve' AGGREGATE mean(a.force) < 5, max(b.angle) < 1.5, count() > 0",
  ],
  [
    'joins',
    "MATCH (name = 'SEND') AS a, (name = 'RECV') AS b WHEN a -> b FILTER a.id = b.id AND a.size < b.size AGGREGATE count() = 0",
  ],
])('the statements for %s', async (name, text) => {
  const { db, statements } = recorder();
  const { expression } = parse(text);
  if (expression === undefined) throw new Error('the text is no expression');
  await engineOn(db, "flight '7'").evaluate(expression, { evidence: 1 });
  await expect(statements.join('\n')).toMatchFileSnapshot(
    `../../../fixtures/clickhouse/${name}.sql`,
  );
});

test.each([
  ["NOT (name = 'TILT') AS b WHEN a -> b", 'NOT, NEXT'],
  ["(name GLOB 'T*') AS b WHEN a -> b", 'GLOB'],
])('of what the server is not asked for nothing is known: %s', async (clauses, clause) => {
  const engine = engineOn(recorder().db, 'flight');
  const { expression } = parse(`MATCH (name = 'GUST') AS a, ${clauses}`);
  if (expression === undefined) throw new Error('the text is no expression');
  expect(await engine.evaluate(expression, { evidence: 1 })).toEqual({
    status: 'undecided',
    vacuous: false,
    measures: [],
    labels: [],
    evidence: [],
    method: 'enumeration',
    undecided: {
      clause,
      reason: 'ClickHouse is not asked for this yet',
      help: 'measure with the embedded engine, which is the default',
    },
  });
  expect(await engine.bindings(expression, 3)).toBeUndefined();
});
