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

/**
 * The error for an unusable store, with a one-line reason and advice. It never contains a password.
 */
export class StoreError extends PerturbError<StoreErrorCode> {
  constructor(code: StoreErrorCode, message: string) {
    const exitCode = code === 'bad-url' ? exitCodes.usage : exitCodes.unavailable;
    super(code, visible(message), exitCode);
  }
}

/*
 * The content of a store, as plain data. A name identifies an objective. Each revision of an
 * objective is written once and never changes.
 */

/**
 * A store of objectives. A method that fails rejects with a StoreError, unless the cause is a bug.
 */
export interface ObjectiveStore {
  /**
   * Registers objectives in one transaction: all, or none if one is refused. When the promise
   * resolves, the changes are durable.
   *
   * @param candidates with different names
   */
  register(
    candidates: readonly Candidate[],
    options?: RegisterOptions,
  ): Promise<readonly Registration[]>;
  /**
   * Lists the newest revision of each objective that is not deleted or, if `deleted` is true, of
   * each deleted objective. Sorts by name.
   */
  list(options?: { readonly deleted?: boolean }): Promise<readonly ListedObjective[]>;
  /**
   * Lists every revision of an objective, newest first, even if the objective is deleted. Returns
   * an empty list if the objective does not exist.
   */
  log(name: string): Promise<readonly LogEntry[]>;
  /** Returns a revision of an objective (default: the newest), even if the objective is deleted. */
  find(name: string, revision?: number): Promise<Revision | undefined>;
  /** Lists the names of the objectives that are not deleted. */
  names(): Promise<readonly string[]>;
  /**
   * Marks an objective as deleted, but keeps its revisions. Resolves to true if this changed the
   * store.
   */
  delete(name: string): Promise<boolean>;
  /** Restores a deleted objective. Resolves to true if this changed the store. */
  restore(name: string): Promise<boolean>;
  /** Checks the whole store against its digests without changing it. */
  verify(options?: VerifyOptions): Promise<Verification>;
  /**
   * Removes an objective and all its revisions permanently. Resolves to true if this changed the
   * store.
   */
  purge(name: string): Promise<boolean>;
  close(): Promise<void>;
}

/** An objective to register. */
export interface Candidate extends Content {
  readonly name: string;
  readonly summary: Summary;
  readonly origin: RevisionOrigin;
}

/** An objective's content. */
export interface Content {
  /** The file, byte for byte. */
  readonly original: Uint8Array;
  /** The canonical JSON, which is equal for objectives with the same meaning. */
  readonly canonical: string;
}

/** An objective's summary, for lists. */
export interface Summary {
  readonly measurements: number;
  readonly mutators: number;
  /** The stopping conditions as canonical JSON. */
  readonly stop: string;
}

/** A revision's origin. */
export interface RevisionOrigin {
  /** The version of the rules that checked the revision. */
  readonly rules: string;
  /** The file's path, relative to the root of its repository. */
  readonly path?: string;
  /** The repository's current commit. */
  readonly commit?: string;
}

export interface RegisterOptions {
  /** True to store different content under an existing name as a new revision. */
  readonly update?: boolean;
  /** True to return the results without storing anything. */
  readonly dryRun?: boolean;
}

/**
 * The result for a candidate. Refused candidates are `differs` (different content under an existing
 * name) or `deleted` (the name of a deleted objective).
 */
export interface Registration {
  /** True if this candidate prevents all candidates from being stored. */
  readonly refused: boolean;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'restored' | 'differs' | 'deleted';
  readonly name: string;
  /** The new revision's number, or the newest existing revision's number. */
  readonly revision: number;
  readonly id: string;
  readonly sha256: string;
  /** The canonical JSON of the newest earlier revision. */
  readonly previous?: string;
}

/** A revision's identity. */
export interface Identity {
  /** A version 7 UUID. */
  readonly id: string;
  readonly name: string;
  /** The revision number, from 1 without gaps. */
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
  /** Called with the number of revisions, before the first check. */
  readonly begin?: (revisions: number) => void;
  /** Called for each revision, before its check. */
  readonly step?: () => void;
}

export interface Verification {
  readonly objectives: number;
  readonly revisions: number;
  /** The damage, by name and revision; empty for an undamaged store. */
  readonly damaged: readonly Damage[];
  /** Problems with the database itself, or with rows without an objective. */
  readonly problems: readonly string[];
}

/** The problems with a revision, or with an objective if `revision` is absent. */
export interface Damage {
  readonly name: string;
  readonly revision?: number;
  readonly problems: readonly string[];
}
