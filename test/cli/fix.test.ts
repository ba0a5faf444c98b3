import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { count, fixBytes, hasFix } from '../../src/diagnostics/index.js';
import { lint } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { roll } from '../dice.js';
import { runs } from '../long.js';
import { directoryWith, perturb } from './program.js';

const fixing = ['objective', 'lint', '--fix'];
const suggesting = [...fixing, '--suggested'];

const objective = (check: string, newline = '\n'): string =>
  [
    'name = "x"',
    '[[measurement]]',
    "name = 'y'",
    `check = ${check}`,
    '[stopping_conditions]',
    'attempts = 1',
    '',
  ].join(newline);

test('--fix changes just the characters of its fixes, and says how many files', async () => {
  const before = `\ufeff${objective('"MATCH (name == A && payload = BB) AS a # perturb: ignore toml/syntax"', '\r\n')}`;
  const cwd = directoryWith({ 'a.toml': before, 'b.toml': objective('"MATCH (a = 1) AS a"') });
  const { code, stdout, stderr } = await perturb([...suggesting, 'a.toml', 'b.toml'], { cwd });
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: 'no problems in 2 files\n',
    stderr: 'perturb: fixed 1 file\n',
  });
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(
    `\ufeff${objective(`"MATCH (name = 'A' AND payload = 'BB') AS a"`, '\r\n')}`,
  );
  expect(readdirSync(cwd).sort()).toEqual(['a.toml', 'b.toml']);
});

test.each([
  ['basic', '"MATCH (name = A) AS a"', `"MATCH (name = 'A') AS a"`],
  ['literal', "'MATCH (name = A) AS a'", `'MATCH (name = "A") AS a'`],
  ['multi-line basic', '"""MATCH (name = A) AS a"""', `"""MATCH (name = 'A') AS a"""`],
  ['multi-line literal', "'''MATCH (name = A) AS a'''", `'''MATCH (name = 'A') AS a'''`],
  ['written with escapes', '"MATCH (name = \\u0041) AS a"', `"MATCH (name = 'A') AS a"`],
])('a fix is written as the string can hold it: %s', (_name, before, after) => {
  const check = (bytes: Uint8Array) => lint(decodeSource('x.toml', bytes));
  const fixed = fixBytes('x.toml', Buffer.from(objective(before)), check, {
    suggested: true,
  });
  expect(Buffer.from(fixed.bytes).toString()).toBe(objective(after));
  expect(fixed.findings).toEqual([]);
});

test('an unused ignore goes with its line when it stands alone', () => {
  const check = (bytes: Uint8Array) => lint(decodeSource('x.toml', bytes));
  const clean = objective('"MATCH (a = 1) AS a"');
  const text = `# perturb: ignore toml/syntax\n${clean.replace('attempts = 1', 'attempts = 1   # perturb: ignore-file toml/syntax')}`;
  const fixed = fixBytes('x.toml', Buffer.from(text), check);
  expect(Buffer.from(fixed.bytes).toString()).toBe(clean);
});

test('--fix-dry-run prints a diff on stdout, the report on stderr, and changes nothing', async () => {
  const before = objective('"MATCH (name = A) AS a"');
  const cwd = directoryWith({ 'a.toml': before });
  const { code, stdout, stderr } = await perturb(
    ['objective', 'lint', '--fix-dry-run', '--suggested', '-f', 'compact', 'a.toml'],
    { cwd },
  );
  expect(code).toBe(0);
  expect(stdout).toBe(`--- a/a.toml
+++ b/a.toml
@@ -1,6 +1,6 @@
 name = "x"
 [[measurement]]
 name = 'y'
-check = "MATCH (name = A) AS a"
+check = "MATCH (name = 'A') AS a"
 [stopping_conditions]
 attempts = 1
`);
  expect(stderr).toMatch(/^a\.toml:4:24: warning expression\/unquoted-string: /);
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(before);
});

test('a link stays a link, and a mode stays', async () => {
  const cwd = directoryWith({ 'real/a.toml': objective('"MATCH (name = A) AS a"') });
  chmodSync(join(cwd, 'real/a.toml'), 0o640);
  symlinkSync('real/a.toml', join(cwd, 'link.toml'));
  expect((await perturb([...suggesting, 'link.toml'], { cwd })).code).toBe(0);
  expect(lstatSync(join(cwd, 'link.toml')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(cwd, 'real/a.toml'), 'utf8')).toContain("name = 'A'");
  expect(statSync(join(cwd, 'real/a.toml')).mode & 0o777).toBe(0o640);
});

test('--fix prints the fixed text of stdin, and the remaining findings on stderr', async () => {
  const broken = objective('"MATCH (name == \'A\') AS a WHEN a -> b"');
  const { code, stdout, stderr } = await perturb([...fixing, '-', '--format', 'compact'], {
    stdin: `\ufeff${broken}`,
  });
  expect([code, stdout]).toEqual([1, `\ufeff${broken.replace('==', '=')}`]);
  expect(stderr).toBe(
    'perturb: fixed 1 file\n-:4:44: error expression/unknown-label: no pattern has the label "b"; expected "a"\n',
  );
  const clean = objective('"MATCH (name = \'A\') AS a"');
  expect(await perturb([...fixing, '-'], { stdin: clean })).toMatchObject({
    code: 0,
    stdout: clean,
  });
});

test('a read-only file is not fixed, even for a superuser', async () => {
  const before = objective('"MATCH (name == \'A\') AS a"');
  const cwd = directoryWith({ 'a.toml': before });
  chmodSync(join(cwd, 'a.toml'), 0o444);
  expect(await perturb([...fixing, 'a.toml'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: cannot write a.toml: it is read-only\nAllow it: chmod u+w a.toml\n',
  });
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(before);
});

test('a Ctrl-C stops between two files, and leaves nothing behind', async () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `${10_000 + index}.toml`);
  const before = objective('"MATCH (name = A) AS a"');
  const cwd = directoryWith(Object.fromEntries(names.map((name) => [name, before])));
  const child = spawn(process.execPath, [resolve('dist/bin.cjs'), ...suggesting, '*.toml'], {
    cwd,
  });
  child.stdout.resume();
  child.stderr.resume();
  const closed = once(child, 'close');
  const isFixed = (name = '') => readFileSync(join(cwd, name), 'utf8') !== before;
  while (!isFixed(names[0]) && child.exitCode === null) await delay(2);
  child.kill('SIGINT');
  expect(await closed).toEqual([null, 'SIGINT']);
  expect(isFixed(names.at(-1))).toBe(false);
  expect(readdirSync(cwd).sort()).toEqual(names);
});

test('the unit that people write becomes the one that is meant', async () => {
  const text = (time: string) => `${objective('"MATCH (a = 1) AS a"')}time = '${time}'\n`;
  const cwd = directoryWith({ 'a.toml': text('2h 30m') });
  expect((await perturb([...fixing, 'a.toml'], { cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(text('2h 30min'));
});

test('what is only suggested is made where that is asked for', async () => {
  const before = objective('"MATCH (name = A) AS a"');
  const cwd = directoryWith({ 'a.toml': before });
  expect((await perturb([...fixing, 'a.toml'], { cwd })).stderr).toBe('perturb: fixed 0 files\n');
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(before);
  expect(await perturb(['objective', 'lint', '--suggested', 'a.toml'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: --suggested needs --fix or --fix-dry-run\nAdd one of them.\n',
  });
});

test('fixing and showing fixes exclude each other', async () => {
  const cwd = directoryWith({ 'a.toml': objective('"MATCH (name = A) AS a"') });
  expect(await perturb([...fixing, '--fix-dry-run', 'a.toml'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: --fix and --fix-dry-run cannot be combined\nUse only one of them.\n',
  });
});

test('a second BOM is a mistake, as other readers of TOML say, and nothing is fixed', async () => {
  const bytes = Buffer.from(`\ufeff\ufeff${objective('"MATCH (name = A) AS a"')}`);
  const cwd = directoryWith({ 'a.toml': '' });
  writeFileSync(join(cwd, 'a.toml'), bytes);
  const { code, stdout } = await perturb([...suggesting, 'a.toml', '-f', 'compact'], { cwd });
  expect([code, stdout]).toEqual([
    1,
    'a.toml:1:1: error toml/syntax: unexpected space character U+FEFF; write an ordinary space\n',
  ]);
  expect(readFileSync(join(cwd, 'a.toml'))).toEqual(bytes);
});

test('a file that is not UTF-8 stays as it is', async () => {
  const bytes = Buffer.concat([
    Buffer.from('# \xff\n', 'latin1'),
    Buffer.from(objective('"MATCH (name = A) AS a"')),
  ]);
  const cwd = directoryWith({ 'a.toml': bytes });
  expect((await perturb([...fixing, 'a.toml'], { cwd })).code).toBe(1);
  expect(readFileSync(join(cwd, 'a.toml'))).toEqual(bytes);
});

test('fixing is idempotent, adds no finding and leaves the rest of the file', () => {
  const pieces = [
    ...['name = A', 'name == A', 'a = 1 && b = 2', 'x ≠ y', 'payload = "q"', "p = 'q' || r = S"],
    ...['(name = B) OR c <> d', 'n.m = 3', '`x` = y'],
  ];
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const dice = roll(seed);
      const condition = Array.from({ length: 1 + dice.upTo(3) }, () => dice.pick(pieces)).join(
        dice.pick([' AND ', '\n  AND ', ' && ']),
      );
      const ignore = dice.pick(['', ' # perturb: ignore expression/always-true']);
      const string = `'''\nMATCH (${condition}) AS a${ignore}\n'''`;
      const text = objective(string, dice.pick(['\n', '\r\n']));
      const check = (bytes: Uint8Array) => lint(decodeSource('x.toml', bytes));
      const before = Buffer.from(text);
      const options = { suggested: dice.upTo(1) === 0 };
      const once = fixBytes('x.toml', before, check, options);
      expect(once.findings.filter((finding) => hasFix(finding, options))).toEqual([]);
      expect(fixBytes('x.toml', once.bytes, check, options).changed).toBe(false);
      // What cannot be read yet may hide a warning.
      expect(count(once.findings).errors).toBeLessThanOrEqual(count(check(before)).errors);
      const outside = (bytes: Uint8Array) =>
        Buffer.from(bytes)
          .toString()
          .split("'''")
          .filter((_, index) => index !== 1);
      expect(outside(once.bytes)).toEqual(outside(before));
    }),
    { numRuns: runs(1_000) },
  );
});
