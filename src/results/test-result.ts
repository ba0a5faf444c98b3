/** What lint, measure and run found out, as a CI system shows it: suites of test cases. */
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
  /** What a reader may look for, by its name. */
  readonly properties?: Readonly<Record<string, string>>;
  /** What the output shows along with it. */
  readonly output?: string;
}
