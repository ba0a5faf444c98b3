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
  | 'failed';

/** Why a store cannot be used, on one line that says what to do; it never holds a password. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}

/*
 * What a store keeps, as plain data. An objective is known by its name; each of
 * its revisions is written once and never changed.
 */

/** Keeps objectives. Every method rejects with a StoreError for what is not a bug. */
export interface ObjectiveStore {
  /**
   * Registers objectives in one transaction: all of them, or none when one is
   * refused. What it has stored is durable when it resolves.
   *
   * @param candidates with names that differ
   */
  register(
    candidates: readonly Candidate[],
    options?: RegisterOptions,
  ): Promise<readonly Registration[]>;
  /** The newest revision of each objective, by name: of those that are deleted, or else of the others. */
  list(options?: { readonly deleted?: boolean }): Promise<readonly Listed[]>;
  /** Every revision of an objective, the newest first, also of a deleted one; none without it. */
  log(name: string): Promise<readonly LogEntry[]>;
  /** A revision of an objective, the newest when none is asked for, also of a deleted one. */
  find(name: string, revision?: number): Promise<Revision | undefined>;
  /** The names of the objectives that are not deleted. */
  names(): Promise<readonly string[]>;
  /** Marks an objective as deleted; its revisions stay. Resolves to whether there was one to mark. */
  delete(name: string): Promise<boolean>;
  /** Takes the mark away again. Resolves to whether there was one. */
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
  /** The canonical JSON: two objectives mean the same when theirs are equal. */
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
  /** Whether other content under a known name makes a new revision. */
  readonly update?: boolean;
  /** Whether only to say what would be done. */
  readonly dryRun?: boolean;
}

/**
 * What became of a candidate. Refused are `differs`, other content under a
 * known name, and `deleted`, a name whose objective was deleted.
 */
export interface Registration {
  /** Whether it keeps all the candidates from being stored. */
  readonly refused: boolean;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'restored' | 'differs' | 'deleted';
  readonly name: string;
  /** Of the new revision, or of the newest one there is. */
  readonly revision: number;
  readonly id: string;
  readonly sha256: string;
  /** The canonical JSON of the newest revision before. */
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

/** A revision without what it says. */
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
  /** Hears how many revisions there are, before the first of them. */
  readonly begin?: (revisions: number) => void;
  /** Hears of each revision that was checked. */
  readonly step?: () => void;
}

export interface Verification {
  readonly objectives: number;
  readonly revisions: number;
  /** By name and revision; none for a store that is sound. */
  readonly damaged: readonly Damage[];
  /** What is wrong with the database itself, or with rows that belong to no objective. */
  readonly problems: readonly string[];
}

/** What is wrong with a revision, or with an objective where no revision is named. */
export interface Damage {
  readonly name: string;
  readonly revision?: number;
  readonly problems: readonly string[];
}
