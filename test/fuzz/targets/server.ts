import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HttpAnswer, readAnswers } from '../answers.js';
import { toBytes } from '../bytes.js';
import { type Bench, FAILING, FILE_OF, FILES, KEY, startBench } from '../server.js';
import { hold, type Target } from '../target.js';
import { JSON_TOKENS } from './wire.js';

/*
 * An input is a few requests, each on a connection of its own, with U+001E
 * between them. A request is written without `HTTP/1.1`, with \n for line ends;
 * its length and the other headers that every request needs are filled in, so
 * that changes elsewhere leave it readable. One that begins with `!` is sent as
 * it stands.
 */

const SEPARATOR = '\u001e';
const ID = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';
const mutation = (params: string) => `\n\n{"mutation":"${ID}","params":{${params}}}`;
const pathOf = (id: string) => `/mutator/${encodeURIComponent(id)}/mutation`;
const PATHS = Object.keys(FILE_OF).map(pathOf);
const [WIND, LINK, HEAT] = PATHS as [string, string, string];
const BROKEN = pathOf(FAILING);

const SEEDS = [
  ['GET /mutator', `POST ${WIND}${mutation('')}`, `DELETE ${WIND}`, 'HEAD /mutator'],
  [`POST ${WIND}${mutation('"speed":30,"gusts":-9007199254740993,"mode":"gust"')}`],
  [`POST ${LINK}${mutation('"note":"\\u0000\\ud83c\\udf21 \\" \\\\"')}`, `DELETE ${LINK}`],
  [`POST ${HEAT}${mutation('"mutator.params.speed":1e-7')}`, `POST ${WIND}${mutation('"x":1')}`],
  [`POST ${BROKEN}${mutation('')}`, `DELETE ${BROKEN}`, 'DELETE /mutator/nobody/mutation'],
  [`GET /mutator\nmutator_apikey: ${KEY}`, 'GET /mutator\nmutator_apikey: wrong'],
  [`POST ${WIND}\ncontent-type: application/json; charset=utf-8${mutation('"note":"x"')}`],
  [`GET /mutator\norigin: http://a.example`, 'OPTIONS *', 'TRACE /mutator', 'GET /mutator?a=%ff'],
  ['!GET /mutator HTTP/1.1\r\nHost: a\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n'],
  [`!DELETE ${WIND} HTTP/1.1\r\nHost: a\r\n\r\nDELETE ${LINK} HTTP/1.1\r\nHost: a\r\n\r\n`],
  [`!POST ${WIND} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  [`!POST ${WIND} HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\nExpect: 100-continue\r\n\r\n{`],
];

const TOKENS = [
  ...['GET ', 'POST ', 'DELETE ', 'HEAD ', 'PUT ', 'PATCH ', 'OPTIONS ', 'CONNECT ', 'QUERY '],
  ...['/mutator', '/mutation', ...PATHS, BROKEN, '/', '//', '..', '%2e%2e', '%2F', '%00', '%ff'],
  ...['?a=b', '#', ';', '*', 'http://a/mutator', '\nhost: b', '\ncontent-length: 0', ' HTTP/1.1'],
  ...['\ntransfer-encoding: chunked', '\ncontent-type: text/plain', '\nconnection: close'],
  ...['\nconnection: upgrade\nupgrade: h2c', '\nexpect: 100-continue', '\nexpect: x', '\nte: x'],
  ...[`\nmutator_apikey: ${KEY}`, '\nmutator_apikey: ', '\norigin: null', '\ncookie: a=b', ': '],
  ...['\nx-http-method-override: DELETE', '\ncontent-encoding: gzip', '\nrange: bytes=0-1'],
  ...[`"mutation":"${ID}"`, '"params":{}', '\r\n', '\r\n\r\n', '\n\n', SEPARATOR, `${SEPARATOR}!`],
  ...['0\r\n\r\n', 'ffffffff\r\n', 'HTTP/1.0', 'HTTP/9.9', 'Host: a\r\n', 'Content-Length: 5\r\n'],
];

/** Statuses of the API, and those that HTTP has for requests that cannot be read. */
const STATUSES = [200, 201, 400, 401, 404, 405, 408, 413, 417, 431, 500];

/** A method, a path, headers that mean nothing to the framing, a body. */
const PLAIN =
  /^(GET|HEAD|POST|DELETE) (\/[\w%./]*)(?:\n(?!content-length|transfer|connection|expect|upgrade|host)[a-z_-]+: [ -~]*)*(?:\n\n.*)?$/s;

/** The server: whatever is sent to its sockets. */
export async function serverTarget(): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-fuzz-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, name), text);
  const bench = await startBench(directory);
  const properties = Object.getOwnPropertyNames(Object.prototype).join();
  return {
    name: 'server',
    seeds: SEEDS.map((requests) => requests.join(SEPARATOR)),
    tokens: [...TOKENS, ...JSON_TOKENS],
    async run(input) {
      const traits: string[] = [];
      const before = bench.failures();
      let failed = 0;
      for (const request of input.split(SEPARATOR)) {
        const answers = await send(bench, request);
        failed += answers.filter(({ status }) => status === 500).length;
        const kind = PLAIN.exec(request)?.[1] ?? 'other';
        traits.push(`${kind} ${answers.map(({ status }) => status).slice(0, 3)}`);
      }
      await bench.settled();
      hold(failed <= bench.failures() - before, 'a 500 that no actuator caused');
      for (const [id, file] of Object.entries(FILE_OF)) {
        if (bench.stateOf(id) !== 'idle') await expectPlain(bench, `DELETE ${pathOf(id)}`);
        holdReset(bench, id, file);
      }
      const now = Object.getOwnPropertyNames(Object.prototype).join();
      hold(now === properties, 'Object.prototype is not what it was');
      return traits;
    },
    async close() {
      await bench.close();
      rmSync(directory, { recursive: true });
    },
  };
}

async function send(bench: Bench, request: string): Promise<readonly HttpAnswer[]> {
  return PLAIN.test(request) ? [await expectPlain(bench, request)] : sendAny(bench, request);
}

/** Sends what may be no request at all: what comes back is made of answers of the API. */
async function sendAny(bench: Bench, request: string): Promise<readonly HttpAnswer[]> {
  const bytes = request.startsWith('!') ? toBytes(request.slice(1)) : write(request);
  const text = await bench.say(bytes, { keyed: isKeyed(request), whole: false });
  await bench.settled();
  const answers = readAnswers(text);
  for (const answer of answers) holdAnswer(bench, answer);
  return answers;
}

/** Sends a request that can be read: it has one answer, and happens or does not. */
async function expectPlain(bench: Bench, request: string): Promise<HttpAnswer> {
  const [, method = '', path = ''] = PLAIN.exec(request) ?? [];
  const id = idOf(path);
  const earlier = Object.keys(FILE_OF).map((one) => bench.stateOf(one));
  const options = { keyed: isKeyed(request), whole: true };
  const text = await bench.say(write(request), options);
  const answers = readAnswers(text, method);
  hold(answers.length === 1, `${answers.length} answers to one request`);
  const [answer] = answers as [HttpAnswer];
  holdAnswer(bench, answer);
  const { status } = answer;
  const now = Object.keys(FILE_OF).map((one) => bench.stateOf(one));
  const changed = Object.keys(FILE_OF).filter((_, index) => earlier[index] !== now[index]);
  hold(
    changed.every((one) => one === id),
    'another mutator changed',
  );
  if (status === 201) {
    hold(method === 'POST' && id !== undefined, 'a 201 for what is no injection');
    hold(bench.stateOf(id) === 'active', 'an injection that was not made');
  } else if (status === 200 && method === 'DELETE') {
    hold(id !== undefined, 'a 200 for a reset of nothing');
    if (Object.hasOwn(FILE_OF, id)) holdReset(bench, id, FILE_OF[id] as string);
  } else hold(changed.length === 0 || status === 500, `a ${status} that changed something`);
  return answer;
}

function holdReset(bench: Bench, id: string, file: string): void {
  hold(bench.stateOf(id) === 'idle', 'a mutator that was reset is not idle');
  hold(bench.isOriginal(file), 'a file that was reset is not as it was');
}

function holdAnswer(bench: Bench, { status, headers, body }: HttpAnswer): void {
  hold(STATUSES.includes(status), `an answer of ${status}`);
  const isListing = headers.get('content-type') === 'application/json';
  if (isListing) hold(status === 200, `a listing with ${status}`);
  if (!isListing || body === '') hold(body === '', `a body with ${status}`);
  else hold(Buffer.from(body, 'latin1').toString() === bench.listing, 'another listing');
}

/** The bytes of a request in short form. */
function write(request: string): Uint8Array {
  const [head = '', ...rest] = request.split('\n\n');
  const body = toBytes(rest.join('\n\n'));
  const [first = '', ...headers] = head.split('\n');
  const lines = [`${first} HTTP/1.1`, 'host: a', 'connection: close', ...headers];
  if (rest.length > 0) lines.push(`content-length: ${body.length}`);
  return Buffer.concat([toBytes(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

function isKeyed(request: string): boolean {
  return /mutator_apikey/i.test(request);
}

/** The id of the mutator that a path names, if it names one. */
function idOf(path: string): string | undefined {
  const name = /^\/mutator\/([^/]+)\/mutation$/.exec(path)?.[1];
  return [...Object.keys(FILE_OF), FAILING].find((id) => name !== undefined && decode(name) === id);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
