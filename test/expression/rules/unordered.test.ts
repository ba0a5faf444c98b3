import { expect, test } from 'vitest';
import { check, recordedOf } from '../../../src/expression/index.js';
import { vocabularyIn } from '../../objective/recordings.js';

/* Arrows between events that nothing in the recordings orders. */

/** Records of the neutral form: a header of its own or `PROBE name`, with a time, an id and the ids that it follows. */
type Line = readonly [what: string, time?: number | undefined, id?: string, ...after: string[]];

function sessionOf(...lines: readonly Line[]): string {
  const records = lines.map(([what, time, id, ...after]) => {
    if (what.startsWith('{')) return what;
    const [probe, name] = what.split(' ');
    return JSON.stringify({ probe, name, time, id, ...(after.length > 0 && { after }) });
  });
  return records.join('\n');
}

/** What the rule finds, with what it marks. */
async function unordered(text: string, ...sessions: readonly string[]): Promise<string[]> {
  const recorded = recordedOf(await vocabularyIn(...sessions), []);
  const { findings } = check(text, { role: 'check', ...(recorded && { recorded }) });
  return findings
    .filter(({ rule }) => rule === 'recorded/unordered')
    .map(({ span, message, help }) => {
      return `${span.start} ${text.slice(span.start, span.end)} ${message}; ${help}`;
    });
}

const LABELS = "MATCH (name = 'stop') AS stop, (name = 'move') AS move";
const ARROW = `${LABELS} WHEN stop -> move AGGREGATE count() = 0`;
const [STOP, MOVE, LOG]: Line[] = [['PANEL stop'], ['MOTOR move'], ['LOG note']];
const UNTIED = sessionOf(STOP as Line, MOVE as Line);
const TIMED = sessionOf(['PANEL stop', 1], ['MOTOR move', 2]);
const ELSEWHERE: Line[] = [
  ['LOG note', 3, 'a'],
  ['DISK write', 4, 'b', 'a'],
];
const TIMED_AMONG_MESSAGES = sessionOf(['PANEL stop', 1], ['MOTOR move', 2], ...ELSEWHERE);
const TIED = sessionOf(['PANEL stop', 1, 'a'], ['MOTOR move', 2, 'b', 'a']);
const VIA_LOG = sessionOf(
  ['PANEL stop', 1, 'a'],
  ['LOG note', 2, 'b', 'a'],
  ['MOTOR move', 3, 'c', 'b'],
);
const BOTH_TOLD = sessionOf(
  ['LOG note', 1, 'a'],
  ['PANEL stop', 2, 'b', 'a'],
  ['MOTOR move', 3, 'c', 'a'],
);
const VIA_PERTURB = sessionOf(
  ['PANEL stop', 1, 'a'],
  ['perturb perturb.injected', 2, 'b', 'a'],
  ['MOTOR move', 3, 'c', 'b'],
  ...ELSEWHERE.map(
    ([what, time, id, ...after]): Line => [what, time, `${id}x`, ...after.map((one) => `${one}x`)],
  ),
);
const pinned = (order: string, session: string) => `{"session":1,"order":"${order}"}\n${session}`;

const NOTHING = 'nothing in the recordings orders PANEL and MOTOR';
const COMPARE = 'compare times, use --order time, or record messages';
const RECORD = 'record times, or messages between the probes';

test.each([
  ['events without times', [UNTIED], RECORD],
  ['times, but messages between others', [TIMED_AMONG_MESSAGES], COMPARE],
  ['a common cause, which ties neither to the other', [BOTH_TOLD], COMPARE],
  ['what Perturb did between them', [VIA_PERTURB], COMPARE],
  ['several such sessions', [UNTIED, UNTIED], RECORD],
])('%s: found, at the arrow', async (_, sessions, help) => {
  expect(await unordered(ARROW, ...sessions)).toEqual([
    `${ARROW.indexOf('->')} -> ${NOTHING}; ${help}`,
  ]);
});

test.each([
  ['clocks', [TIMED]],
  ['a message', [TIED]],
  ['a message by way of another probe', [VIA_LOG]],
  ['a message in one of the sessions', [TIMED_AMONG_MESSAGES, TIED]],
  ['clocks in one of the sessions', [TIMED_AMONG_MESSAGES, TIMED]],
  ['the order that the session asks for', [pinned('causal', UNTIED)]],
  ['clocks that the session asks for', [pinned('time', TIMED_AMONG_MESSAGES)]],
  ['nothing, but no session has both', [sessionOf(STOP as Line), sessionOf(MOVE as Line)]],
])('ordered by %s: not found', async (_, sessions) => {
  expect(await unordered(ARROW, ...sessions)).toEqual([]);
});

test('clocks do not show that events did not know of each other', async () => {
  const text = `${LABELS} WHEN stop || move AGGREGATE count() = 0`;
  expect(await unordered(text, TIMED)).toEqual([
    `${text.indexOf('||')} || only clocks order PANEL and MOTOR in the recordings, and clocks cannot show that two events are concurrent; record messages, or use --order time, where || means within the skew`,
  ]);
  expect(await unordered(text, UNTIED)).toEqual([`${text.indexOf('||')} || ${NOTHING}; ${RECORD}`]);
  expect(await unordered(text, pinned('time', TIMED))).toEqual([]);
  expect(await unordered(text, TIED)).toEqual([]);
});

test('an arrow through an absent label is one finding, and so are several between the same probes', async () => {
  const absent = `${LABELS}, NOT (name = 'note') AS note WHEN stop -> note -> move AGGREGATE count() = 0`;
  const three = sessionOf(STOP as Line, MOVE as Line, LOG as Line);
  expect(await unordered(absent, three)).toEqual([
    `${absent.indexOf('->')} -> ${NOTHING}; ${RECORD}`,
    `${absent.lastIndexOf('->')} -> nothing in the recordings orders LOG and MOTOR; ${RECORD}`,
  ]);
  const back = `${LABELS}, (name = 'stop') AS again WHEN stop -> move -> NEXT again FILTER stop != again`;
  expect(await unordered(back, UNTIED)).toHaveLength(1);
});

test('only the probes that FILTER allows together count', async () => {
  const two = sessionOf(['PANEL stop'], ['PANEL move'], ['MOTOR move']);
  const text = `${LABELS} WHEN stop -> move`;
  expect(await unordered(text, two)).toEqual([]);
  expect(await unordered(`${text} FILTER stop.probe = move.probe`, two)).toEqual([]);
  expect(await unordered(`${text} FILTER stop.probe != move.probe`, two)).toEqual([
    `${text.indexOf('->')} -> nothing in the recordings orders PANEL and MOTOR, PANEL; ${RECORD}`,
  ]);
});

test("nothing is said of names that were not recorded, and of Perturb's own events", async () => {
  const unknown = "MATCH (name = 'stopp') AS stop, (name = 'move') AS move WHEN stop -> move";
  expect(await unordered(unknown, UNTIED)).toEqual([]);
  const own = "MATCH (name = 'perturb.injected') AS i, (name = 'move') AS move WHEN i -> move";
  expect(await unordered(own, sessionOf(['perturb perturb.injected'], MOVE as Line))).toEqual([]);
});
