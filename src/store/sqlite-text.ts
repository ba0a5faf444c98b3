import type { SqliteDatabase } from 'kysely';
import type Sqlite from 'libsql';

/**
 * A database whose texts are read as bytes and decoded here: the driver ends
 * the whole process when a text is not UTF-8, which damage to a file can make
 * of any. What is not UTF-8 becomes U+FFFD, so that its digest does not match.
 */
export function readingBytes(database: Sqlite.Database): SqliteDatabase {
  // To prepare a query takes longer than to run it for one row.
  const queries = new Map<string, Query>();
  return {
    close: () => void database.close(),
    prepare(sql) {
      if (!/^\s*select\b/i.test(sql)) {
        // A change of the schema changes what "*" stands for.
        if (!/^\s*(?:insert|update|delete)\b/i.test(sql)) queries.clear();
        return database.prepare(sql) as never;
      }
      const query = queries.get(sql) ?? prepareQuery(database, sql);
      queries.set(sql, query);
      return query as never;
    },
  };
}

/** As Kysely uses a statement that has rows. */
interface Query {
  readonly reader: true;
  all(parameters: readonly unknown[]): readonly Record<string, unknown>[];
}

/** What is used of a statement of the driver. */
interface Statement {
  columns(): readonly { readonly name: string }[];
  raw(): { all(parameters: readonly unknown[]): readonly (readonly unknown[])[] };
}

function prepareQuery(database: Sqlite.Database, sql: string): Query {
  const names = (database.prepare(sql) as unknown as Statement).columns().map(({ name }) => name);
  const statement = (database.prepare(asBytes(sql, names)) as unknown as Statement).raw();
  return {
    reader: true,
    all: (parameters) => statement.all(parameters).map((cells) => toRow(cells, names)),
  };
}

/** The query with its texts as blobs; one more column has a letter for the type of each. */
function asBytes(sql: string, names: readonly string[]): string {
  const columns = names.map((name) => `"${name.replaceAll('"', '""')}"`);
  const values = columns.map(
    (column) =>
      `case when typeof(${column}) = 'text' then cast(${column} as blob) else ${column} end`,
  );
  const types = columns.map((column) => `substr(typeof(${column}), 1, 1)`);
  return `select ${values.join(', ')}, ${types.join(' || ')} from (${sql})`;
}

function toRow(cells: readonly unknown[], names: readonly string[]): Record<string, unknown> {
  const types = cells[names.length] as string;
  const row: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const cell = cells[index];
    row[name] = types[index] === 't' ? (cell as Buffer).toString('utf8') : cell;
  }
  return row;
}
