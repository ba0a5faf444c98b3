import type { Kysely } from 'kysely';
import { objectives } from './0001-objectives.js';

/** One step from a version of the schema to the next; it runs inside a transaction. */
export interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<unknown>, types: ColumnTypes) => Promise<void>;
}

/** What the databases call differently. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
}

/** The steps in order: the first one makes version 1. A step that was released is never changed. */
export const migrations: readonly Migration[] = [objectives];
