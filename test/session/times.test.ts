import { describe, expect, test } from 'vitest';
import { EventTable } from '../../src/session/columns/event-table.js';
import { LogClock, type TimeReading } from '../../src/session/importers/log-clock.js';
import { unitOfKey } from '../../src/session/importers/times.js';
import { makeZone } from '../../src/session/importers/zones.js';
import { problemText, readSession } from '../../src/session/index.js';
import { Problems } from '../../src/session/problem.js';
import { recordsOf } from './written.js';

const isoOf = (time: bigint) =>
  `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, -1)}${String(time % 1_000_000n).padStart(6, '0')}`
    .replace(/\.?0+$/, '')
    .replace(/T$/, 'T00:00:00');

/** The moments of times in one file, and what is wrong with them or to be known of them. */
function momentsOf(written: readonly string[], reading: TimeReading = {}, key = 'time') {
  const [table, problems] = [new EventTable(), new Problems()];
  const clock = new LogClock(reading, undefined);
  const none: string[] = [];
  for (const text of written) {
    const event = table.addEvent('P', 'x', 0);
    const read = clock.read(text, key, event);
    if (read === undefined) none.push(text);
    else if (read.moment !== undefined) table.time.addInteger(event, read.moment);
  }
  clock.settle(table, 0, problems);
  const moments: string[] = [];
  table.time.forEach((_event, _kind, number, integer) => {
    moments.push(isoOf(integer ?? BigInt(number)));
  });
  const told = [...problems.list, ...problems.notes].map(problemText);
  return { moments, told: [...told, ...none] };
}

describe('times that lack a part', () => {
  test.each<[what: string, written: readonly string[], moments: readonly string[]]>([
    [
      'midnight, twice',
      ['23:59:59.5', '00:00:00.5', '12:00:00', '23:59:59', '00:00:01'],
      [
        ...['1970-01-01T23:59:59.5', '1970-01-02T00:00:00.5', '1970-01-02T12:00:00'],
        ...['1970-01-02T23:59:59', '1970-01-03T00:00:01'],
      ],
    ],
    [
      'a step back of less than half a day',
      ['12:00:00', '11:59:00', '00:30:00'],
      ['1970-01-01T12:00:00', '1970-01-01T11:59:00', '1970-01-01T00:30:00'],
    ],
    [
      'lines of two threads around midnight',
      ['23:59:59.998', '00:00:00.001', '23:59:59.999', '00:00:00.002'],
      [
        ...['1970-01-01T23:59:59.998', '1970-01-02T00:00:00.001'],
        ...['1970-01-01T23:59:59.999', '1970-01-02T00:00:00.002'],
      ],
    ],
    ['a quiet day', ['00:30:00', '23:45:00'], ['1970-01-01T00:30:00', '1970-01-01T23:45:00']],
    [
      'a twelve-hour clock',
      ['11:59:59 PM', '12:00:01 AM'],
      ['1970-01-01T23:59:59', '1970-01-02T00:00:01'],
    ],
    [
      'New Year, and lines of two threads around it',
      ['Dec 31 23:59:59', 'Jan  1 00:00:01', 'Dec 31 23:59:59', 'Jan  1 00:00:02'],
      [
        ...['1970-12-31T23:59:59', '1971-01-01T00:00:01'],
        ...['1970-12-31T23:59:59', '1971-01-01T00:00:02'],
      ],
    ],
    [
      'New Year of klog and of Android',
      ['1231 23:59:59.5', '0101 00:00:00.5', '01-01 00:00:01.5'],
      ['1970-12-31T23:59:59.5', '1971-01-01T00:00:00.5', '1971-01-01T00:00:01.5'],
    ],
    [
      'a leap day alone',
      ['Feb 29 10:00:00', 'Mar  1 00:00:01'],
      ['1972-02-29T10:00:00', '1972-03-01T00:00:01'],
    ],
    [
      'a leap day after other days, which are in the same year',
      ['Feb 28 23:59:59', 'Feb 29 00:00:01', 'Mar  1 00:00:01'],
      ['1972-02-28T23:59:59', '1972-02-29T00:00:01', '1972-03-01T00:00:01'],
    ],
    [
      'a leap day after New Year',
      ['Dec 31 23:59:59', 'Jan  1 00:00:01', 'Feb 29 00:00:01'],
      ['1971-12-31T23:59:59', '1972-01-01T00:00:01', '1972-02-29T00:00:01'],
    ],
  ])('%s', (_, written, moments) => {
    expect(momentsOf(written)).toEqual({ moments, told: [] });
  });

  test('a 30 February is no day', () => {
    expect(momentsOf(['Feb 30 00:00:01'])).toEqual({ moments: [], told: ['Feb 30 00:00:01'] });
  });
});

describe('the day or the month first', () => {
  test.each<[what: string, written: readonly string[], moments: readonly string[]]>([
    [
      'a later line decides for the day',
      ['05/06/2026 01:31:02', '23/06/2026 01:31:02', '01/07/2026 01:31:02'],
      ['2026-06-05T01:31:02', '2026-06-23T01:31:02', '2026-07-01T01:31:02'],
    ],
    [
      'a later line decides for the month',
      ['05/06/2026 1:31:02 PM', '05/07/2026 1:31:02 PM', '05/23/2026 1:31:02 PM', '06/01/2026'],
      [
        ...['2026-05-06T13:31:02', '2026-05-07T13:31:02'],
        ...['2026-05-23T13:31:02', '2026-06-01T00:00:00'],
      ],
    ],
    [
      'points are written where the day is first',
      ['05.06.2026 01:31:02,5', '06.06.2026 01:31'],
      ['2026-06-05T01:31:02.5', '2026-06-06T01:31:00'],
    ],
    ['equal numbers', ['05-05-2026 01:31:02'], ['2026-05-05T01:31:02']],
  ])('%s', (_, written, moments) => {
    expect(momentsOf(written)).toEqual({ moments, told: [] });
  });

  test('is an error if no line decides, and as stated otherwise', () => {
    const written = ['05/06/2026 1:31:02 PM', '12/06/2026 1:31:03 PM'];
    expect(momentsOf(written)).toEqual({
      moments: [],
      told: [
        'no line decides whether the day or the month comes first in the times of "time", such as "05/06/2026 1:31:02 PM": set the order with --dates, or as dates in a [reading] of perturb.toml: dmy or mdy',
      ],
    });
    expect(momentsOf(written, { dates: 'dmy' }).moments).toEqual([
      '2026-06-05T13:31:02',
      '2026-06-12T13:31:03',
    ]);
    expect(momentsOf(written, { dates: 'mdy' }).moments).toEqual([
      '2026-05-06T13:31:02',
      '2026-12-06T13:31:03',
    ]);
  });

  test('a year of two digits may come first as well', () => {
    const written = ['23/11/26 01:31:02'];
    expect(momentsOf(written).told).toEqual([
      'no line decides whether the day or the month comes first in the times of "time", such as "23/11/26 01:31:02": set the order with --dates, or as dates in a [reading] of perturb.toml: dmy, mdy or ymd',
    ]);
    expect(momentsOf(written, { dates: 'dmy' }).moments).toEqual(['2026-11-23T01:31:02']);
    expect(momentsOf(written, { dates: 'ymd' }).moments).toEqual(['2023-11-26T01:31:02']);
  });
});

describe('times that are numbers', () => {
  test.each<[written: readonly string[], key: string, moments: readonly string[], told: string]>([
    [
      ['1795397462', '1795397463.5'],
      'ts',
      ['2026-11-23T01:31:02', '2026-11-23T01:31:03.5'],
      'the times in "ts" are numbers of s since 1970, which span 1s 500ms',
    ],
    [
      ['1795397462078', '1795397462079'],
      'time',
      ['2026-11-23T01:31:02.078', '2026-11-23T01:31:02.079'],
      'the times in "time" are numbers of ms since 1970, which span 1ms',
    ],
    [
      ['1795397462078123456'],
      'timeUnixNano',
      ['2026-11-23T01:31:02.078123456'],
      'the times in "timeUnixNano" are numbers of ns since 1970, which span 0ns',
    ],
    [
      ['1500', '1600.5'],
      'elapsed_ms',
      ['1970-01-01T00:00:01.5', '1970-01-01T00:00:01.6005'],
      'the times in "elapsed_ms" are numbers of ms since a start, which span 100.5ms',
    ],
    [
      ['1795397462078'],
      'ts_us',
      ['1970-01-21T18:43:17.462078'],
      'the times in "ts_us" are numbers of us since a start, which span 0ns',
    ],
  ])('%j of %s', (written, key, moments, told) => {
    expect(momentsOf(written, {}, key)).toEqual({ moments, told: [told] });
  });

  test.each<[what: string, written: readonly string[], choices: string]>([
    ['of no range', ['0', '11000000000'], 'from 0 to 11000000000'],
    ['of two ranges', ['1795397462', '1795397462078'], 'from 1795397462 to 1795397462078'],
    ['that span a year', ['1795397462', '1826933463'], 'from 1795397462 to 1826933463'],
  ])('%s are not guessed', (_, written, choices) => {
    const { moments, told } = momentsOf(written);
    expect([moments, told.length, told[0]?.includes(choices)]).toEqual([[], 1, true]);
  });

  test('the choices are listed with the span of each', () => {
    expect(momentsOf(['0', '11000000000'], {}, 't').told).toEqual([
      'the times in "t" are numbers from 0 to 11000000000 in an unknown unit: set the unit with --unit, or as unit in a [reading] of perturb.toml; the units and the resulting time spans are: ns (11s), us (3h 3min 20s), ms (127d 7h 33min 20s), s (348 years), days (30,136,986 years)',
    ]);
  });

  test('a reading states unit and epoch', () => {
    expect(momentsOf(['0', '1000000000'], { unit: 'ns' }, 't')).toEqual({
      moments: ['1970-01-01T00:00:00', '1970-01-01T00:00:01'],
      told: ['the times in "t" are numbers of ns since a start, which span 1s'],
    });
    // A serial number of spreadsheets, whose day 25569 is that of 1970.
    expect(momentsOf(['46349.9999', '46350.0001'], { unit: 'days' })).toEqual({
      moments: ['2026-11-23T23:59:51.36', '2026-11-24T00:00:08.64'],
      told: ['the times in "time" are numbers of days since 1900, which span 17s 280ms'],
    });
    // The seconds of NTP.
    expect(momentsOf(['4004386262'], { unit: 's', epoch: '1900' }).moments).toEqual([
      '2026-11-23T01:31:02',
    ]);
  });

  test.each([
    ['ts_ns', 'ns'],
    ['timens', 'ns'],
    ['timestampMs', 'ms'],
    ['Time (s)', 's'],
    ['time_unix_nano', 'ns'],
    ['micros', 'us'],
    ['ts', undefined],
    ['s', undefined],
    ['items', undefined],
    ['class', undefined],
  ])('the name %s gives the unit %s', (key, unit) => {
    expect(unitOfKey(key)).toBe(unit);
  });
});

describe('a zone', () => {
  test('holds for times that have none', () => {
    const written = ['2026-11-23 01:31:02', '2026-11-23T01:31:02Z', '2026-06-23 01:31:02'];
    expect(momentsOf(written, { zone: 'Europe/Berlin' }).moments).toEqual([
      ...['2026-11-23T00:31:02', '2026-11-23T01:31:02', '2026-06-22T23:31:02'],
    ]);
    expect(momentsOf(written.slice(0, 1), { zone: '-03:30' }).moments).toEqual([
      '2026-11-23T05:01:02',
    ]);
  });

  test('time goes forward over the hour that clocks have twice', () => {
    const written = ['2026-10-25 02:59:59', '2026-10-25 02:00:01', '2026-10-25 03:00:00'];
    expect(momentsOf(written, { zone: 'Europe/Berlin' }).moments).toEqual([
      ...['2026-10-25T00:59:59', '2026-10-25T01:00:01', '2026-10-25T02:00:00'],
    ]);
  });

  test('a name that is none is refused', () => {
    expect(() => makeZone('Europe/Nowhere')).toThrow(RangeError);
  });
});

const read = async (text: string) => {
  const { session, problems, notes } = await readSession(text);
  const records =
    session === undefined ? [] : recordsOf(session).filter((one) => !one.includes('"session"'));
  return { told: [...problems, ...notes].map(problemText), records };
};

test.each([
  ['20261123T013102.5Z', '20261123T023102,5+0100'],
  ['2026-11-23T01:31:02,5Z', '2026-11-23T07:01:02.500000+05:30'],
  ['2026/11/23 01:31:02.5', '2026.11.23 01:31:02.500'],
  ['23.11.2026 01:31:02.5', '23/11/2026, 01:31:02.5'],
  ['2026-11-23 1:31:02.5 AM', 'Nov 23, 2026, 1:31:02.5 a.m.'],
  ['Mon, 23 Nov 2026 01:31:02.5 GMT', 'Mon, 23 Nov 2026 02:31:02.5 +0100'],
  ['Mon Nov 23 01:31:02.5 2026', 'Mon Nov 23 01:31:02.5 UTC 2026'],
  ['23/Nov/2026:01:31:02.5 +0000', '23 Nov 2026 01:31:02.500'],
])('%s and %s are one time', async (...written) => {
  for (const time of written) {
    const { told, records } = await read(`time;service;event\n${time};a;x\n`);
    expect([told, records]).toEqual([[], ['{"probe":"a","name":"x","time":1795397462500000000}']]);
  }
});

describe('a date and a time of day in two keys', () => {
  test.each<[what: string, text: string]>([
    ['of a table', 'Date,Time,Service,Event\n2026-11-23,01:31:02.5,a,x\n'],
    ['in German', 'Datum;Uhrzeit;Host;Message\n23.11.2026;01:31:02,5;a;x\n'],
    ['in Spanish, the time first', 'hora,fecha,service,event\n01:31:02.5,2026-11-23,a,x\n'],
    ['in Japanese', '日付,時刻,service,event\n2026/11/23,01:31:02.5,a,x\n'],
    [
      'beside each other under other names',
      'time,Tag der Messung,service,event\n01:31:02.5,23.11.2026,a,x\n',
    ],
    [
      'of JSON',
      '{"level":"info","date":"2026-11-23","time":"01:31:02.5","msg":"x","service":"a"}\n',
    ],
  ])('%s', async (_, text) => {
    const { told, records } = await read(text);
    expect(told).toEqual([]);
    expect(records.map((one) => one.replace(',"attributes":{"level":"info"}', ''))).toEqual([
      '{"probe":"a","name":"x","time":1795397462500000000}',
    ]);
  });

  test('another date is an attribute', async () => {
    const text = 'time,service,event,due date\n01:31:02,a,x,2026-11-23\n';
    expect((await read(text)).records).toEqual([
      '{"probe":"a","name":"x","time":5462000000000,"attributes":{"due date":"2026-11-23"}}',
    ]);
  });
});

test('a step back of more than a second is counted, with the line of the first', async () => {
  const log = ['02', '03', '04', '05.5', '04.4', '07', '08', '05', '09', '10']
    .map((second) => `2026-11-23T01:31:${second}Z INFO shop: x\n`)
    .join('');
  expect((await read(log)).told).toEqual([
    '5: the time goes back by 1s 100ms, the first of 2 steps back by more than a second',
  ]);
  const once = log.replace(':05Z', ':08Z');
  expect((await read(once)).told).toEqual(['5: the time goes back by 1s 100ms']);
  expect((await read(once.replace(':04.4', ':04.6'))).told).toEqual([]);
});

describe('numbers and booleans in text', () => {
  const valuesOf = async (text: string) =>
    (await read(text)).records.map((one) => JSON.stringify(JSON.parse(one).attributes));

  test.each<[what: string, text: string, values: readonly string[]]>([
    [
      'of programs',
      'msg=a level=i a=2e+06 b=1e-05 c=.5 d=5. e=+3 f=TRUE g=False\n',
      ['{"a":2000000,"b":0.00001,"c":0.5,"d":5,"e":3,"f":true,"g":false,"level":"i"}'],
    ],
    [
      'of a table whose column has a zero before a number, another text, or nothing',
      'service,event,id,took,left,ok\na,x,007,1.50,3,TRUE\na,y,12,n/a,,false\n',
      ['{"id":"007","left":3,"ok":true,"took":"1.50"}', '{"id":"12","ok":false,"took":"n/a"}'],
    ],
    [
      'as they are written, where one is a text',
      'msg=a level=i v=+3\nmsg=b level=i v=2e+06\nmsg=c level=i v=TRUE\nmsg=d level=i v=9223372036854775807\nmsg=e level=i v="5"\n',
      ['"+3"', '"2e+06"', '"TRUE"', '"9223372036854775807"', '"5"'].map(
        (value) => `{"level":"i","v":${value}}`,
      ),
    ],
    [
      'at the end of a message',
      '2026-11-23T01:31:02Z INFO shop: stored order=007, took=.5\n2026-11-23T01:31:03Z INFO shop: stored order=12; took=5.\n',
      ['{"level":"INFO","order":"007","took":0.5}', '{"level":"INFO","order":"12","took":5}'],
    ],
  ])('%s', async (_, text, values) => {
    expect(await valuesOf(text)).toEqual(values);
  });

  test('JSON keeps the kinds that it has', async () => {
    const text =
      '{"level":"i","msg":"a","v":5}\n{"level":"i","msg":"b","v":"n/a"}\n{"level":"i","msg":"c","v":"7"}\n';
    expect(await valuesOf(text)).toEqual([
      '{"level":"i","v":5}',
      '{"level":"i","v":"n/a"}',
      '{"level":"i","v":"7"}',
    ]);
  });
});
