import type { Database } from '../../../src/evaluation/clickhouse/index.js';

/** Writes down the statements of an evaluation; answers as a server with a few events would. */
export function recorder(rows = '3'): {
  readonly db: Database;
  readonly statements: readonly string[];
} {
  const statements: string[] = [];
  const keep = (statement: string) => {
    const named = statement.replace(/(perturb_scratch_)[0-9a-f]{32}/g, '$1test');
    statements.push(`${named.replace(/\n\s*/g, '\n  ')};\n`);
  };
  const db: Database = {
    async command(statement) {
      keep(statement);
    },
    async rows(query) {
      keep(query);
      // Every cell that is asked for is a number.
      return [new Array<string>(7).fill(rows)];
    },
    async insert(table) {
      keep(`insert into ${table}`);
    },
    close: async () => undefined,
  };
  return { db, statements };
}
