import type { Dialect, Kysely } from 'kysely';
import type { ColumnTypes } from './migrations/index.js';
import type { StoreError } from './store-error.js';

/** What each kind of database does in its own way; all else is shared. */
export interface Driver {
  readonly dialect: Dialect;
  /** How messages name the store; without a password. */
  readonly place: string;
  readonly types: ColumnTypes;
  /** Begins a transaction that no other writer can begin beside it. */
  begin(db: Kysely<unknown>): Promise<void>;
  /** Begins a transaction that sees the store as it is now, whatever others write. */
  beginReading(db: Kysely<unknown>): Promise<void>;
  /** What is in the database: our tables, only those of others, or none. */
  inspect(db: Kysely<unknown>): Promise<'ours' | 'foreign' | 'empty'>;
  /** The faults that the database finds in itself, for people. */
  check(db: Kysely<unknown>): Promise<readonly string[]>;
  /** Keeps a copy of the store as it is, in a transaction and before a migration changes it. */
  backUp(version: number): Promise<void>;
  /** Whether another process was in the way, so that the work may be done again. */
  isBusy(error: unknown): boolean;
  /** The error for people, or undefined for a bug. */
  explain(error: unknown): StoreError | undefined;
}
