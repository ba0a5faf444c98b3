import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, commandsOf } from '../docs/documents.js';
import { installPackage } from '../docs/installed.js';
import { unusedPort } from '../docs/unused-port.js';
import { git } from './git.js';
import { CLEAN, directoryWith, WRONG } from './program.js';
import { isInstalled } from './shells.js';

/*
 * What the hooks are installed from: a commit that `npm run lint-package` makes in a clone. It is made
 * and pushed as docs/ci.md shows. The real pre-commit installs it, with no registry to fetch from.
 */

const PAGE = readFileSync('docs/ci.md', 'utf8');
const [TAG] = /(?<=rev: )\S+/.exec(PAGE) ?? [];
const root = mkdtempSync(join(tmpdir(), 'perturb-hooks-'));
let clone: string;
/** Where the clone pushes to. */
let pushed: string;
const MANIFEST = readFileSync('fixtures/mutators/drone.mutators.toml', 'utf8');
const GUSTS = `${CLEAN}
[[mutator]]
name = "simulation-wind"

[[mutator.param_constraints]]
name = "speed"
range = [10.0, 35.0]
`;
/** Nobody answers there. */
const NOWHERE = 'http://127.0.0.1:9/';

function inClone(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: clone, encoding: 'utf8' });
  return { status, stdout, stderr };
}
/** What the command does once it has built the program. */
const commitAgain = () => inClone(process.execPath, 'scripts/lint-package.js');

beforeAll(async () => {
  ({ sources: clone } = await installPackage());
  pushed = `${clone}.git`;
  const blocks = blocksOf(PAGE).filter(({ needs }) => needs === 'clone');
  for (const command of blocks.flatMap(commandsOf)) {
    expect(inClone('sh', '-c', command)).toMatchObject({ status: 0 });
  }
}, 600_000);
afterAll(() => rmSync(root, { recursive: true }));

test('the commit that is pushed holds what checks, and needs no other package', () => {
  expect(git(pushed, 'branch', '--format=%(refname:short)')).toBe('lint');
  expect(git(pushed, 'rev-parse', 'lint')).toBe(git(pushed, 'rev-parse', `${TAG}`));
  const files = git(pushed, 'ls-tree', '-r', '--name-only', TAG ?? '').split('\n');
  const shapes = files.map((path) => path.replace(/program-[\w-]+\.cjs/, 'program-NAME.cjs'));
  expect([...new Set(shapes)]).toEqual([
    '.gitattributes',
    '.pre-commit-hooks.yaml',
    'LICENSE',
    'README.md',
    'action.yml',
    'dist/bin.cjs',
    'dist/program-NAME.cjs',
    'dist/program.cjs',
    'dist/program.cjs.cache',
    'docs/bundled-licences.txt',
    'package.json',
  ]);
  const manifest = JSON.parse(git(pushed, 'show', `${TAG}:package.json`));
  expect(Object.keys(manifest)).toEqual([
    ...['name', 'version', 'private', 'description', 'license', 'engines', 'bin'],
  ]);
  expect(git(pushed, 'show', `${TAG}:README.md`)).toContain(git(clone, 'rev-parse', 'HEAD'));
});

test('the clone stays as it is, and the next version follows the last', () => {
  expect(git(clone, 'branch', '--show-current')).toBe('main');
  expect(git(clone, 'status', '--porcelain', '--untracked-files=no')).toBe('');
  expect(commitAgain()).toEqual({
    status: 1,
    stdout: '',
    stderr: `perturb: the tag ${TAG} exists\nSet another version, or delete it: git tag --delete ${TAG}\n`,
  });
  const first = git(clone, 'rev-parse', `${TAG}`);
  git(clone, 'tag', '--delete', `${TAG}`);
  expect(commitAgain()).toEqual({ status: 0, stdout: `${TAG}\n`, stderr: '' });
  expect(git(clone, 'rev-parse', 'lint', 'lint^')).toBe(
    `${git(clone, 'rev-parse', `${TAG}`)}\n${first}`,
  );
});

test('what is not committed is not packed', () => {
  cpSync(join(clone, 'LICENSE'), join(clone, 'README.md'));
  const stderr =
    'perturb: the working tree has changes that are not committed\nCommit them first.\n';
  expect(commitAgain()).toEqual({ status: 1, stdout: '', stderr });
  git(clone, 'checkout', '--quiet', 'README.md');
});

test('its program checks, and reaches servers, with nothing beside it', async () => {
  const alone = join(root, 'alone');
  git(root, 'clone', '--quiet', '--branch', `${TAG}`, pushed, alone);
  const cwd = directoryWith({ 'a.objective.toml': CLEAN, 'b.mutators.toml': CLEAN });
  const perturb = (...args: readonly string[]) => {
    const command = [join(alone, 'dist/bin.cjs'), ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      cwd,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  expect(perturb('objective', 'lint')).toEqual({
    status: 0,
    stdout: 'no problems in 1 file\n',
    stderr: '',
  });
  expect(perturb('mutators', 'lint').stdout).toContain('error[manifest/');
  const { status, stderr } = perturb(
    'objective',
    'lint',
    '--mutators',
    `http://127.0.0.1:${await unusedPort()}`,
  );
  expect(status).toBe(4);
  expect(stderr).toContain('refused the connection');
});

test.skipIf(!isInstalled('pre-commit'))(
  'pre-commit installs it, and checks what a commit changes',
  { timeout: 600_000 },
  () => {
    const [block = ''] = /^repos:\n.*?(?=^```)/ms.exec(PAGE) ?? [];
    const cwd = directoryWith({
      '.pre-commit-config.yaml': block.replace(/https:\S+/, pushed),
      'bench/mutators.toml': MANIFEST,
      'a.objective.toml': GUSTS,
    });
    git(cwd, 'init', '--quiet');
    git(cwd, 'add', '--all');
    const home = join(root, 'home');
    mkdirSync(home);
    const run = (...args: readonly string[]) => {
      const env = {
        ...process.env,
        HOME: home,
        PRE_COMMIT_HOME: home,
        npm_config_registry: NOWHERE,
      };
      const { status, stdout } = spawnSync('pre-commit', ['run', '--color', 'never', ...args], {
        cwd,
        env,
        encoding: 'utf8',
      });
      return { status, stdout };
    };
    const clean = run('--all-files');
    expect(clean.stdout).toMatch(/^perturb\.+Passed\nperturb \(manifests\)\.+Passed$/m);
    expect(clean.status).toBe(0);
    git(cwd, 'commit', '--quiet', '--message', 'Begin', '--no-verify');
    // The objective is no part of this commit, and no longer right.
    const change = (name: string, text: string) => {
      writeFileSync(join(cwd, name), text);
      git(cwd, 'add', name);
    };
    change('bench/mutators.toml', MANIFEST.replace('40.0]', '30.0]'));
    const weaker = run();
    expect(weaker.status).toBe(1);
    expect(weaker.stdout).toMatch(/^perturb\.+Failed$/m);
    expect(weaker.stdout).toContain('error[catalog/range-outside-hard-range]: 35.0 is outside');
    expect(weaker.stdout).toMatch(/^perturb \(manifests\)\.+Passed$/m);
    change('bench/mutators.toml', MANIFEST);
    change('b.objective.toml', WRONG);
    const wrong = run();
    expect(wrong.status).toBe(1);
    expect(wrong.stdout).toContain('error[objective/unknown-key]: unknown key "title"');
    expect(wrong.stdout).toContain('1 error in 1 file');
  },
);
