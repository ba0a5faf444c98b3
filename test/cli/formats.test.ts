import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith, perturb, WARNED, WRONG } from './program.js';

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
    "perturb: option '-f, --format <name[=file]>' argument 'xml' is invalid. Allowed choices are pretty, compact, json, sarif, github, gitlab, junit, markdown, checkstyle, alone or as NAME=FILE.\n",
  ],
  [
    ['-f', 'markdwn=x.md'],
    "perturb: option '-f, --format <name[=file]>' argument 'markdwn=x.md' is invalid. Allowed choices are pretty, compact, json, sarif, github, gitlab, junit, markdown, checkstyle, alone or as NAME=FILE.\n(Did you mean markdown?)\n",
  ],
  [
    ['-f', 'json='],
    "perturb: option '-f, --format <name[=file]>' argument 'json=' is invalid. The file after = is missing.\n",
  ],
  [
    ['-f', 'json=r', '-f', 'sarif=r'],
    "perturb: option '-f, --format <name[=file]>' argument 'sarif=r' is invalid. Another report already uses r.\n",
  ],
  [
    ['-f', 'json=./a.toml'],
    'perturb: refusing to overwrite ./a.toml: it is an input file\nWrite the report to another file.\n',
  ],
  [
    ['-f', 'json=a.toml/x'],
    'perturb: cannot write a.toml/x: part of the path is not a directory\n',
  ],
])('%j is wrong usage', async (flags, stderr) => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  const outcome = await perturb([...lint, ...flags], { cwd });
  expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 2, stderr });
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(CLEAN);
});

test.each([
  [['objective', 'lint', '--write-baseline', 'a.toml', 'b.toml'], 'a.toml with a report'],
  [['objective', 'lint', 'b.toml', '--format', 'json=a.toml'], 'a.toml with a report'],
  [['mutators', 'lint', 'b.toml', '--format', 'json=a.toml'], 'a.toml with a report'],
  [['objective', 'measure', 'a.toml', '--report', '1.jsonl', '2.jsonl'], '1.jsonl with a report'],
  [
    ['objective', 'measure', 'a.toml', '1.txt', '--format', 'junit=1.txt'],
    '1.txt: it is an input file',
  ],
  [
    ['objective', 'measure', 'a.toml', '1.jsonl', '--baseline', '2.txt', '--report', '2.txt'],
    '2.txt: it is an input file',
  ],
])('%j replaces nothing that is read', async (args, named) => {
  const event = '{"probe":"A","name":"CRASH"}\n';
  const recorded = { '1.jsonl': event, '2.jsonl': event, '1.txt': event, '2.txt': event };
  const files: Record<string, string> = { 'a.toml': CLEAN, 'b.toml': WRONG, ...recorded };
  const cwd = directoryWith(files);
  expect(await perturb(args, { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: refusing to overwrite ${named}\nWrite the report to another file.\n`,
  });
  for (const [name, text] of Object.entries(files)) {
    expect(readFileSync(join(cwd, name), 'utf8')).toBe(text);
  }
});

test.skipIf(process.platform === 'win32')('a pipe stays one, whatever is written', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN, '1.jsonl': '{"probe":"A","name":"CRASH"}\n' });
  expect((await perturb(['objective', 'create', 'a.toml'], { cwd })).code).toBe(0);
  spawnSync('mkfifo', [join(cwd, 'pipe')]);
  for (const args of [
    ['session', 'import', '1.jsonl', '--out', 'pipe'],
    ['objective', 'export', 'Wind', '--output', 'pipe'],
    ['objective', 'new', 'Drone', '--force', '--output', 'pipe'],
    ['objective', 'lint', 'a.toml', '--write-baseline', 'pipe'],
    ['objective', 'lint', 'a.toml', '--format', 'json=pipe'],
  ]) {
    expect(await perturb(args, { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'perturb: cannot write pipe: it is not a regular file\n',
    });
    expect(lstatSync(join(cwd, 'pipe')).isFIFO()).toBe(true);
  }
});

test('paths in CI formats count from the root of the repository', async () => {
  const cwd = directoryWith({ '.git/HEAD': '', 'deep/a.toml': WRONG });
  const { stdout } = await perturb([...lint, '-f', 'github'], { cwd: join(cwd, 'deep') });
  expect(stdout).toMatch(/^::error file=deep\/a\.toml,line=1,/);
});

test('in JUnit, a warning fails only where it fails the run', async () => {
  const cwd = directoryWith({ 'a.toml': WARNED });
  const run = async (...flags: readonly string[]) => {
    const { code, stdout } = await perturb([...lint, 'a.toml', '-f', 'junit', ...flags], { cwd });
    return [code, ...(/<testsuite name="a.toml" (.*)>/.exec(stdout)?.slice(1) ?? [])];
  };
  expect(await run()).toEqual([0, 'tests="1" failures="0" errors="0" skipped="1"']);
  expect(await run('--max-warnings', '0')).toEqual([
    1,
    'tests="1" failures="1" errors="0" skipped="0"',
  ]);
});

test('- means stdout wherever something is written, and a baseline is not', async () => {
  const event = '{"probe":"A","name":"HEARTBEAT"}\n';
  const cwd = directoryWith({ 'a.toml': CLEAN, '1.jsonl': event });
  const run = (line: string) => perturb(line.split(' '), { cwd });
  await run('objective create a.toml');
  expect(await run('objective export Wind -o -')).toMatchObject({ code: 0, stdout: CLEAN });
  const { stdout } = await run('objective lint a.toml -f json=-');
  expect(JSON.parse(stdout).summary).toEqual({ files: 1, errors: 0, warnings: 0 });
  const measured = await run('objective measure a.toml 1.jsonl --report -');
  expect(measured.stdout).toMatch(/^<!DOCTYPE html>/);
  expect(await run('objective lint a.toml --write-baseline -')).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: 'perturb: --write-baseline needs a file, not stdout\n',
  });
  expect(existsSync(join(cwd, '-'))).toBe(false);
});
