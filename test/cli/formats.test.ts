import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith, perturb, WRONG } from './program.js';

const lint = ['objective', 'lint', 'a.toml'];

test('reports go to files, and stdout stays with pretty', async () => {
  const cwd = directoryWith({ 'a.toml': WRONG });
  const { code, stdout } = await perturb(
    [...lint, '--format', 'json=out/report.json', '-f', 'compact=report.txt'],
    { cwd },
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(/^error\[objective\/unknown-key\]: unknown key "title"\n/);
  expect(JSON.parse(readFileSync(join(cwd, 'out/report.json'), 'utf8')).summary.errors).toBe(1);
  expect(readFileSync(join(cwd, 'report.txt'), 'utf8')).toMatch(
    /^a\.toml:1:1: error objective\/unknown-key: unknown key "title"; did you mean "name"\?\n$/,
  );
});

test('one format on stdout, another in a file', async () => {
  const cwd = directoryWith({ 'a.toml': WRONG });
  const { stdout } = await perturb([...lint, '-f', 'compact', '-f', 'json=r.json'], { cwd });
  expect(stdout).toMatch(/^a\.toml:1:1: error /);
});

test.each([
  [
    ['-f', 'json', '-f', 'compact'],
    'perturb: two reports cannot share stdout\nWrite one to a file, as in --format compact=FILE.\n',
  ],
  [
    ['-f', 'xml'],
    "perturb: option '-f, --format <name[=file]>' argument 'xml' is invalid. Allowed choices are pretty, compact, json, sarif, github, gitlab, junit, checkstyle, alone or as NAME=FILE.\n",
  ],
  [
    ['-f', 'json='],
    "perturb: option '-f, --format <name[=file]>' argument 'json=' is invalid. The file after = is missing.\n",
  ],
  [
    ['-f', 'json=r', '-f', 'sarif=r'],
    "perturb: option '-f, --format <name[=file]>' argument 'sarif=r' is invalid. Another report already goes to r.\n",
  ],
  [
    ['-f', 'json=./a.toml'],
    'perturb: a report would replace ./a.toml, which is checked\nWrite the report to another file.\n',
  ],
  [
    ['-f', 'json=a.toml/x'],
    'perturb: cannot write a.toml/x: a part of its path is not a directory\n',
  ],
])('%j is wrong usage', async (flags, stderr) => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  const outcome = await perturb([...lint, ...flags], { cwd });
  expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 2, stderr });
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(CLEAN);
});

test('paths in CI formats count from the root of the repository', async () => {
  const cwd = directoryWith({ '.git/HEAD': '', 'deep/a.toml': WRONG });
  const { stdout } = await perturb([...lint, '-f', 'github'], { cwd: join(cwd, 'deep') });
  expect(stdout).toMatch(/^::error file=deep\/a\.toml,line=1,/);
});
