import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyProject } from '../copy-project.js';
import { git } from './git.js';
import { CLEAN, directoryWith, WRONG } from './program.js';
import { isInstalled } from './shells.js';

/*
 * The real pre-commit installs the hooks from a repository of the sources, as it
 * does for a user: with "npm install" and "npm pack" from the registry. That takes a minute of the
 * processor, so it runs where PERTURB_TEST_PRE_COMMIT=1 asks for it, as `.ci/run` does.
 */

/** A repository of all that git knows or would add here, with a tag. */
function repositoryOfSources(): string {
  const directory = directoryWith({});
  copyProject(directory);
  git(directory, 'init', '--quiet');
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--message', 'Sources');
  git(directory, 'tag', 'v0.1.0');
  return directory;
}

test.skipIf(process.env['PERTURB_TEST_PRE_COMMIT'] !== '1' || !isInstalled('pre-commit'))(
  'pre-commit installs the hook, lets a clean commit pass and holds a wrong one',
  { timeout: 600_000 },
  () => {
    const [block = ''] = /^repos:\n.*?(?=^```)/ms.exec(readFileSync('docs/ci.md', 'utf8')) ?? [];
    const config = block.replace(/https:\S+/, repositoryOfSources()).replace(/^ +args: .*\n/m, '');
    const cwd = directoryWith({ '.pre-commit-config.yaml': config, 'a.objective.toml': CLEAN });
    git(cwd, 'init', '--quiet');
    git(cwd, 'add', '--all');
    const run = () => {
      // All of the environment: npm needs what it says of the registry.
      const env = { ...process.env, PRE_COMMIT_HOME: join(cwd, '.git/pre-commit') };
      const args = ['run', '--all-files', '--color', 'never'];
      const { status, stdout, stderr } = spawnSync('pre-commit', args, {
        cwd,
        env,
        encoding: 'utf8',
      });
      return { status, output: stdout + stderr };
    };
    const clean = run();
    expect(clean.output).toMatch(/^perturb\.+Passed$/m);
    expect(clean.status).toBe(0);
    cpSync(
      join(directoryWith({ 'b.objective.toml': WRONG }), 'b.objective.toml'),
      join(cwd, 'b.objective.toml'),
    );
    git(cwd, 'add', '--all');
    const wrong = run();
    expect(wrong.status).toBe(1);
    expect(wrong.output).toContain('error[objective/unknown-key]: unknown key "title"');
  },
);
