import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { chmod, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encodeColumns } from '../../src/session/files/cache-format.js';
import { cacheOf, readSessionFile } from '../../src/session/files/index.js';
import { originOf } from '../../src/session/files/read-bytes.js';
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

async function read(cache: boolean | 'auto' = true): Promise<unknown> {
  const { session, problems } = await readSessionFile(path, { cache });
  expect(problems).toEqual([]);
  return plain(session as Session);
}

describe('gzip', () => {
  test('is told by content', async () => {
    writeFileSync(path, gzipSync(TEXT));
    expect(await read(false)).toEqual(await expected());
    const members = [TEXT.slice(0, 1000), TEXT.slice(1000)].map((part) => gzipSync(part));
    writeFileSync(path, Buffer.concat(members));
    expect(await read(false)).toEqual(await expected());
  });

  test('that is damaged is a problem, and tolerant reading takes what came before it', async () => {
    const noise = Array.from({ length: 20_000 }, (_, at) => `{"probe":"A","name":"${at * 7919}"}`);
    const packed = gzipSync(noise.join('\n'));
    writeFileSync(path, packed.subarray(0, packed.length >> 1));
    const strict = await readSessionFile(path);
    expect(strict.session).toBeUndefined();
    expect(strict.problems[0]?.message).toBe('the file is not whole gzip: unexpected end of file');
    const { session, dropped } = await readSessionFile(path, { tolerant: true });
    expect(session?.size).toBeGreaterThan(1000);
    expect(dropped.record).toBeGreaterThan(0);
  });
});

test('a file that is not there is an error of the system', async () => {
  await expect(readSessionFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(readSessionFile(directory)).rejects.toMatchObject({ code: 'EISDIR' });
});

test('progress is told in bytes', async () => {
  writeFileSync(path, TEXT);
  const seen: number[] = [];
  await readSessionFile(path, { cache: false, onProgress: (bytes) => seen.push(bytes) });
  expect(seen.at(-1)).toBe(Buffer.byteLength(TEXT));
});

describe('the cache', () => {
  test('gives the same session, and is used', async () => {
    writeFileSync(path, TEXT);
    expect(await read()).toEqual(await expected());
    expect(readdirSync(directory)).toEqual([
      'flight.session.jsonl',
      'flight.session.jsonl.columns',
    ]);
    expect(await read()).toEqual(await expected());
    // Columns of another session, kept for a file of these bytes, are what is read.
    const other = '{"probe":"A","name":"from the cache"}';
    const { session } = await readSession(other);
    const bytes = encodeColumns(session as Session, await originOf(path)) as Uint8Array[];
    writeFileSync(cacheOf(path), Buffer.concat(bytes));
    expect(await read()).toEqual(await expected(other));
    expect(await read(false)).toEqual(await expected());
  });

  test('is not kept of more text than can be joined', async () => {
    const session = (await readSession(TEXT)).session as Session;
    const texts = new Array<string>(600).fill('x'.repeat(2 ** 20));
    expect(encodeColumns({ ...session, texts }, { size: 1, digest: 1 })).toBeUndefined();
  });

  test('is not kept of small files unless asked for', async () => {
    writeFileSync(path, TEXT);
    await read('auto');
    await read(false);
    expect(readdirSync(directory)).toEqual(['flight.session.jsonl']);
  });

  test('is made anew when the file changes, whatever its time and size', async () => {
    writeFileSync(path, TEXT);
    await utimes(path, 1, 1);
    await read();
    const changed = TEXT.replace('"x":3.5', '"x":4.5');
    expect(changed.length).toBe(TEXT.length);
    writeFileSync(path, changed);
    await utimes(path, 1, 1);
    expect(await read()).toEqual(await expected(changed));
    expect(await read()).toEqual(await expected(changed));
    appendFileSync(path, '{"probe":"P9","name":"late"}\n');
    expect(await read()).toEqual(await expected(`${changed}{"probe":"P9","name":"late"}\n`));
  });

  test('of a broken session is not kept', async () => {
    writeFileSync(path, `${TEXT}{`);
    await readSessionFile(path, { cache: true, tolerant: true });
    expect(readdirSync(directory)).toEqual(['flight.session.jsonl']);
  });

  test('that is damaged at any place is not believed', { timeout: 600_000 }, async () => {
    writeFileSync(path, TEXT);
    await read();
    const whole = readFileSync(cacheOf(path));
    const wanted = await expected();
    const damage = fc.record({
      at: fc.nat(whole.length - 1),
      change: fc.integer({ min: 1, max: 255 }),
      cut: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, change, cut }) => {
        const bytes = Buffer.from(cut ? whole.subarray(0, at) : whole);
        if (!cut) bytes[at] = (bytes[at] as number) ^ change;
        writeFileSync(cacheOf(path), bytes);
        expect(await read()).toEqual(wanted);
        // And it was made anew.
        expect(readFileSync(cacheOf(path)).equals(whole)).toBe(true);
      }),
      { numRuns: 300 },
    );
    writeFileSync(cacheOf(path), '');
    expect(await read()).toEqual(wanted);
  });

  test('is not needed: a directory in its place, and one that cannot be written', async () => {
    writeFileSync(path, TEXT);
    mkdirSync(cacheOf(path));
    expect(await read()).toEqual(await expected());
    await chmod(directory, 0o500);
    try {
      expect(await read()).toEqual(await expected());
    } finally {
      await chmod(directory, 0o700);
    }
  });
});
