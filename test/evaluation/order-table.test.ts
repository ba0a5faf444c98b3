import { expect, test } from 'vitest';
import { chooseOrder, evaluate, orderFor } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { SESSION_ORDERS, type Session } from '../../src/session/index.js';
import { readSessionParts, type SessionPart } from '../../src/session/read-session.js';
import { type Line, lines } from './order-lines.js';

/* Sessions as tests of systems record them, each with its verdict by every order: auto, causal and time. */

const STOP_MOVE = "MATCH (name = 'STOP') AS s, (name = 'MOVE') AS m WHEN s -> m";
const NO_MOVE = `${STOP_MOVE} AGGREGATE count() = 0`;
const NOT_MOVE = "MATCH (name = 'STOP') AS s, NOT (name = 'MOVE') AS m WHEN s -> m";
const BOTH = "MATCH (name = 'STOP') AS s, (name = 'MOVE') AS m WHEN s || m AGGREGATE count() = 0";
const GAP = `MATCH (name = 'STOP') AS s, (name = 'MOVE') AS m WHEN s -> NEXT m
  FILTER m.time - s.time > 1s AGGREGATE count() = 0`;
const NO_CRASH = `MATCH (name = 'perturb.injected') AS i, (name = 'CRASH') AS c WHEN i -> c
  AGGREGATE count() = 0`;
const COMMITTED = `MATCH (name = 'pay' AND span.start = TRUE) AS p,
  (name = 'commit' AND span.start = TRUE) AS c WHEN p -> c AGGREGATE count() >= 1 BY p`;
const PREPARED = `MATCH (name = 'prepare') AS p, NOT (name = 'commit') AS c WHEN p -> c
  AGGREGATE count() = 0`;

const HELLO: Line[] = [
  ['PANEL HELLO', 1_000, 'h'],
  ['MOTOR READY', 1_010, undefined, 'h'],
];
const ELSEWHERE: Line[] = [
  ['X a', 1, 'x'],
  ['Y b', 2, undefined, 'x'],
];
const INJECTED_AT = 1_795_887_334_712;

type SpanLine = readonly [
  service: string,
  trace: number,
  id: number,
  parent: number,
  name: string,
  start: number,
  end: number,
];

/** Spans as OTLP; a parent of 0 is none. */
function spans(...all: readonly SpanLine[]): string {
  const hex = (number: number, digits: number) => String(number).padStart(digits, '0');
  return JSON.stringify({
    resourceSpans: all.map(([service, trace, id, parent, name, start, end]) => ({
      resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
      scopeSpans: [
        {
          spans: [
            {
              ...{ traceId: hex(trace, 32), spanId: hex(id, 16), name },
              parentSpanId: parent === 0 ? '' : hex(parent, 16),
              ...{ startTimeUnixNano: String(start), endTimeUnixNano: String(end) },
            },
          ],
        },
      ],
    })),
  });
}

const SHOP: SpanLine[] = [
  ['shop', 1, 1, 0, 'pay', 1_000, 9_000],
  ['shop', 1, 2, 1, 'commit', 7_000, 8_000],
  ['shop', 2, 3, 0, 'pay', 2_000, 6_000],
];
const LOGS = [
  '2026-11-28 12:00:00,000 INFO panel: STOP\n',
  '2026-11-28 12:00:01,000 INFO store: MOVE\n',
];
const readBy = (node: string, version: number, client = 'c') =>
  JSON.stringify({ probe: node, name: 'read', attributes: { client, version } });
const STALE = `MATCH (name = 'read') AS a, (name = 'read') AS b WHEN a -> b
  FILTER a.client = b.client AND b.version < a.version AGGREGATE count() = 0`;
const shipped = (name: string, id: number, more: object = {}) =>
  JSON.stringify({ probe: name === 'ship' ? 'WH' : 'SHOP', name, attributes: { id }, ...more });

const [HOLDS, FAILS, UNDECIDED] = ['holds', 'fails', 'undecided'] as const;
type Verdicts = readonly [auto: string, causal: string, time: string];
const ALL_FAIL: Verdicts = [FAILS, FAILS, FAILS];
const ALL_HOLD: Verdicts = [HOLDS, HOLDS, HOLDS];

test.each<[what: string, session: string | readonly string[], check: string, verdicts: Verdicts]>([
  // Clocks alone.
  [
    'a move after the stop, on two probes',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 12_500]),
    NO_MOVE,
    [FAILS, HOLDS, FAILS],
  ],
  [
    'a move before the stop',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 11_500]),
    NO_MOVE,
    ALL_HOLD,
  ],
  [
    'no move follows, asked by absence',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 12_500]),
    NOT_MOVE,
    [FAILS, HOLDS, FAILS],
  ],
  [
    'a gap to the next event',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 14_000]),
    GAP,
    [FAILS, HOLDS, FAILS],
  ],
  [
    'no gap, because a move is nearer',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 12_100], ['MOTOR MOVE', 14_000]),
    GAP,
    ALL_HOLD,
  ],
  [
    'a move too late for WITHIN',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 12_500]),
    `${STOP_MOVE} WITHIN 100ms AGGREGATE count() = 0`,
    ALL_HOLD,
  ],
  [
    'a move soon enough for WITHIN',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 12_050]),
    `${STOP_MOVE} WITHIN 100ms AGGREGATE count() = 0`,
    [FAILS, HOLDS, FAILS],
  ],
  [
    'three services, of which one moves',
    lines(['PANEL STOP', 12_000], ['M1 MOVE', 11_000], ['M2 MOVE', 13_000]),
    NO_MOVE,
    [FAILS, HOLDS, FAILS],
  ],
  [
    'equal times of separate recorders',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 12_000]),
    STOP_MOVE,
    ALL_FAIL,
  ],
  [
    'a table with a tie',
    'time,node,event\n2026-11-28T12:00:00Z,PANEL,STOP\n2026-11-28T12:00:00Z,MOTOR,MOVE\n',
    NO_MOVE,
    [FAILS, HOLDS, FAILS],
  ],
  [
    'a table with a tie the other way round',
    'time,node,event\n2026-11-28T12:00:00Z,MOTOR,MOVE\n2026-11-28T12:00:00Z,PANEL,STOP\n',
    NO_MOVE,
    ALL_HOLD,
  ],
  ['two logs of two programs', LOGS, NO_MOVE, [FAILS, HOLDS, FAILS]],
  [
    'a log and a table',
    [LOGS[0] as string, 'time,node,event\n2026-11-28T12:00:02Z,MOTOR,MOVE\n'],
    NO_MOVE,
    [FAILS, HOLDS, FAILS],
  ],
  // Times that are missing.
  [
    'a move without a time',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 13_000], ['MOTOR MOVE']),
    NO_MOVE,
    [UNDECIDED, HOLDS, FAILS],
  ],
  ['no time at all', lines(['PANEL STOP'], ['MOTOR MOVE']), NO_MOVE, [UNDECIDED, HOLDS, HOLDS]],
  [
    'no time at all, asked by absence',
    lines(['PANEL STOP'], ['MOTOR MOVE']),
    NOT_MOVE,
    [UNDECIDED, HOLDS, HOLDS],
  ],
  [
    'no time at all, asked for existence',
    lines(['PANEL STOP'], ['MOTOR MOVE']),
    STOP_MOVE,
    [UNDECIDED, FAILS, FAILS],
  ],
  [
    'an event without a time that nothing matches',
    lines(['PANEL STOP', 12_000], ['MOTOR MOVE', 13_000], ['MOTOR BANNER']),
    NO_MOVE,
    [FAILS, HOLDS, FAILS],
  ],
  ['one timeline without times', lines(['P STOP'], ['P MOVE']), NO_MOVE, ALL_FAIL],
  ['one timeline the other way round', lines(['P MOVE'], ['P STOP']), NO_MOVE, ALL_HOLD],
  [
    'a move at the probe of the stop alone',
    lines(['M1 STOP'], ['M1 MOVE'], ['M2 MOVE']),
    `${STOP_MOVE} FILTER s.probe = m.probe AGGREGATE count() = 0`,
    ALL_FAIL,
  ],
  [
    'no move at another probe, which nothing ties',
    lines(['M1 STOP'], ['M1 MOVE'], ['M2 MOVE']),
    `${STOP_MOVE} FILTER s.probe != m.probe AGGREGATE count() = 0`,
    [UNDECIDED, HOLDS, HOLDS],
  ],
  ['nothing to match', lines(['PANEL STOP'], ['MOTOR HALT']), NO_MOVE, ALL_HOLD],
  // Messages.
  [
    'a message of the stop to the move',
    lines(['PANEL STOP', 12_000, 's'], ['MOTOR MOVE', 12_500, undefined, 's']),
    NO_MOVE,
    ALL_FAIL,
  ],
  [
    'the same without times',
    lines(['PANEL STOP', undefined, 's'], ['MOTOR MOVE', undefined, undefined, 's']),
    NO_MOVE,
    ALL_FAIL,
  ],
  [
    'a receiver whose clock is behind',
    lines(['PANEL STOP', 12_000, 's'], ['MOTOR MOVE', 11_500, undefined, 's']),
    STOP_MOVE,
    ALL_HOLD,
  ],
  [
    'a move before the message, by its clock before the stop',
    lines(
      ['PANEL STOP', 12_000, 's'],
      ['MOTOR MOVE', 11_900],
      ['MOTOR HALT', 13_000, undefined, 's'],
    ),
    NO_MOVE,
    ALL_HOLD,
  ],
  [
    'a move before the message, by its clock after the stop',
    lines(
      ['PANEL STOP', 12_000, 's'],
      ['MOTOR MOVE', 12_500],
      ['MOTOR HALT', 13_000, undefined, 's'],
    ),
    NO_MOVE,
    [UNDECIDED, HOLDS, FAILS],
  ],
  [
    'a move before the message, without times',
    lines(
      ['PANEL STOP', undefined, 's'],
      ['MOTOR MOVE'],
      ['MOTOR HALT', undefined, undefined, 's'],
    ),
    NO_MOVE,
    [UNDECIDED, HOLDS, HOLDS],
  ],
  [
    'an early hello alone',
    lines(...HELLO, ['PANEL STOP', 12_000], ['MOTOR MOVE', 12_500]),
    NO_MOVE,
    [UNDECIDED, HOLDS, FAILS],
  ],
  [
    'an early hello alone, asked by absence',
    lines(...HELLO, ['PANEL STOP', 12_000], ['MOTOR MOVE', 12_500]),
    NOT_MOVE,
    [UNDECIDED, HOLDS, FAILS],
  ],
  [
    'an early hello alone, asked for a gap',
    lines(...HELLO, ['PANEL STOP', 12_000], ['MOTOR MOVE', 14_000]),
    GAP,
    [UNDECIDED, HOLDS, FAILS],
  ],
  [
    'an early report alone',
    lines(
      ['MOTOR MOVE', 1_000, 'm'],
      ['PANEL SHOWN', 1_010, undefined, 'm'],
      ['PANEL STOP', 12_000],
      ['MOTOR MOVE', 12_500],
    ),
    NO_MOVE,
    [UNDECIDED, HOLDS, FAILS],
  ],
  [
    'a message between other probes',
    lines(...ELSEWHERE, ['PANEL STOP', 12_000], ['MOTOR MOVE', 12_500]),
    NO_MOVE,
    [UNDECIDED, HOLDS, FAILS],
  ],
  [
    'a message between other probes, but a move before the stop',
    lines(...ELSEWHERE, ['PANEL STOP', 12_000], ['MOTOR MOVE', 11_500]),
    NO_MOVE,
    ALL_HOLD,
  ],
  [
    'an absence that fails by both orders',
    lines(...ELSEWHERE, ['P prepare', 2_000], ['Q commit', 1_000]),
    PREPARED,
    ALL_FAIL,
  ],
  [
    'clocks that contradict a message elsewhere',
    lines(
      ['A STOP', 10_000, 'a'],
      ['B got', undefined, undefined, 'a'],
      ['B MOVE', 5_000],
      ['C tick', 7_000],
    ),
    STOP_MOVE,
    ALL_HOLD,
  ],
  [
    'a message through a third probe',
    lines(['PANEL STOP', 1, 's'], ['BUS relay', 2, 'r', 's'], ['MOTOR MOVE', 3, undefined, 'r']),
    NO_MOVE,
    ALL_FAIL,
  ],
  [
    'a cancellation whose parcel nothing orders',
    [
      shipped('paid', 1, { id: 'p' }),
      shipped('ship', 1, { after: ['p'] }),
      shipped('cancel', 2),
      shipped('ship', 2),
    ].join('\n'),
    "MATCH (name = 'cancel') AS c, (name = 'ship') AS s WHEN c -> s FILTER c.id = s.id AGGREGATE count() = 0",
    [UNDECIDED, HOLDS, HOLDS],
  ],
  [
    'reads of one client that nothing orders',
    [readBy('N1', 2), readBy('N2', 1)].join('\n'),
    STALE,
    [UNDECIDED, HOLDS, HOLDS],
  ],
  ['reads of two clients', [readBy('N1', 2), readBy('N2', 1, 'd')].join('\n'), STALE, ALL_HOLD],
  [
    'a fleet of which one machine nothing ties',
    lines(['PANEL STOP', undefined, 's'], ['M1 HALT', undefined, undefined, 's'], ['M2 MOVE']),
    NO_MOVE,
    [UNDECIDED, HOLDS, HOLDS],
  ],
  // Both at once.
  [
    'clocks cannot show concurrency',
    lines(['P STOP', 1_000], ['Q MOVE', 2_000]),
    BOTH,
    [UNDECIDED, FAILS, HOLDS],
  ],
  [
    'a message shows that they are not concurrent',
    lines(['P STOP', 1_000, 's'], ['Q MOVE', 2_000, undefined, 's']),
    BOTH,
    ALL_HOLD,
  ],
  [
    'a message before shows that they are',
    lines(...HELLO, ['PANEL STOP', 2_000], ['MOTOR MOVE', 3_000]),
    BOTH,
    [FAILS, FAILS, HOLDS],
  ],
  [
    'a message elsewhere shows nothing',
    lines(...ELSEWHERE, ['P STOP', 1_000], ['Q MOVE', 2_000]),
    BOTH,
    [UNDECIDED, FAILS, HOLDS],
  ],
  // Spans.
  ['spans of one service', spans(...SHOP), COMMITTED, [FAILS, FAILS, HOLDS]],
  [
    'spans of two services',
    spans(...SHOP, ['db', 1, 5, 2, 'query', 7_200, 7_400]),
    COMMITTED,
    [FAILS, FAILS, HOLDS],
  ],
  [
    'spans without any parent',
    spans(['shop', 1, 1, 0, 'STOP', 1_000, 2_000], ['db', 2, 2, 0, 'MOVE', 3_000, 4_000]),
    NO_MOVE,
    [UNDECIDED, HOLDS, FAILS],
  ],
  [
    'spans and a log',
    [
      spans(['db', 2, 2, 0, 'MOVE', 1_900_000_000_000_000_000, 1_900_000_000_000_005_000]),
      LOGS[0] as string,
    ],
    NO_MOVE,
    [UNDECIDED, HOLDS, FAILS],
  ],
  // Injections.
  [
    'an injection with a clock ahead',
    lines(
      ['perturb perturb.injected', INJECTED_AT, 'i'],
      ['SIM TAKEOFF', INJECTED_AT - 900, undefined, 'i'],
      ['SIM CRASH', INJECTED_AT - 500],
    ),
    NO_CRASH,
    ALL_FAIL,
  ],
  [
    'an injection into simulated time',
    lines(
      ['perturb perturb.injected', INJECTED_AT, 'i'],
      ['SIM TAKEOFF', 1_000, undefined, 'i'],
      ['SIM CRASH', 3_000],
      ['GROUND ALARM', 4_000, undefined, 'i'],
    ),
    NO_CRASH,
    ALL_FAIL,
  ],
  [
    'an injection into simulated time, with messages',
    lines(
      ['perturb perturb.injected', INJECTED_AT, 'i'],
      ['SIM TAKEOFF', 1_000, undefined, 'i'],
      ['SIM CRASH', 3_000, 'z'],
      ['GROUND ALARM', 4_000, undefined, 'i', 'z'],
    ),
    NO_CRASH,
    ALL_FAIL,
  ],
  [
    'a crash that came before the injection',
    lines(['SIM CRASH', 3_000, 'c'], ['perturb perturb.injected', INJECTED_AT, 'i', 'c']),
    NO_CRASH,
    ALL_HOLD,
  ],
  [
    'a crash without a time, beside the injection',
    lines(
      ['SIM READY', undefined, 'c'],
      ['perturb perturb.injected', INJECTED_AT, 'i', 'c'],
      ['SIM CRASH'],
    ),
    NO_CRASH,
    [UNDECIDED, HOLDS, HOLDS],
  ],
  [
    'a precondition, then a crash that the injection precedes',
    lines(
      ['SIM READY', 1_000, 'r'],
      ['perturb perturb.injected', INJECTED_AT, 'i', 'r'],
      ['SIM CRASH', INJECTED_AT + 100, undefined, 'i'],
    ),
    NO_CRASH,
    ALL_FAIL,
  ],
  [
    'a stop and a move that only an injection lies between',
    lines(
      ...ELSEWHERE,
      ['PANEL STOP', 1_000, 's'],
      ['perturb perturb.injected', 2_000, 'i', 's'],
      ['MOTOR MOVE', 3_000, undefined, 'i'],
    ),
    NO_MOVE,
    ALL_FAIL,
  ],
  // What a session asks for.
  [
    'a session that asks for causality alone',
    `{"session":1,"order":"causal"}\n${lines(['PANEL STOP', 1], ['MOTOR MOVE', 2])}`,
    NO_MOVE,
    [HOLDS, HOLDS, FAILS],
  ],
  [
    'a session that could have recorded messages',
    `{"session":1,"interactions":true}\n${lines(['PANEL STOP', 1], ['MOTOR MOVE', 2])}`,
    NO_MOVE,
    [UNDECIDED, HOLDS, FAILS],
  ],
])('%s', async (_, texts, check, verdicts) => {
  const session = await read([texts].flat());
  const expression = parse(check).expression as Expression;
  const found = SESSION_ORDERS.map((order) => {
    const choice = chooseOrder([session], order === 'auto' ? {} : { order });
    return evaluate(session, expression, { order: orderFor(choice, [session], expression) }).status;
  });
  expect(found).toEqual(verdicts);
});

async function read(texts: readonly string[]): Promise<Session> {
  const parts = texts.map(
    (input, at): SessionPart => ({ file: `file ${at}`, input, probe: `P${at}` }),
  );
  const { session, problems } = await readSessionParts(parts);
  expect(problems).toEqual([]);
  return session as Session;
}
