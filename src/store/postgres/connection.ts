import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';

/** How long a server may take to say goodbye. */
const GOODBYE_MS = 500;

interface ConnectionOptions {
  readonly client: pg.ClientConfig;
  /** How long one answer may take; then the connection is given up. */
  readonly answerTimeoutMs: number;
  /** What is said to the server before anything else. */
  readonly greeting: string;
}

/**
 * One connection, for one piece of work after the other. Whatever becomes of
 * it, at any moment, is an error of the work that is under way and of nothing
 * else. A connection that failed is given up at once: after an answer that did
 * not come, the next one may be that.
 */
export function oneConnection(options: ConnectionOptions): PostgresPool {
  let held: Held | undefined;
  let turn: Promise<void> = Promise.resolve();

  async function connect(): Promise<PostgresPoolClient> {
    const before = turn;
    let release = (): void => undefined;
    turn = new Promise((done) => {
      release = done;
    });
    await before;
    try {
      if (held === undefined || held.failed()) held = await open(options);
      return { query: held.query as PostgresPoolClient['query'], release };
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    connect,
    async end() {
      await turn;
      await held?.end();
      held = undefined;
    },
  };
}

interface Held {
  readonly failed: () => boolean;
  readonly query: (text: string, values: readonly unknown[]) => Promise<unknown>;
  readonly end: () => Promise<void>;
}

async function open({ client: config, answerTimeoutMs, greeting }: ConnectionOptions) {
  const socket = new Socket();
  const client = new pg.Client({
    ...config,
    stream: () => socket,
    query_timeout: answerTimeoutMs,
  });
  let failed = false;
  const giveUp = (): void => {
    failed = true;
    socket.destroy();
  };
  // What goes wrong between queries fails the next one.
  client.on('error', giveUp);
  client.on('end', giveUp);
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    try {
      return await client.query(text, [...values]);
    } catch (error) {
      // After an error that the server itself reports, the connection can still be used.
      if (!(error instanceof pg.DatabaseError)) giveUp();
      throw error;
    }
  };
  const held: Held = {
    failed: () => failed,
    query,
    async end() {
      if (!failed) await Promise.race([client.end(), sleep(GOODBYE_MS)]);
      giveUp();
    },
  };
  try {
    await client.connect();
    await query(greeting, []);
    return held;
  } catch (error) {
    giveUp();
    throw error;
  }
}
