import { readFileSync } from 'node:fs';
import { create, createFileRegistry, type DescMessage, toBinary } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { readSessionStream } from '../../src/session/files/index.js';
import { unpackLz4 } from '../../src/session/importers/mcap.js';
import {
  problemText,
  type Reading,
  type ReadOptions,
  readSession,
  type Session,
} from '../../src/session/index.js';
import { RECORDED } from './recorded-messages.js';
import { type RecordedMessage, writeMcap } from './write-mcap.js';
import { recordsOf } from './written.js';

async function read(bytes: Uint8Array, options: ReadOptions = {}): Promise<readonly string[]> {
  const { session, format, problems } = await readSession(bytes, { probe: 'bag', ...options });
  expect([format, problems]).toEqual(['mcap', []]);
  return recordsOf(session as Session);
}

const LINES = [
  '{"probe":"bag","name":"/state","time":1700000000200000000,"attributes":{"armed":true,"count":9007199254740993,"image.length":2000,"label":"dock","limit":{"NonFiniteFloat":"Infinity"},"message.published":1700000000199999999,"message.sequence":2,"message.type":"robot_msgs/msg/State","mode":2,"ranges.0":0.5,"ranges.1":2.0,"stamp":1700000000000000007,"uuid":"00102030405060708090a0b0c0d0e0f0"}}',
  '{"probe":"planner","name":"/cmd_vel","time":1700000000000000001,"attributes":{"angular.x":0.0,"angular.y":0.0,"angular.z":0.25,"linear.x":1.0,"linear.y":0.0,"linear.z":-0.5,"message.type":"geometry_msgs/msg/Twist"}}',
  '{"probe":"planner","name":"/cmd_vel","time":1700000000300000000,"attributes":{"angular.x":0.0,"angular.y":0.0,"angular.z":0.25,"linear.x":1.5,"linear.y":0.0,"linear.z":-0.5,"message.sequence":1,"message.type":"geometry_msgs/msg/Twist"}}',
];

describe('MCAP', () => {
  test('messages are events of who published them, with their fields as they are defined', async () => {
    expect(await read(await writeMcap(RECORDED))).toEqual(LINES);
  });

  test('with small chunks, without any, without an index, and in pieces', async () => {
    const forms = [
      { chunkSize: 1 },
      { useChunks: false },
      { useChunkIndex: false, useMessageIndex: false, useStatistics: false },
    ];
    for (const options of forms) {
      expect(await read(await writeMcap(RECORDED, options))).toEqual(LINES);
    }
    const bytes = await writeMcap(RECORDED);
    const pieces = (async function* () {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    })();
    const { session } = await readSessionStream(pieces, { probe: 'bag' });
    expect(recordsOf(session as Session)).toEqual(LINES);
  });

  test.each(['lz4', 'zstd'])('chunks that the program %s has packed', async (name) => {
    const bytes = readFileSync(
      new URL(`../../fixtures/sessions/mcap/${name}.mcap`, import.meta.url),
    );
    expect(await read(bytes)).toEqual(LINES);
  });

  test('a damaged chunk without a checksum of MCAP is told by that of zstd', async () => {
    const bytes = readFileSync(new URL('../../fixtures/sessions/mcap/zstd.mcap', import.meta.url));
    const begin = bytes.indexOf(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]));
    const length = Number(bytes.readBigUInt64LE(begin - 8));
    // Before `zstd`, its length and that of what is packed comes the checksum of MCAP; 0 is none.
    bytes.fill(0, begin - 20, begin - 16);
    bytes.writeUInt32LE(0, begin + length - 4);
    const { session, problems } = await readSession(bytes);
    expect([session, problems.map(problemText)]).toEqual([
      undefined,
      ['the file is not valid MCAP: a part of it is damaged'],
    ]);
  });

  test('events of a probe are in the order in which they were logged', async () => {
    const all = RECORDED.map((message) => ({ ...message, metadata: {} }));
    const lines = await read(await writeMcap(all));
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(['/cmd_vel', '/state', '/cmd_vel']);
  });

  test('the clock is that of the publishers, or a field of the messages', async () => {
    const at = (seconds: number, logged: bigint, published: bigint): RecordedMessage => ({
      ...{ topic: '/pose', type: 'robot_msgs/msg/Pose', time: logged, published },
      definition:
        'builtin_interfaces/Time stamp\nuint64 boot\n===\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n',
      fields: { stamp: { sec: seconds, nanosec: 5 }, boot: BigInt(seconds - 1_700_000_000) },
    });
    const bytes = await writeMcap([
      at(1_700_000_003, 10n, 9n),
      at(1_700_000_001, 20n, 7n),
      at(1_700_000_002, 30n, 30n),
    ]);
    const timesBy = async (reading: Reading) =>
      (await read(bytes, { reading })).map((line) => {
        const { time, attributes } = JSON.parse(line);
        return [time, attributes['message.logged'], attributes['message.published']];
      });
    expect(await timesBy({})).toEqual([
      [10, undefined, 9],
      [20, undefined, 7],
      [30, undefined, undefined],
    ]);
    expect(await timesBy({ clock: 'publish' })).toEqual([
      [7, 20, undefined],
      [9, 10, undefined],
      [30, undefined, undefined],
    ]);
    const lines = await read(bytes, { reading: { clock: 'stamp' } });
    expect(lines.map((line) => /"time":(\d+)/.exec(line)?.[1])).toEqual([
      '1700000001000000005',
      '1700000002000000005',
      '1700000003000000005',
    ]);
    expect(await timesBy({ clock: 'boot', unit: 'us' })).toEqual([
      [1000, 20, 7],
      [2000, 30, 30],
      [3000, 10, 9],
    ]);
  });

  test('only the clock of the recorder is one for all probes', async () => {
    const bytes = await writeMcap(RECORDED);
    const recordersBy = async (reading: Reading) =>
      (await readSession(bytes, { reading })).session?.reading?.recorders;
    expect(await recordersBy({})).toEqual(Int32Array.of(0, 0, 0));
    expect(await recordersBy({ clock: 'publish' })).toBeUndefined();
  });

  test.each([
    [
      'stamp',
      [
        1,
        '2 messages of /cmd_vel have no usable time; the first has no time in stamp, the clock of this reading',
      ],
    ],
    [
      'count',
      [
        0,
        '2 messages of /cmd_vel have no usable time; the first has no time in count, the clock of this reading',
        'a message of /state has count = 9007199254740993, which as nanoseconds since 1970 is not between 2000 and 2100: specify the unit with [reading] unit or --unit',
      ],
    ],
  ])('messages without a time in %s are left out and told', async (clock, told) => {
    const options = { reading: { clock }, tolerant: true };
    const { session, problems } = await readSession(await writeMcap(RECORDED), options);
    expect([session?.size, ...problems.map(problemText)]).toEqual(told);
  });

  test('a mapping names other parts', async () => {
    const fields = { name: '$["message.type"]', timeline: '$.label', probe: "'robot'" };
    const lines = await read(await writeMcap(RECORDED), { reading: { map: fields } });
    expect(lines.map((line) => line.slice(0, line.indexOf(',"time"')))).toEqual([
      '{"probe":"robot","name":"geometry_msgs/msg/Twist"',
      '{"probe":"robot","name":"geometry_msgs/msg/Twist"',
      '{"probe":"robot","timeline":"dock","name":"robot_msgs/msg/State"',
    ]);
  });

  test('what nodes log is theirs; JSON has its own fields; a call of a service has its parts', async () => {
    const log = 'uint8 level\nstring name\nstring msg\n';
    const call = 'int64 a\n---\nint64 sum\n';
    const event = [
      'service_msgs/ServiceEventInfo info\nadd/Add_Request[<=1] request\nadd/Add_Response[<=1] response',
      'MSG: service_msgs/ServiceEventInfo\nuint8 event_type\nbuiltin_interfaces/Time stamp\nuint8[16] client_gid\nint64 sequence_number',
      'MSG: add/Add_Request\nint64 a',
      'MSG: add/Add_Response\nint64 sum',
    ].join(`\n${'='.repeat(80)}\n`);
    const info = {
      ...{ event_type: 2, stamp: { sec: 1, nanosec: 5 }, sequence_number: 7n },
      client_gid: new Uint8Array(16).fill(1),
    };
    // Recordings hold the definition of the service, not that of what is told of its calls.
    for (const written of [event, call]) {
      const bytes = await writeMcap([
        {
          ...{ topic: '/rosout', type: 'rcl_interfaces/msg/Log', definition: log, time: 5n },
          fields: { level: 20, name: 'pilot', msg: 'ready' },
        },
        {
          ...{ topic: '/plain', type: 'any', definition: '', encoding: 'json', time: 6n },
          fields: { goal: { id: 5, x: 1.5 }, trace_id: 'a1' },
        },
        {
          ...{ topic: '/add/_service_event', type: 'add/srv/Add_Event', definition: event },
          ...{ written, time: 7n, fields: { info, request: [], response: [{ sum: 4n }] } },
        },
      ]);
      expect(await read(bytes)).toEqual([
        '{"probe":"bag","name":"/plain","time":6,"attributes":{"goal.id":5,"goal.x":1.5,"message.sequence":1,"message.type":"any","trace.id":"a1"}}',
        '{"probe":"bag","name":"/add/_service_event","time":7,"attributes":{"info.client_gid":"01010101010101010101010101010101","info.event_type":2,"info.sequence_number":7,"info.stamp":1000000005,"message.sequence":2,"message.type":"add/srv/Add_Event","response.0.sum":4}}',
        '{"probe":"pilot","name":"/rosout","time":5,"attributes":{"attribute.name":"pilot","level":20,"message.type":"rcl_interfaces/msg/Log","msg":"ready"}}',
      ]);
    }
  });

  test('messages of protobuf, with all that fields may be', async () => {
    const field = (name: string, number: number, type: number, others: object = {}) => ({
      ...{ name, number, type, label: FieldDescriptorProto_Label.OPTIONAL },
      ...others,
    });
    const repeated = { label: FieldDescriptorProto_Label.REPEATED };
    const [DOUBLE, INT64, STRING, MESSAGE, BYTES, ENUM] = [1, 3, 9, 11, 12, 14];
    const file = {
      ...{ name: 'pose.proto', package: 'bot', syntax: 'proto3' },
      messageType: [
        { name: 'Point', field: [field('x', 1, DOUBLE), field('frame', 2, STRING)] },
        {
          name: 'Pose',
          field: [
            field('at', 1, MESSAGE, { typeName: '.bot.Point' }),
            field('way', 2, MESSAGE, { typeName: '.bot.Point', ...repeated }),
            field('count', 3, INT64),
            field('mode', 4, ENUM, { typeName: '.bot.Mode' }),
            field('cells', 5, INT64, repeated),
            field('picture', 6, BYTES),
            field('last', 7, MESSAGE, { typeName: '.bot.Point' }),
            field('stamp', 8, MESSAGE, { typeName: '.google.protobuf.Timestamp' }),
          ],
        },
      ],
      enumType: [{ name: 'Mode', value: [{ name: 'IDLE' }, { name: 'DOCK', number: 1 }] }],
      dependency: ['google/protobuf/timestamp.proto'],
    };
    const files = create(FileDescriptorSetSchema, {
      file: [
        file_google_protobuf_timestamp.proto,
        create(FileDescriptorProtoSchema, file as never),
      ],
    });
    const type = createFileRegistry(files).getMessage('bot.Pose') as DescMessage;
    const message = create(type, {
      ...{ at: { x: 2 }, way: [{ x: 0.5, frame: 'map' }], count: 9007199254740993n, mode: 1 },
      ...{ cells: Array.from({ length: 17 }, () => 1n), picture: new Uint8Array(3) },
      stamp: { seconds: 1700000000n, nanos: 7 },
    });
    const bytes = await writeMcap([
      {
        ...{ topic: '/pose', type: 'bot.Pose', definition: '', encoding: 'protobuf' },
        schema: { encoding: 'protobuf', data: toBinary(FileDescriptorSetSchema, files) },
        ...{ time: 5n, fields: {}, data: toBinary(type, message) },
      },
    ]);
    expect(await read(bytes)).toEqual([
      '{"probe":"bag","name":"/pose","time":5,"attributes":{"at.frame":"","at.x":2.0,"cells.length":17,"count":9007199254740993,"message.type":"bot.Pose","mode":"DOCK","stamp":1700000000000000007,"way.0.frame":"map","way.0.x":0.5}}',
    ]);
  });

  describe('IDL of ROS 2', () => {
    const HEADING = '='.repeat(80);
    const PARTS = [
      'IDL: robot_msgs/msg/S',
      '// generated from rosidl_adapter/resource/msg.idl.em',
      '#include "robot_msgs/msg/Part.idl"',
      'module robot_msgs { module msg {',
      '  module S_Constants { const uint8 IDLE = 0; };',
      '  typedef float float__2[2];',
      '  struct Helper { long steps; };',
      '  @verbatim (language="comment", text=',
      '    "The state" "\\n" "of the arm, nothing @optional")',
      '  struct S {',
      '    builtin_interfaces::msg::Time stamp;',
      '    @unit (value="m")',
      '    robot_msgs::msg::Part part;',
      '    sequence<robot_msgs::msg::Part, 3> parts;',
      '    float__2 pair;',
      '    robot_msgs::msg::Helper helper;',
      '    boolean on;',
      '    octet code;',
      '    string<5> label;',
      '    uint64 count;',
      '    uint8 id[16];',
      '    sequence<builtin_interfaces::msg::Duration> waits;',
      '  };',
      '}; };',
      HEADING,
      'IDL: robot_msgs/msg/Part',
      'module robot_msgs { module msg { struct Part { double x; short n; }; }; };',
      HEADING,
      'IDL: builtin_interfaces/msg/Time',
      'module builtin_interfaces { module msg { struct Time { int32 sec; uint32 nanosec; }; }; };',
      HEADING,
      'IDL: builtin_interfaces/msg/Duration',
      'module builtin_interfaces { module msg { struct Duration { int32 sec; uint32 nanosec; }; }; };',
    ];
    /** Little-endian CDR, packed by Python's `struct`: each number is at a multiple of its size. */
    const DATA = Buffer.from(
      [
        '0001000000f1536507000000000000000000f83ffeff00000100000000000000000010c003000000',
        '0000003f000000bf0500000001ff000005000000646f636b00000000010000000000200000010203',
        '0405060708090a0b0c0d0e0f010000000200000005000000',
      ].join(''),
      'hex',
    );
    const recorded = (type: string, written: string, data: Uint8Array): RecordedMessage => ({
      ...{ topic: '/arm', type, definition: '', fields: {}, time: 5n, data },
      schema: { encoding: 'ros2idl', data: new TextEncoder().encode(written) },
    });

    test.each([
      ['LF', '\n'],
      ['CRLF', '\r\n'],
    ])('fields are as their IDL with %s defines them', async (_, end) => {
      const message = recorded('robot_msgs/msg/S', [HEADING, ...PARTS].join(end), DATA);
      expect(await read(await writeMcap([message]))).toEqual([
        '{"probe":"bag","name":"/arm","time":5,"attributes":{"code":255,"count":9007199254740993,"helper.steps":5,"id":"000102030405060708090a0b0c0d0e0f","label":"dock","message.type":"robot_msgs/msg/S","on":true,"pair.0":0.5,"pair.1":-0.5,"part.n":-2,"part.x":1.5,"parts.0.n":3,"parts.0.x":-4.0,"stamp":1700000000000000007,"waits.0":2000000005}}',
      ]);
    });

    test.each([
      [
        'a type that the schema lacks',
        'struct Other { int32 x; };',
        'their schema has no "robot_msgs/msg/S"',
      ],
      [
        'optional fields',
        'struct S { @optional int32 x; };',
        'their schema has `@optional` fields',
      ],
      [
        'a field of an unknown type',
        'struct S { Nothing x; };',
        'their ros2idl schema cannot be read: Could not find node Nothing in robot_msgs::msg::S referenced by robot_msgs::msg::S::x',
      ],
      [
        'no IDL',
        'what is this',
        'their ros2idl schema cannot be read: Syntax error at line 1 col 34',
      ],
      [
        'text of wide characters',
        'struct S { wstring x; };',
        'wstring is implementation-defined and therefore not supported',
      ],
    ])('%s is told once a topic', async (_, inner, why) => {
      const written = `module robot_msgs { module msg { ${inner} }; };`;
      const message = recorded('robot_msgs/msg/S', written, DATA);
      const { session, problems } = await readSession(await writeMcap([message, message]), {
        tolerant: true,
      });
      expect([session?.size, ...problems.map(problemText)]).toEqual([
        2,
        `the fields of 2 messages on /arm cannot be read (${why}); --tolerant reads them without fields`,
      ]);
    });
  });

  test('floats of any size are read', async () => {
    const [first] = RECORDED as [RecordedMessage];
    const fields = { a: Number.MAX_VALUE, b: -1e21, c: 5e-324, d: -0, e: 2 ** 60 };
    const definition = 'float64 a\nfloat64 b\nfloat64 c\nfloat64 d\nfloat64 e\n';
    const [line = ''] = await read(await writeMcap([{ ...first, definition, fields }]));
    expect(line).toContain(
      '"a":1.7976931348623157e+308,"b":-1e+21,"c":5e-324,"d":-0.0,"e":1152921504606846976.0,',
    );
  });

  test('what cannot be read is told: encodings, fields, chunks, and an end that is missing', async () => {
    const [first] = RECORDED as [RecordedMessage];
    const other = { ...first, topic: '/other', encoding: 'protobuf' };
    const odd = { ...first, topic: '/odd', written: 'what is this' };
    const short = { ...first, topic: '/short', written: 'float64[900] x' };
    const whole = await writeMcap(RECORDED);
    const told = async (bytes: Uint8Array) => {
      const { session, problems } = await readSession(bytes, { tolerant: true });
      return [session?.size, ...problems.map(problemText)];
    };
    expect(await told(await writeMcap([other, other, odd, short]))).toEqual([
      4,
      'the fields of 2 messages on /other cannot be read (unsupported encoding "protobuf", described as "ros2msg": expected ROS 2, protobuf or JSON); --tolerant reads them without fields',
      'the fields of a message on /odd cannot be read (Invalid literal of type what: this); --tolerant reads it without fields',
      'the fields of a message on /short cannot be read (Invalid typed array length: 7200); --tolerant reads it without fields',
    ]);
    expect(await told(whole.subarray(0, -40))).toEqual([
      3,
      'the file is not valid MCAP: it is truncated',
    ]);
    const damaged = whole.slice();
    damaged[damaged.length >> 1] = 7;
    expect(await told(damaged)).toEqual([
      0,
      expect.stringContaining('the file is not valid MCAP:'),
    ]);
    const packed = (compression: string) =>
      writeMcap(RECORDED, { compressChunk: (data) => ({ compression, compressedData: data }) });
    expect(await told(await packed('lz4'))).toEqual([
      0,
      'the file is not valid MCAP: not an LZ4 frame',
    ]);
    expect(await told(await packed('bz2'))).toEqual([0, expect.stringContaining('bz2')]);
  });
});

describe('LZ4', () => {
  const frame = (...bytes: number[]) =>
    Uint8Array.from([4, 0x22, 0x4d, 0x18, 0x60, 0, 0, ...bytes]);

  test('a block may copy what it has just copied', () => {
    // One literal, a copy of 9 from 1 before, and one literal.
    const block = [0x15, 97, 1, 0, 0x10, 98];
    const packed = frame(block.length, 0, 0, 0, ...block, 0, 0, 0, 0);
    expect(Buffer.from(unpackLz4(packed, new Uint8Array(11))).toString()).toBe('aaaaaaaaaab');
  });

  test.each([
    ['no block', frame(), 'Offset is outside the bounds of the DataView'],
    ['a block that is cut', frame(9, 0, 0, 0, 0x10), 'an LZ4 block is truncated'],
    ['a copy from before', frame(4, 0, 0, 0, 0x10, 97, 9, 0), 'extends past its data'],
    ['too few bytes', frame(0, 0, 0, 0), 'expected 11 bytes from LZ4, found 0'],
  ])('%s', (_, packed, message) => {
    expect(() => unpackLz4(packed, new Uint8Array(11))).toThrow(message);
  });
});
