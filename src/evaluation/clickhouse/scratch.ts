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
