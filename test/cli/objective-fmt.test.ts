import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, perturb, perturbProcess } from './program.js';

const fmt = ['objective', 'fmt'];
const UGLY = 'name = "x"\n[[measurement]]\nname="m"\ncheck = "match (name=\'A\') as a"\n';
const NEAT = UGLY.replace("match (name='A') as a", "MATCH (name = 'A') AS a");
const BROKEN = UGLY.replace('as a', '');

test('a file is laid out, everything around the expression stays, and it is said', async () => {
  const cwd = directoryWith({ 'a.toml': `\ufeff${UGLY.replaceAll('\n', '\r\n')}`, 'b.toml': NEAT });
  expect(await perturb([...fmt, 'a.toml', 'b.toml'], { cwd })).toEqual({
    code: 0,
    stdout: '',
    stderr: 'perturb: formatted 1 of 2 files\n',
  });
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(`\ufeff${NEAT.replaceAll('\n', '\r\n')}`);
});

test('a file that needs no change is not written', async () => {
  const cwd = directoryWith({ 'b.toml': NEAT });
  const before = statSync(join(cwd, 'b.toml')).ino;
  expect((await perturb([...fmt, 'b.toml'], { cwd })).stderr).toBe(
    'perturb: nothing to format in 1 file\n',
  );
  expect(statSync(join(cwd, 'b.toml')).ino).toBe(before);
});

test('--check changes nothing, reports as the linter does, and fails', async () => {
  const cwd = directoryWith({ 'a.toml': UGLY, 'b.toml': NEAT });
  expect(await perturb([...fmt, '--check', '-f', 'compact', 'a.toml', 'b.toml'], { cwd })).toEqual({
    code: 1,
    stdout:
      'a.toml:4:9: error format/expression: the expression is not formatted; run perturb objective fmt\n',
    stderr: '',
  });
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(UGLY);
  expect((await perturb([...fmt, '--check', 'b.toml'], { cwd })).code).toBe(0);
});

test('--check alone lists the files that would change', async () => {
  const cwd = directoryWith({ 'a.toml': UGLY, 'b.toml': NEAT, 'c.toml': UGLY });
  expect(await perturb([...fmt, '--check', 'a.toml', 'b.toml', 'c.toml'], { cwd })).toEqual({
    code: 1,
    stdout: 'a.toml\nc.toml\n',
    stderr: 'perturb: would change 2 of 3 files\n',
  });
  expect(await perturb([...fmt, '--check', 'b.toml'], { cwd })).toEqual({
    code: 0,
    stdout: '',
    stderr: 'perturb: nothing would change in 1 file\n',
  });
  const { code, stdout, stderr } = await perturb([...fmt, '--check', '--diff', 'a.toml'], { cwd });
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'perturb: would change 1 of 1 file\n' });
  expect(stdout).toMatch(/^--- a\/a\.toml\n/);
});

test('--diff changes nothing, and shows a patch', async () => {
  const cwd = directoryWith({ 'a.toml': UGLY });
  const { code, stdout, stderr } = await perturb([...fmt, '--diff', 'a.toml'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    `--- a/a.toml\n+++ b/a.toml\n@@ -1,4 +1,4 @@\n name = "x"\n [[measurement]]\n name="m"\n-check = "match (name='A') as a"\n+check = "MATCH (name = 'A') AS a"\n`,
  );
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(UGLY);
});

test('stdin goes to stdout, changed or not', async () => {
  expect(await perturb([...fmt, '-'], { stdin: UGLY })).toEqual({
    code: 0,
    stdout: NEAT,
    stderr: '',
  });
  expect((await perturb([...fmt, '-'], { stdin: NEAT })).stdout).toBe(NEAT);
});

test('an expression with a syntax error is left alone, and it is said where', async () => {
  expect(await perturb([...fmt, '-', '--stdin-filename', 'w.toml'], { stdin: BROKEN })).toEqual({
    code: 0,
    stdout: BROKEN,
    stderr: 'perturb: w.toml:4:9: skipped an expression: it has a syntax error\n',
  });
});

test('--check fails on an expression with a syntax error, and reports it', async () => {
  const check = [...fmt, '--check', '-', '--stdin-filename', 'w.toml'];
  expect(await perturb(check, { stdin: BROKEN })).toEqual({
    code: 1,
    stdout: '',
    stderr: `perturb: w.toml:4:9: skipped an expression: it has a syntax error
perturb: nothing would change in 1 file
`,
  });
  const { code, stdout } = await perturb([...check, '--format', 'compact'], { stdin: BROKEN });
  expect([code, stdout]).toEqual([
    1,
    'w.toml:4:9: error format/expression: the expression has a syntax error; perturb objective lint shows it\n',
  ]);
});

test('what cannot be read, or is not TOML or UTF-8, is said, and the others are done', async () => {
  const cwd = directoryWith({ 'a.toml': 'x = ', 'b.toml': Buffer.of(0xff), 'c.toml': UGLY });
  const { code, stderr } = await perturb([...fmt, 'a.toml', 'b.toml', 'c.toml', 'd.toml'], { cwd });
  expect(code).toBe(2);
  expect(stderr.split('\n').sort().join('\n')).toContain(
    [
      'perturb: a.toml is not valid TOML: perturb objective lint shows the error',
      'perturb: b.toml is not valid UTF-8: perturb objective lint shows the error',
    ].join('\n'),
  );
  expect(stderr).toContain('d.toml: no such file or directory');
  expect(readFileSync(join(cwd, 'c.toml'), 'utf8')).toBe(NEAT);
});

test('a file that cannot be replaced stays as it was', async () => {
  const cwd = directoryWith({ 'sub/a.toml': UGLY });
  chmodSync(join(cwd, 'sub'), 0o555);
  chmodSync(cwd, 0o755);
  const around = process.getuid?.() === 0 ? { cwd, uid: 65534 } : { cwd };
  const { code, stderr } = await perturbProcess([...fmt, 'sub/a.toml'], around);
  chmodSync(join(cwd, 'sub'), 0o755);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'perturb: cannot write sub/a.toml: permission denied\n',
  });
  expect(readFileSync(join(cwd, 'sub/a.toml'), 'utf8')).toBe(UGLY);
});

test('the examples are laid out as fmt does it', async () => {
  expect(await perturb([...fmt, '--check', 'examples'])).toMatchObject({ code: 0, stdout: '' });
});

test('flags of reports are not ignored: they need --check, and have their effect with it', async () => {
  const cwd = directoryWith({ 'a.toml': UGLY });
  for (const flags of [['--format', 'json', '--diff'], ['--statistics'], ['-q']]) {
    expect(await perturb([...fmt, 'a.toml', ...flags], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'perturb: only --check writes a report\nAdd --check, or remove --format, --quiet, --statistics and limits of findings.\n',
    });
  }
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(UGLY);
  const { code, stdout } = await perturb([...fmt, '--check', '--statistics', 'a.toml'], { cwd });
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^1 +1 +format\/expression$/m)]);
});
