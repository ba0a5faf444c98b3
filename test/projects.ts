/*
 * The three projects of the tests. Each file of tests is in one of them: a test that runs the program,
 * or opens a socket, stands in a place that is listed here.
 */

/** The package and its pages: packing, installing, editors. */
const PACKAGE = [
  'test/package.test.ts',
  'test/licences.test.ts',
  'test/cli/pre-commit.test.ts',
  'test/docs/**',
  'test/editor/{emacs,helix,neovim,trust}.test.ts',
  'test/editor/vscode/**',
];

/** The built program, servers, databases, a browser. */
const PROCESS = [
  'test/version.test.ts',
  'test/{actuators,adversary,bench,cli,durable,editor,fuzz,requirements,server,store}/**',
  'test/evaluation/clickhouse/**',
  'test/evaluation/mutants.test.ts',
  'test/{evaluation,session}/browser.test.ts',
  'test/mutators/client/**',
  'test/objective/fmt/golden.test.ts',
  'test/report/report.test.ts',
  'test/runner/{io,polls,run}/**',
];

/** Where the tests of a project are: files that match one of `include`, and none of `exclude`. */
export interface Place {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export const projects: Readonly<Record<'unit' | 'process' | 'package', Place>> = {
  unit: { include: ['test/**/*.test.ts'], exclude: [...PROCESS, ...PACKAGE] },
  process: { include: testsIn(PROCESS), exclude: PACKAGE },
  package: { include: testsIn(PACKAGE), exclude: [] },
};

function testsIn(places: readonly string[]): readonly string[] {
  return places.map((place) => place.replace(/\*\*$/, '**/*.test.ts'));
}
