import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  inspectSession,
  problemText,
  readSession,
  type Session,
  writeNeutral,
} from '../../src/session/index.js';
import { runs } from '../long.js';
import { golden, json } from './golden.js';
import { plain, shown } from './plain.js';
import { lines, shuffled } from './records.js';

async function read(text: string | Uint8Array): Promise<Session> {
  const { session, problems } = await readSession(text, {
    reading: { from: 'session' },
    tolerant: true,
  });
  const empty = session?.size === 0 ? [{ count: 0, message: 'the file contains no events' }] : [];
  expect(problems).toEqual(empty);
  return session as Session;
}

async function problemsOf(text: string | Uint8Array): Promise<readonly string[]> {
  const { session, problems } = await readSession(text, { reading: { from: 'session' } });
  expect(session === undefined).toBe(problems.length > 0);
  return problems.map(problemText);
}

describe('what is read', () => {
  test('records in any order, by seq and by ids', async () => {
    const session = await read(`{"session": 1, "name": "flight 7", "source": "a test"}
{"from": ["PX4", 12], "to": "g5"}
{"probe": "PX4", "name": "SEND", "seq": 12, "attributes": {"to": "GAZEBO", "size": 3}}
{"probe": "GAZEBO", "name": "RECEIVE", "seq": 5, "id": "g5", "time": 1700000000123456789}

{"probe": "PX4", "name": "BOOT", "seq": 2}
{"probe": "GROUND", "name": "ALARM", "after": ["g5"]}
`);
    await expect(json(plain(session))).toMatchFileSnapshot(golden('records.json'));
  });

  test('events without seq stand in their order, and places name them', async () => {
    const session = await read(
      '{"probe":"A","name":"x"}\n{"probe":"A","name":"y"}\n{"probe":"B","name":"z"}\n{"from":["A",1],"to":["B",0]}',
    );
    expect(plain(session).interactions).toEqual(['1 -> 2']);
  });

  test('timelines of a probe have orders and places of their own', async () => {
    const session = await read(`{"probe":"A","timeline":"r2","name":"x"}
{"probe":"A","timeline":"r1","name":"y","seq":2}
{"probe":"A","name":"z"}
{"probe":"A","timeline":"r2","name":"u","after":[["B",0]]}
{"probe":"A","timeline":"r1","name":"v","seq":1}
{"probe":"B","timeline":"r1","name":"w"}
{"from":["A",0],"to":["A","r1",2]}
`);
    const { events, interactions } = plain(session);
    expect(events.map(({ name, timeline }) => [name, timeline])).toEqual([
      ['string z', undefined],
      ['string v', 'string r1'],
      ['string y', 'string r1'],
      ['string x', 'string r2'],
      ['string u', 'string r2'],
      ['string w', 'string r1'],
    ]);
    expect(interactions).toEqual(['0 -> 2', '5 -> 4']);
    expect(session.probes).toEqual(['A', 'B']);
    expect([...session.start]).toEqual([0, 5, 6]);
    expect([...session.timelines.start]).toEqual([0, 1, 3, 5, 6]);
    const { probes, orderedPairs } = inspectSession(session);
    expect(probes).toEqual([
      { probe: 'A', timelines: 3, events: 5, receives: 2 },
      { probe: 'B', timelines: 1, events: 1, receives: 0 },
    ]);
    expect(orderedPairs).toEqual({ ordered: 1, of: 1 });
  });

  test('an attribute called timeline is one where no event names its timeline', async () => {
    const text = '{"probe":"A","name":"x","attributes":{"timeline":5}}\n{"probe":"A","name":"y"}\n';
    const session = await read(text);
    expect(shown(session, 'timeline', 0)).toBe('integer 5');
    expect(session.timelines.start).toHaveLength(2);
    expect([...writeNeutral(session)].join('')).toBe(text);
  });

  test('numbers are exact, and 5 is not 5.0', async () => {
    const session = await read(
      `{"probe":"A","name":"x","attributes":{"a":5,"b":5.0,"c":9007199254740993,"d":-9223372036854775808,"e":9223372036854775807,"f":0.1,"g":-0,"h":-0.0,"i":1e3,"j":12345678901234.125,"k":1234567890123456,"l":5e-324,"m":1700000000123456789,"n":9223372036854775808}}`,
    );
    const values = [...'abcdefghijklmn'].map((name) => shown(session, name, 0));
    expect(values).toEqual([
      'integer 5',
      'float 5',
      'integer 9007199254740993',
      'integer -9223372036854775808',
      'integer 9223372036854775807',
      'float 0.1',
      'integer 0',
      'float -0',
      'float 1000',
      'float 12345678901234.125',
      'integer 1234567890123456',
      'float 5e-324',
      'integer 1700000000123456789',
      'integer 9223372036854775808',
    ]);
  });

  test('a BOM, carriage returns, white space and no last line end', async () => {
    const session = await read(
      '\uFEFF{"probe":"A","name":"x"}\r\n  \r\n{ "name" : "y" , "probe" : "A" }',
    );
    expect(session.size).toBe(2);
  });

  test('pieces of any length', async () => {
    const text = '{"probe":"Ä","name":"x","attributes":{"ü":"ö"}}\n{"probe":"Ä","name":"y"}\n';
    const bytes = new TextEncoder().encode(text);
    const whole = plain(await read(text));
    for (let length = 1; length < 20; length++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
        bytes.slice(at * length, (at + 1) * length),
      );
      const { session } = await readSession(pieces, { reading: { from: 'session' } });
      expect(plain(session as Session)).toEqual(whole);
    }
  });

  test.each(['', ' \n\n', '{"session":1,"name":"flight 7"}\n'])(
    'nothing at all: %j',
    async (text) => {
      for (const options of [{ reading: { from: 'session' } } as const, {}]) {
        const { session, ...reading } = await readSession(text, options);
        expect(session).toBeUndefined();
        expect(reading).toEqual({
          format: 'session',
          problems: [{ count: 0, message: 'the file contains no events' }],
          more: 0,
          dropped: { record: 0, event: 0, interaction: 0 },
          merged: 0,
          orphans: 0,
          disagreements: [],
          setBacks: [],
          notes: [],
        });
      }
      expect((await readSession(text, { tolerant: true })).session?.size).toBe(0);
    },
  );
});

test('more texts or ids than can be held are an error for people, also where it is tolerant', async () => {
  const event = (name: string, id: string) => `{"probe":"A","name":"${name}","id":"${id}"}\n`;
  const options = { reading: { from: 'session' }, tolerant: true, mostKeys: 3 } as const;
  const fits = await readSession(event('x', '1') + event('y', '2') + event('y', '3'), options);
  expect([fits.session?.size, fits.problems]).toEqual([3, []]);
  const what = 'the maximum: split it, or omit texts that differ in every event';
  await expect(
    readSession(event('x', '1') + event('y', '2') + event('z', '3'), options),
  ).rejects.toThrow(`the session has more than 3 distinct names and attribute values, ${what}`);
  await expect(
    readSession(['1', '2', '3', '4'].map((id) => event('x', id)).join(''), options),
  ).rejects.toThrow(`the session has more than 3 event ids, ${what}`);
});

describe('what is wrong', () => {
  const X = '{"probe":"A","name":"x"}';
  test.each([
    ['{"probe":"A","name":"x"', 'Quoted object key or end of object'],
    ['nonsense', '1:1: not JSON'],
    [`${X}\n[]`, '2: a record must be a JSON object'],
    ['{"probe":"A"}', '1: an event must have a string "name"'],
    ['{"name":"x"}', '1: an event must have a string "probe"'],
    ['{"probe":"A","name":"x","sequence":1}', '1: "sequence" is not part of an event'],
    ['{"probe":"A","name":"x","seq":1.0}', '1: "seq" must be a 64-bit integer'],
    ['{"probe":"A","name":"x","time":"now"}', '1: "time" must be nanoseconds, as a 64-bit integer'],
    ['{"probe":"A","name":"x","id":5}', '1: "id" must be a string'],
    ['{"probe":"A","name":"x","after":"b"}', '1: "after" must be a list of ids'],
    ['{"probe":"A","name":"x","attributes":[]}', '1: "attributes" must be an object'],
    [
      '{"probe":"A","name":"x","attributes":{"seq":1}}',
      '1: "seq" belongs next to "attributes", not inside',
    ],
    [
      '{"probe":"A","name":"x","attributes":{"list":[1]}}',
      '1: "list": an array is not an attribute value',
    ],
    ['{"probe":"A","name":"x","attributes":{"x":1e999}}', 'does not fit in a float'],
    [
      `{"probe":"A","name":"x","attributes":{"x":1${'0'.repeat(1_000)}}}`,
      `1: "x": 1${'0'.repeat(44)}… has more than 1,000 digits`,
    ],
    ['{"probe":"A","probe":"B","name":"x"}', "1:15: not JSON: Duplicate key 'probe'"],
    ['{"probe":"A","name":"x","attributes":{"x":01}}', '1:44: not JSON: '],
    ['{"session":2}', '1: "session" is the version of the format: only 1 is supported'],
    [`${X}\n{"session":1}`, '2: a header must be the first record'],
    [
      '{"from":["A",1]}',
      '1: an interaction\'s "to" must be an id, or a probe and a seq: ["PX4", 12]',
    ],
    ['{"from":"a","to":"b","name":"x"}', '1: "name" is not part of an interaction'],
    [
      `${X}\n{"from":["A",1],"to":["A",0]}`,
      '2: the sender ["A", 1] of an interaction does not exist',
    ],
    [`${X}\n{"from":["A",0],"to":"b"}`, '2: the receiver "b" of an interaction does not exist'],
    [`${X}\n{"from":"ü\\n","to":["A",0]}`, '2: the sender "ü\\n" of an interaction does not exist'],
    [
      `${X}\n{"from":"${'i'.repeat(101)}","to":["A",0]}`,
      `2: the sender "${'i'.repeat(59)}…" of an interaction does not exist`,
    ],
    [
      '{"probe":"A","name":"x","id":"a"}\n{"probe":"A","name":"x","id":"a"}',
      '2: the id "a" is already used by line 1',
    ],
    [
      '{"probe":"A","name":"x","seq":1}\n{"probe":"A","name":"x","seq":1}',
      '2: an event of "A" has the same "seq" as line 1',
    ],
    [
      '{"probe":"A","name":"x","seq":1}\n{"probe":"A","name":"x"}',
      '2: an event of "A" has no "seq", unlike other events of that probe',
    ],
    [
      '{"probe":"A","timeline":"r","name":"x","seq":1}\n{"probe":"A","timeline":"r","name":"x","seq":1}',
      '2: an event of "A", timeline "r", has the same "seq" as line 1',
    ],
    [
      '{"probe":"A","timeline":"r","name":"x","seq":1}\n{"probe":"A","timeline":"r","name":"x"}',
      '2: an event of "A", timeline "r", has no "seq", unlike other events of that timeline',
    ],
    ['{"probe":"A","timeline":5,"name":"x"}', '1: "timeline" must be a string'],
    [
      '{"probe":"A","timeline":"r","name":"x","attributes":{"timeline":"r"}}',
      '1: "timeline" belongs next to "attributes", not inside',
    ],
    [
      `{"probe":"A","timeline":"r","name":"x"}\n{"probe":"B","name":"x","attributes":{"timeline":5}}`,
      '2: an event has an attribute "timeline", which is reserved for timeline names: rename the attribute',
    ],
    [
      `{"probe":"A","timeline":"r","name":"x"}\n{"probe":"A","timeline":"s","name":"x"}\n${X.replace('A', 'B')}\n{"from":["A",0],"to":["B",0]}`,
      '4: the sender ["A", 0] of an interaction does not exist; its probe has several timelines, so add the timeline: ["PROBE", "TIMELINE", 1]',
    ],
    [
      `${X}\n{"probe":"B","name":"y"}\n{"from":["A",0],"to":["B",0]}\n{"from":["B",0],"to":["A",0]}`,
      'the interaction closes a cycle with line',
    ],
  ])('%s', async (text, message) => {
    expect((await problemsOf(text)).join('\n')).toContain(message);
  });

  test('bytes that are not UTF-8', async () => {
    const bytes = Buffer.from('{"probe":"A","name":"x"}\n{"probe":"\xff","name":"x"}\n', 'latin1');
    expect(await problemsOf(bytes)).toEqual(['2: the line is not UTF-8']);
  });

  test('tolerant reading leaves out what is broken, and says how much', async () => {
    const text = `{"probe":"A","name":"x"}
{"probe":"A","na
{"probe":"B","name":"y","seq":1}
{"probe":"B","name":"y","seq":1}
{"from":["A",0],"to":["B",1]}
{"from":["B",1],"to":["A",0]}
{"from":["B",9],"to":["A",0]}`;
    const { session, dropped, problems } = await readSession(text, { tolerant: true });
    expect(dropped).toEqual({ record: 1, event: 1, interaction: 2 });
    expect(problems.map(({ line }) => line)).toEqual([2, 4, 5, 7]);
    expect([session?.size, session?.order.edgeFrom.length]).toEqual([2, 1]);
  });

  test('of many problems the first hundred are kept', async () => {
    const { problems, dropped } = await readSession('{}\n'.repeat(1000), {
      reading: { from: 'session' },
    });
    expect([problems.length, dropped.record]).toEqual([100, 1000]);
  });
});

test('any order of records gives the same session', async () => {
  const shuffledLines = lines.chain(({ events, interactions }) =>
    fc.tuple(fc.constant([...events, ...interactions]), shuffled([...events, ...interactions])),
  );
  await fc.assert(
    fc.asyncProperty(shuffledLines, async ([one, other]) => {
      expect(plain(await read(one.join('\n')))).toEqual(plain(await read(other.join('\n'))));
    }),
    { numRuns: runs(1_000) },
  );
});

test('what is written reads as the same session', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.option(fc.string(), { nil: undefined }), async (made, name) => {
      const head = name === undefined ? [] : [JSON.stringify({ session: 1, name })];
      const session = await read([...head, ...made.events, ...made.interactions].join('\n'));
      const written = [...writeNeutral(session)].join('');
      const again = await read(written);
      expect(plain(again)).toEqual(plain(session));
      expect([...writeNeutral(again)].join('')).toBe(written);
    }),
    { numRuns: runs(1_000) },
  );
});

test('a seq that is a power of two names its own event', async () => {
  const [power, rounded] = ['1152921504606846976', '1152921504606847000'];
  const event = (probe: string, seq: string) => `{"probe":"${probe}","name":"x","seq":${seq}}`;
  const session = await read(
    `${event('A', power)}\n${event('A', rounded)}\n${event('B', '1')}\n{"from":["A",${power}],"to":["B",1]}`,
  );
  const written = [...writeNeutral(session)].join('');
  expect(written).toContain(`{"from":["A",${power}],"to":["B",1]}`);
  expect(plain(await read(written)).interactions).toEqual(['0 -> 2']);
});

test('a key with an escape is the key that it means', async () => {
  const escaped = (line: string) =>
    line.replace('"probe":', '"pr\\u006fbe":').replace('"from":', '"fr\\u006fm":');
  await fc.assert(
    fc.asyncProperty(lines, async ({ events, interactions }) => {
      const all = [...events, ...interactions];
      const one = await read(all.join('\n'));
      expect(plain(await read(all.map(escaped).join('\n')))).toEqual(plain(one));
    }),
    { numRuns: runs(1_000) },
  );
});

test('damaged and random bytes give problems, not crashes', async () => {
  const damage = fc.record({
    at: fc.nat(),
    byte: fc.nat(255),
    how: fc.constantFrom('cut', 'change', 'insert'),
  });
  await fc.assert(
    fc.asyncProperty(lines, fc.array(damage, { maxLength: 4 }), async (made, damages) => {
      let bytes = [...new TextEncoder().encode([...made.events, ...made.interactions].join('\n'))];
      for (const { at, byte, how } of damages) {
        const place = bytes.length === 0 ? 0 : at % bytes.length;
        if (how === 'cut') bytes = bytes.slice(0, place);
        else bytes.splice(place, how === 'change' ? 1 : 0, byte);
      }
      for (const tolerant of [false, true]) {
        const { session, problems } = await readSession(Uint8Array.from(bytes), {
          reading: { from: 'session' },
          tolerant,
        });
        expect(session !== undefined).toBe(tolerant || problems.length === 0);
        if (session !== undefined) expect(plain(session).events).toHaveLength(session.size);
      }
    }),
    { numRuns: runs(1_000) },
  );
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      await readSession(bytes, { tolerant: true });
    }),
    { numRuns: runs(1_000) },
  );
});

test('many attributes that one event each has take time and memory as one that all have', async () => {
  const text = Array.from(
    { length: 20_000 },
    (_, at) => `{"probe":"A","name":"x","attributes":{"a${at}":${at}}}`,
  ).join('\n');
  const session = await read(text);
  expect(session.columns.size).toBe(20_002);
  expect(shown(session, 'a777', 777)).toBe('integer 777');
  const written = [...writeNeutral(session)].join('');
  expect(written.trim()).toBe(text);
});
