import type { SqliteDatabase } from 'kysely';
import type Sqlite from 'libsql';

/**
 * A database whose texts are read as bytes and decoded here: the driver ends
 * the whole process when a text is not UTF-8, which damage to a file can make
 * of any. What is no UTF-8 becomes U+FFFD, so that the digest tells of it.
 */
export function readingBytes(database: Sqlite.Database): SqliteDatabase {
  return {
    close: () => void database.close(),
    prepare(sql) {
      const statement = database.prepare(sql) as unknown as Statement;
      if (!/^\s*select\b/i.test(sql)) return statement as never;
      const names = statement.columns().map(({ name }) => name);
      const wrapped = database.prepare(asBytes(sql, names)) as unknown as Statement;
      return {
        reader: true,
        all: (parameters: readonly unknown[]) =>
          wrapped.all(parameters).map((row) => decoded(row, names)),
      } as never;
    },
  };
}

/** What is used of a statement of the driver. */
interface Statement {
  readonly reader: boolean;
  columns(): readonly { readonly name: string }[];
  all(parameters: readonly unknown[]): Record<string, unknown>[];
}

/** The query with its texts as blobs; a second column says of each whether it was a text. */
function asBytes(sql: string, names: readonly string[]): string {
  const columns = names.flatMap((name, index) => {
    const column = `"${name.replaceAll('"', '""')}"`;
    const isText = `typeof(${column}) = 'text'`;
    return [
      `case when ${isText} then cast(${column} as blob) else ${column} end as v${index}`,
      `${isText} as t${index}`,
    ];
  });
  return `select ${columns.join(', ')} from (${sql})`;
}

function decoded(row: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const cells = names.map((name, index) => {
    const value = row[`v${index}`];
    return [name, row[`t${index}`] ? textOf(value as ArrayBuffer) : value] as const;
  });
  return Object.fromEntries(cells);
}

function textOf(bytes: ArrayBuffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
