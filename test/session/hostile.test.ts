import { expect, test } from 'vitest';
import { readSession } from '../../src/session/index.js';
import { type Pump, pumped } from '../fuzz/growth.js';
import { counted, MOST_GROWTH, stepsOf } from '../steps.js';

const session =
  await counted<typeof import('../../src/session/index.js')>('../src/session/index.js');

const event = (attributes: string, probe = 'A') =>
  `{"probe":"${probe}","name":"x","attributes":${attributes}}`;
const nested = (open: string, close: string, times = 100_000) =>
  `${open.repeat(times)}1${close.repeat(times)}`;
const NINES = '9'.repeat(100_000);

/* A file that nobody meant well: what is told, and how many events are left where it is tolerated. */
test.each([
  ['nested lists', event(`{"a":${nested('[', ']')}}`), 'nested too deeply', 0],
  ['nested maps', event(nested('{"a":', '}')), 'nested too deeply', 0],
  ['nested lists of Zipkin', nested('[', ']'), 'nested too deeply', 0],
  [
    'nested values of OTLP',
    `{"resourceSpans":[{"resource":{"attributes":[{"key":"k","value":${nested('{"arrayValue":{"values":[', ']}}')}}]}}]}`,
    'nested too deeply',
    0,
  ],
  ['nested clocks', `a {"a":1}\none\na ${nested('{"a":', '}')}\ntwo\n`, 'nested too deeply', 1],
  ['an integer of many digits', event(`{"a":${NINES}}`), 'has more than 1,000 digits', 0],
  ['a fraction of many digits', event(`{"a":0.${NINES}}`), undefined, 1],
  ['a float beyond all doubles', event('{"a":1e400}'), 'does not fit in a float', 0],
  ['a float below all doubles', event('{"a":1e-400}'), undefined, 1],
  ['a seq of many digits', `{"probe":"A","name":"x","seq":${NINES}}`, '"seq" must be a 64-bit', 0],
  ['NaN as a word', event('{"a":NaN}'), 'not JSON', 0],
  ['NaN as it is written', event('{"a":{"NonFiniteFloat":"NaN"}}'), undefined, 1],
  ['an infinity by another name', event('{"a":{"NonFiniteFloat":"inf"}}'), '"a"', 0],
  [
    'names of what all objects have',
    event('{"__proto__":1,"toString":2}', '__proto__'),
    undefined,
    1,
  ],
  [
    'long texts',
    event(`{"${'k'.repeat(1e6)}":"${'v'.repeat(1e6)}"}`, 'p'.repeat(1e6)),
    undefined,
    1,
  ],
  ['zeros', '\0'.repeat(100_000), 'it looks like binary data', 0],
  [
    'a cycle of receives',
    '{"probe":"A","name":"x","id":"a","after":["b"]}\n{"probe":"B","name":"x","id":"b","after":["a"]}',
    'cycle',
    2,
  ],
  ['an event that waits for itself', '{"probe":"A","name":"x","id":"a","after":["a"]}', 'cycle', 1],
])('%s', async (_, text, told, left) => {
  const strict = await readSession(text);
  expect(strict.session === undefined).toBe(told !== undefined);
  const messages = strict.problems.map(({ message }) => message).join('\n');
  expect(messages).toContain(told ?? '');
  expect(messages.length).toBeLessThan(1000);
  const { session } = await readSession(text, { tolerant: true });
  expect(session?.size).toBe(left);
});

/* What is repeated, in files that are right and in files that are wrong in each line. */
const line = (text: string): Pump => ({ before: '', piece: `${text}\n`, after: '' });
const PUMPS: Readonly<Record<string, Pump>> = {
  'right lines': line(event('{"a":1,"b":"two"}')),
  'the same seq': line('{"probe":"A","name":"x","seq":1}'),
  'the same id': line('{"probe":"A","name":"x","id":"i"}'),
  'senders that do not exist': line('{"probe":"A","name":"x","after":["none"]}'),
  'one interaction, again and again': {
    before: '{"probe":"A","name":"x"}\n{"probe":"B","name":"x"}\n',
    piece: '{"from":["A",0],"to":["B",0]}\n',
    after: '',
  },
  'cycles of receives': {
    before: '{"probe":"A","name":"x"}\n{"probe":"B","name":"x"}\n',
    piece: '{"from":["A",0],"to":["B",0]}\n{"from":["B",0],"to":["A",0]}\n',
    after: '',
  },
  'interactions within a probe': {
    before: '{"probe":"A","name":"x"}\n',
    piece: '{"from":["A",0],"to":["A",0]}\n',
    after: '',
  },
  'broken lines': line('{"probe":"A","name":'),
  'a string without an end': { before: '{"probe":"', piece: 'a\\', after: '' },
  'spans without an end': { before: '[', piece: '{"traceId":"1","id":"2",', after: '' },
  'spans that are their own parents': {
    before: '[{"traceId":"1","id":"2","parentId":"2","timestamp":1}',
    piece: ',{"traceId":"1","id":"2","parentId":"2","timestamp":1}',
    after: ']',
  },
  'clocks that begin anew': line('a {"a":1}\nx\na {"a":2}\ny'),
};

test.each(Object.entries(PUMPS))('the steps grow as the input does: %s', async (_, pump) => {
  const stepsFor = (times: number) =>
    stepsOf(() => session.readSession(pumped(pump, times), { tolerant: true }));
  expect(await stepsFor(4_000)).toBeLessThan(MOST_GROWTH * (await stepsFor(1_000)));
});
