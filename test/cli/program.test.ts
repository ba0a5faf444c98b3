import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.js';
import { exitCodes } from '../../src/cli/runtime/exit-codes.js';
import { version } from '../../src/version.js';
import { perturb } from './program.js';

test('--version is that of the package', async () => {
  expect(version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  expect(await perturb(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each(['README.md', 'docs/exit-codes.md'])('%s lists the exit codes of the program', (path) => {
  const rows = readFileSync(path, 'utf8').matchAll(/^\| (\d) \| (\w+) \|/gm);
  expect(Object.fromEntries([...rows].map(([, code, name]) => [name, Number(code)]))).toEqual(
    exitCodes,
  );
});

const HELP = [
  ...commands.map(({ words }) => words),
  ...new Set(commands.map(({ words }) => words[0] as string)),
  '',
].map((words) => [words].flat().filter((word) => word !== ''));

test.each(HELP.map((words) => [words]))('help of %j', async (words) => {
  const { code, stdout, stderr } = await perturb([...words, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: perturb/);
  expect(stdout).toMatch(/Examples?:\n {2}perturb /);
});

test.each([
  [['help'], ['--help']],
  [
    ['help', 'objective'],
    ['objective', '--help'],
  ],
  [
    ['help', 'rules'],
    ['rules', '--help'],
  ],
  [
    ['help', 'objective', 'lint'],
    ['objective', 'lint', '--help'],
  ],
  [
    ['objective', 'help', 'lint'],
    ['objective', 'lint', '--help'],
  ],
  [
    ['help', 'objective', 'lint', 'wind.toml'],
    ['objective', 'lint', '--help'],
  ],
])('%j says what %j says', async (asked, flag) => {
  const outcome = await perturb(asked);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(outcome).toEqual(await perturb(flag));
});

const NO_LINT = `perturb: unknown command 'lint'
(Did you mean one of objective lint, mutators lint?)
`;

test.each([
  [['lint', 'wind.toml'], NO_LINT],
  [['help', 'lint'], NO_LINT],
  [
    ['create', 'wind.toml'],
    "perturb: unknown command 'create'\n(Did you mean objective create?)\n",
  ],
  [['help', 'objctive'], "perturb: unknown command 'objctive'\n(Did you mean objective?)\n"],
  [['foo'], "perturb: unknown command 'foo'\n(perturb help lists the commands)\n"],
  [
    ['objective', 'foo'],
    "perturb: unknown command 'foo'\n(perturb help objective lists the commands)\n",
  ],
  [['help', 'objective', 'lnt'], "perturb: unknown command 'lnt'\n(Did you mean lint?)\n"],
  [['rules', 'explin'], "perturb: unknown command 'explin'\n(Did you mean explain?)\n"],
  [['objctive'], "perturb: unknown command 'objctive'\n(Did you mean objective?)\n"],
  [['objective', 'lnt'], "perturb: unknown command 'lnt'\n(Did you mean lint?)\n"],
  [
    ['objective', 'lint', '--fromat', 'json'],
    "perturb: unknown option '--fromat'\n(Did you mean --format?)\n",
  ],
  [
    ['objective', 'lint', '--max-warnings', 'few'],
    "perturb: option '--max-warnings <n>' argument 'few' is invalid. It takes a whole number.\n",
  ],
  [['rules', 'explain'], "perturb: missing required argument 'id'\n"],
])('%j is wrong usage', async (args, stderr) => {
  expect(await perturb(args)).toEqual({ code: 2, stdout: '', stderr });
});

test('a group without a command shows its help, and is wrong usage', async () => {
  const { code, stdout, stderr } = await perturb(['objective']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Usage: perturb objective/);
});

test.skipIf(!existsSync('/dev/full'))('a stdout that takes nothing more ends in a message', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, ['dist/bin.cjs', 'rules'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: "perturb: can't write to stdout: no space left on the device\n",
  });
});
