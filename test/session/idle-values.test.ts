import { expect, test } from 'vitest';
import { type Reading, readSession } from '../../src/session/index.js';

/* Values of a reading that have no effect on a file's format: they are said, never passed over. */

const LOG = '2026-01-02T03:04:05Z INFO app ready\n';
const LOGFMT = 'time=2026-01-02T03:04:05Z level=info msg=ready\n';
const CSV = 'time,probe,name\n2026-01-02T03:04:05Z,a,x\n';
const NEUTRAL = '{"probe":"a","name":"x"}\n';
const ZIPKIN = '[{"traceId":"1","id":"2","name":"x","timestamp":1700000000000000,"duration":5}]';
const CHROME = '{"traceEvents":[{"ph":"i","name":"x","ts":1,"pid":1,"tid":1}]}';

const VALUES: Readonly<Record<string, Reading>> = {
  probe: { probe: ['host.name'] },
  zone: { zone: 'Europe/Berlin' },
  dates: { dates: 'dmy' },
  unit: { unit: 'ms' },
  epoch: { epoch: 'start' },
  join: { join: ['time'] },
  clock: { clock: 'publish' },
};

test.each([
  ['a log', LOGFMT, 'logfmt', ['probe', 'clock']],
  ['CSV', CSV, 'csv', ['probe', 'clock']],
  ['the neutral form', NEUTRAL, 'session', Object.keys(VALUES)],
  ['spans', ZIPKIN, 'zipkin', ['zone', 'dates', 'unit', 'epoch', 'join', 'clock']],
  ['Chrome', CHROME, 'chrome', Object.keys(VALUES)],
])('of %s', async (_, text, format, idle) => {
  for (const [key, reading] of Object.entries(VALUES)) {
    const { problems, session } = await readSession(text, { reading });
    const told = problems.map(({ message }) => message);
    expect([key, told]).toEqual([
      key,
      idle.includes(key) ? [`"${key}" has no effect on the format ${format}: remove it`] : [],
    ]);
    expect(session === undefined).toBe(idle.includes(key));
  }
});

test.each([
  ['the neutral form', NEUTRAL, 'session'],
  ['spans', ZIPKIN, 'zipkin'],
  ['Chrome', CHROME, 'chrome'],
])('executions are none of %s', async (_, text, format) => {
  for (const options of [{ execution: '1' }, { delimiter: '^==' }]) {
    const [key] = Object.keys(options);
    const { problems, session } = await readSession(text, options);
    expect(problems.map(({ message }) => message)).toEqual([
      `"${key}" has no effect on the format ${format}: remove it`,
    ]);
    expect(session).toBeUndefined();
  }
});

test.each([
  [LOGFMT, 'logfmt'],
  [CSV, 'csv'],
])('no execution is in %j', async (text, format) => {
  const { problems } = await readSession(text, { execution: '1' });
  expect(problems.map(({ message }) => message)).toEqual([
    `"execution" has no effect on the format ${format}: remove it`,
  ]);
});

test.each(['send', 'receive'])('%s alone describes no event', async (key) => {
  const reading = { [key]: '$.id' };
  await expect(readSession(LOGFMT, { reading })).rejects.toThrow(
    `${key}: it needs "map" or "pattern" to define events`,
  );
});

test('a file in no known format is not blamed on a reading', async () => {
  const { problems } = await readSession('?\n', { reading: { clock: 'publish' } });
  expect(problems.some(({ message }) => message.includes('has no effect'))).toBe(false);
});

test('a clock that has no effect leaves the order of a log to its lines', async () => {
  const reading = { clock: 'publish' } as const;
  const { session } = await readSession(LOG, { reading, tolerant: true });
  expect(session?.reading?.recorders).toEqual(Int32Array.of(0));
});

test.each([
  [LOGFMT, 'date', 'time'],
  [CSV, 'time', 'day'],
])('keys that no event of %j has make up no time', async (text, ...join) => {
  const { problems, session } = await readSession(text, { reading: { join } });
  expect(problems.map(({ message }) => message)).toEqual([
    `"join": no event has all of "${join[0]}", "${join[1]}", so no event has a time`,
  ]);
  expect(session).toBeUndefined();
});
