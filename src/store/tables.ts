/* The tables as the newest migration leaves them. Times are in ISO 8601, UTC, with milliseconds. */

export interface Tables {
  perturb_schema: SchemaTable;
  perturb_objectives: ObjectivesTable;
  perturb_revisions: RevisionsTable;
  perturb_contents: ContentsTable;
}

/** The migrations that were made. */
export interface SchemaTable {
  version: number;
  name: string;
  applied_at: string;
}

export interface ObjectivesTable {
  id: string;
  name: string;
  /** The newest of its revisions. */
  revision: number;
  created_at: string;
  deleted_at: string | null;
}

/** One row a revision; what is long lies in `perturb_contents`, so that a list reads little. */
export interface RevisionsTable {
  id: string;
  objective_id: string;
  revision: number;
  /** Of the canonical JSON. */
  sha256: string;
  /** Of the file; a migration has filled it in, unless the content was missing. */
  original_sha256: string | null;
  measurements: number;
  mutators: number;
  stop: string;
  rules: string;
  source_path: string | null;
  source_commit: string | null;
  created_at: string;
  /** As `sealOf` has it; never null, for the same migration has filled it in. */
  seal: string | null;
}

export interface ContentsTable {
  revision_id: string;
  original: Uint8Array;
  canonical: string;
}
