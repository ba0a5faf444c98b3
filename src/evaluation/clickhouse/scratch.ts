import type { Database } from './database.js';

/**
 * Tables of one evaluation, which go with it; being temporary, they go with the connection's
 * session also where the program ends before.
 */
export class Scratch {
  readonly #db: Database;
  readonly #prefix: string;
  #made: string[] = [];

  /** @param token what no other evaluation has */
  constructor(db: Database, token: string) {
    this.#db = db;
    this.#prefix = `perturb_scratch_${token}_`;
  }

  /** Keeps the rows of a query in a table, and gives its name. */
  async table(query: string): Promise<string> {
    const name = `${this.#prefix}${this.#made.length}`;
    this.#made.push(name);
    await this.#db.command(`create temporary table ${name} as ${query}`);
    return name;
  }

  /** Drops the tables; also those that a statement was cut short in. */
  async drop(): Promise<void> {
    const made = this.#made;
    this.#made = [];
    for (const name of made) await this.#db.command(`drop temporary table if exists ${name}`);
  }
}

/**
 * Does work with tables of its own, and drops them. Where the work fails, that is what is reported,
 * whatever becomes of the tables: a server that has not ended a statement yet refuses the next one.
 */
export async function withScratch<T>(
  db: Database,
  token: string,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const scratch = new Scratch(db, token);
  const result = await work(scratch).catch(async (error: unknown) => {
    await scratch.drop().catch(() => undefined);
    throw error;
  });
  await scratch.drop();
  return result;
}

/** Names the tables of one evaluation, apart from those of others. */
export function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
