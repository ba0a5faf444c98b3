import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import {
  readSession,
  type Session,
  type Vocabulary,
  vocabularyOf,
} from '../../src/session/index.js';
import {
  findSessions,
  readVocabulary,
  vocabularyCache,
} from '../../src/session/recordings/index.js';
import { version } from '../../src/version.js';

const line = (probe: string, name: string, attributes: object = {}): string =>
  `${JSON.stringify({ probe, name, attributes })}\n`;

function names({ shapes }: Vocabulary): string[] {
  return shapes.map(({ name, probe, events }) => `${events} ${name} @ ${probe}`);
}

test('a vocabulary has the names, the attributes with their kinds, and the texts of few', async () => {
  const mixed = [true, 'on', 3, 2.5].map((x) => line('B', 'x', { x, id: `r${x}` })).join('');
  const many = Array.from({ length: 33 }, (_, at) => line('A', 'b', { id: `${at}`, mode: 'M' }));
  const { session } = await readSession(line('A', 'a') + many.join('') + mixed);
  const { shapes, texts, events, whole } = vocabularyOf(session as Session);
  expect([events, whole]).toEqual([38, true]);
  expect(shapes).toEqual([
    {
      ...{ name: 'b', probe: 'A', events: 33 },
      attributes: new Map([
        ['id', new Map([['string', 33]])],
        ['mode', new Map([['string', 33]])],
      ]),
    },
    {
      ...{ name: 'x', probe: 'B', events: 4 },
      attributes: new Map([
        ['id', new Map([['string', 4]])],
        ['x', new Map(['integer', 'float', 'string', 'boolean'].map((kind) => [kind, 1]))],
      ]),
    },
    { name: 'a', probe: 'A', events: 1, attributes: new Map() },
  ]);
  expect([...texts].sort()).toEqual([
    ['id', null],
    ['mode', new Map([['M', 33]])],
    ['x', new Map([['on', 1]])],
  ]);
});

test('with too many names there is none', async () => {
  const lines = Array.from({ length: 10_001 }, (_, at) => line('A', `n${at}`));
  const { session } = await readSession(lines.join(''));
  expect(vocabularyOf(session as Session)).toEqual({
    ...{ events: 10_001, shapes: [], texts: new Map(), orders: null, whole: false },
  });
});

/** A directory with a session, and where its vocabulary is kept. */
function place(text = line('A', 'one')) {
  const home = mkdtempSync(join(tmpdir(), 'vocabulary-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const directory = join(home, 'recordings');
  mkdirSync(directory);
  const file = join(directory, 'a.session.jsonl');
  writeFileSync(file, text);
  const cache = vocabularyCache({ XDG_CACHE_HOME: join(home, 'cache') }) as string;
  const read = async () => names((await readVocabulary([file], cache)).vocabulary);
  const kept = () => join(cache, readdirSync(cache)[0] as string);
  return { home, directory, file, cache, read, kept };
}

const THEN = new Date(1_700_000_000_000);

test('a file is read again where its size, time or inode differ, and its bytes too', async () => {
  const { directory, file, cache, read, kept } = place();
  utimesSync(file, THEN, THEN);
  expect(await read()).toEqual(['1 one @ A']);
  expect(readdirSync(directory)).toEqual(['a.session.jsonl']);
  expect([statSync(cache).mode & 0o777, statSync(kept()).mode & 0o777]).toEqual([0o700, 0o600]);
  // Nothing tells that it is another: it is not looked at.
  writeFileSync(file, line('A', 'two'));
  utimesSync(file, THEN, THEN);
  expect(await read()).toEqual(['1 one @ A']);
  utimesSync(file, THEN, new Date());
  expect(await read()).toEqual(['1 two @ A']);
  writeFileSync(file, line('A', 'three'));
  utimesSync(file, THEN, THEN);
  expect(await read()).toEqual(['1 three @ A']);
  renameSync(file, `${file}.old`);
  writeFileSync(file, line('A', 'thr33'));
  utimesSync(file, THEN, THEN);
  expect(await read()).toEqual(['1 thr33 @ A']);
});

test('the same bytes at another time are not read again', async () => {
  const { file, read, kept } = place();
  await read();
  // What was kept says something else than the file, so that it can be told from it.
  forge(kept(), (text) => text.replace('"one"', '"uno"'));
  utimesSync(file, THEN, THEN);
  expect(await read()).toEqual(['1 uno @ A']);
});

/** Changes what is kept, and its digest too. */
function forge(path: string, change: (text: string) => string): void {
  const [, text = ''] = /^[^\n]*\n(.*)$/s.exec(readFileSync(path, 'utf8')) ?? [];
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(path, `${createHash('sha256').update(changed).digest('hex')}\n${changed}`);
}

test.each<[string, (kept: string, home: string) => void]>([
  [
    'is damaged',
    (kept) => writeFileSync(kept, readFileSync(kept, 'utf8').replace('"one"', '"uno"')),
  ],
  ['is cut', (kept) => writeFileSync(kept, readFileSync(kept, 'utf8').slice(0, -5))],
  [
    'is of another version',
    (kept) =>
      forge(kept, (text) => text.replace(`"${version}"`, '"0.0.0"').replace('"one"', '"uno"')),
  ],
  ['has another form', (kept) => forge(kept, () => `{"writer":"${version}","files":7}`)],
  [
    'can be read by others',
    (kept) => {
      forge(kept, (text) => text.replace('"one"', '"uno"'));
      chmodSync(kept, 0o644);
    },
  ],
  [
    'is a link',
    (kept, home) => {
      forge(kept, (text) => text.replace('"one"', '"uno"'));
      renameSync(kept, join(home, 'elsewhere'));
      symlinkSync(join(home, 'elsewhere'), kept);
    },
  ],
])('what is kept is not used where it %s', async (_, change) => {
  const { home, read, kept } = place();
  await read();
  change(kept(), home);
  expect(await read()).toEqual(['1 one @ A']);
  expect(await read()).toEqual(['1 one @ A']);
});

test.skipIf(process.getuid?.() !== 0)('what somebody else has put there is not used', async () => {
  const { read, kept } = place();
  await read();
  forge(kept(), (text) => text.replace('"one"', '"uno"'));
  chownSync(kept(), 12_345, 12_345);
  expect(await read()).toEqual(['1 one @ A']);
});

test('without a cache that can be written, files are read', async () => {
  const { file, home } = place();
  writeFileSync(join(home, 'file'), '');
  const reading = await readVocabulary([file], join(home, 'file', 'cache'));
  expect(names(reading.vocabulary)).toEqual(['1 one @ A']);
  expect(vocabularyCache({})).toBe(undefined);
  expect(names((await readVocabulary([file], undefined)).vocabulary)).toEqual(['1 one @ A']);
});

test('what is broken is left out and told, each time; sessions of all formats are joined', async () => {
  const { directory, file, cache } = place(`${line('A', 'one')}{"probe": 3}\n`);
  const log = join(directory, 'b.log');
  writeFileSync(log, 'C {"C":1}\nsend\n');
  const nothing = join(directory, 'c.png');
  writeFileSync(nothing, Buffer.from([0x89, 0x50, 0, 0]));
  for (const again of [false, true]) {
    const { vocabulary, problems } = await readVocabulary([file, log, nothing, file], cache);
    expect([again, names(vocabulary)]).toEqual([again, ['1 one @ A', '1 send @ C']]);
    expect(problems.map(({ path }) => path)).toEqual([file, nothing]);
    expect(problems[0]?.message).toMatch(/^2: /);
  }
});

test('a directory stands for its sessions and those of its runs, a glob for what it matches', async () => {
  const { directory, file } = place();
  const write = (path: string, bytes: string | Buffer = line('A', 'x')) => {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), bytes);
    return join(directory, path);
  };
  const packed = write('deep/b.session.jsonl.gz', gzipSync(line('A', 'x')));
  const attempt = write('run/attempts/3.jsonl');
  for (const other of [
    'run/attempts/3.events.jsonl',
    'run/journal',
    'node_modules/c.session.jsonl',
    'd.jsonl',
  ])
    write(other);
  expect(await findSessions('.', directory)).toEqual([file, packed, attempt]);
  expect(await findSessions('deep/*.gz', directory)).toEqual([packed]);
  expect(await findSessions('d.jsonl', directory)).toEqual([join(directory, 'd.jsonl')]);
  expect(await findSessions('nothing', directory)).toEqual([]);
});
