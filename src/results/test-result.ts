/** The results of a lint, measure or run command for CI systems, as suites of test cases. */
export interface TestResult {
  readonly name: string;
  readonly suites: readonly { readonly name: string; readonly cases: readonly TestCase[] }[];
  /** The duration in seconds, if measured. */
  readonly time?: string;
}

/** A test case, which passed if it has no `outcome`. */
export interface TestCase {
  readonly classname: string;
  /** The case's name. Programs that read the results identify a case by its class and name. */
  readonly name: string;
  /** The file and line of a finding. */
  readonly file?: string;
  readonly line?: number;
  /** The duration in seconds, if measured. */
  readonly time?: string;
  readonly outcome?: {
    readonly kind: 'failure' | 'error' | 'skipped';
    readonly type?: string;
    readonly message: string;
    readonly text?: string;
  };
  /** Searchable properties, by name. */
  readonly properties?: Readonly<Record<string, string>>;
  /** The test case's output. */
  readonly output?: string;
}
