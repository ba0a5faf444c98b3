import { expect, test } from 'vitest';
import { check, recordedOf } from '../../../src/expression/index.js';
import { vocabularyIn } from '../../objective/recordings.js';

/* What asks for the time, or the order with an injection, of events that were recorded without a time. */

/** What the rule finds, with what it marks. */
async function noTime(
  text: string,
  sessions: readonly string[],
  expected: readonly string[] = [],
): Promise<string[]> {
  const recorded = recordedOf(await vocabularyIn(...sessions), expected);
  const { findings } = check(text, { role: 'check', ...(recorded && { recorded }) });
  return findings
    .filter(({ rule }) => rule === 'recorded/no-time')
    .map(({ span, message, help }) => {
      return `${span.start} ${text.slice(span.start, span.end)} ${message}; ${help}`;
    });
}

const lines = (...events: readonly object[]) => events.map((one) => JSON.stringify(one)).join('\n');
const STOP = { probe: 'PANEL', name: 'stop' };
const MOVE = { probe: 'MOTOR', name: 'move' };
const UNTIMED = lines(STOP, MOVE);
const TIMED = lines({ ...STOP, time: 1 }, { ...MOVE, time: 2 });
const HALF = lines({ ...STOP, time: 1 }, MOVE);

const LABELS = "MATCH (name = 'stop') AS stop, (name = 'move') AS move";
const missing = (probe: string) =>
  `no recorded event at ${probe} that the pattern allows has a time; record the events' times, or require their order with WHEN`;

test('a time that no event has is found once for each label', async () => {
  const text = `${LABELS} FILTER stop.time < move.time AND move.time > 3s AGGREGATE max(move.time - stop.time) < 5s`;
  expect(await noTime(text, [UNTIMED])).toEqual([
    `${text.indexOf('time')} time ${missing('PANEL')}`,
    `${text.indexOf('move.time') + 5} time ${missing('MOTOR')}`,
  ]);
  expect(await noTime(text, [HALF])).toEqual([
    `${text.indexOf('move.time') + 5} time ${missing('MOTOR')}`,
  ]);
  expect(await noTime(text, [TIMED])).toEqual([]);
  expect(await noTime(text, [UNTIMED, TIMED])).toEqual([]);
  expect(await noTime(text, [UNTIMED], ['time'])).toEqual([]);
  const within = `${LABELS} WHEN stop -> move WITHIN 5s`;
  expect(await noTime(within, [UNTIMED])).toEqual([
    `${within.indexOf('5s')} 5s ${missing('PANEL')}`,
  ]);
  expect(await noTime(within, [UNTIMED], ['time'])).toEqual([]);
});

test.each([
  ['a pattern', "MATCH (name = 'move' AND time > due) AS move", 'time'],
  ['WITHIN', `${LABELS} WHEN stop -> move WITHIN 5s`, '5s'],
  [
    'a window',
    "MATCH (name = 'move') AS move AGGREGATE count() < 3 BY window(move.time, 1s)",
    'time',
  ],
  [
    'a measure',
    "MATCH (name = 'move') AS move AGGREGATE max(move.time - session.start) < 5s",
    'time',
  ],
])('it is found in %s', async (_, text, mark) => {
  expect(await noTime(text, [HALF])).toEqual([`${text.indexOf(mark)} ${mark} ${missing('MOTOR')}`]);
});

test('nothing is said where order alone is asked for, or the name is unknown', async () => {
  expect(await noTime(`${LABELS} WHEN stop -> move`, [UNTIMED])).toEqual([]);
  const unknown = "MATCH (name = 'moved') AS move FILTER move.time > 5s";
  expect(await noTime(unknown, [UNTIMED])).toEqual([]);
});

const own = (name: string, id: string, ...after: readonly string[]) => ({
  ...{ probe: 'perturb', name: `perturb.${name}`, time: 10, id },
  ...(after.length > 0 && { after }),
});
const AFTER = "MATCH (name = 'perturb.injected') AS i, (name = 'move') AS move WHEN i -> move";
const untied = (what: string) =>
  `events at MOTOR have no time, so it is unknown whether they came before ${what}; record their times`;

test('events without a time that nothing ties to an injection are found, at the arrow', async () => {
  const loose = lines(STOP, own('injected', 'i'), MOVE);
  expect(await noTime(AFTER, [loose])).toEqual([
    `${AFTER.indexOf('->')} -> ${untied('the injection')}`,
  ]);
  const before = AFTER.replace('i -> move', 'move -> i');
  expect(await noTime(before, [loose])).toEqual([
    `${before.indexOf('->')} -> ${untied('the injection')}`,
  ]);
  const beside = AFTER.replace('->', '||');
  expect(await noTime(beside, [loose])).toEqual([
    `${beside.indexOf('||')} || ${untied('the injection')}`,
  ]);
});

test.each([
  ['a time', lines(STOP, own('injected', 'i'), { ...MOVE, time: 5 })],
  ['what was seen before', lines({ ...MOVE, id: 'm' }, own('injected', 'i', 'm'))],
  ['what was seen after', lines(own('injected', 'i'), { ...MOVE, after: ['i'] })],
  [
    'what was seen after by way of another probe',
    lines(own('injected', 'i'), { ...STOP, id: 's', after: ['i'] }, { ...MOVE, after: ['s'] }),
  ],
  [
    'the order that the session asks for',
    `{"session":1,"order":"causal"}\n${lines(own('injected', 'i'), MOVE)}`,
  ],
  ['nothing, but nothing was injected', UNTIMED],
])('events are tied to an injection by %s', async (_, session) => {
  expect(await noTime(AFTER, [session])).toEqual([]);
});

test('one event that nothing ties is enough, whatever the other sessions hold', async () => {
  const seen = lines({ ...MOVE, id: 'm' }, own('injected', 'i', 'm'), own('reset', 'r'), MOVE);
  const both = [`${AFTER.indexOf('->')} -> ${untied('the injection')}`];
  expect(await noTime(AFTER, [seen])).toEqual(both);
  expect(await noTime(AFTER, [TIMED, seen, TIMED])).toEqual(both);
  const reset = AFTER.replace('injected', 'reset');
  expect(await noTime(reset, [seen])).toEqual([`${reset.indexOf('->')} -> ${untied('the reset')}`]);
});
