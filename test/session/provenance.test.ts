import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chooseOrder, evaluate, orderFor } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { readSession, type Session, writeNeutral } from '../../src/session/index.js';

/* What a session in its neutral form still knows of the files that it was made from: it decides the order of events. */

async function read(input: string | Uint8Array): Promise<Session> {
  const { session, problems } = await readSession(input);
  expect(problems).toEqual([]);
  return session as Session;
}

function statusOf(session: Session, text: string, skew?: bigint): string {
  const expression = parse(text).expression as Expression;
  const choice = chooseOrder([session], skew === undefined ? {} : { skew });
  return evaluate(session, expression, { order: orderFor(choice, [session], expression) }).status;
}

const NO_MOVE =
  "MATCH (name = 'STOP') AS s, (name = 'MOVE') AS m WHEN s -> m AGGREGATE count() = 0";
const DONE = `MATCH (name = 'pay' AND span.end = TRUE) AS p, (name = 'ship' AND span.start = TRUE) AS s
  WHEN p -> s AGGREGATE count() = 0`;

const TIE = 'time,node,event\n1970-01-01T00:00:12Z,PANEL,STOP\n1970-01-01T00:00:12Z,MOTOR,MOVE\n';
const TURNED =
  'time,node,event\n1970-01-01T00:00:12Z,MOTOR,MOVE\n1970-01-01T00:00:12Z,PANEL,STOP\n';
const NEAR =
  'time,node,event\n1970-01-01T00:00:12Z,PANEL,STOP\n1970-01-01T00:00:12.005Z,MOTOR,MOVE\n';

const span = (service: string, id: string, name: string, start: number) => ({
  resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
  scopeSpans: [
    {
      spans: [
        {
          ...{ traceId: id.repeat(32), spanId: id.repeat(16), name },
          ...{ startTimeUnixNano: String(start), endTimeUnixNano: String(start + 5) },
        },
      ],
    },
  ],
});
const SPANS = JSON.stringify({
  resourceSpans: [span('shop', '1', 'pay', 1_000), span('store', '2', 'ship', 2_000)],
});

test.each<[what: string, text: string, check: string, status: string, skew?: bigint]>([
  ['a table with a tie', TIE, NO_MOVE, 'fails'],
  ['a table with a tie the other way round', TURNED, NO_MOVE, 'holds'],
  ['a table whose one clock needs no skew', NEAR, NO_MOVE, 'fails', 10_000_000n],
  ['spans without any interaction', SPANS, DONE, 'undecided'],
])('%s has the same verdict once it is imported', async (_, text, check, status, skew) => {
  const session = await read(text);
  expect(statusOf(session, check, skew)).toBe(status);
  const written = [...writeNeutral(session)].join('');
  const again = await read(written);
  expect(statusOf(again, check, skew)).toBe(status);
  expect([...writeNeutral(again)].join('')).toBe(written);
});

test('the lines of a table are written in their order, with what one recorder wrote', async () => {
  expect([...writeNeutral(await read(TIE))].join('')).toBe(
    [
      '{"session":1,"recorders":[[0,2]]}',
      '{"probe":"PANEL","name":"STOP","time":12000000000}',
      '{"probe":"MOTOR","name":"MOVE","time":12000000000}',
      '',
    ].join('\n'),
  );
});

test('MCAP of several topics keeps the order of its recorder', async () => {
  const session = await read(readFileSync('fixtures/sessions/mcap/plain.mcap'));
  const again = await read([...writeNeutral(session)].join(''));
  expect(again.reading).toEqual(session.reading);
});

test.each([
  ['"interactions":false', 'a header\'s "interactions" must be true'],
  ['"recorders":2', rangesText()],
  ['"recorders":[2]', rangesText()],
  ['"recorders":[[2,2]]', rangesText()],
  ['"recorders":[[0,2],[1,3]]', rangesText()],
])('a header with %s is refused', async (member, message) => {
  const { problems } = await readSession(`{"session":1,${member}}\n{"probe":"A","name":"a"}\n`);
  expect(problems.map((one) => one.message)).toEqual([message]);
});

function rangesText(): string {
  return 'a header\'s "recorders" must be a list of event ranges, such as [[0, 12], [12, 40]]';
}
