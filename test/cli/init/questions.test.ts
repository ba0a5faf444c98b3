import { expect, test } from 'vitest';
import {
  type BaselineQuestion,
  type ProbeScope,
  questionsOf,
} from '../../../src/cli/init/questions.js';
import { readSession, type Session } from '../../../src/session/index.js';

/* What init asks of a system, by what it recorded without faults. */

interface Event {
  readonly probe: string;
  readonly name: string;
  /** In milliseconds. */
  readonly at: number;
  readonly [attribute: string]: unknown;
}

async function sessionOf(events: readonly Event[]): Promise<Session> {
  const lines = events.map(({ probe, name, at, ...attributes }) =>
    JSON.stringify({ probe, name, time: at * 1e6, attributes }),
  );
  const { session } = await readSession(`${lines.join('\n')}\n`);
  return session as Session;
}

/** A client that makes so many requests, one every 10 ms, each answered after some milliseconds. */
function requests(count: number, latency: (id: number) => number): Event[] {
  return Array.from({ length: count }, (_, id) => [
    { probe: 'CLIENT', name: 'request', at: id * 10, id },
    { probe: 'CLIENT', name: 'response', at: id * 10 + latency(id), id },
  ]).flat();
}

async function ask(
  events: readonly Event[],
  scope: ProbeScope = 'all',
  within?: string,
): Promise<readonly BaselineQuestion[]> {
  return questionsOf([await sessionOf(events)], () => scope, within);
}

const names = (questions: readonly BaselineQuestion[]) => questions.map(({ name }) => name);

test('each request is to be answered within three times the 99th percentile, from 100 answers on', async () => {
  const latency = (id: number) => (id % 50 === 0 ? 40 : 2);
  const [, inTime] = await ask(requests(100, latency));
  expect(inTime).toEqual({
    name: 'every request at CLIENT is answered within 120ms',
    check: `MATCH (name = 'request' AND probe = 'CLIENT') AS request, (probe = 'CLIENT' AND name NOT IN ('request')) AS answer
WHEN request -> answer WITHIN 120ms
FILTER answer.id = request.id AND request.time < session.end - 120ms
AGGREGATE count() >= 1 BY request`,
  });
  expect(names(await ask(requests(100, () => 2)))[1]).toBe(
    'every request at CLIENT is answered within 50ms',
  );
  expect(names(await ask(requests(99, () => 2)))).toEqual([
    'response at CLIENT once for each id',
    'every request at CLIENT is answered',
    'no new error at CLIENT',
  ]);
});

test('what answers a proxy is asked only for an answer of any kind, and a client that gives up not even that', async () => {
  const events = requests(100, () => 2);
  const [, answered, ...others] = await ask(events, 'answered');
  expect([answered?.name, answered?.isOfAnswers, others]).toEqual([
    ...['every request at CLIENT is answered', true, []],
  ]);
  expect(names(await ask(events, 'once'))).toEqual(['response at CLIENT once for each id']);
});

test('a time that was asked for takes the place of the measured one, also where faults delay answers', async () => {
  const events = requests(150, () => 40);
  const [, inTime] = await ask(events, 'answered', '1s');
  expect([inTime?.name, inTime?.isOfAnswers]).toEqual([
    ...['every request at CLIENT is answered within 1s', true],
  ]);
  const [, late] = await ask(events, 'answered', '30ms');
  expect([late?.name, late?.missed]).toEqual(['every request at CLIENT is answered', '30ms']);
  expect(names(await ask(events, 'once', '1s'))).toEqual(['response at CLIENT once for each id']);
});

test('a poll whose system depends on what is late is asked for answers, whatever they say', async () => {
  const events = requests(3, () => 2).map(({ id, ...event }) => ({ ...event, question: id }));
  const [answered, ...others] = await ask(events, 'answered');
  expect([answered?.name, answered?.isOfAnswers, others]).toEqual([
    ...['every request at CLIENT is answered', true, []],
  ]);
  expect(answered?.check).toContain(
    "NOT (probe = 'CLIENT' AND name NOT IN ('request') AND NOT exists(error)) AS answer",
  );
});

test('a trace is no id beside the id of a thing', async () => {
  const charge = (n: number, more: object): Event => ({
    ...{ probe: 'BILLING', name: 'charge', at: n, 'trace.id': `t${n}` },
    ...more,
  });
  const both = [1, 2].map((n) => charge(n, { 'order.id': `o${n}` }));
  expect(names(await ask(both))[0]).toBe('charge at BILLING once for each order.id');
  expect(names(await ask(both))[1]).toBe('no new error at BILLING');
  const alone = [1, 2].map((n) => charge(n, {}));
  expect(names(await ask(alone))[0]).toBe('charge at BILLING once for each trace.id');
});

test('what has an effect has it once for each id; what begins a request, or tries again, need not', async () => {
  const order = (id: string, at: number): Event[] => [
    { probe: 'SHOP', name: 'order', at, order_id: id },
    { probe: 'SHOP', name: 'sent', at: at + 1, order_id: id },
    { probe: 'PAY', name: 'charged', at: at + 2, order_id: id },
    { probe: 'SHOP', name: 'done', at: at + 3, order_id: id },
  ];
  const events = ['a', 'b', 'c'].flatMap((id, at) => order(id, at * 10));
  expect(names(await ask(events))).toEqual([
    ...['charged at PAY once for each order_id', 'done at SHOP once for each order_id'],
    ...['every order at SHOP is answered', 'no new error at PAY, SHOP'],
  ]);
  const twice = { probe: 'PAY', name: 'charged', at: 25, order_id: 'c' };
  expect(names(await ask([...events, twice]))).not.toContain(
    'charged at PAY once for each order_id',
  );
});

test('an effect elsewhere has to follow what asked for it', async () => {
  const events = [1, 2].flatMap((id) => [
    { probe: 'SHOP', name: 'sent', at: id, id },
    { probe: 'WAREHOUSE', name: 'handled', at: id + 0.5, id },
  ]);
  expect(names(await ask(events)).slice(0, 2)).toEqual([
    'handled at WAREHOUSE once for each id',
    'every sent at SHOP is followed by handled at WAREHOUSE',
  ]);
});

test('errors that were recorded without faults are not new', async () => {
  const answers = (status: number, level: string): Event[] => [
    { probe: 'API', name: 'answer', at: 1, status, level },
    { probe: 'API', name: 'cache failed', at: 2 },
  ];
  const [good] = await ask(answers(200, 'INFO'));
  expect(good?.name).toBe('no new error at API');
  expect(good?.check).toContain("event.name NOT IN ('cache failed')");
  expect(good?.check).toContain('OR event.status >= 500\n');
  expect(good?.check).toContain("OR lower(event.level) IN ('error',");
  const [bad] = await ask(answers(503, 'ERROR'));
  expect(bad?.check).not.toMatch(/status|level/);
});

test('a stream is never silent for more than twice its longest interval, if it has a rhythm', async () => {
  const beats = (gaps: readonly number[]): Event[] => {
    let at = 0;
    return gaps.map((gap) => {
      at += gap;
      return { probe: 'ROBOT', name: 'beat', at };
    });
  };
  const regular = Array.from({ length: 30 }, () => 100).with(7, 150);
  const [, beat] = await ask(beats(regular));
  expect(beat).toEqual({
    name: 'beat at ROBOT is never silent for more than 300ms',
    check: `MATCH (name = 'beat' AND probe = 'ROBOT') AS beat, (name = 'beat' AND probe = 'ROBOT') AS next
WHEN beat -> next WITHIN 300ms
FILTER beat.time < session.end - 300ms
AGGREGATE count() >= 1 BY beat`,
  });
  const uneven = regular.with(7, 600);
  expect(names(await ask(beats(uneven)))).toEqual(['no new error at ROBOT']);
  expect(names(await ask(beats(regular.slice(0, 19))))).toEqual(['no new error at ROBOT']);
});

test('names that need quotes are written with them', async () => {
  const events = [1, 2].map((at) => ({
    probe: "it's",
    name: 'or "done"',
    at,
    'sub-key.my id': at,
  }));
  const [once] = await ask(events);
  expect(once?.check).toBe(`MATCH (name = 'or "done"' AND probe = 'it\\'s') AS effect
AGGREGATE count() = 1 BY effect.sub-key.\`my id\``);
});

test('nothing is asked of nothing, and what one session shows and another does not is not asked', async () => {
  const one = await sessionOf([{ probe: 'A', name: 'done', at: 1, id: 1 }]);
  const other = await sessionOf([
    { probe: 'A', name: 'done', at: 1, id: 1 },
    { probe: 'A', name: 'done', at: 2, id: 1 },
  ]);
  expect(names(questionsOf([one, other], () => 'all'))).toEqual(['no new error at A']);
});
