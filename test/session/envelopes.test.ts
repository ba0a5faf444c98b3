import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readSessionStream } from '../../src/session/files/index.js';
import { problemText, readSession, type Session } from '../../src/session/index.js';
import { readSessionParts } from '../../src/session/read-session.js';
import { recordsOf } from './written.js';

/** The lines of the session of a file, after its format, or what is told of it. */
async function read(input: string | Uint8Array): Promise<readonly string[]> {
  const { session, format, problems } = await readSession(input);
  if (session === undefined) return problems.map(problemText);
  return [format, ...recordsOf(session)];
}

const span = (id: string, parent: object, encode = (hex: string) => hex) => ({
  traceId: encode('0102030405060708090a0b0c0d0e0f10'),
  spanId: encode(id),
  name: 'get',
  kind: 'SPAN_KIND_SERVER',
  startTimeUnixNano: '1000',
  endTimeUnixNano: '2000',
  ...parent,
});
const group = (service: string, one: object) => ({
  resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
  scopeSpans: [{ spans: [one] }],
});
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const groups = (encode?: (hex: string) => string) => [
  group('front', span('0000000000000001', {}, encode)),
  group(
    'stock',
    span(
      '0000000000000002',
      { parentSpanId: encode?.('0000000000000001') ?? '0000000000000001' },
      encode,
    ),
  ),
];
const otlp = () => read(JSON.stringify({ resourceSpans: groups() }));

describe('OTLP', () => {
  test("Tempo's API, in both versions, with ids in base64", async () => {
    const expected = await otlp();
    expect(expected).toHaveLength(7);
    expect(await read(JSON.stringify({ batches: groups(base64) }))).toEqual(expected);
    const second = { trace: { resourceSpans: groups(base64) }, metrics: { inspectedBytes: '5' } };
    expect(await read(JSON.stringify(second, null, 2))).toEqual(expected);
  });

  test("Jaeger's API, version 3, an answer a line, and a list of requests", async () => {
    const [front, stock] = groups(base64);
    const answer = (group: object | undefined) =>
      JSON.stringify({ result: { resourceSpans: [group] } });
    expect(await read(`${answer(front)}\n${answer(stock)}\n`)).toEqual(await otlp());
    const list = groups().map((group) => ({ resourceSpans: [group] }));
    expect(await read(JSON.stringify(list))).toEqual(await otlp());
  });

  test('protobuf, as a request and as a file of the collector', async () => {
    const traces = readFileSync('fixtures/otlp/traces.pb');
    const logs = readFileSync('fixtures/otlp/logs.pb');
    const written = readFileSync('fixtures/otlp/session.jsonl', 'utf8').trim().split('\n');
    const framed = [traces, logs].flatMap((bytes) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    });
    expect(await read(Buffer.concat(framed))).toEqual(['otlp', ...written]);
    expect((await read(traces)).length).toBeGreaterThan(4);
    expect((await read(logs)).length).toBe(2);
    const cut = Buffer.concat(framed).subarray(0, -1);
    expect(await read(cut)).toEqual(['the file is not valid binary OTLP']);
    // The requests before the end are complete.
    const [whole, left] = [await readSession(traces), await readSession(cut, { tolerant: true })];
    expect(left.session?.size).toBe(whole.session?.size);
  });

  test('a document of something else is told with its line, many of them once', async () => {
    const spans = '{"resourceSpans":[{"scopeSpans":[{"spans":[{}, {}]}]}]}';
    const { problems, dropped } = await readSession(
      `${spans}\n\n{"msg":"x"}\n${spans}\n{"msg":"y"}\n`,
    );
    expect(problems.map(problemText)).toEqual([
      '1: 4 spans of "unknown_service", from here on, lack a traceId and a spanId',
      '3: 2 documents, from here on, lack "resourceSpans" and "resourceLogs"',
    ]);
    expect(dropped.record).toBe(6);
  });

  test('metrics alone are named as such, as JSON and as protobuf', async () => {
    const told = ['the file contains only metrics: expected spans or logs'];
    expect(await read('{"resourceMetrics":[{"scopeMetrics":[]}]}')).toEqual(told);
    // resource_metrics { scope_metrics { metrics { name: "queue.size" } } }
    const metric = Buffer.from('\x0a\x0aqueue.size', 'latin1');
    const wrap = (field: number, bytes: Buffer) =>
      Buffer.concat([Buffer.from([field * 8 + 2, bytes.length]), bytes]);
    expect(await read(wrap(1, wrap(2, wrap(2, metric))))).toEqual(told);
  });
});

test("Jaeger's spans out of Elasticsearch, as an answer, as a dump and as documents", async () => {
  const document = (id: string, service: string, references: readonly object[]) => ({
    traceID: 'a1',
    spanID: id,
    operationName: 'get',
    references,
    startTime: 1000,
    startTimeMillis: 1,
    duration: 5,
    tags: [{ key: 'left', type: 'int64', value: '3' }],
    tag: { 'http@status_code': 200 },
    logs: [],
    process: { serviceName: service, tag: { 'host@name': 'web-1' } },
  });
  const documents = [
    document('01', 'front', []),
    document('02', 'stock', [{ refType: 'CHILD_OF', traceID: 'a1', spanID: '01' }]),
  ];
  const hits = documents.map((_source) => ({ _index: 'jaeger-span-2026-11-23', _source }));
  const lines = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).join('\n');
  const expected = await read(lines(documents));
  expect(expected[0]).toBe('jaeger');
  expect(expected[1]).toContain('"http.status_code":200,"left":3,"process.host.name":"web-1"');
  expect(expected.filter((line) => line.startsWith('{"from"'))).toHaveLength(2);
  expect(await read(lines(hits))).toEqual(expected);
  expect(await read(JSON.stringify({ took: 2, hits: { hits } }, null, 1))).toEqual(expected);
  expect(await read(JSON.stringify(hits))).toEqual(expected);
});

test('a format is told by any key of the outermost object, in whatever order they are', async () => {
  const span = { traceID: 'a', spanID: '1', operationName: 'get', startTime: 1.5, duration: 2 };
  const trace = { _comment: { resourceSpans: '{"' }, processes: {}, traceID: 'a', spans: [span] };
  const expected = await read(JSON.stringify({ data: [trace] }));
  expect(expected[1]).toContain('"time":1500,');
  expect(await read(JSON.stringify(trace, null, 2))).toEqual(expected);
  expect(await read(JSON.stringify([span]))).toEqual(expected);
  expect((await read('[INFO] [a] {"n":1} x\n'))[0]).toContain('looks like text, which begins');
});

test('Zipkin, version 1: a shared span is two, and its tags are where they were set', async () => {
  const at = (serviceName: string) => ({ serviceName, ipv4: '127.0.0.1' });
  const note = (value: string, timestamp: number, service: string) => ({
    ...{ value, timestamp },
    endpoint: at(service),
  });
  const spans = [
    {
      ...{ traceId: 'a1', id: '01', name: 'get', timestamp: 100, duration: 50 },
      annotations: [
        ...[note('cs', 100, 'front'), note('sr', 110, 'stock'), note('found', 120, 'stock')],
        ...[note('ss', 140, 'stock'), note('cr', 150, 'front')],
      ],
      binaryAnnotations: [{ key: 'left', value: '3', endpoint: at('stock') }],
    },
    {
      ...{ traceId: 'a1', id: '02', parentId: '01', name: 'local', timestamp: 115, duration: 2 },
      binaryAnnotations: [{ key: 'lc', value: 'cache', endpoint: at('stock') }],
    },
  ];
  const found = await read(JSON.stringify(spans));
  expect(found[0]).toBe('zipkin');
  const events = found.slice(1).flatMap((line) => {
    const { probe, name, time, attributes } = JSON.parse(line);
    if (probe === undefined) return [];
    const phase = ['span.start', 'span.end'].find((one) => attributes[one]) ?? 'moment';
    return [`${probe} ${name} ${phase} ${time}${attributes.left ? ' left' : ''}`];
  });
  expect(events.toSorted()).toEqual([
    'front get span.end 150000',
    'front get span.start 100000',
    'stock found moment 120000',
    'stock get span.end 140000 left',
    'stock get span.start 110000 left',
    'stock local span.end 117000',
    'stock local span.start 115000',
  ]);
});

describe('zstd', () => {
  // What the program zstd made of 5,000 of the lines, with a checksum.
  const WRITTEN = Buffer.from(
    'KLUv/QRYDQEAyHsicHJvYmUiOiJBIiwibmFtZSI6IngifQoBALGgcz7HqKwgZA==',
    'base64',
  );
  const SKIPPED = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  const text = '{"probe":"A","name":"x"}\n'.repeat(50_000);
  // Node 20 cannot write it: a frame whose blocks are as they are.
  const frame = (bytes: Buffer) => {
    const blocks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 65_536) {
      const block = bytes.subarray(at, at + 65_536);
      const isLast = at + 65_536 >= bytes.length ? 1 : 0;
      const header = Buffer.alloc(3);
      header.writeUIntLE(block.length * 8 + isLast, 0, 3);
      blocks.push(header, block);
    }
    // No checksum and no size of the content; a window of 1 MiB.
    return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 80]), ...blocks]);
  };
  const piecesOf = async function* (bytes: Uint8Array) {
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
  };

  test('is told by content', async () => {
    const packed = frame(Buffer.from(text));
    const { session, problems } = await readSessionStream(piecesOf(packed));
    expect([session?.size, problems]).toEqual([50_000, []]);
    expect((await readSessionStream(piecesOf(WRITTEN))).session?.size).toBe(5000);
  });

  test('may be several frames, with others to be passed over', async () => {
    const empty = Buffer.from('KLUv/SQAAQAAmenYUQ==', 'base64');
    const parts = [WRITTEN, SKIPPED, ...Array(50_000).fill(empty), WRITTEN];
    const whole = [Buffer.concat(parts)];
    const bytes = Array.from(Buffer.concat([...parts.slice(0, 9), WRITTEN]), (one) =>
      Buffer.of(one),
    );
    for (const pieces of [whole, bytes]) {
      const { session, problems } = await readSessionStream(Readable.from(pieces));
      expect([session?.size, problems]).toEqual([10_000, []]);
    }
  });

  const afterLength = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };

  test('of the collector, frame by frame after their lengths, holds JSON or protobuf', async () => {
    const documents = groups().map((one) => JSON.stringify({ resourceSpans: [one] }));
    const packed = documents.map((one) => afterLength(frame(Buffer.from(one))));
    const reading = await readSessionStream(Readable.from([Buffer.concat(packed)]));
    expect([reading.format, reading.problems]).toEqual(['otlp', []]);
    expect(recordsOf(reading.session as Session)).toEqual((await otlp()).slice(1));
    const traces = readFileSync('fixtures/otlp/traces.pb');
    const binary = await readSessionStream(piecesOf(afterLength(frame(traces))));
    expect(binary.problems).toEqual([]);
    expect(recordsOf(binary.session as Session)).toEqual((await read(traces)).slice(1));
    const cut = packed.map((one, at) => (at === 0 ? one : one.subarray(0, -1)));
    const torn = await readSessionStream(Readable.from([Buffer.concat(cut)]));
    expect(torn.problems.map(problemText)).toEqual(['the file is not valid zstd: it is truncated']);
  });

  test('that is damaged is a problem', async () => {
    const packed = frame(Buffer.from(text));
    const { session, problems } = await readSessionStream(piecesOf(packed.subarray(0, 500_000)));
    expect(session).toBeUndefined();
    expect(problems[0]?.message).toBe('the file is not valid zstd: it is truncated');
  });

  test('that reads as other events, but not with its checksum, is a problem', async () => {
    const damaged = Buffer.from(WRITTEN);
    damaged[WRITTEN.indexOf('x')] = 'y'.charCodeAt(0);
    const { session, problems } = await readSessionStream(piecesOf(damaged));
    expect([session, problems[0]]).toEqual([
      undefined,
      { message: 'the file is not valid zstd: a part of it is damaged' },
    ]);
  });

  test.each([
    ['no frame after the first', Buffer.concat([WRITTEN, Buffer.from('{"probe":"A"}')])],
    ['a frame that is cut short', Buffer.concat([WRITTEN, WRITTEN.subarray(0, 3)])],
    ['a checksum that is cut short', WRITTEN.subarray(0, -1)],
    ['a frame to pass over that is cut short', Buffer.concat([WRITTEN, SKIPPED.subarray(0, -1)])],
    ['a block of no kind', Buffer.from('KLUv/QBQBwAA', 'base64')],
    ['a window of a gigabyte', Buffer.from('KLUv/QCgAQAA', 'base64')],
  ])('%s is a problem', async (_, bytes) => {
    const { session, problems } = await readSessionStream(piecesOf(bytes));
    expect([session, problems[0]?.message]).toEqual([
      undefined,
      expect.stringMatching(/^the file is not valid zstd: /),
    ]);
  });
});

describe('several files', () => {
  const [front, stock] = groups();
  const log = 'ts=1970-01-01T00:00:01.5Z level=info service=gateway msg=started trace_id=a1\n';
  const neutral = '{"session":1,"name":"run 3"}\n{"probe":"P","name":"x","id":"i"}\n';
  const parts = (files: Readonly<Record<string, string>>) =>
    Object.entries(files).map(([file, text]) => ({
      ...{ file, probe: file },
      input: new TextEncoder().encode(text),
    }));

  test('of any mixture make one session, in which spans find their parents', async () => {
    const { session, problems } = await readSessionParts(
      parts({
        'stock.json': JSON.stringify({ resourceSpans: [stock] }),
        'front.json': JSON.stringify({ resourceSpans: [front] }),
        'gateway.log': log,
        'bare.log': 'ts=1970-01-01T00:00:02Z level=info msg=x\n',
        'own.jsonl': `${neutral}{"probe":"Q","name":"y","after":["i"]}\n`,
      }),
    );
    expect(problems).toEqual([]);
    const lines = recordsOf(session as Session);
    const [, ...alone] = await otlp();
    expect(lines[0]).toBe('{"session":1,"name":"run 3"}');
    expect(lines).toEqual(expect.arrayContaining([...alone]));
    expect(lines).toContain(
      '{"probe":"gateway","name":"started","time":1500000000,"attributes":{"level":"info","trace.id":"a1"}}',
    );
    expect(lines).toContain(
      '{"probe":"bare.log","name":"x","time":2000000000,"attributes":{"level":"info"}}',
    );
    expect(lines).toContain('{"from":["P",0],"to":["Q",0]}');
    expect(lines).toHaveLength(1 + alone.length + 2 + 3);
  });

  test('of which each names events by their places among its own', async () => {
    const own = (name: string) =>
      ['A', 'B'].map((probe) => `{"probe":"${probe}","name":"${name}"}\n`).join('');
    const { session, problems } = await readSessionParts(
      parts({
        'first.jsonl': `${own('first')}{"from":["A",0],"to":["B",0]}\n`,
        'second.jsonl': `{"from":["B",0],"to":["A",0]}\n${own('second')}`,
        'none.jsonl': '{"from":["A",1],"to":"z"}\n{"probe":"C","name":"c","id":"z"}\n',
      }),
    );
    expect(problems).toEqual([]);
    const lines = recordsOf(session as Session);
    expect(lines.filter((line) => line.startsWith('{"from"')).sort()).toEqual([
      '{"from":["A",0],"to":["B",0]}',
      '{"from":["A",1],"to":["C",0]}',
      '{"from":["B",1],"to":["A",1]}',
    ]);
    const beyond =
      '{"probe":"A","name":"a"}\n{"probe":"B","name":"b"}\n{"from":["A",1],"to":["B",0]}\n';
    const { problems: missing } = await readSessionParts(
      parts({ 'a.jsonl': beyond, 'b.jsonl': own('b') }),
    );
    expect(missing.map(({ message }) => message)).toEqual([
      'the sender ["A", 1] of an interaction does not exist',
    ]);
  });

  test('what is wrong with them together has its file, and that of the other record', async () => {
    const { problems } = await readSessionParts(
      parts({
        'a.jsonl': '{"probe":"A","name":"a","id":"i","seq":1}\n{"from":"i","to":["B",0]}\n',
        'b.jsonl':
          '{"probe":"A","name":"a","seq":1}\n{"probe":"B","name":"b","id":"i"}\n' +
          '{"probe":"B","name":"b","id":"j"}\n{"from":"j","to":"i"}\n{"from":"i","to":"k"}\n',
      }),
    );
    expect(problems.map(({ file, line, message }) => `${file}:${line}: ${message}`)).toEqual([
      'b.jsonl:1: an event of "A" has the same "seq" as line 1 of a.jsonl',
      'b.jsonl:2: the id "i" is already used by line 1 of a.jsonl',
      'a.jsonl:2: the interaction closes a cycle with line 4 of b.jsonl, so an event would come before itself',
      'b.jsonl:5: the receiver "k" of an interaction does not exist',
    ]);
  });

  test('of which one is broken, unknown or empty: what is wrong has its file', async () => {
    const files = {
      'a.log': `${log}oh\n${log}`,
      'b.txt': 'who knows\n',
      'c.json': '',
      'd.log': log,
    };
    const { session, problems } = await readSessionParts(parts(files), { tolerant: true });
    expect(session?.size).toBe(3);
    expect(problems.map(({ file, line, message }) => [file, line, message.slice(0, 33)])).toEqual([
      ['b.txt', undefined, 'unknown format: it looks like tex'],
      ['b.txt', undefined, 'supported formats: session JSON L'],
      ['b.txt', undefined, 'if the format is supported, name '],
      ['c.json', undefined, 'the file contains no events'],
      ['a.log', 2, 'a line without key=value: "oh"'],
    ]);
  });
});

describe("spans that Python's ConsoleSpanExporter prints", () => {
  const child = {
    name: 'bar',
    context: { trace_id: '0xaba880c3256d04f47bcdecf9bf3ba84e', span_id: '0x3014b62ab356f774' },
    kind: 'SpanKind.SERVER',
    parent_id: '0x53321c6000aabdfe',
    start_time: '2026-11-23T01:31:02.215847Z',
    end_time: '2026-11-23T01:31:02.215898Z',
    status: { status_code: 'ERROR' },
    attributes: { 'http.status_code': 500, ratio: 0.5, ok: false, tags: ['a', 'b'] },
    events: [{ name: 'retry', timestamp: '2026-11-23T01:31:02.215850Z', attributes: { n: 1 } }],
    links: [],
    resource: { attributes: { 'service.name': 'shop' }, schema_url: '' },
  };
  const parent = {
    ...{ ...child, name: 'foo', kind: 'SpanKind.INTERNAL', parent_id: null, attributes: {} },
    context: { ...child.context, span_id: '0x53321c6000aabdfe' },
    start_time: '2026-11-23T01:31:02.215800Z',
    end_time: '2026-11-23T01:31:02.215930Z',
    ...{ status: { status_code: 'UNSET' }, events: [] },
  };

  test.each([
    ['on a line each', undefined],
    ['on several lines each, as by default', 4],
  ])('%s', async (_, indent) => {
    const text = [child, parent].map((one) => `${JSON.stringify(one, null, indent)}\n`).join('');
    const ids = '"span.id":"3014b62ab356f774"';
    const [format, ...records] = await read(text);
    expect(format).toBe('otlp');
    expect(records.map((one) => JSON.parse(one).name)).toEqual([
      'foo',
      'bar',
      'retry',
      'bar',
      'foo',
    ]);
    const [, start, retry, end] = records as [string, string, string, string];
    expect(start).toContain('"probe":"shop"');
    expect(start).toContain('"time":1795397462215847000');
    for (const part of [
      ids,
      '"span.kind":"server"',
      '"span.status":"error"',
      '"http.status_code":500',
    ])
      expect(start).toContain(part);
    for (const part of [
      '"ratio":0.5',
      '"ok":false',
      '"tags.0":"a"',
      '"span.parent.id":"53321c6000aabdfe"',
    ])
      expect(start).toContain(part);
    expect(retry).toContain('"time":1795397462215850000');
    expect(end).toContain('"span.duration":51000');
  });
});
