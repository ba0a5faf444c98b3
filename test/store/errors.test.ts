import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { openStore, readStoreUrl, StoreError } from '../../src/store/index.js';
import { migrations } from '../../src/store/migrations.js';
import { explainPostgres } from '../../src/store/postgres/errors.js';
import { explainSqlite } from '../../src/store/sqlite/errors.js';
import { CLEAN, directoryWith, perturbProcess } from '../cli/program.js';
import { candidate } from './candidates.js';
import { databaseAt, SERVER } from './databases.js';

async function failure(url: string, cwd = '/'): Promise<string> {
  try {
    const location = readStoreUrl(url, { base: cwd, cwd });
    await (await openStore(location, { whenMissing: 'create' })).close();
  } catch (error) {
    if (error instanceof StoreError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('it could be opened');
}

test.each([
  ['mysql://a:secret@b/c', 'write a store as sqlite:PATH or postgres://HOST/DATABASE'],
  ['sqlite:', 'write a SQLite store as sqlite:PATH'],
  ['sqlite://lab.db', 'write a SQLite store as sqlite:PATH'],
  ['postgres://u:secret@h', 'the store URL names no database: expected postgres://HOST/DATABASE'],
  [
    'postgres://u:sec/ret@h:5432/d',
    'the store URL is malformed: write characters such as "@", "/", "#" and "%" in a password as %40, %2F, %23 and %25',
  ],
  [
    'postgres://u:secret@h/d?tls=yes',
    'the store URL has the unknown parameter "tls": expected one of host, sslmode, sslrootcert, sslcert, sslkey, connect_timeout, statement_timeout',
  ],
  [
    'postgres://h/d?sslmode=prefer',
    'sslmode in the store URL must be one of disable, require, verify-ca, verify-full',
  ],
  [
    'postgres://h/d?statement_timeout=5s',
    'statement_timeout in the store URL must be a whole number of milliseconds',
  ],
])('%s is no URL of a store', async (url, message) => {
  expect(await failure(url)).toBe(`bad-url: ${message}`);
  expect(message).not.toContain('secret');
});

test.each([
  ['postgres://h/d', 'verify-full'],
  ['postgres://127.0.0.1/d', 'disable'],
  ['postgres://u@/d?host=/run/postgresql', 'disable'],
  ['postgres://h/d?sslmode=require', 'require'],
])('%s has the TLS mode %s', (url, mode) => {
  const location = readStoreUrl(url, { base: '/', cwd: '/' });
  expect(location.kind === 'postgres' && location.tls.mode).toBe(mode);
});

test('a URL for people has no password', () => {
  const location = readStoreUrl('postgres://lab:s%40cret@db:6000/d', { base: '/', cwd: '/' });
  expect(location).toMatchObject({ password: 's@cret', place: 'postgres://lab@db:6000/d' });
});

test('a missing store is told apart from one that is no database and one of others', async () => {
  const cwd = directoryWith({ 'no.db': 'This is not a database. '.repeat(100) });
  const missing = readStoreUrl('sqlite:x.db', { base: cwd, cwd });
  await expect(openStore(missing)).rejects.toMatchObject({
    code: 'missing',
    message: 'there is no store at x.db yet: "perturb objective create FILE" creates one',
  });
  expect(existsSync(join(cwd, 'x.db'))).toBe(false);
  expect(await failure('sqlite:no.db', cwd)).toBe(
    'corrupt: no.db is not a database: choose another location for the store, or move the file away',
  );
  expect(readFileSync(join(cwd, 'no.db'), 'utf8')).toBe('This is not a database. '.repeat(100));
});

test('a database of another program is left alone', async () => {
  const cwd = directoryWith({});
  const other = new Sqlite(join(cwd, 'other.db'));
  other.exec('create table songs (title text)');
  other.close();
  expect(await failure('sqlite:other.db', cwd)).toBe(
    "foreign: other.db is another program's database: choose another location for the store",
  );
});

test('a store that is damaged is told', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  const store = ['--store', 'sqlite:a.db'];
  await perturbProcess(['objective', 'create', 'a.toml', ...store], { cwd });
  const path = join(cwd, 'a.db');
  // The header and the schema stay; all the rows are lost.
  writeFileSync(path, readFileSync(path).fill(0xff, 4096));
  expect(await perturbProcess(['objective', 'list', ...store], { cwd })).toEqual({
    code: 4,
    stdout: '',
    stderr: 'perturb: a.db is damaged: replace it with a backup, or move the file away\n',
  });
});

test('a place below a file cannot be made', async () => {
  const cwd = directoryWith({ file: '' });
  expect(await failure('sqlite:file/x/a.db', cwd)).toBe(
    'denied: cannot create file/x/a.db: not a directory; choose another location with --store',
  );
  expect(await failure('sqlite:.', cwd)).toBe('denied: cannot open .: it is not a regular file');
});

// Node 20 tries this for ever if it makes the directories itself.
test.skipIf(process.platform !== 'linux')('a place where no directory can be made', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  const store = ['--store', 'sqlite:/proc/x/y.db'];
  expect(await perturbProcess(['objective', 'create', 'a.toml', ...store], { cwd })).toEqual({
    code: 4,
    stdout: '',
    stderr:
      'perturb: cannot create /proc/x/y.db: no such file or directory; choose another location with --store\n',
  });
});

test('a copy is kept before a store is migrated', async () => {
  const cwd = directoryWith({});
  const location = readStoreUrl('sqlite:a.db', { base: cwd, cwd });
  const old = await openStore(location, { whenMissing: 'create' });
  await old.register([candidate('Wind')]);
  await old.close();
  const next = { name: 'next', up: async () => undefined };
  await (await openStore(location, { migrations: [...migrations, next] })).close();
  expect(readdirSync(cwd).filter((name) => /backup/.test(name))).toEqual(['a.db.schema-2.backup']);
  const copy = await openStore(readStoreUrl('sqlite:a.db.schema-2.backup', { base: cwd, cwd }));
  expect(await copy.names()).toEqual(['Wind']);
  await copy.close();
});

test('only its own directory is made private', async () => {
  const cwd = directoryWith({});
  for (const url of ['sqlite:.perturb/a.db', 'sqlite:lab/b.db']) {
    const location = readStoreUrl(url, { base: cwd, cwd });
    await (await openStore(location, { whenMissing: 'create' })).close();
  }
  expect(readFileSync(join(cwd, '.perturb/.gitignore'), 'utf8')).toBe('*\n');
  expect(existsSync(join(cwd, 'lab/.gitignore'))).toBe(false);
  chmodSync(join(cwd, 'lab'), 0o700);
  expect(statSync(join(cwd, 'lab/b.db')).size).toBeGreaterThan(0);
});

test('a server that is away', async () => {
  expect(await failure('postgres://lab:secret@127.0.0.1:9/d')).toBe(
    'unreachable: cannot use postgres://lab@127.0.0.1:9/d: no server responds: start it, or correct the host and port',
  );
});

test('a server that says nothing', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  expect(await failure(`postgres://127.0.0.1:${port}/d?connect_timeout=1`)).toBe(
    `unreachable: cannot use postgres://127.0.0.1:${port}/d: it does not respond: check the host, port and firewall`,
  );
});

test.skipIf(SERVER === undefined)(
  'a wrong password, no password, and no such database',
  async () => {
    const { host, username } = new URL(SERVER as string);
    expect(await failure(`postgres://${username}:wrong@${host}/postgres`)).toBe(
      `unauthorized: cannot use postgres://${username}@${host}/postgres: it rejected the password: set PGPASSWORD or correct ~/.pgpass`,
    );
    expect(await failure(`postgres://${username}@${host}/postgres`)).toBe(
      `unauthorized: cannot use postgres://${username}@${host}/postgres: it requires a password: add it to ~/.pgpass, or set PGPASSWORD (and PGHOST, if perturb.toml names the server)`,
    );
    expect(await failure(databaseAt('nowhere'))).toBe(
      `unreachable: cannot use postgres://${username}@${host}/nowhere: it has no such database: create it, or correct the name`,
    );
    expect(await failure(`${databaseAt('postgres')}?sslmode=require`)).toBe(
      `unauthorized: cannot use postgres://${username}@${host}/postgres: it does not support TLS: enable TLS there, or use sslmode=disable`,
    );
  },
);

test.each([
  ['SQLITE_FULL', 13, 'full'],
  ['SQLITE_IOERR_WRITE', 778, 'failed'],
  ['SQLITE_READONLY_DIRECTORY', 1544, 'denied'],
  ['SQLITE_BUSY_SNAPSHOT', 517, 'busy'],
])('%s is explained', (_name, rawCode, meaning) => {
  const told = explainSqlite(Object.assign(new Error('x'), { rawCode }), 'a.db');
  expect(told?.code).toBe(meaning);
  expect(told?.message).toMatch(/^[^\n]*a\.db[^\n]*: [^\n]+$/);
});

test.each([
  ['42501', 'denied'],
  ['57014', 'timeout'],
  ['53100', 'full'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'unauthorized'],
])('%s of a server is explained', (code, meaning) => {
  const told = explainPostgres(Object.assign(new Error('x'), { code }), 'postgres://h/d');
  expect(told?.code).toBe(meaning);
});

test('what is not known stays a bug', () => {
  expect(explainSqlite(new TypeError('x'), 'a.db')).toBeUndefined();
  expect(explainPostgres(new TypeError('x'), 'postgres://h/d')).toBeUndefined();
});
