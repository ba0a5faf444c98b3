/*
 * What lint, measure and run found out, as a CI system shows it: suites of test cases.
 */

/** All suites of a result. */
export interface TestResult {
  readonly name: string;
  readonly suites: readonly TestSuite[];
  /** In seconds, where it was measured. */
  readonly time?: string;
}

export interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
}

/** A case; it passed where it has no `outcome`. */
export interface TestCase {
  readonly classname: string;
  /** Readers recognize a case by its class and name. */
  readonly name: string;
  /** The file and the line of a finding. */
  readonly file?: string;
  readonly line?: number;
  /** In seconds, where it was measured. */
  readonly time?: string;
  readonly outcome?: {
    readonly kind: 'failure' | 'error' | 'skipped';
    readonly type?: string;
    readonly message: string;
    readonly text?: string;
  };
}
