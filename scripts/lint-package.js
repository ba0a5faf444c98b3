import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Commits what checks, and nothing else, to the branch `lint`, and tags it lint-vVERSION. pre-commit
 * and GitHub fetch this commit: there is nothing to build in it, and no package to install. From the
 * sources pre-commit would install all that Perturb is developed with. The working tree and the
 * branch that is checked out stay as they are.
 */

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const BRANCH = 'refs/heads/lint';
const FILES = [
  ...['.pre-commit-hooks.yaml', 'action.yml', 'LICENSE', 'docs/bundled-licences.txt'],
  ...readdirSync('dist').flatMap((name) =>
    /^(bin|program.*)\.cjs(\.cache)?$/.test(name) ? `dist/${name}` : [],
  ),
];
const { version, description, license, engines, bin } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const tag = `lint-v${version}`;

const tree = mkdtempSync(join(tmpdir(), 'perturb-lint-'));
try {
  commit();
} finally {
  rmSync(tree, { recursive: true });
}

function commit() {
  if (git('status', '--porcelain', '--untracked-files=no') !== '') {
    fail('the working tree has changes that are not committed', 'Commit them first.');
  }
  if (git('tag', '--list', tag) !== '') {
    fail(`the tag ${tag} exists`, `Set another version, or delete it: git tag --delete ${tag}`);
  }
  const source = git('rev-parse', 'HEAD');
  writeTree(source);
  const [before] = git('for-each-ref', '--format=%(objectname)', BRANCH).split('\n');
  // An index of its own, so that nothing is staged.
  const here = { GIT_INDEX_FILE: join(tree, '.index'), GIT_WORK_TREE: tree };
  gitIn(here, 'add', '--force', '--', ...FILES, 'package.json', 'README.md', '.gitattributes');
  const made = git(
    ...['commit-tree', gitIn(here, 'write-tree'), ...(before ? ['-p', before] : [])],
    ...['-m', `Perturb ${version}, to check with\n\nBuilt from ${source}.`],
  );
  git('update-ref', BRANCH, made);
  git('tag', tag, made);
  process.stdout.write(`${tag}\n`);
}

/** @param {string} source the commit that was built */
function writeTree(source) {
  for (const file of FILES) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    copyFileSync(file, join(tree, file));
  }
  const manifest = { name: 'perturb-lint', version, private: true };
  const about = { ...manifest, description, license, engines, bin };
  writeFileSync(join(tree, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  writeFileSync(join(tree, '.gitattributes'), '* -text\n');
  writeFileSync(
    join(tree, 'README.md'),
    `# Perturb ${version}, to check with

What pre-commit and GitHub need to run \`perturb objective lint\` and \`perturb mutators lint\`. It was
built from the commit ${source}. Commands that serve mutators or
open a store do not work here.
`,
  );
}

/** @param {string[]} words */
function git(...words) {
  return gitIn({}, ...words);
}

/**
 * @param {Readonly<Record<string, string>>} variables
 * @param {string[]} words
 * @returns {string} what git printed
 */
function gitIn(variables, ...words) {
  const env = { ...process.env, ...variables };
  const { status, stdout, stderr, error } = spawnSync('git', words, { env, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0)
    fail(`git ${words[0]}: ${stderr.trim()}`, 'It has to run in a clone of Perturb.');
  return stdout.trim();
}

/**
 * @param {string} problem
 * @param {string} help
 * @returns {never}
 */
function fail(problem, help) {
  process.stderr.write(`perturb: ${problem}\n${help}\n`);
  rmSync(tree, { recursive: true });
  process.exit(1);
}
