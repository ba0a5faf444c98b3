import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith, perturb, perturbProcess } from '../cli/program.js';

/* A store that came with a repository: it may hold anything that SQLite can. */

const PLACE = '.perturb/objectives.db';

/** A project with a store of one objective, that somebody then changed. */
async function planted(...statements: readonly string[]): Promise<string> {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  expect((await perturb(['objective', 'create', 'a.toml'], { cwd })).code).toBe(0);
  const database = new Sqlite(join(cwd, PLACE));
  for (const statement of statements) database.exec(statement);
  database.close();
  return cwd;
}

const ENDLESS = '(with recursive r(n) as (select 1 union all select n + 1 from r) select n from r)';

test.each([
  [
    'a view that does not end, in the place of a table',
    [
      'alter table perturb_objectives rename to moved',
      `create view perturb_objectives as
       select id, name, revision, created_at, deleted_at from moved, ${ENDLESS}`,
    ],
    'it has the unexpected view "perturb_objectives"',
  ],
  [
    'a view of another name',
    [`create view "\u001b[2J" as select * from ${ENDLESS}`],
    'it has the unexpected view "\\u{1b}[2J"',
  ],
  [
    'a trigger',
    ['create trigger t after insert on perturb_objectives begin select 1; end'],
    'it has the unexpected trigger "t"',
  ],
  [
    'an index over what is computed',
    ['create index i on perturb_objectives (hex(zeroblob(9)))'],
    'it has the unexpected index "i"',
  ],
  [
    'a computed column',
    ['alter table perturb_objectives add column big text as (hex(zeroblob(900000000)))'],
    'the table "perturb_objectives" is not a plain table',
  ],
])('%s is refused by name before it is read', async (_, statements, why) => {
  const cwd = await planted(...statements);
  // What is read without an end does not hold up the tests in a process of its own: the first has one.
  for (const [run, ...words] of [
    [perturbProcess, 'list'],
    [perturb, 'show', 'Wind'],
    [perturb, 'create', 'a.toml'],
  ] as const) {
    expect(await run(['objective', ...words], { cwd })).toEqual({
      code: 4,
      stdout: '',
      stderr: `perturb: ${PLACE} was modified outside Perturb (${why}): replace it with a backup, or move the file away\n`,
    });
  }
});

test('a view alone is the database of another program', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  mkdirSync(join(cwd, '.perturb'));
  const database = new Sqlite(join(cwd, PLACE));
  database.exec(`create view v as select * from ${ENDLESS}`);
  database.close();
  expect(await perturbProcess(['objective', 'list'], { cwd })).toMatchObject({
    code: 4,
    stderr: `perturb: ${PLACE} is another program's database: choose another location for the store\n`,
  });
});

test.skipIf(process.platform === 'win32').each(['/dev/zero', 'pipe'])(
  'a store that is %s is not opened',
  async (what) => {
    const cwd = directoryWith({ '.perturb/.gitignore': '*\n' });
    spawnSync('mkfifo', [join(cwd, '.perturb/pipe')]);
    symlinkSync(what, join(cwd, PLACE));
    expect(await perturbProcess(['objective', 'list'], { cwd })).toEqual({
      code: 4,
      stdout: '',
      stderr: `perturb: cannot open ${PLACE}: it is not a regular file\n`,
    });
  },
);
