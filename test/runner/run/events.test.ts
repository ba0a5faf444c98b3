import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { openEventSource } from '../../../src/runner/io/attempt-events.js';
import { followFile, type LineReceiver } from '../../../src/runner/io/growing-file.js';
import { readRecord } from '../../../src/session/index.js';
import { writeJson } from '../../../src/values/index.js';
import { directoryWith } from '../../cli/program.js';
import { OBJECTIVE, openBench, withoutProgress } from './bench.js';

/** Takes the lines of the neutral form. */
function takeLines(lines: string[]): LineReceiver {
  return {
    lines: (some) => lines.push(...some),
    isEvent: (line) => !('problem' in readRecord(line)),
  };
}

test('a growing file: whole lines behind what it held, and a last one without an end', async () => {
  const directory = directoryWith({ log: 'old\n' });
  const path = join(directory, 'log');
  const lines: string[] = [];
  const file = await followFile(path, 'end', takeLines(lines));
  appendFileSync(path, 'one\ntw');
  await file.drain('leave');
  expect(lines).toEqual(['one']);
  appendFileSync(path, 'o\r\nthree');
  await file.drain('take');
  expect(lines).toEqual(['one', 'two', 'three']);
  writeFileSync(path, 'new\n');
  await file.drain('leave');
  expect(lines).toEqual(['one', 'two', 'three', 'new']);
  await file.stop();
});

/** Follows a file that holds something, and gives what was received so far, with whether a line was lost. */
async function following(held: string) {
  const path = join(directoryWith({ log: held }), 'log');
  const lines: string[] = [];
  const file = await followFile(path, 'end', takeLines(lines));
  onTestFinished(() => file.stop());
  const received = async () => {
    await file.drain('leave');
    return lines.splice(0);
  };
  return { path, received };
}

test.each([
  ['longer', 'new one\nnew two\nnew three\n'],
  ['as long', 'abc\n'],
  ['shorter', 'x\n'],
])(
  'a file that is replaced by a %s one: the end of the old, and all of the new',
  async (_, text) => {
    const { path, received } = await following('');
    appendFileSync(path, 'one\n');
    expect(await received()).toEqual(['one']);
    // Written, and then replaced, before anybody looks.
    appendFileSync(path, 'two\nhalf');
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    const lines = text.trimEnd().split('\n');
    expect(await received()).toEqual(['two', 'half', ...lines]);
    appendFileSync(path, 'last\n');
    expect(await received()).toEqual(['last']);
    // The same file, with other bytes.
    writeFileSync(path, `${text}last\n`.replaceAll(/./g, 'z'));
    expect(await received()).toEqual([...lines, 'last'].map((one) => one.replaceAll(/./g, 'z')));
  },
);

test('a file that is replaced by one which continues it has no line twice', async () => {
  const { path, received } = await following('old\n');
  appendFileSync(path, 'one\n');
  expect(await received()).toEqual(['one']);
  writeFileSync(`${path}.new`, 'old\none\ntwo\n');
  renameSync(`${path}.new`, path);
  expect(await received()).toEqual(['two']);
});

test.each([
  ['is completed', ',"name":"é"}\n', '{"probe":"é","name":"é"}'],
  ['is not', '{"probe":"a","name":"b"}\n', '{"probe":"a","name":"b"}'],
])('a line that was begun before the file was followed, and %s', async (_, end, line) => {
  const begun = Buffer.from('{"probe":"é"');
  const { path, received } = await following('');
  writeFileSync(path, Buffer.concat([Buffer.from('old\n'), begun.subarray(0, -2)]));
  await received();
  const lines: string[] = [];
  const file = await followFile(path, 'end', takeLines(lines));
  const rest = end.startsWith(',') ? begun.subarray(-2) : Buffer.alloc(0);
  appendFileSync(path, Buffer.concat([rest, Buffer.from(end)]));
  await file.drain('leave');
  expect(lines).toEqual([line]);
  await file.stop();
});

test('a file that is not there yet', async () => {
  const path = join(directoryWith({}), 'log');
  const lines: string[] = [];
  const file = await followFile(path, 'end', takeLines(lines));
  writeFileSync(path, 'first\n');
  await file.drain('leave');
  expect(lines).toEqual(['first']);
  await file.stop();
});

test('OTLP over HTTP: binary and JSON, also zipped; all else is refused', async () => {
  const source = await openEventSource({ kind: 'otlp', port: 0 });
  const documents: string[] = [];
  const lost: string[] = [];
  const url = source.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  const post = async (path: string, body: string | Uint8Array, headers = {}) => {
    const response = await fetch(url + path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return response.status;
  };
  expect(await post('/v1/logs', '{"early":1}')).toBe(200);
  const listening = await source.listen({
    lines: () => {},
    records: () => {},
    note: () => {},
    otlp: (one) => documents.push(writeJson(one)),
    lost: (reason) => lost.push(reason),
  });
  expect(await post('/v1/traces', '{"resourceSpans":[]}')).toBe(200);
  const zipped = gzipSync('{"resourceLogs":[]}');
  expect(await post('/v1/logs', zipped, { 'content-encoding': 'gzip' })).toBe(200);
  expect(await post('/v1/metrics', '{}')).toBe(200);
  expect(await post('/v1/traces', '{')).toBe(400);
  const binary = { 'content-type': 'application/x-protobuf' };
  expect(await post('/v1/traces', readFileSync('fixtures/otlp/traces.pb'), binary)).toBe(200);
  expect(await post('/v1/traces', '{}', binary)).toBe(400);
  expect(await post('/v1/metrics', 'anything', binary)).toBe(200);
  expect(await post('/elsewhere', '{}')).toBe(404);
  expect((await fetch(`${url}/v1/traces`)).status).toBe(405);
  const refused = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    body: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(refused.status).toBe(415);
  expect(await refused.json()).toEqual({
    message:
      'expected application/x-protobuf or application/json: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
  });
  expect(documents.slice(0, 2)).toEqual(['{"resourceSpans":[]}', '{"resourceLogs":[]}']);
  expect(documents.slice(2).map((one) => Object.keys(JSON.parse(one)))).toEqual([
    ['resourceSpans'],
  ]);
  // What is empty, or holds no events, is not missed.
  expect(await post('/v1/logs', '{}')).toBe(200);
  expect(await post('/v1/logs', '[]')).toBe(400);
  const wrong = 'a request to /v1/traces was refused: expected OTLP as application';
  expect(lost).toEqual([
    `${wrong}/json`,
    `${wrong}/x-protobuf`,
    'a request to /v1/traces was refused: expected application/x-protobuf or application/json: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    `${wrong.replace('traces', 'logs')}/json`,
  ]);
  expect(documents.length).toBe(3);
  await listening.stop();
  await source.close();
});

test('OTLP is taken from nobody who says that they are a web page, or names another host', async () => {
  const source = await openEventSource({ kind: 'otlp', port: 0 });
  const { port } = new URL(source.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '');
  const documents: string[] = [];
  const listening = await source.listen({
    lines: () => {},
    records: () => {},
    note: () => {},
    otlp: (one) => documents.push(writeJson(one)),
    lost: (reason) => documents.push(reason),
  });
  /** Sends a document on a connection of its own, and gives the status and the message. */
  const post = async (target: string, ...headers: readonly string[]) => {
    const body = `{"resourceSpans":[],"n":${documents.length}}`;
    const socket = connect(Number(port), '127.0.0.1');
    const lines = [...headers, 'content-type: application/json', `content-length: ${body.length}`];
    socket.write(
      `POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`,
    );
    const answer = await text(socket);
    return `${answer.slice(9, 12)} ${/\{.*\}/.exec(answer)?.[0]}`;
  };
  const host = `host: 127.0.0.1:${port}`;
  expect(await post('/v1/traces', host)).toBe('200 {}');
  expect(await post('/v1/traces', `host: localhost:${port}`)).toBe('200 {}');
  expect(documents.length).toBe(2);
  const page = '401 {"message":"a server without an API key refuses requests from web pages"}';
  expect(await post('/v1/traces', host, 'origin: http://127.0.0.1')).toBe(page);
  expect(await post('/v1/traces', host, 'origin: null')).toBe(page);
  const other =
    '401 {"message":"the Host \\"rebound.example\\" is not this server; a server without an API key refuses other hosts"}';
  expect(await post('/v1/traces', 'host: rebound.example')).toBe(other);
  expect(await post('http://rebound.example/v1/traces', host)).toBe(other);
  expect(documents.length).toBe(2);
  await listening.stop();
  await source.close();
});

/** Sends a span of a service by OTLP, from a shell that has curl or from node. */
const SENDER = `
const value = Number(require('fs').existsSync('level') ? require('fs').readFileSync('level', 'utf8') : 0);
const now = BigInt(Date.now()) * 1000000n;
const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'level',
  startTimeUnixNano: String(now), endTimeUnixNano: String(now + 1000n),
  attributes: [{ key: 'value', value: { intValue: String(value) } }] };
const service = [{ key: 'service.name', value: { stringValue: 'SYSTEM' } }];
const body = JSON.stringify({ resourceSpans: [{ resource: { attributes: service }, scopeSpans: [{ spans: [span] }] }] });
fetch(process.env.OTEL_EXPORTER_OTLP_ENDPOINT + '/v1/traces', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
`;

test('an objective is judged by spans that arrive as OTLP', async () => {
  const bench = await openBench({
    'sender.cjs': SENDER,
    'level.objective.toml': OBJECTIVE.replace("name = 'level' AND", "span.name = 'level' AND")
      .replace('attempts = 12', 'attempts = 4')
      .replace('max(level.value)', 'max(level.value)'),
  });
  const { stdout, stderr } = await bench.run(
    ...['level.objective.toml', '-s', bench.url, '--seed', '3', '--events', 'otlp:0'],
    ...['--format', 'json', '--', process.execPath, 'sender.cjs'],
  );
  expect(withoutProgress(stderr)).toBe('');
  const { attempts } = JSON.parse(stdout);
  for (const { set, outcome, events } of attempts) {
    const level = set.find(({ id }: { id: string }) => id === 'level')?.params.value ?? 0;
    expect(outcome).toBe(level >= 70 ? 'failed' : 'passed');
    expect(events).toBe(2);
  }
});

test.each([
  ['{', 'a request to /v1/traces was refused: expected OTLP as application/json'],
  [
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"crash"}]}]}]}',
    'a span of "unknown_service" lacks a traceId and a spanId',
  ],
])(
  'an attempt that lost events of OTLP is judged only if that is asked for: %s',
  async (sent, why) => {
    const more = `fetch(process.env.OTEL_EXPORTER_OTLP_ENDPOINT + '/v1/traces', { method: 'POST', body: '${sent}', headers: { 'content-type': 'application/json' } });`;
    const bench = await openBench({
      'sender.cjs': SENDER + more,
      'level.objective.toml': OBJECTIVE.replace("name = 'level' AND", "span.name = 'level' AND"),
    });
    const run = async (...flags: readonly string[]) => {
      const { stdout } = await bench.run(
        ...['level.objective.toml', '-s', bench.url, '--seed', '3', '--events', 'otlp:0'],
        ...['--baseline', '0', '--attempts', '1', '--format', 'json', ...flags],
        ...['--', process.execPath, 'sender.cjs'],
      );
      const [{ outcome, reasons, lost_lines }] = JSON.parse(stdout).attempts;
      return { outcome, reasons, lost_lines };
    };
    const lost = { reasons: [`1 line was not an event: ${why}`], lost_lines: 1 };
    // Ten of these in a row end a run; one kind of loss shows it.
    if (sent === '{') expect(await run()).toEqual({ outcome: 'inconclusive', ...lost });
    expect(await run('--tolerant')).toEqual({ outcome: 'passed', ...lost });
  },
);

test('an objective is judged by a file that another program writes', async () => {
  const bench = await openBench({
    'other.jsonl': '{"probe":"SYSTEM","name":"level","attributes":{"value":99}}\n',
  });
  const { stdout } = await bench.run(
    ...['level.objective.toml', '-s', bench.url, '--seed', '3', '--events', 'other.jsonl'],
    ...['--attempts', '3'],
    ...[
      '--format',
      'json',
      '--',
      'sh',
      '-c',
      `echo '{"probe":"SYSTEM","name":"level","attributes":{"value":1}}' >> other.jsonl`,
    ],
  );
  const { summary, attempts } = JSON.parse(stdout);
  expect(summary).toMatchObject({ passed: 3, failed: 0 });
  expect(attempts.map(({ events }: { events: number }) => events)).toEqual([1, 1, 1]);
});
