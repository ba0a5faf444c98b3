import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith, perturb, WRONG } from './program.js';

/** A directory with a file, and with all else that may have the name of one. */
function withOddities(): string {
  const cwd = directoryWith({ 'a.objective.toml': CLEAN, 'real.toml': WRONG });
  symlinkSync('lab@bench.4711:1700000000', join(cwd, '.#a.objective.toml'));
  symlinkSync('real.toml', join(cwd, 'link.objective.toml'));
  symlinkSync('loop.objective.toml', join(cwd, 'loop.objective.toml'));
  symlinkSync('.', join(cwd, 'again.objective.toml'));
  if (spawnSync('mkfifo', [join(cwd, 'pipe.objective.toml')]).status !== 0) throw new Error();
  return cwd;
}

test.each([['.'], ['*.objective.toml']])(
  'a search passes over what is no file: %s',
  async (word) => {
    const lint = ['objective', 'lint', word, '--format', 'compact'];
    const { code, stdout, stderr } = await perturb(lint, { cwd: withOddities() });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^link\.objective\.toml:1:1: error objective\/unknown-key: .*\n$/);
  },
);

test('what is named and no file is an error at once', async () => {
  const names = ['pipe.objective.toml', '.#a.objective.toml', 'loop.objective.toml'];
  expect(await perturb(['objective', 'lint', ...names], { cwd: withOddities() })).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: pipe.objective.toml is not a regular file
perturb: cannot read .#a.objective.toml: no such file or directory
perturb: cannot read loop.objective.toml: too many symbolic links
`,
  });
});
