import { describe, expect, test } from 'vitest';
import {
  problemText,
  type ReadOptions,
  readSession,
  type Session,
} from '../../src/session/index.js';
import { readSessionParts } from '../../src/session/read-session.js';
import { plain } from './plain.js';

const TURNED = 'its lines are newest first, so they are read from last to first';
const kept = (back: number, steps: number) =>
  `${back} of ${steps} steps from one event to the next go back in time, but events keep the order of their lines: sort the lines by time, the oldest first, or give the events a seq`;

/** The names of the events in their order, and what there is to know about it. */
async function read(text: string, options: ReadOptions = {}) {
  const { session, problems, notes } = await readSession(text, options);
  expect(problems).toEqual([]);
  return [namesOf(session as Session), ...notes.map(problemText)];
}

function namesOf({ columns, texts }: Session): string {
  return Array.from(columns.get('name')?.numbers ?? [], (text) => texts[text]).join(' ');
}

/** Lines of a log: letters, each with the second at which it happened. */
function log(written: string): string {
  const lines = written.split(' ').map(([name, ...digits]) => {
    const time = `2026-11-23T01:31:0${digits.join('')}Z`;
    return `{"level":"info","msg":"${name}","time":"${time}"}\n`;
  });
  return lines.join('');
}

describe('a file that is newest first', () => {
  test('is read from its end, whatever its format', async () => {
    expect(await read(log('d3 c2 b2 a1'))).toEqual(['a b c d', TURNED]);
    const table = ['time,service,event', '2026-11-23T01:31:04Z,x,c', '2026-11-23T01:31:03Z,y,b'];
    const csv = [...table, '2026-11-23T01:31:02Z,x,a'].join('\n');
    expect(await read(csv)).toEqual(['a c b', TURNED]);
    const pattern = '^(?<time>\\S+) (?<name>\\w)$';
    const dated = '2026-11-23T03:00Z c\n2026-11-23T02:00Z b\n2026-11-23T01:00Z a\n';
    expect(await read(dated, { reading: { pattern } })).toEqual(['a b c', TURNED]);
  });

  test('is not turned where that is not sure, but there is a note', async () => {
    expect(await read(log('b2 a1'))).toEqual(['b a', kept(1, 1)]);
    expect(await read(log('d4 c3 b2 e5'))).toEqual(['d c b e', kept(2, 3)]);
    expect(await read(log('a1 b2 c3 d3 e4 f3'))).toEqual(['a b c d e f', kept(1, 4)]);
    expect(await read(`${log('d4 c3')}{"level":"info","msg":"x"}\n${log('b2')}`)).toEqual([
      'd c x b',
      kept(2, 2),
    ]);
    // Without a date: perhaps each is on the day after.
    const pattern = '^(?<time>\\S+) (?<name>\\w)$';
    expect(await read('03:00 c\n02:00 b\n01:00 a\n', { reading: { pattern } })).toEqual([
      'c b a',
      kept(2, 2),
    ]);
  });

  test('has no note where its events have a seq, or few times go back', async () => {
    const fields = { name: '$.msg', time: '$.time', seq: '$.n' };
    const lines = log('c3 b2 a1').replaceAll(/"(\w)","time":"\S+(\d)Z"/g, '$&,"n":$2');
    expect(await read(lines, { reading: { map: fields } })).toEqual(['a b c']);
    expect(await read(log('a1 b2 c3 d3 e4 f5 g4'))).toEqual(['a b c d e f g']);
  });

  test('orders what is tied, too: each probe, and the first of the events that send a message', async () => {
    const fields = { name: '$.msg', probe: '$.p', time: '$.t' };
    const at = (p: string, msg: string, t: number) =>
      `{"p":"${p}","msg":"${msg}","t":"2026-11-23T01:31:0${t}Z","k":1}\n`;
    const text = [
      ...[at('y', 'end', 5), at('x', 'put', 4), at('y', 'got', 3)],
      ...[at('x', 'put', 2), at('y', 'begin', 1)],
    ];
    const reading = { map: fields, send: 'put=$.k', receive: 'got=$.k' };
    const forward = await readSession(text.toReversed().join(''), { reading });
    const backward = await readSession(text.join(''), { reading });
    expect(forward.notes).toEqual([]);
    expect(plain(backward.session as Session)).toEqual(plain(forward.session as Session));
    expect(plain(forward.session as Session).interactions).toEqual(['0 -> 3']);
  });

  test('is turned among others, whose events keep their places', async () => {
    const neutral = '{"probe":"log","name":"n"}\n{"probe":"Q","name":"m","after":["i"]}\n';
    const own = `${neutral}{"from":["log",0],"to":["Q",0]}\n{"probe":"log","name":"o","id":"i"}\n`;
    const { session, notes } = await readSessionParts([
      { file: 'old.log', input: log('a1 b2'), probe: 'log' },
      { file: 'new.log', input: log('e5 d4 c3'), probe: 'log' },
      { file: 'own.jsonl', input: own },
      { file: 'last.log', input: log('h9 g8 f7'), probe: 'log' },
    ]);
    expect(namesOf(session as Session)).toBe('m a b c d e n o f g h');
    expect(plain(session as Session).interactions).toEqual(['6 -> 0', '7 -> 0']);
    expect(notes).toEqual([
      { file: 'new.log', message: TURNED },
      { file: 'last.log', message: TURNED },
    ]);
  });
});

test('a session of its own form keeps the order of its lines, with a note', async () => {
  const event = (name: string, time: number) => `{"probe":"P","name":"${name}","time":${time}}\n`;
  const text = event('c', 3) + event('b', 2) + event('a', 1);
  expect(await read(text)).toEqual(['c b a', kept(2, 2)]);
  expect(await read(text.replaceAll(/"name":"(.)"/g, '$&,"timeline":"$1"'))).toEqual(['a b c']);
});

test('files that are named newest first get a note, if they share a timeline', async () => {
  const parts = (...all: readonly (readonly [string, string, string])[]) =>
    readSessionParts(all.map(([file, probe, text]) => ({ file, probe, input: log(text) })));
  const rotated = await parts(['app.log', 'app', 'c3 d4'], ['app.log.1', 'app', 'a1 b2']);
  expect(namesOf(rotated.session as Session)).toBe('c d a b');
  expect(rotated.notes).toEqual([
    {
      file: 'app.log.1',
      message: 'older than app.log, whose events come first: name the oldest file first',
    },
  ]);
  expect((await parts(['a', 'app', 'a1 b3'], ['b', 'app', 'c2 d4'])).notes).toEqual([]);
  expect((await parts(['a', 'x', 'c3 d4'], ['b', 'y', 'a1 b2'])).notes).toEqual([]);
});
