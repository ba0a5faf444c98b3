import type { Kysely } from 'kysely';

/** One step from a version of the schema to the next; it runs inside a transaction. */
export interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<unknown>, types: ColumnTypes) => Promise<void>;
}

/** What the databases call differently. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
}
