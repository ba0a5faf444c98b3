import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { check, parse } from '../../src/expression/index.js';
import { readSession, type Session } from '../../src/session/index.js';

/*
 * HAVING, OR among measures, count(label), lower() and the times of the session, over sessions whose answers
 * are counted by hand or by a plain script.
 */

interface PlainEvent {
  readonly name: string;
  readonly time: number;
  readonly attributes?: Readonly<Record<string, number | string>>;
}

async function read(text: string): Promise<Session> {
  const { session, problems } = await readSession(Readable.from([Buffer.from(text)]));
  expect(problems).toEqual([]);
  return session as Session;
}

describe.each(['good', 'bad'])('the %s session of the questions', async (name) => {
  const text = readFileSync(`examples/questions/${name}.session.jsonl`, 'utf8');
  const session = await read(text);
  const events = text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as PlainEvent);
  const named = (wanted: string) => events.filter((event) => event.name === wanted);
  const measured = (expression: string) => {
    const { expression: tree, findings } = check(expression, { role: 'check' });
    expect(findings).toEqual([]);
    return evaluate(session, tree as NonNullable<typeof tree>);
  };
  const responses = named('response').map(({ attributes = {} }) => attributes);

  test('groups with enough to judge', () => {
    const customers = [...new Set(responses.map(({ customer }) => customer))];
    const latencies = customers.map((customer) =>
      responses.filter((one) => one['customer'] === customer).map(({ latency }) => Number(latency)),
    );
    const judged = latencies.filter((all) => all.length >= 2);
    const hold = judged.filter((all) => all.reduce((sum, one) => sum + one, 0) / all.length < 80);
    const { groups, status } = measured(
      "MATCH (name = 'response') AS r AGGREGATE mean(r.latency) < 80 BY r.customer HAVING count() >= 2",
    );
    expect(groups).toMatchObject({
      ...{ all: judged.length, hold: hold.length },
      leftOut: latencies.length - judged.length,
    });
    expect(status).toBe(hold.length === judged.length ? 'holds' : 'fails');
  });

  test('alternatives', () => {
    const failed = responses.filter(({ status }) => Number(status) >= 500).length;
    const slowest = Math.max(...responses.map(({ latency }) => Number(latency)));
    const { measures, status } = measured(
      "MATCH (name = 'response') AS r AGGREGATE share(r.status >= 500) = 0 OR max(r.latency) < 100",
    );
    expect(measures[0]?.any?.map(({ left }) => Number(left))).toEqual([
      failed / responses.length,
      slowest,
    ]);
    expect(status).toBe(failed === 0 || slowest < 100 ? 'holds' : 'fails');
  });

  test('a lag and a rate', () => {
    const [sent, handled] = [named('sent').length, named('handled').length];
    const times = events.map(({ time }) => time);
    const seconds = (Math.max(...times) - Math.min(...times)) / 1e9;
    const { measures } = measured(
      "MATCH (name = 'sent') AS s, (name = 'handled') AS h AGGREGATE count(s) - count(h) = 0, count(s) * 1s / (session.end - session.start) < 10",
    );
    expect(Number(measures[0]?.left)).toBe(sent - handled);
    expect(Number(measures[1]?.left)).toBeCloseTo(sent / seconds, 6);
  });

  test('a text in any case', () => {
    const logs = named('log').filter(({ attributes }) =>
      /timeout/i.test(String(attributes?.['message'])),
    );
    const { bindings } = measured(
      "MATCH (name = 'log') AS l FILTER lower(l.message) GLOB '*timeout*' AGGREGATE count() = 0",
    );
    expect(bindings).toBe(String(logs.length));
  });
});

test('a baseline in HAVING, and of count(label), is not grouped', async () => {
  const { expression } = parse(
    "MATCH (name = 'a') AS a, (name = 'b') AS b AGGREGATE count(a) = baseline(count(a)) - 1 BY a.x HAVING max(a.x) < baseline(max(a.x))",
  );
  const session = await read(SESSION);
  const found = evaluate(session, expression as NonNullable<typeof expression>, {
    baseline: [session],
  });
  expect(found).toMatchObject({ status: 'holds', groups: { all: 1, hold: 1, leftOut: 1 } });
});

/** a at 0 s and 10 s, b at 4 s; x is 1, 3 and 5; k is Ab, aB and \u0130. */
const SESSION = [
  { session: 1 },
  { probe: 'P', name: 'a', time: 0, attributes: { x: 1, k: 'Ab' } },
  { probe: 'P', name: 'b', time: 4_000_000_000, attributes: { x: 5, k: '\u0130' } },
  { probe: 'Q', name: 'a', time: 10_000_000_000, attributes: { x: 3, k: 'aB' } },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

test.each([
  ["(name = 'a') AS a AGGREGATE count() = 1 OR count() = 2", 'holds'],
  ["(name = 'a') AS a AGGREGATE count() = 1 OR count() = 3", 'fails'],
  ["(name = 'a') AS a AGGREGATE count() = 2 OR count() = 3 AND count() = 4", 'holds'],
  ["(name = 'a') AS a AGGREGATE (count() = 2 OR count() = 3) AND count() = 4", 'fails'],
  ["(name = 'a') AS a AGGREGATE count() = 9 OR count() = 2, max(a.x) = 3", 'holds'],
  ["(name = 'a') AS a AGGREGATE max(a.none) = 1 OR count() = 2", 'holds'],
  ["(name = 'a') AS a AGGREGATE session.end - session.start = 10s", 'holds'],
  ["(name = 'a') AS a AGGREGATE max(session.end - session.start) = 10s", 'holds'],
  ["(name = 'a') AS a AGGREGATE sum(session.end - session.start) = 20s", 'holds'],
  ["(name = 'none') AS a AGGREGATE session.end - session.start = 10s", 'holds'],
  ["(name = 'none') AS a AGGREGATE max(session.end - session.start) = 10s", 'fails'],
  ["(name = 'a') AS a AGGREGATE count() * 1s / (session.end - session.start) = 0.2", 'holds'],
  ["(name = 'a') AS a, (name = 'b') AS b AGGREGATE count(a) = 2, count(b) = 1", 'holds'],
  ["(name = 'a') AS a, (name = 'none') AS b AGGREGATE count(a) = 2, count() = 0", 'holds'],
  ["(name = 'a') AS a, (name = 'b') AS b WHEN a -> b AGGREGATE count(a) = 1", 'holds'],
  ["(name = 'a') AS a, NOT (name = 'b') AS b AGGREGATE count(a) = 0", 'holds'],
  ["(name = 'a') AS a AGGREGATE count() = 1 BY a.x HAVING min(a.x) > 1", 'holds'],
  ["(name = 'a') AS a AGGREGATE max(a.x) = 3 BY a.x HAVING max(a.x) > 1", 'holds'],
  ["(name = 'a') AS a AGGREGATE max(a.x) = 3 BY a.x HAVING max(a.x) > 0", 'fails'],
  ["(name = 'a') AS a AGGREGATE max(a.x) = 9 BY a.x HAVING count() > 5", 'holds'],
  ["(lower(k) = 'ab') AS a AGGREGATE count() = 2", 'holds'],
  ["(lower(k) = '\u0130') AS a AGGREGATE count() = 1", 'holds'],
  ["(lower(x) != 'ab') AS a AGGREGATE count() = 0", 'holds'],
  [
    "(name = 'a') AS a, (name = 'a') AS b WHEN a != b FILTER lower(a.k) = lower(b.k) AGGREGATE count() = 2",
    'holds',
  ],
  ["(name = 'a') AS a AGGREGATE distinct(lower(a.k)) = 1, distinct(a.k) = 2", 'holds'],
])('%s %s', async (text, status) => {
  const { expression } = parse(`MATCH ${text}`);
  expect(expression).toBeDefined();
  const session = await read(SESSION);
  expect(evaluate(session, expression as NonNullable<typeof expression>).status).toBe(status);
});
