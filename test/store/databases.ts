import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { directoryWith } from '../cli/program.js';

/** A kind of database that the tests run on; each call gives the URL of an empty one. */
export interface TestDatabase {
  readonly name: string;
  readonly fresh: () => Promise<string>;
}

/** The URL of a PostgreSQL server whose user may create databases. */
export const SERVER = process.env['PERTURB_TEST_POSTGRES_URL'];

export const sqlite: TestDatabase = {
  name: 'SQLite',
  fresh: async () => `sqlite:${join(directoryWith({}), 'store.db')}`,
};

/** PostgreSQL's engine inside this process, and a socket for others to reach it. */
const pglite: TestDatabase = {
  name: 'PGlite',
  async fresh() {
    engine ??= startEngine();
    const db = await engine;
    await db.exec('drop schema public cascade; create schema public');
    const server = new PGLiteSocketServer({ db, port: 0, maxConnections: 50 });
    await server.start();
    onTestFinished(() => server.stop());
    return `postgres://postgres@${server.getServerConn()}/postgres`;
  },
};

/** Starting it takes seconds, so that the tests of a file share it. */
let engine: Promise<PGlite> | undefined;

/** To compile it well takes longer than the few statements of the tests gain by it. */
function startEngine(): Promise<PGlite> {
  setFlagsFromString('--liftoff-only');
  setFlagsFromString('--wasm-lazy-compilation');
  return PGlite.create();
}

export const postgres: TestDatabase = {
  name: 'PostgreSQL',
  async fresh() {
    const name = `perturb_${randomUUID().replaceAll('-', '')}`;
    await administer(`create database ${name}`);
    onTestFinished(() => administer(`drop database ${name} with (force)`));
    return databaseAt(name);
  },
};

/** The URL of another database of the server. */
export function databaseAt(name: string): string {
  const url = new URL(SERVER as string);
  url.pathname = `/${name}`;
  return url.href;
}

/** The server that the tests are given; without one, its engine, which takes seconds to start. */
export const database = SERVER === undefined ? pglite : postgres;

/** Runs a statement on the server. */
export async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER as string });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
