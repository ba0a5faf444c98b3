import { exitCodes, PerturbError, visible } from '../basics/index.js';

/** The kinds of problems with a store. */
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

/** The error for an unusable store, with a one-line reason and advice, and never with a password. */
export class StoreError extends PerturbError<StoreErrorCode> {
  constructor(code: StoreErrorCode, message: string) {
    const exitCode = code === 'bad-url' ? exitCodes.usage : exitCodes.unavailable;
    super(code, visible(message), exitCode);
  }
}

/*
 * The content of a store, as plain data. An objective is identified by its name; each of its revisions is written
 * once and never changed.
 */

/** A store of objectives. Every method rejects with a StoreError for anything that is not a bug. */
export interface ObjectiveStore {
  /**
   * Registers objectives in one transaction: all of them, or none if one is refused. The changes are durable once
   * it resolves.
   *
   * @param candidates with different names
   */
  register(
    candidates: readonly Candidate[],
    options?: RegisterOptions,
  ): Promise<readonly Registration[]>;
  /**
   * Lists the newest revision of each objective, by name: of deleted objectives if `deleted` is true, otherwise of
   * all others.
   */
  list(options?: { readonly deleted?: boolean }): Promise<readonly ListedObjective[]>;
  /** Lists every revision of an objective, even a deleted one, the newest first; none if it does not exist. */
  log(name: string): Promise<readonly LogEntry[]>;
  /** Returns a revision of an objective, even a deleted one; the newest if no number is given. */
  find(name: string, revision?: number): Promise<Revision | undefined>;
  /** Lists the names of the objectives that are not deleted. */
  names(): Promise<readonly string[]>;
  /** Marks an objective as deleted, and keeps its revisions. Resolves to true if this changed the store. */
  delete(name: string): Promise<boolean>;
  /** Restores a deleted objective. Resolves to true if this changed the store. */
  restore(name: string): Promise<boolean>;
  /** Checks the whole store against its digests, and changes nothing. */
  verify(options?: VerifyOptions): Promise<Verification>;
  /** Removes an objective with all its revisions for good. Resolves to true if this changed the store. */
  purge(name: string): Promise<boolean>;
  close(): Promise<void>;
}

/** An objective to register. */
export interface Candidate extends Content {
  readonly name: string;
  readonly summary: Summary;
  readonly origin: RevisionOrigin;
}

/** The content of an objective. */
export interface Content {
  /** The file, byte for byte. */
  readonly original: Uint8Array;
  /** The canonical JSON: two objectives mean the same if theirs are equal. */
  readonly canonical: string;
}

/** The summary of an objective in a list. */
export interface Summary {
  readonly measurements: number;
  readonly mutators: number;
  /** The stopping conditions as canonical JSON. */
  readonly stop: string;
}

/** The origin of a revision. */
export interface RevisionOrigin {
  /** The version of the rules that it was checked with. */
  readonly rules: string;
  /** The file, relative to the root of its repository. */
  readonly path?: string;
  /** The current commit of the repository. */
  readonly commit?: string;
}

export interface RegisterOptions {
  /** True to store different content under a known name as a new revision. */
  readonly update?: boolean;
  /** True to return the results without storing anything. */
  readonly dryRun?: boolean;
}

/**
 * The result for a candidate. It is refused as `differs` (different content under a known name) or `deleted` (a
 * name whose objective was deleted).
 */
export interface Registration {
  /** True if the candidate keeps all candidates from being stored. */
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

/** The identity of a revision. */
export interface Identity {
  /** A UUID of version 7. */
  readonly id: string;
  readonly name: string;
  /** From 1, without gaps. */
  readonly revision: number;
  /** The SHA-256 of the canonical JSON in UTF-8, in hexadecimal. */
  readonly sha256: string;
  readonly createdAt: Date;
}

export interface ListedObjective extends Identity, Summary {
  /** The time at which the objective was deleted. */
  readonly deletedAt?: Date;
}

/** A revision without its content. */
export interface LogEntry extends Identity, Summary {
  readonly origin: RevisionOrigin;
}

export interface Revision extends Identity, Content {
  readonly origin: RevisionOrigin;
  /** The number of the objective's revisions. */
  readonly revisions: number;
  /** The time at which the objective was deleted. */
  readonly deletedAt?: Date;
}

export interface VerifyOptions {
  /** Called with the number of revisions, before the first is checked. */
  readonly begin?: (revisions: number) => void;
  /** Called for each checked revision. */
  readonly step?: () => void;
}

export interface Verification {
  readonly objectives: number;
  readonly revisions: number;
  /** Damage by name and revision; empty for a sound store. */
  readonly damaged: readonly Damage[];
  /** Problems of the database itself, or of rows that belong to no objective. */
  readonly problems: readonly string[];
}

/** The problems of a revision, or of an objective if no revision is named. */
export interface Damage {
  readonly name: string;
  readonly revision?: number;
  readonly problems: readonly string[];
}
