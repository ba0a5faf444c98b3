/** The results of lint, measure and run as a CI system shows them: suites of test cases. */
export interface TestResult {
  readonly name: string;
  readonly suites: readonly { readonly name: string; readonly cases: readonly TestCase[] }[];
  /** In seconds, where it was measured. */
  readonly time?: string;
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
  /** Properties to search for, by name. */
  readonly properties?: Readonly<Record<string, string>>;
  /** The output of the test case. */
  readonly output?: string;
}
