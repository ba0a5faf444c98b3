import { expect, test } from 'vitest';
import { type Database, EngineError, engineOn } from '../../../src/evaluation/clickhouse/index.js';
import { parse } from '../../../src/expression/index.js';
import { recorder } from './recorder.js';

test.each([
  ['existence', "MATCH (name = 'GUST') AS a, (CRASH @ PX4) AS b WHEN a -> b"],
  [
    'aggregates',
    "MATCH (name = 'GUST' AND force > 2) AS a, (name = 'TILT') AS b WHEN a -> b FILTER b.note != 'naïve' AGGREGATE Mean(a.force) < 5, MAX(b.angle) < 1.5, Count() > 0",
  ],
  [
    'joins',
    "MATCH (name = 'SEND') AS a, (name = 'RECV') AS b WHEN a -> b FILTER a.id = b.id AND a.size < b.size AGGREGATE count() = 0",
  ],
  [
    'groups',
    "MATCH (name = 'SEND') AS a, NOT (name = 'RECV' AND kind IN ('ack', 'nak')) AS b FILTER a.id = b.id AND a.size / 2 > 1 AGGREGATE percentile(a.size, 95) < 5, share(a.kind GLOB 'big-*') < 0.5 BY a.topic",
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
  ["(name = 'TILT') AS b FILTER a.x < b.x", 'a.x < b.x'],
  ["(name = 'TILT') AS b, (name = 'BEAT') AS c WHEN a || b FILTER c.x = a.x", 'c.x = a.x'],
  ["NOT (name = 'TILT') AS b FILTER b.x < a.x", 'b.x < a.x'],
])(
  'the server is not asked to try all combinations of many events: %s',
  async (clauses, clause) => {
    const { db, statements } = recorder('300000');
    const engine = engineOn(db, 'flight');
    const { expression } = parse(`MATCH (name = 'GUST') AS a, ${clauses}`);
    if (expression === undefined) throw new Error('the text is no expression');
    expect(await engine.evaluate(expression, { evidence: 1 })).toMatchObject({
      status: 'undecided',
      undecided: {
        clause,
        reason: 'the server would try 9.0e+10 combinations of events',
        help: 'select fewer events with FILTER, tie the labels together with an equality, or use the embedded engine',
      },
    });
    expect(await engine.bindings(expression, 3)).toBeUndefined();
    expect(statements.filter((one) => one.includes('cross join'))).toEqual([]);
  },
);

test('a table that cannot be dropped does not hide the result', async () => {
  const { db } = recorder();
  const refusing: Database = {
    ...db,
    async command(statement) {
      if (statement.startsWith('drop')) throw new EngineError('the session is locked');
      await db.command(statement);
    },
  };
  const { expression } = parse("MATCH (name = 'GUST') AS a");
  if (expression === undefined) throw new Error('the text is no expression');
  expect((await engineOn(refusing, 'flight').evaluate(expression)).status).toBe('holds');
});
