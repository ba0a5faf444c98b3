import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneProject } from '../copy-project.js';
import { isLong } from '../long.js';
import { type Block, blocksOf, commandsOf, documents } from './documents.js';
import { installPackage, npmEnvironment } from './installed.js';
import { withSteadyBorder } from './steady-border.js';

/*
 * The commands for people who change Perturb, in one copy of the project for all pages: the first
 * page is the one that says how to set it up.
 */

const SET_UP = 'README.md';
const root = realpathSync(mkdtempSync(join(tmpdir(), 'perturb-clone-')));
const env = {
  ...npmEnvironment(),
  PATH: process.env['PATH'],
  HOME: root,
  TMPDIR: join(root, 'tmp'),
};

/**
 * The pages whose commands take longest run where
 * PERTURB_TEST_MUTANTS=1 asks for it, as `.ci/run` does, and in the long form of the tests. Without
 * them the clone is the one that the package was packed from.
 */
const SLOW = [
  SET_UP,
  'docs/contributing/fuzzing.md',
  'docs/contributing/mutation-testing.md',
  'docs/contributing/performance.md',
];
/** Those that run for other tests: the one packs what is installed, the other makes the hooks. */
const ELSEWHERE = {
  'docs/getting-started.md': 'test/docs/installed.ts',
  'docs/ci.md': 'test/cli/pre-commit.test.ts',
};
const isSlowRun = isLong || process.env['PERTURB_TEST_MUTANTS'] === '1';
let clone: string;

/** What the bench and the fuzzer say of times, which are those of a busy machine here. */
const TOO_SLOW = /\bMISSED\b|takes far longer than the seeds do|time grows faster than the input/;

/** The lines of a console block that its one command prints; it may print others between them. */
const printedLines = ({ language, body }: Block, command: string) =>
  language === 'console' ? body.replace(`$ ${command}\n`, '').split('\n').filter(Boolean) : [];

const pages = documents
  .map(({ path, text }) => ({
    path,
    commands: blocksOf(text)
      .filter(({ needs }) => needs === 'clone')
      .flatMap((block) =>
        commandsOf(block).map((command) => ({ command, printed: printedLines(block, command) })),
      ),
  }))
  .filter(({ path, commands }) => commands.length > 0 && !Object.hasOwn(ELSEWHERE, path))
  .sort((a, b) => Number(b.path === SET_UP) - Number(a.path === SET_UP));

beforeAll(async () => {
  mkdirSync(env.TMPDIR);
  if (isSlowRun) {
    clone = join(root, 'perturb');
    cloneProject(clone);
  } else {
    ({ sources: clone } = await installPackage());
  }
}, 600_000);
afterAll(() => rmSync(root, { recursive: true, force: true }), 600_000);

test('a clone is set up, and then used', () => {
  expect(pages.map(({ path }) => path)).toEqual([
    SET_UP,
    ...['docs/editors.md', 'docs/contributing/fuzzing.md', 'docs/contributing/mutation-testing.md'],
    ...['docs/contributing/performance.md', 'CONTRIBUTING.md'],
  ]);
  expect(pages[0]?.commands[0]?.command).toMatch(/^npm ci && /);
});

test('the command for all tests is the one that CI runs', () => {
  const suites = documents.flatMap(({ text }) =>
    blocksOf(text)
      .filter(({ needs }) => needs === 'suite')
      .flatMap(commandsOf),
  );
  expect(suites).toEqual(['npm cit']);
  expect(readFileSync('.ci/run', 'utf8').split('\n')).toContain('npm cit');
});

test.for(pages)(
  'in a clone, the commands of $path work',
  { timeout: 900_000 },
  async ({ path, commands }, { skip }) => {
    skip(SLOW.includes(path) && !isSlowRun, 'PERTURB_TEST_MUTANTS is not 1');
    for (const { command, printed } of commands) {
      const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], {
        cwd: clone,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      const [status] = await once(child, 'close');
      const lines = withSteadyBorder(said).split('\n');
      const good =
        printed.length > 0
          ? printed.every((line) => lines.splice(0, lines.indexOf(line) + 1).length > 0)
          : status === 0 || (status === 1 && TOO_SLOW.test(said));
      if (!good) throw new Error(`exit ${status}: ${command}\n${said}`);
    }
  },
);
