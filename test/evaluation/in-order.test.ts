import { expect, test } from 'vitest';
import { CommonOrder, evaluate, type OrderRequest } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { readSession, type Session } from '../../src/session/index.js';
import { type Line, lines } from './order-lines.js';

/* What the order of a session shows, and what it does not: by clocks, by messages, or not at all. */

async function read(text: string): Promise<Session> {
  const { session, problems } = await readSession(text);
  expect(problems).toEqual([]);
  return session as Session;
}

function expressionOf(text: string): Expression {
  return parse(text).expression as Expression;
}

/** What becomes of an expression over sessions that are measured together. */
async function results(texts: readonly string[], check: string, request: OrderRequest = {}) {
  const sessions = await Promise.all(texts.map(read));
  const expression = expressionOf(check);
  const order = new CommonOrder(request);
  for (const session of sessions) order.add(session);
  return sessions.map((session) =>
    evaluate(session, expression, { order: order.of(expression), evidence: 1 }),
  );
}

async function result(text: string, check: string, request: OrderRequest = {}) {
  const [first] = await results([text], check, request);
  return first as NonNullable<typeof first>;
}

const NO_MOVE =
  "MATCH (name = 'STOP') AS stop, (name = 'MOVE') AS move WHEN stop -> move AGGREGATE count() = 0";
const APART = lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 12_500]);

test('a session that could not record messages is ordered by its clocks, and says so', async () => {
  const byClocks = await result(APART, NO_MOVE);
  expect([byClocks.status, byClocks.order]).toEqual(['fails', { by: 'time' }]);
  const csv =
    'time,node,event\n1970-01-01T00:00:12.0Z,PANEL,STOP\n1970-01-01T00:00:12.5Z,MOTOR,MOVE\n1970-01-01T00:00:13.0Z,MOTOR,MOVE\n';
  expect((await result(csv, NO_MOVE)).measures[0]?.left).toBe('2');
  const causal = await result(APART, NO_MOVE, { order: 'causal' });
  expect([causal.status, causal.order]).toEqual(['holds', undefined]);
});

test('lines of one file at the same time keep their order', async () => {
  const csv = 'time,node,event\n1970-01-01T00:00:12Z,PANEL,STOP\n1970-01-01T00:00:12Z,MOTOR,MOVE\n';
  expect((await result(csv, NO_MOVE)).status).toBe('fails');
  const turned =
    'time,node,event\n1970-01-01T00:00:12Z,MOTOR,MOVE\n1970-01-01T00:00:12Z,PANEL,STOP\n';
  expect((await result(turned, NO_MOVE)).status).toBe('holds');
});

test('clocks cannot show that two events are concurrent', async () => {
  const check =
    "MATCH (name = 'STOP') AS a, (name = 'MOVE') AS b WHEN a || b AGGREGATE count() = 0";
  const { status, undecided } = await result(APART, check);
  expect([status, undecided?.reason]).toEqual([
    'undecided',
    'clocks cannot show that two events are concurrent',
  ]);
  const time = { order: 'time', skew: 1_000_000_000n } as const;
  expect((await result(APART, check, time)).status).toBe('fails');
  expect((await result(APART, check, { ...time, skew: 1_000n })).status).toBe('holds');
});

test('one interaction in any session that is measured keeps all in causal order', async () => {
  const steer = (last: boolean, others: boolean) => {
    const events = Array.from({ length: 4 }, (_, at): Line[] => {
      const isSent = at === 3 ? last : others;
      const [sent, received] = [1_001 + 10 * at, 1_005 + 10 * at];
      return [
        ['SIM telemetry', sent, `t${at}`],
        ['AUTOPILOT steer', received, undefined, ...(isSent ? [`t${at}`] : [])],
      ];
    });
    return lines(...events.flat());
  };
  const check =
    "MATCH (name = 'telemetry') AS t, (name = 'steer') AS s WHEN t -> s WITHIN 10ms AGGREGATE count() >= 1 BY t";
  const all = [steer(true, true), steer(false, true), steer(false, false)];
  const found = await results(all, check);
  expect(found.map(({ status }) => status)).toEqual(['holds', 'fails', 'undecided']);
  // Alone, a session without any is ordered by clocks.
  expect((await result(steer(false, false), check)).status).toBe('holds');
});

test('what nothing orders is undecided, with what to do', async () => {
  const banner = lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 13_000], ['MOTOR MOVE']);
  const { status, undecided, vacuous, margin } = await result(banner, NO_MOVE);
  expect({ status, vacuous, margin }).toEqual({
    status: 'undecided',
    vacuous: false,
    margin: undefined,
  });
  expect(undecided).toEqual({
    clause: 'stop -> move',
    reason:
      'nothing in this session orders PANEL and MOTOR: compare times, use --order time, or record messages',
    help: 'or use --order causal, with which the measurement holds',
  });
  expect((await result(banner, NO_MOVE, { order: 'causal' })).status).toBe('holds');
  // An event without a time does not matter if no pattern matches it.
  const timed = NO_MOVE.replace("'MOVE'", "'MOVE' AND exists(time)");
  expect((await result(banner, timed)).status).toBe('fails');
  // What matches nothing has no order to lack.
  expect((await result(banner, NO_MOVE.replace('STOP', 'NONE'))).status).toBe('holds');
});

test('a verdict that both orders give stands, although nothing orders the labels', async () => {
  const apart = lines(
    ['P prepare', 2_000],
    ['Q commit', 1_000],
    ['X a', 1_000, 'x'],
    ['Y b', 1_001, 'y', 'x'],
  );
  const check =
    "MATCH (name = 'prepare') AS p, NOT (name = 'commit') AS c WHEN p -> c AGGREGATE count() = 0";
  const { status, notes } = await result(apart, check);
  expect([status, notes]).toEqual([
    'fails',
    ['nothing in this session orders P and Q: the clocks give the same verdict'],
  ]);
});

test.each([
  [
    'a hello',
    [
      ['PANEL HELLO', 1_000, 'h'],
      ['MOTOR READY', 1_010, 'r', 'h'],
    ],
  ],
  [
    'a report',
    [
      ['MOTOR READY', 1_000, 'm'],
      ['PANEL SHOWN', 1_010, 's', 'm'],
    ],
  ],
] as const)('a pass that the clocks contradict is undecided: after %s', async (_, before) => {
  const text = lines(...before, ['PANEL STOP', 12_000], ['MOTOR MOVE', 12_500]);
  const { status, undecided, evidence } = await result(text, NO_MOVE);
  expect([status, undecided?.reason]).toEqual([
    'undecided',
    'by the clocks, MOVE came 500ms after STOP; no recorded message shows this order',
  ]);
  expect(
    evidence.map(({ why, binding }) => [why, binding['stop']?.seq, binding['move']?.seq]),
  ).toEqual([['clocks', 1, 1]]);
  expect((await result(text, NO_MOVE, { order: 'time' })).status).toBe('fails');
});

test('a fail stands, with a note if the clocks would let it pass', async () => {
  const text = lines(
    ['A go', 1_000, 'g'],
    ['B gone', 1_010, 'x', 'g'],
    ['A on', 2_000],
    ['B off', 2_100],
  );
  const check = "MATCH (name = 'on') AS a, (name = 'off') AS b WHEN a -> b";
  const { status, notes } = await result(text, check);
  expect([status, notes]).toEqual(['fails', ['by the clocks, the measurement would pass']]);
});

const CRASH =
  "MATCH (name = 'perturb.injected') AS i, (name = 'crash') AS c WHEN i -> c AGGREGATE count() = 0";

test.each([
  ['behind', 1_795_887_333_812],
  ['that begins at 0', 1_000],
])('ties with an injection hold, whatever its time: a clock %s', async (_, first) => {
  const text = lines(
    ['perturb perturb.injected', 1_795_887_334_712, 'i'],
    ['SIM takeoff', first, 't', 'i'],
    ['SIM crash', first + 400, 'z'],
    ['GROUND alarm', first + 650, 'y', 'i'],
  );
  expect((await result(text, CRASH)).status).toBe('fails');
  expect((await result(text, CRASH, { order: 'causal' })).status).toBe('fails');
});

test('an event without a time that nothing ties to the injection is not ordered with it', async () => {
  const text = lines(
    ['test crash', undefined, 'e0'],
    ['test ready', undefined, 'c'],
    ['perturb perturb.injected', 1_795_887_334_712, 'i', 'c'],
    ['test crash', undefined, 'e1'],
    ['perturb perturb.reset', 1_795_887_335_712, 'r', 'e1'],
  );
  const { status, undecided } = await result(text, CRASH);
  expect([status, undecided?.reason]).toEqual([
    'undecided',
    'nothing in this session orders perturb and test #2, which has no time: compare times, use --order time, or record messages',
  ]);
});

test('a receiver whose clock is behind comes after its sender', async () => {
  const text = lines(
    ['CLIENT request', 1_005, 'q'],
    ['SERVER handle', 1_003, 'h', 'q'],
    ['CLIENT response', 1_030, 'r', 'h'],
  );
  const check = "MATCH (name = 'request') AS q, (name = 'handle') AS h WHEN q -> h";
  const byClocks = await result(text, check, { order: 'time' });
  expect([byClocks.status, byClocks.notes]).toEqual([
    'holds',
    [
      'by the clocks, 1 message from CLIENT to SERVER arrived before being sent, and counts as sent first',
    ],
  ]);
  expect((await result(text, check)).status).toBe('holds');
});

test('clocks and messages that disagree make no cycle', async () => {
  const text = lines(
    ['A stop', 10_000, 'a'],
    ['B got', undefined, 'g', 'a'],
    ['B move', 5_000],
    ['C tick', 7_000],
  );
  const check = "MATCH (name = 'stop') AS s, (name = 'move') AS m WHEN s -> m";
  expect((await result(text, check, { order: 'time' })).status).toBe('holds');
});

test('events within the skew have no order, and a verdict that needs one is undecided', async () => {
  const text = lines(['MOTOR MOVE', 11_995], ['PANEL STOP', 12_000], ['MOTOR HALT', 12_010]);
  const moved = "MATCH (name = 'MOVE') AS m, (name = 'STOP') AS s WHEN m -> s";
  expect((await result(text, moved)).status).toBe('holds');
  const skewed = await result(text, moved, { skew: 10_000_000n });
  expect([skewed.status, skewed.undecided?.reason, skewed.order]).toEqual([
    'undecided',
    'MOVE and STOP are 5ms apart, within the skew of 10ms',
    { by: 'time', skew: '10000000' },
  ]);
  const halted = "MATCH (name = 'STOP') AS s, (name = 'HALT') AS h WHEN s -> h";
  expect((await result(text, halted, { skew: 10_000_000n })).status).toBe('holds');
});

test('without times, a pass that one more ordered pair could end is undecided', async () => {
  const reads = [
    '{"probe":"N1","name":"read","attributes":{"client":"c","version":2}}',
    '{"probe":"N2","name":"read","attributes":{"client":"c","version":1}}',
  ].join('\n');
  const check =
    "MATCH (name = 'read') AS a, (name = 'read') AS b WHEN a -> b FILTER a.client = b.client AND b.version < a.version AGGREGATE count() = 0";
  expect((await result(reads, check)).status).toBe('undecided');
  expect((await result(reads.replace('"client":"c"', '"client":"d"'), check)).status).toBe('holds');
  const fleet = lines(
    ['PANEL STOP', undefined, 's'],
    ['M1 HALT', undefined, 'h', 's'],
    ['M2 MOVE'],
  );
  const others = `${NO_MOVE.replace(' AGGREGATE', " FILTER move.probe != 'M1' AGGREGATE")}`;
  const halted = fleet.replace('"M2"', '"M1"');
  expect((await result(fleet, others)).status).toBe('undecided');
  expect((await result(halted, NO_MOVE)).status).toBe('fails');
});

test('a session may say how its events are ordered', async () => {
  const text = `{"session":1,"order":"causal"}\n${APART}`;
  expect((await result(text, NO_MOVE)).status).toBe('holds');
  const skewed = `{"session":1,"order":"time","skew":1000000000}\n${APART}`;
  expect((await result(skewed, NO_MOVE)).order).toEqual({ by: 'time', skew: '1000000000' });
});
