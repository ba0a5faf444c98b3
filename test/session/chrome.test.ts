import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readSessionStream } from '../../src/session/files/index.js';
import { problemText, readSession, type Session, writeNeutral } from '../../src/session/index.js';
import { counted, MOST_GROWTH, stepsOf } from '../steps.js';
import { recordsOf } from './written.js';

/** An event of the thread `pid.tid`, with what else it has. */
const at = (thread: string, ph: string, ts: number, name: string, rest: object = {}) => {
  const [pid, tid] = thread.split('.').map(Number);
  return { ph, pid, tid, ts, name, ...rest };
};
const named = (thread: string, kind: 'process' | 'thread', name: string) =>
  at(thread, 'M', 0, `${kind}_name`, { args: { name } });

/** The events of a session as `PROBE/TIMELINE NAME TIME`, and its interactions. */
function brief(session: Session): readonly string[] {
  const lines = recordsOf(session);
  return lines.map((line) => {
    const { from, to, probe, timeline, name, time, attributes = {} } = JSON.parse(line);
    if (from !== undefined) return `${from.join(' ')} -> ${to.join(' ')}`;
    const phase = attributes['span.start'] ? ' starts' : attributes['span.end'] ? ' ends' : '';
    const took = attributes['span.duration'];
    return `${probe}/${timeline} ${name}${phase} ${time}${took === undefined ? '' : ` (${took})`}`;
  });
}

async function read(events: readonly object[]): Promise<readonly string[]> {
  const { session, format, problems } = await readSession(JSON.stringify(events));
  expect([format, problems]).toEqual(['chrome', []]);
  return brief(session as Session);
}

describe("Chrome's trace events", () => {
  test('slices nest and follow each other, at ties too, whatever their order in the file', async () => {
    expect(
      await read([
        at('1.2', 'X', 10, 'next', { dur: 5 }),
        at('1.2', 'X', 0, 'inner', { dur: 10 }),
        at('1.2', 'X', 10, 'at once', { dur: 0 }),
        at('1.2', 'B', 0, 'outer', { args: { url: 'x' } }),
        at('1.2', 'E', 10, '', { name: undefined, args: { status: 200 } }),
        at('1.2', 'i', 10, 'mark'),
        at('1.2', 'E', 16, 'begun before'),
        at('1.2', 'B', 17, 'never ended'),
      ]),
    ).toEqual([
      'process 1/2 inner starts 0',
      'process 1/2 outer starts 0',
      'process 1/2 outer ends 10000 (10000)',
      'process 1/2 inner ends 10000 (10000)',
      'process 1/2 next starts 10000',
      'process 1/2 at once starts 10000',
      'process 1/2 mark 10000',
      'process 1/2 at once ends 10000 (0)',
      'process 1/2 next ends 15000 (5000)',
      'process 1/2 begun before ends 16000',
      'process 1/2 never ended starts 17000',
    ]);
  });

  test('what a slice says at its start holds at its end, unless that says otherwise', async () => {
    const { session } = await readSession(
      JSON.stringify([
        at('1.2', 'B', 1, 'get', { cat: 'net', args: { url: 'x', status: 0, list: [5, 1.5] } }),
        at('1.2', 'E', 2, 'get', { args: { status: 200, name: 'own' } }),
      ]),
    );
    const [, end] = recordsOf(session as Session);
    expect(JSON.parse(end ?? '').attributes).toEqual({
      'attribute.name': 'own',
      category: 'net',
      'list.0': 5,
      'list.1': 1.5,
      'process.id': '1',
      'span.duration': 1000,
      'span.end': true,
      'span.name': 'get',
      status: 200,
      'thread.id': '2',
      url: 'x',
    });
  });

  test('times are exact to the nanosecond', async () => {
    const text = '[{"ph":"X","pid":1,"tid":2,"ts":1700000000123456.789,"dur":0.001,"name":"a"}]';
    const { session } = await readSession(text);
    expect(brief(session as Session)).toEqual([
      'process 1/2 a starts 1700000000123456800',
      'process 1/2 a ends 1700000000123456800 (1)',
    ]);
    expect([...writeNeutral(session as Session)].join('')).toContain('"time":1700000000123456789,');
    expect([...writeNeutral(session as Session)].join('')).toContain('"time":1700000000123456790,');
  });

  test('a flow leads from its start through its steps to its end, and an id may be used again', async () => {
    const flow = (ph: string, thread: string, ts: number, rest = {}) =>
      at(thread, ph, ts, 'ipc', { id: 7, cat: 'c', ...rest });
    const lines = await read([
      flow('f', '3.1', 30),
      at('3.1', 'X', 30, 'handled', { dur: 1 }),
      flow('t', '2.1', 20),
      flow('s', '1.1', 10),
      flow('s', '2.1', 40),
      at('1.1', 'X', 50, 'around', { dur: 9 }),
      flow('f', '1.1', 50, { bp: 'e' }),
      flow('f', '4.1', 60),
      flow('s', '9.1', 70, { id: 8 }),
      flow('f', '8.1', 60, { id: 8 }),
    ]);
    expect(lines.filter((line) => !line.includes('->'))).toEqual([
      'process 1/1 ipc 10000',
      'process 1/1 around starts 50000',
      'process 1/1 ipc 50000',
      'process 1/1 around ends 59000 (9000)',
      'process 2/1 ipc 20000',
      'process 2/1 ipc 40000',
      // It arrives before the slice that it leads to.
      'process 3/1 ipc 30000',
      'process 3/1 handled starts 30000',
      'process 3/1 handled ends 31000 (1000)',
      'process 4/1 ipc 60000',
      'process 8/1 ipc 60000',
      'process 9/1 ipc 70000',
    ]);
    expect(lines.filter((line) => line.includes('->'))).toEqual([
      'process 2 1 1 -> process 1 1 2',
      'process 1 1 0 -> process 2 1 0',
      'process 2 1 0 -> process 3 1 0',
    ]);
  });

  test('slices may be parts of a flow themselves', async () => {
    const slice = (thread: string, ts: number, rest: object) =>
      at(thread, 'X', ts, 'x', { dur: 5, bind_id: '0x1', ...rest });
    const lines = await read([
      slice('1.1', 0, { flow_out: true }),
      slice('2.1', 10, { flow_in: true, flow_out: true }),
      slice('3.1', 20, { flow_in: true }),
      slice('4.1', 30, { flow_in: true }),
    ]);
    expect(lines.filter((line) => line.includes('->'))).toEqual([
      'process 1 1 0 -> process 2 1 0',
      'process 2 1 0 -> process 3 1 0',
      'process 2 1 0 -> process 4 1 0',
    ]);
  });

  test('the parts of an asynchronous operation follow each other across threads', async () => {
    const part = (ph: string, thread: string, ts: number, name: string, rest = {}) =>
      at(thread, ph, ts, name, { id: '0x1', cat: 'c', ...rest });
    const lines = await read([
      part('b', '1.1', 1, 'load'),
      part('n', '1.2', 2, 'half'),
      part('b', '1.2', 3, 'parse'),
      part('e', '1.2', 4, 'parse'),
      part('e', '1.1', 9, 'load'),
      part('b', '1.3', 5, 'other', { cat: 'd' }),
      part('b', '5.1', 6, 'own', { id: undefined, id2: { local: '0x1' } }),
      part('e', '6.1', 7, 'own', { id: undefined, id2: { local: '0x1' } }),
      part('S', '1.4', 1, 'old', { id: 2 }),
      part('F', '1.5', 3, 'old', { id: 2 }),
    ]);
    expect(lines).toEqual([
      'process 1/1 load starts 1000',
      'process 1/1 load ends 9000 (8000)',
      'process 1/2 half 2000',
      'process 1/2 parse starts 3000',
      'process 1/2 parse ends 4000 (1000)',
      'process 1/3 other starts 5000',
      'process 1/4 old starts 1000',
      'process 1/5 old ends 3000 (2000)',
      'process 5/1 own starts 6000',
      'process 6/1 own ends 7000',
      'process 1 2 2 -> process 1 1 1',
      'process 1 1 0 -> process 1 2 0',
      'process 1 4 0 -> process 1 5 0',
    ]);
  });

  test.each([
    ['as it goes', [0, 1, 2]],
    ['the end first', [2, 0, 1]],
    ['turned', [2, 1, 0]],
    ['a step first', [1, 2, 0]],
  ])('a flow at one time, written %s', async (_, places) => {
    const flow = (ph: string, thread: string, rest = {}) =>
      at(thread, ph, 10, 'ipc', { id: 7, ...rest });
    for (const rest of [{ bp: 'e' }, {}]) {
      const parts = [flow('s', '1.1'), flow('t', '2.1'), flow('f', '3.1', rest)];
      const lines = await read(places.map((place) => parts[place] as object));
      expect(lines.filter((line) => line.includes('->'))).toEqual([
        'process 1 1 0 -> process 2 1 0',
        'process 2 1 0 -> process 3 1 0',
      ]);
    }
  });

  test('a flow that ends as the next of its id starts keeps its start', async () => {
    const flow = (ph: string, thread: string, ts: number) => at(thread, ph, ts, 'ipc', { id: 7 });
    const parts = [
      flow('s', '1.1', 5),
      flow('f', '2.1', 10),
      flow('s', '3.1', 10),
      flow('f', '4.1', 12),
    ];
    expect((await read(parts)).filter((line) => line.includes('->'))).toEqual([
      'process 1 1 0 -> process 2 1 0',
      'process 3 1 0 -> process 4 1 0',
    ]);
  });

  test('an operation that takes no time, written from its end', async () => {
    const part = (ph: string, thread: string, ts: number, name?: string) =>
      at(thread, ph, ts, '', { id: '0x1', cat: 'c', name });
    const pair = [part('b', '1.1', 5, 'load'), part('e', '1.2', 5, 'load')];
    const expected = [
      'process 1/1 load starts 5000',
      'process 1/2 load ends 5000 (0)',
      'process 1 1 0 -> process 1 2 0',
    ];
    expect(await read(pair)).toEqual(expected);
    expect(await read(pair.toReversed())).toEqual(expected);
    // An end without a name ends any.
    expect(await read([part('e', '1.2', 5), part('b', '1.1', 5, 'load')])).toEqual(expected);
    // It ends what is open, and not what starts as it ends.
    const after = [part('b', '1.1', 2, 'load'), pair[1] as object, part('b', '1.3', 5, 'load')];
    expect((await read(after)).filter((line) => line.includes('ends'))).toEqual([
      'process 1/2 load ends 5000 (3000)',
    ]);
  });

  test('the steps of an operation that takes no time are between its start and its end', async () => {
    const part = (ph: string, thread: string) => at(thread, ph, 5, 'load', { id: '0x1', cat: 'c' });
    const [start, step, end] = [part('b', '1.1'), part('n', '1.2'), part('e', '1.3')];
    const expected = [
      'process 1/1 load starts 5000',
      'process 1/2 load 5000',
      'process 1/3 load ends 5000 (0)',
      'process 1 1 0 -> process 1 2 0',
      'process 1 2 0 -> process 1 3 0',
    ];
    for (const written of [
      [start, step, end],
      [end, step, start],
      [step, start, end],
    ]) {
      expect(await read(written as object[])).toEqual(expected);
    }
  });

  test('arrows both ways at one time make no cycle', async () => {
    const flow = (ph: string, thread: string, id: number) => at(thread, ph, 5, 'ipc', { id });
    const lines = await read([
      ...[flow('s', '1.1', 1), flow('f', '2.1', 1)],
      ...[flow('s', '2.1', 2), flow('f', '1.1', 2)],
    ]);
    expect(lines.filter((line) => line.includes('->'))).toEqual([
      'process 2 1 1 -> process 1 1 1',
      'process 1 1 0 -> process 2 1 0',
    ]);
  });

  test('processes and threads have their names; several of one name are told apart', async () => {
    const lines = await read([
      ...[named('1.1', 'process', 'Browser'), named('1.1', 'thread', 'Main')],
      ...[named('2.1', 'process', 'Renderer'), named('3.1', 'process', 'Renderer')],
      ...[named('2.5', 'thread', 'Main'), named('3.5', 'thread', 'Main')],
      ...[named('1.7', 'thread', 'Pool'), named('1.8', 'thread', 'Pool')],
      ...['1.1', '1.7', '1.8', '1.9', '2.5', '3.5', '3.6'].map((one) => at(one, 'I', 1, 'x')),
      { ph: 'i', ts: 1, name: 'global' },
    ]);
    expect(lines).toEqual([
      'Browser/9 x 1000',
      'Browser/Main x 1000',
      'Browser/Pool 7 x 1000',
      'Browser/Pool 8 x 1000',
      'Renderer/2 Main x 1000',
      'Renderer/3 6 x 1000',
      'Renderer/3 Main x 1000',
      'log/undefined global 1000',
    ]);
  });

  test('the list stands alone, within an object, open at its end, or packed', async () => {
    const events = [at('1.1', 'C', 1, 'heap', { args: { used: 7 } }), at('1.1', 'R', 2, 'paint')];
    const lines = await read(events);
    const list = JSON.stringify(events);
    const forms = [
      `{"displayTimeUnit": "ns",\n "otherData": {"spans": []},\n "traceEvents": ${list}}`,
      JSON.stringify({ metadata: {}, traceEvents: events }, null, 2),
      list.slice(0, -1),
      `[\n${events.map((one) => `${JSON.stringify(one)},\n`).join('')}`,
    ];
    for (const text of forms) {
      const { session, problems } = await readSession(text);
      expect([problems, brief(session as Session)]).toEqual([[], lines]);
    }
    const packed = gzipSync(forms[3] as string);
    const { session } = await readSessionStream(Readable.from([packed]));
    expect(brief(session as Session)).toEqual(lines);
  });

  test('what is no event is named, what belongs to none is passed over', async () => {
    const text = JSON.stringify({
      traceEvents: [
        at('1.1', 'i', 1, 'x'),
        ...[at('1.1', 'Q', 1, 'y'), { ph: 'i', name: 'z' }, { name: 'w', ts: 1 }, 5],
        ...['P', 'O', 'N', 'D', 'v', 'c'].map((ph) => at('1.1', ph, 1, 'of the recording')),
      ],
    });
    const { session, problems } = await readSession(text);
    expect([session, problems.map(problemText)]).toEqual([
      undefined,
      [
        'the event "y" has the unsupported phase "Q", so it cannot be read',
        'the event "z" lacks a "ts", so it cannot be read',
        'the event "w" has the unsupported phase "", so it cannot be read',
        'the event "" lacks a "ts", so it cannot be read',
      ],
    ]);
    expect((await readSession(text, { tolerant: true })).session?.size).toBe(1);
  });
});

/** An operation of the recording, by its number among so many. */
type Made = (number: number, count: number) => readonly object[];

const operation = (ph: string, ts: number, name: string) =>
  at('1.1', ph, ts, name, { id: 1, cat: 'c' });

test.each<[string, Made]>([
  ['processes of one name', (n) => [named(`${n}.1`, 'process', 'P'), at(`${n}.1`, 'i', 1, 'x')]],
  ['threads of one name', (n) => [named(`1.${n}`, 'thread', 'T'), at(`1.${n}`, 'i', 1, 'x')]],
  [
    'operations of one id that end in their order',
    (n, count) => [operation('b', n, `o${n}`), operation('e', count + n, `o${n}`)],
  ],
  [
    'ends at one time that nothing starts',
    (n) => [operation('e', 5, `e${n}`), operation('b', 5, `b${n}`)],
  ],
  [
    'flows at one time, from their ends',
    (n) => [at('1.1', 'f', 5, '', { id: n }), at('2.1', 's', 5, '', { id: n })],
  ],
  ['steps at one time', (n) => [at(`${n}.1`, n === 9 ? 's' : 't', 5, 'x', { id: 1 })]],
])('%s take steps in proportion', async (_, make) => {
  const code = await counted<{ readSession: typeof readSession }>('../src/session/index.js');
  const steps = (count: number) => {
    const events = Array.from({ length: count }, (__, number) => make(number, count)).flat();
    return stepsOf(() => code.readSession(JSON.stringify(events)));
  };
  expect((await steps(1_000)) / (await steps(250))).toBeLessThan(MOST_GROWTH);
});
