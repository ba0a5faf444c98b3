import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { PerturbError } from '../../src/basics/index.js';
import { type ObjectiveStore, openStore, readStoreUrl } from '../../src/store/index.js';
import { CLEAN, directoryWith, perturb } from '../cli/program.js';
import { roll } from '../dice.js';
import { candidate } from './candidates.js';

async function open(path: string): Promise<ObjectiveStore> {
  const store = await openStore(readStoreUrl(`sqlite:${path}`, { base: '/', cwd: '/' }), {
    whenMissing: 'create',
  });
  onTestFinished(() => store.close());
  return store;
}

/** A store of two objectives, one of them with two revisions, and its path. */
async function filled(): Promise<string> {
  const path = join(directoryWith({}), 'store.db');
  const store = await open(path);
  await store.register([candidate('Wind'), candidate('Rain')]);
  await store.register([candidate('Wind', 2)], { update: true });
  await store.close();
  return path;
}

function change(path: string, statement: string): void {
  const database = new Sqlite(path);
  database.exec(statement);
  database.close();
}

const WIND_2 = `(select r.id from perturb_revisions r join perturb_objectives o on o.id = r.objective_id
  where o.name = 'Wind' and r.revision = 2)`;

test.each([
  [
    'content',
    `update perturb_contents set canonical = replace(canonical, '2', '3') where revision_id = ${WIND_2}`,
    'its content does not match its digest',
  ],
  [
    'content that is no UTF-8',
    `update perturb_contents set canonical = cast(x'7bff7d' as text) where revision_id = ${WIND_2}`,
    'its content does not match its digest',
  ],
  [
    'file',
    `update perturb_contents set original = x'00' where revision_id = ${WIND_2}`,
    'its file does not match its digest',
  ],
  [
    'file that is a number',
    `update perturb_contents set original = 7 where revision_id = ${WIND_2}`,
    'its file does not match its digest',
  ],
  [
    'digest',
    `update perturb_revisions set sha256 = cast(x'ff' as text) where id = ${WIND_2}`,
    'its content does not match its digest, its other fields do not match its seal',
  ],
  [
    'time',
    `update perturb_revisions set created_at = 'noon' where id = ${WIND_2}`,
    'its other fields do not match its seal',
  ],
  [
    'missing content',
    `delete from perturb_contents where revision_id = ${WIND_2}`,
    'its content is missing',
  ],
  ['missing revision', `delete from perturb_revisions where id = ${WIND_2}`, 'it is missing'],
])('a damaged revision is named: %s', async (_what, statement, problem) => {
  const path = await filled();
  change(path, statement);
  const store = await open(path);
  const refusal = {
    code: 'corrupt',
    message: `"Wind@2" in ${path.slice(1)} is damaged: ${problem}; restore the store from a backup ("perturb doctor" lists all damage)`,
  };
  await expect(store.find('Wind')).rejects.toMatchObject(refusal);
  await expect(store.find('Wind', 2)).rejects.toMatchObject(refusal);
  await expect(store.register([candidate('Wind', 5)], { update: true })).rejects.toMatchObject(
    refusal,
  );
  // The others are as they were.
  expect((await store.find('Wind', 1))?.canonical).toBe(candidate('Wind').canonical);
  expect((await store.find('Rain'))?.canonical).toBe(candidate('Rain').canonical);
  expect(await store.verify()).toMatchObject({
    objectives: 2,
    damaged: [{ name: 'Wind', revision: 2, problems: problem.split(', ') }],
    problems: [],
  });
});

test('a revision never passes for another one', async () => {
  const path = await filled();
  change(
    path,
    `update perturb_revisions set revision = 9 where id = ${WIND_2};
     update perturb_revisions set revision = 2 where revision = 1;
     update perturb_revisions set revision = 1 where revision = 9`,
  );
  const seal = /"Wind@[12]" in .* is damaged: its other fields do not match its seal;/;
  const store = await open(path);
  await expect(store.find('Wind')).rejects.toThrow(seal);
  await expect(store.find('Wind', 1)).rejects.toThrow(seal);
  await expect(store.list()).rejects.toThrow(seal);
});

test('an objective whose newest revision is mistaken is damaged', async () => {
  const path = await filled();
  change(path, "update perturb_objectives set revision = 1 where name = 'Wind'");
  const store = await open(path);
  await expect(store.find('Wind')).rejects.toThrow(
    `"Wind@1" in ${path.slice(1)} is damaged: the newest revision is unknown;`,
  );
  expect((await store.verify()).damaged.map(({ revision }) => revision)).toEqual([1, 2]);
});

const UNREADABLE = 'its newest revision number is unreadable';
const NEWEST = 'the newest revision is unknown';

test.each([
  ["'zzz'", UNREADABLE],
  ["cast(x'ff' as text)", UNREADABLE],
  ["''", UNREADABLE],
  ["x'00ff'", UNREADABLE],
  ['9', undefined],
])(
  'an objective whose newest revision is recorded as %s is damaged, and not missing',
  async (value, said) => {
    const path = await filled();
    change(path, `update perturb_objectives set revision = ${value} where name = 'Wind'`);
    const store = await open(path);
    await expect(store.find('Wind')).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.list()).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.register([candidate('Wind', 5)])).rejects.toMatchObject({ code: 'corrupt' });
    const { damaged } = await store.verify();
    if (said === undefined)
      expect(damaged.map(({ revision }) => revision)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    else {
      expect(damaged).toEqual([
        { name: 'Wind', problems: [said] },
        { name: 'Wind', revision: 1, problems: [NEWEST] },
        { name: 'Wind', revision: 2, problems: [NEWEST] },
      ]);
    }
  },
);

test('of a newest revision that is far too large, no list of gaps is made', async () => {
  const path = await filled();
  change(path, "update perturb_objectives set revision = 123456 where name = 'Wind'");
  const { damaged } = await (await open(path)).verify();
  expect(damaged).toEqual([
    {
      name: 'Wind',
      problems: ['its newest revision number is 123456, but its number of revisions is 2'],
    },
  ]);
});

test.each([
  [
    'number of a revision',
    `perturb_revisions set revision = x'00ff' where id = ${WIND_2}`,
    [
      { name: 'Wind', revision: 2, problems: ['it is missing'] },
      { name: 'Wind', revision: 1, problems: [NEWEST] },
      { name: 'Wind', problems: ['one of its revision numbers is unreadable'] },
    ],
  ],
  [
    'time of its deletion',
    "perturb_objectives set deleted_at = 7 where name = 'Wind'",
    [1, 2].map((revision) => ({
      name: 'Wind',
      revision,
      problems: ['its deletion time is unreadable'],
    })),
  ],
  [
    'time of its creation',
    "perturb_objectives set created_at = 'noon' where name = 'Wind'",
    [{ name: 'Wind', problems: ['its creation time is unreadable'] }],
  ],
  [
    'name',
    "perturb_objectives set name = x'00ff' where name = 'Wind'",
    [{ name: '(unreadable)', problems: ['its name is unreadable'] }],
  ],
])('a check finds what is unreadable: the %s', async (_, statement, expected) => {
  const path = await filled();
  change(path, `update ${statement}`);
  const { damaged } = await (await open(path)).verify();
  expect(damaged).toEqual(expect.arrayContaining(expected));
});

test('rows that belong to nothing are found', async () => {
  const path = await filled();
  change(path, "pragma foreign_keys = off; delete from perturb_objectives where name = 'Rain'");
  expect(await (await open(path)).verify()).toEqual({
    objectives: 1,
    revisions: 3,
    damaged: [],
    problems: ['revisions without an objective: 1'],
  });
});

test('the program tells, in text and as json, with exit code 4', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  const store = ['--store', 'sqlite:a.db'];
  const run = (...args: readonly string[]) => perturb(['objective', ...args, ...store], { cwd });
  /** The exit code of doctor, and its check of the store. */
  const examine = async () => {
    const { code, stdout } = await perturb(['doctor', ...store, '-f', 'json'], { cwd });
    const { checks } = JSON.parse(stdout) as { checks: { subject: string }[] };
    return { code, check: checks.find(({ subject }) => subject === 'store') };
  };
  await run('create', 'a.toml');
  expect(await examine()).toEqual({
    code: 0,
    check: {
      ...{ subject: 'store', state: 'ok', from: '--store' },
      detail: 'a.db: 1 objective, 1 revision, none damaged',
    },
  });
  change(join(cwd, 'a.db'), "update perturb_contents set canonical = cast(x'ff' as text)");
  for (const command of [
    ['show', 'Wind'],
    ['show', 'Wind@1', '-f', 'json'],
    ['export', 'Wind'],
    ['diff', 'Wind', 'a.toml'],
    ['create', 'a.toml'],
    ['create', 'a.toml', '--update'],
  ]) {
    expect([command, await run(...command)]).toEqual([
      command,
      {
        code: 4,
        stdout: '',
        stderr:
          'perturb: "Wind@1" in a.db is damaged: its content does not match its digest; restore the store from a backup ("perturb doctor" lists all damage)\n',
      },
    ]);
  }
  change(join(cwd, 'a.db'), "update perturb_objectives set name = cast(x'57ff0a' as text)");
  expect(await examine()).toEqual({
    code: 4,
    check: {
      ...{ subject: 'store', state: 'bad', from: '--store' },
      detail:
        'a.db: 1 objective, 1 revision; "W\ufffd\\n@1": its content does not match its digest, its other fields do not match its seal',
    },
  });
});

/** Takes a store back to its first schema. */
const FIRST_SCHEMA =
  'alter table perturb_revisions drop column original_sha256; alter table perturb_revisions drop column seal; delete from perturb_schema where version = 2';

test('a store of an earlier schema gets the digests of its files', async () => {
  const path = await filled();
  change(path, FIRST_SCHEMA);
  const store = await open(path);
  expect(await store.verify()).toMatchObject({ revisions: 3, damaged: [], problems: [] });
});

test('the seal that the second step gives a revision is the one that it has always given', async () => {
  const path = await filled();
  const rain = `(select id from perturb_objectives where name = 'Rain')`;
  change(
    path,
    `pragma foreign_keys = off;
    update perturb_contents set revision_id = 'one'
      where revision_id = (select id from perturb_revisions where objective_id = ${rain});
    update perturb_revisions set id = 'one', created_at = '2026-01-02T03:04:05.006Z'
      where objective_id = ${rain};
    ${FIRST_SCHEMA}`,
  );
  await open(path);
  const database = new Sqlite(path);
  onTestFinished(() => void database.close());
  const row = database.prepare(`select seal from perturb_revisions where id = 'one'`).get();
  expect(row).toMatchObject({
    seal: '2024f73479cc6c56223e21027436bb4b81e8fe7ec93fd62724a91fb91b4f00bf',
  });
});

test('a damaged store of an earlier schema is migrated, and stays damaged', async () => {
  const path = await filled();
  change(path, `delete from perturb_contents where revision_id = ${WIND_2}; ${FIRST_SCHEMA}`);
  const store = await open(path);
  expect((await store.find('Rain'))?.canonical).toBe(candidate('Rain').canonical);
  expect((await store.verify()).damaged).toEqual([
    { name: 'Wind', revision: 2, problems: ['its content is missing'] },
  ]);
});

test('wherever a byte is damaged, what is read is right or refused', async () => {
  const path = await filled();
  change(path, `vacuum into '${path}.dense'`);
  const sound = readFileSync(`${path}.dense`);
  const used = [...sound.keys()].filter((at) => sound[at] !== 0);
  const dice = roll(7);
  const directory = directoryWith({});
  let refused = 0;
  for (let count = 0; count < 150; count += 1) {
    const bytes = Buffer.from(sound);
    const at = dice.pick(used);
    bytes.writeUInt8((bytes.readUInt8(at) + 1 + dice.upTo(254)) % 256, at);
    const copy = join(directory, `${count}.db`);
    writeFileSync(copy, bytes);
    const outcome = await readAll(copy);
    if (outcome === 'refused') refused += 1;
    else expect([at, outcome]).toEqual([at, 'right']);
  }
  expect(refused).toBeGreaterThan(50);
  expect(refused).toBeLessThan(150);
});

async function readAll(path: string): Promise<string> {
  const store = await openStore(readStoreUrl(`sqlite:${path}`, { base: '/', cwd: '/' })).catch(
    refusal,
  );
  if (typeof store === 'string') return store;
  try {
    for (const name of ['Wind', 'Rain']) {
      for (const revision of [1, 2]) {
        const found = await store.find(name, revision);
        // One whose name or number was damaged is not found.
        if (found === undefined) continue;
        const written = candidate(name, revision);
        expect(found.canonical).toBe(written.canonical);
        expect(Buffer.from(found.original)).toEqual(written.original);
      }
    }
    await store.list();
    await store.verify();
    return 'right';
  } catch (error) {
    return refusal(error);
  } finally {
    await store.close();
  }
}

function refusal(error: unknown): string {
  if (error instanceof PerturbError) return 'refused';
  throw error;
}
