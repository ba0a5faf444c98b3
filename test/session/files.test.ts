import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readSessionFile, readSessionStream } from '../../src/session/files/index.js';
import { readSession, type Session } from '../../src/session/index.js';
import { plain } from './plain.js';

let root: string;
let directory: string;
let path: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'perturb-session-'));
});

beforeEach(() => {
  directory = mkdtempSync(join(root, 'case-'));
  path = join(directory, 'flight.session.jsonl');
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A session with every kind of value, attributes that few events have, and interactions. */
const TEXT = `{"session":1,"name":"flight 7","source":"a test"}
${Array.from(
  { length: 40 },
  (_, at) =>
    `{"probe":"P${at % 3}","name":"n${at % 5}","time":${1700000000123456789n + BigInt(at)},"attributes":{"x":${at}.5,"on":${at % 2 === 0}${at === 7 ? ',"rare":{"BigInt":"170141183460469231731687303715884105727"},"ü":"ö"' : ''}${at === 9 ? ',"few":9007199254740993,"id":{"TimelineId":"a1b2c3d4-0000-4000-8000-000000000000"}' : ''}}}`,
).join('\n')}
{"from":["P0",2],"to":["P1",3]}
{"from":["P1",4],"to":["P2",9]}
`;

async function expected(text = TEXT): Promise<unknown> {
  return plain((await readSession(text)).session as Session);
}

async function read(): Promise<unknown> {
  const { session, problems } = await readSessionFile(path);
  expect(problems).toEqual([]);
  return plain(session as Session);
}

describe('gzip', () => {
  test('is told by content', async () => {
    writeFileSync(path, gzipSync(TEXT));
    expect(await read()).toEqual(await expected());
    const members = [TEXT.slice(0, 1000), TEXT.slice(1000)].map((part) => gzipSync(part));
    writeFileSync(path, Buffer.concat(members));
    expect(await read()).toEqual(await expected());
  });

  test('that is damaged is a problem, and tolerant reading takes what came before it', async () => {
    const noise = Array.from({ length: 20_000 }, (_, at) => `{"probe":"A","name":"${at * 7919}"}`);
    const packed = gzipSync(noise.join('\n'));
    writeFileSync(path, packed.subarray(0, packed.length >> 1));
    const strict = await readSessionFile(path);
    expect(strict.session).toBeUndefined();
    expect(strict.problems[0]?.message).toBe('the file is not valid gzip: unexpected end of file');
    const { session, dropped } = await readSessionFile(path, { tolerant: true });
    expect(session?.size).toBeGreaterThan(1000);
    expect(dropped.record).toBeGreaterThan(0);
  });
});

test.each([
  ['a session in gzip', gzipSync(TEXT)],
  ['OTLP as protobuf', readFileSync('fixtures/otlp/traces.pb')],
])('%s is told from pieces of a byte', async (_, bytes) => {
  const pieces = async function* () {
    for (const byte of bytes) yield Uint8Array.of(byte);
  };
  const whole = await readSession(bytes[0] === 0x1f ? TEXT : bytes);
  const { session } = await readSessionStream(pieces());
  expect(plain(session as Session)).toEqual(plain(whole.session as Session));
});

test('a file that is not there is an error of the system', async () => {
  await expect(readSessionFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(readSessionFile(directory)).rejects.toMatchObject({ code: 'EISDIR' });
});

test('progress is told in bytes', async () => {
  writeFileSync(path, TEXT);
  const seen: number[] = [];
  await readSessionFile(path, { onProgress: (bytes) => seen.push(bytes) });
  expect(seen.at(-1)).toBe(Buffer.byteLength(TEXT));
});

test('a large file is read without another beside it, and one that is there is not believed', async () => {
  const lines = Array.from(
    { length: 120_000 },
    (_, at) => `{"probe":"P","name":"n${at}","attributes":{"x":${at}.25,"y":"some text"}}`,
  );
  writeFileSync(path, lines.join('\n'));
  writeFileSync(`${path}.columns`, 'planted');
  const { session } = await readSessionFile(path);
  expect(session?.size).toBe(120_000);
  expect(readdirSync(directory)).toEqual(['flight.session.jsonl', 'flight.session.jsonl.columns']);
  expect(readFileSync(`${path}.columns`, 'utf8')).toBe('planted');
});

describe('documents of JSON', () => {
  const span = (id: number) => ({
    traceId: '5b8e',
    id: `${id}`,
    timestamp: id,
    name: `n${id}`,
    localEndpoint: { serviceName: 'wèb' },
  });
  const spans = [1, 2, 3].map(span);
  const oneLine = JSON.stringify(spans);
  const lines = spans.map((one) => JSON.stringify(one)).join('\n');

  /** The names of the spans, and what is wrong; of bytes that come in pieces of such a length. */
  async function namesOf(text: string, length: number) {
    const bytes = new TextEncoder().encode(text);
    const count = Math.ceil(bytes.length / length);
    const pieces = Array.from({ length: count }, (_, at) =>
      bytes.subarray(at * length, (at + 1) * length),
    );
    const reading = await readSession(pieces, { reading: { from: 'zipkin' }, tolerant: true });
    const { session, problems } = reading;
    const names = session?.columns.get('name')?.numbers ?? [];
    return { names: Array.from(names, (text) => session?.texts[text]).join(' '), problems };
  }

  test.each([1, 7, 10_000])('are one, or one a line, in pieces of %d bytes', async (length) => {
    const whole = { names: 'n1 n2 n3', problems: [] };
    const layouts = [oneLine, `${oneLine}\n`, JSON.stringify(spans, null, 2), lines];
    for (const text of [...layouts, `\n \r\n${lines.replaceAll('\n', '\r\n\n')}\n`]) {
      expect(await namesOf(text, length)).toEqual(whole);
    }
  });

  test('a line that is broken is told with its number', async () => {
    const broken = `\n${lines.replace('"id":"2"', '"id":')}`;
    expect(await namesOf(broken, 100)).toEqual({
      names: 'n1 n3',
      problems: [{ line: 3, message: expect.stringMatching(/^not JSON: .* at position 23$/) }],
    });
    const latin1 = Buffer.from(lines.replaceAll('wèb', 'web').replace('n2', 'nè'), 'latin1');
    const reading = await readSession([latin1], { reading: { from: 'zipkin' } });
    expect(reading.problems).toEqual([{ line: 2, message: 'the line is not UTF-8' }]);
  });
});
