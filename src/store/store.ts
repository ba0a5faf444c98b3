import { exitCodes, PerturbError, visible } from '../basics/index.js';

/** What can be wrong with a store. */
export type StoreErrorCode =
  | 'bad-url'
  | 'missing'
  | 'foreign'
  | 'corrupt'
  | 'newer'
  | 'denied'
  | 'full'
  | 'busy'
  | 'unreachable'
  | 'unauthorized'
  | 'timeout'
  | 'not-installed'
  | 'failed';

/** Why a store cannot be used, on one line that says what to do; it never holds a password. */
export class StoreError extends PerturbError<StoreErrorCode> {
  constructor(code: StoreErrorCode, message: string) {
    const exitCode = code === 'bad-url' ? exitCodes.usage : exitCodes.unavailable;
    super(code, visible(message), exitCode);
  }
}

/*
 * What a store keeps, as plain data. An objective is known by its name; each of
 * its revisions is written once and never changed.
 */

/** Keeps objectives. Every method rejects with a StoreError for anything that is not a bug. */
export interface ObjectiveStore {
  /**
   * Registers objectives in one transaction: all of them, or none if one is
   * refused. What it has stored is durable once it resolves.
   *
   * @param candidates with different names
   */
  register(
    candidates: readonly Candidate[],
    options?: RegisterOptions,
  ): Promise<readonly Registration[]>;
  /** The newest revision of each objective, by name: either of deleted ones or of the others. */
  list(options?: { readonly deleted?: boolean }): Promise<readonly Listed[]>;
  /** Every revision of an objective, even a deleted one, the newest first; none if it does not exist. */
  log(name: string): Promise<readonly LogEntry[]>;
  /** A revision of an objective, even a deleted one; the newest if none is requested. */
  find(name: string, revision?: number): Promise<Revision | undefined>;
  /** The names of the objectives that are not deleted. */
  names(): Promise<readonly string[]>;
  /** Marks an objective as deleted; its revisions stay. Resolves to whether there was one to mark. */
  delete(name: string): Promise<boolean>;
  /** Removes that mark. Resolves to whether there was one. */
  restore(name: string): Promise<boolean>;
  /** Checks all that the store holds against its digests, and changes nothing. */
  verify(options?: VerifyOptions): Promise<Verification>;
  /** Removes an objective with all its revisions for good. Resolves to whether there was one. */
  purge(name: string): Promise<boolean>;
  close(): Promise<void>;
}

/** An objective to register. */
export interface Candidate extends Content {
  readonly name: string;
  readonly summary: Summary;
  readonly origin: RevisionOrigin;
}

/** What an objective says. */
export interface Content {
  /** The file, byte for byte. */
  readonly original: Uint8Array;
  /** The canonical JSON: two objectives mean the same if theirs are equal. */
  readonly canonical: string;
}

/** What a list shows of an objective. */
export interface Summary {
  readonly measurements: number;
  readonly mutators: number;
  /** The stopping conditions as canonical JSON. */
  readonly stop: string;
}

/** Where a revision comes from. */
export interface RevisionOrigin {
  /** The version of the rules that it was checked with. */
  readonly rules: string;
  /** The file, relative to the root of its repository. */
  readonly path?: string;
  /** The commit that the repository was at. */
  readonly commit?: string;
}

export interface RegisterOptions {
  /** Whether different content under a known name makes a new revision. */
  readonly update?: boolean;
  /** Whether to say only what would be done. */
  readonly dryRun?: boolean;
}

/**
 * What became of a candidate. It is refused as `differs` (different content under
 * a known name) or `deleted` (a name whose objective was deleted).
 */
export interface Registration {
  /** Whether it keeps all candidates from being stored. */
  readonly refused: boolean;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'restored' | 'differs' | 'deleted';
  readonly name: string;
  /** The new revision, or the newest existing one. */
  readonly revision: number;
  readonly id: string;
  readonly sha256: string;
  /** The canonical JSON of the newest earlier revision. */
  readonly previous?: string;
}

/** What identifies a revision. */
export interface Identity {
  /** A UUID of version 7. */
  readonly id: string;
  readonly name: string;
  /** From 1, without gaps. */
  readonly revision: number;
  /** Of the canonical JSON in UTF-8, in hexadecimal. */
  readonly sha256: string;
  readonly createdAt: Date;
}

export interface Listed extends Identity, Summary {
  /** When the objective was deleted. */
  readonly deletedAt?: Date;
}

/** A revision without its content. */
export interface LogEntry extends Identity, Summary {
  readonly origin: RevisionOrigin;
}

export interface Revision extends Identity, Content {
  readonly origin: RevisionOrigin;
  /** How many revisions the objective has. */
  readonly revisions: number;
  /** When the objective was deleted. */
  readonly deletedAt?: Date;
}

export interface VerifyOptions {
  /** Called with the number of revisions, before the first is checked. */
  readonly begin?: (revisions: number) => void;
  /** Called for each revision that is checked. */
  readonly step?: () => void;
}

export interface Verification {
  readonly objectives: number;
  readonly revisions: number;
  /** By name and revision; empty for a sound store. */
  readonly damaged: readonly Damage[];
  /** What is wrong with the database itself, or with rows that belong to no objective. */
  readonly problems: readonly string[];
}

/** What is wrong with a revision, or with an objective if no revision is named. */
export interface Damage {
  readonly name: string;
  readonly revision?: number;
  readonly problems: readonly string[];
}
