import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith, perturb, WARNED, WRONG } from './program.js';

const lint = ['objective', 'lint'];

const WRONG_REPORT = `error[objective/unknown-key]: unknown key "title"
  ╭─ a.toml:1:1
1 │ title = "Wind"
  │ ^^^^^
2 │ name = "Wind"
  ╰─ help: did you mean "name"?

1 error in 1 file
`;

test('a clean file: a line that says so, and 0', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  expect(await perturb([...lint, 'a.toml'], { cwd })).toEqual({
    code: 0,
    stdout: 'no problems in 1 file\n',
    stderr: '',
  });
});

test('an error: the report on stdout without colour in a pipe, and 1', async () => {
  const cwd = directoryWith({ 'a.toml': WRONG });
  expect(await perturb([...lint, 'a.toml'], { cwd })).toEqual({
    code: 1,
    stdout: WRONG_REPORT,
    stderr: '',
  });
});

test('a warning alone: 0; beyond --max-warnings: 1, and why on stderr', async () => {
  const cwd = directoryWith({ 'a.toml': WARNED });
  expect((await perturb([...lint, 'a.toml'], { cwd })).code).toBe(0);
  expect((await perturb([...lint, 'a.toml', '--max-warnings', '1'], { cwd })).code).toBe(0);
  const { code, stderr } = await perturb([...lint, 'a.toml', '--max-warnings', '0'], { cwd });
  expect(code).toBe(1);
  expect(stderr).toBe('perturb: 1 warning, but --max-warnings allows 0\n');
});

test('--quiet reports errors only', async () => {
  const cwd = directoryWith({ 'a.toml': WARNED, 'b.toml': WRONG });
  const { code, stdout } = await perturb([...lint, '-q', '-f', 'json', 'a.toml', 'b.toml'], {
    cwd,
  });
  const { summary, findings } = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(summary).toEqual({ files: 2, errors: 1, warnings: 0 });
  expect(findings.map((finding: { rule: string }) => finding.rule)).toEqual([
    'objective/unknown-key',
  ]);
});

test('--quiet says how many warnings it hides', async () => {
  const cwd = directoryWith({ 'a.toml': WARNED });
  expect(await perturb([...lint, '-q', '--max-warnings', '0', 'a.toml'], { cwd })).toEqual({
    code: 1,
    stdout: 'no errors in 1 file, 1 warning hidden\n',
    stderr: 'perturb: 1 warning, but --max-warnings allows 0\n',
  });
});

test('json is the contract that docs/json-format.md shows', async () => {
  const cwd = directoryWith({ 'a.toml': `\ufeff${WRONG}` });
  const { code, stdout } = await perturb([...lint, 'a.toml', '--format', 'json'], { cwd });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    version: 1,
    summary: { files: 1, errors: 1, warnings: 0 },
    findings: [
      {
        rule: 'objective/unknown-key',
        severity: 'error',
        message: 'unknown key "title"',
        help: 'did you mean "name"?',
        file: 'a.toml',
        range: {
          start: { offset: 0, line: 1, column: 1 },
          end: { offset: 5, line: 1, column: 6 },
        },
      },
    ],
  });
});

test.each([
  ['FORCE_COLOR colours a pipe', [], { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR=0 does not', [], { FORCE_COLOR: '0' }, false],
  ['NO_COLOR wins over FORCE_COLOR', [], { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ['an empty NO_COLOR is none', [], { NO_COLOR: '', FORCE_COLOR: '1' }, true],
  ['--color colours a pipe', ['--color'], {}, true],
  ['--no-color wins over FORCE_COLOR', ['--no-color'], { FORCE_COLOR: '1' }, false],
  ['--color wins over NO_COLOR', ['--color'], { NO_COLOR: '1' }, true],
])('%s', async (_name, flags, env, coloured) => {
  const cwd = directoryWith({ 'a.toml': WRONG });
  const { stdout } = await perturb([...lint, 'a.toml', ...flags], { cwd, env });
  expect(stdout.includes('\u001b[')).toBe(coloured);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: SGR sequences start with ESC
  expect(stdout.replace(/\u001b\[[\d;]*m/g, '')).toBe(WRONG_REPORT);
});

test('- is stdin, under the name that is given', async () => {
  const { code, stdout } = await perturb([...lint, '-', '--stdin-filename', 'a.toml'], {
    stdin: WRONG,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: WRONG_REPORT });
  const unnamed = await perturb([...lint, '-'], { stdin: WRONG });
  expect(unnamed.stdout).toBe(WRONG_REPORT.replace('a.toml', '-'));
});

test('a directory is searched for *.objective.toml, without what git ignores', async () => {
  const cwd = directoryWith({
    '.git/HEAD': '',
    '.gitignore': 'drafts/\n*.old.objective.toml\n',
    'a.objective.toml': WRONG,
    'other.toml': WRONG,
    'drafts/b.objective.toml': WRONG,
    'deep/er/c.objective.toml': WRONG,
    'deep/d.old.objective.toml': WRONG,
    'deep/.gitignore': '!kept.old.objective.toml\n/er/f.objective.toml\n',
    'deep/kept.old.objective.toml': WRONG,
    'deep/er/f.objective.toml': WRONG,
    // On Linux, git tells it apart from drafts.
    'deep/Drafts/h.objective.toml': WRONG,
    'node_modules/p/g.objective.toml': WRONG,
  });
  const files = async (args: readonly string[], from = cwd) => {
    const { stdout } = await perturb([...lint, '-f', 'json', ...args], { cwd: from });
    return JSON.parse(stdout).findings.map((finding: { file: string }) => finding.file);
  };
  const deep = ['er/c.objective.toml', 'kept.old.objective.toml'];
  if (process.platform === 'linux') deep.unshift('Drafts/h.objective.toml');
  const all = ['a.objective.toml', ...deep.map((file) => `deep/${file}`)];
  expect(await files([])).toEqual(all);
  expect(await files(['.'])).toEqual(all);
  expect(await files(['deep', 'a.objective.toml', './a.objective.toml'])).toEqual(all);
  expect(await files(['.'], join(cwd, 'deep'))).toEqual(deep);
  // A file that is named is linted, ignored or not.
  expect(await files(['drafts/b.objective.toml'])).toEqual(['drafts/b.objective.toml']);
});

test('a quoted glob is expanded', async () => {
  const cwd = directoryWith({ 'a.toml': WRONG, 'x/b.toml': WRONG, 'x/c.txt': WRONG });
  const { stdout } = await perturb([...lint, '-f', 'json', '**/*.toml'], { cwd });
  expect(JSON.parse(stdout).summary).toEqual({ files: 2, errors: 2, warnings: 0 });
});

test.each([
  ['', 'perturb: <paths> is empty\n'],
  ['no.toml', 'perturb: cannot read no.toml: no such file or directory\n'],
  ['*.nope', 'perturb: no file matches *.nope\n'],
  [
    'empty',
    'perturb: no files to check in empty: no *.objective.toml found (git-ignored files are skipped)\n',
  ],
])('nothing found for %s: 2, naming what was looked for', async (word, stderr) => {
  const cwd = directoryWith({ 'empty/readme.md': '' });
  expect(await perturb([...lint, word], { cwd })).toEqual({ code: 2, stdout: '', stderr });
});

test('a file that cannot be read does not hide the others', async () => {
  const cwd = directoryWith({ 'a.toml': WRONG });
  symlinkSync('loop.toml', join(cwd, 'loop.toml'));
  expect(await perturb([...lint, 'loop.toml', 'a.toml'], { cwd })).toEqual({
    code: 2,
    stdout: WRONG_REPORT,
    stderr: 'perturb: cannot read loop.toml: too many symbolic links\n',
  });
});

test('findings of several files come by file, whatever the order of the arguments', async () => {
  const cwd = directoryWith({ 'a.toml': WRONG, 'b.toml': WRONG });
  const { stdout } = await perturb([...lint, '-f', 'json', 'b.toml', 'a.toml'], { cwd });
  const files = JSON.parse(stdout).findings.map((finding: { file: string }) => finding.file);
  expect(files).toEqual(['a.toml', 'b.toml']);
});

test('300 files, 40 of them wrong', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `d${index % 7}/${index}.objective.toml`);
  const cwd = directoryWith(
    Object.fromEntries(names.map((name, index) => [name, index % 15 < 2 ? WRONG : CLEAN])),
  );
  const { code, stdout } = await perturb([...lint, '-f', 'json'], { cwd });
  const { summary, findings } = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(summary).toEqual({ files: 300, errors: 40, warnings: 0 });
  expect(new Set(findings.map((finding: { file: string }) => finding.file)).size).toBe(40);
});

test('--stdin-filename without - is wrong usage', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  expect(await perturb([...lint, 'a.toml', '--stdin-filename', 'b.toml'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: --stdin-filename needs - for stdin among the arguments\n',
  });
});
