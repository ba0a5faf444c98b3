import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.js';
import { exitCodes } from '../../src/cli/runtime/command.js';
import { version } from '../../src/version.js';
import { perturb, perturbProcess } from './program.js';

test('--version is that of the package', async () => {
  expect(version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  expect(await perturbProcess(['--version'])).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

test.each([['-v'], ['version'], ['-V']])('%s is --version', async (word) => {
  expect(await perturbProcess([word])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('docs/exit-codes.md lists the exit codes of the program', () => {
  const rows = readFileSync('docs/exit-codes.md', 'utf8').matchAll(/^\| (\d) \| (\w+) \|/gm);
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
  expect(stdout).toContain('  --no-color ');
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
    ['rules', 'expression/syntax'],
    ['rules', 'explain', 'expression/syntax'],
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

const meant = (word: string, help: string) =>
  `perturb: unknown command '${word}'\n(Did you mean ${help}?)\n`;
const NO_LINT = meant('lint', 'one of perturb objective lint, perturb mutators lint');

test.each([
  [['lint', 'wind.toml'], NO_LINT],
  [['help', 'lint'], NO_LINT],
  [['create', 'wind.toml'], meant('create', 'perturb objective create')],
  [['help', 'objctive'], meant('objctive', 'perturb objective')],
  [['.'], meant('.', 'perturb objective lint .')],
  [['no/wind.toml'], meant('no/wind.toml', 'perturb objective lint no/wind.toml')],
  [
    ['bench/mutators.toml'],
    meant('bench/mutators.toml', 'perturb mutators lint bench/mutators.toml'),
  ],
  [['crash.trace'], meant('crash.trace', 'perturb expression check crash.trace')],
  [['docs'], meant('docs', 'perturb objective lint docs')],
  [['objective', 'check', 'a.toml'], meant('check', 'perturb objective lint')],
  [['lnit'], meant('lnit', 'one of perturb objective lint, perturb mutators lint')],
  [
    ['objective', 'lint', '--json'],
    "perturb: unknown option '--json'\n(Did you mean --format json?)\n",
  ],
  [
    ['objective', 'lint', '--output-file=x'],
    "perturb: unknown option '--output-file=x'\n(Did you mean --format NAME=FILE?)\n",
  ],
  [
    ['--json', 'objective', 'lint'],
    "perturb: unknown option '--json'\n(Did you mean --format json, after the command?)\n",
  ],
  [
    ['--server=bench', 'mutators', 'list'],
    "perturb: unknown option '--server=bench'\n(a command's flags come after the command's name)\n",
  ],
  ...[
    ['-o', '--format NAME=FILE'],
    ['--output', '--format NAME=FILE'],
    ['--severity', '--quiet, or levels in [lint.rules] of perturb.toml'],
    ['--fail-on', '--max-warnings'],
  ].map(([flag = '', instead = '']): [string[], string] => [
    ['objective', 'lint', flag, 'x'],
    `perturb: unknown option '${flag}'\n(Did you mean ${instead}?)\n`,
  ]),
  [
    ['objective', 'lint', '--exclude', 'x'],
    "perturb: unknown option '--exclude'\n(to exclude files, set exclude in [lint] of perturb.toml)\n",
  ],
  [
    ['objective', 'measure', '-o', 'x.html'],
    "perturb: unknown option '-o'\n(Did you mean --report?)\n",
  ],
  [
    ['rules', '--color=never'],
    "perturb: unknown option '--color=never'\n(Did you mean --no-color?)\n",
  ],
  [
    ['objective', 'run', '--resume', '--out', 'r3'],
    "perturb: option '--resume <directory>' argument '--out' is invalid. Expected a directory. For a path that starts with -, write ./--out.\n",
  ],
  [
    ['objective', 'measure', 'x.toml', 'x.jsonl', '--report', '-x.html'],
    "perturb: option '--report <path>' argument '-x.html' is invalid. Expected a path. For a path that starts with -, write ./-x.html.\n",
  ],
  [
    ['expression', 'check', 'MATCH', 'name'],
    `perturb: too many arguments for 'check'. Expected 1 argument but got 2.
Quote the expression, as in perturb expression check "MATCH (name = 'CRASH') AS crash".
`,
  ],
  [['foo'], "perturb: unknown command 'foo'\n(perturb help lists the commands)\n"],
  [
    ['objective', 'foo'],
    "perturb: unknown command 'foo'\n(perturb help objective lists the commands)\n",
  ],
  [['help', 'objective', 'lnt'], "perturb: unknown command 'lnt'\n(Did you mean lint?)\n"],
  [['rules', 'explin'], "perturb: unknown command 'explin'\n(Did you mean explain?)\n"],
  [['objctive'], meant('objctive', 'perturb objective')],
  [['objective', 'lnt'], "perturb: unknown command 'lnt'\n(Did you mean lint?)\n"],
  [
    ['objective', 'lint', '--fromat', 'json'],
    "perturb: unknown option '--fromat'\n(Did you mean --format?)\n",
  ],
  [
    ['objective', 'lint', '--max-warnings', 'few'],
    "perturb: option '--max-warnings <n>' argument 'few' is invalid. Expected a whole number.\n",
  ],
  [
    ['rules', 'explain'],
    "perturb: missing required argument 'rule'\n(perturb rules explain --help shows the usage)\n",
  ],
  [
    ['session', 'load', 'a.jsonl'],
    "perturb: required option '--engine <clickhouse:url>' not specified\n(perturb session load --help shows the usage)\n",
  ],
  [['check'], meant('check', 'one of perturb objective lint, perturb expression check')],
  [['validate'], meant('validate', 'perturb objective lint')],
  [['objective', 'log', 'Wind'], meant('log', 'perturb objective show --history')],
  [['objective', 'restore', 'Wind'], meant('restore', 'perturb objective delete --undo')],
  [['objective', 'verify'], meant('verify', 'perturb doctor')],
  [['session', 'validate', 'a.jsonl'], meant('validate', 'perturb session inspect')],
  [['session', 'vocabulary', 'a.jsonl'], meant('vocabulary', 'perturb session inspect')],
])('%j is wrong usage', async (args, stderr) => {
  expect(await perturb(args)).toEqual({ code: 2, stdout: '', stderr });
});

test('a group without a command shows its help, and is wrong usage', async () => {
  const { code, stdout, stderr } = await perturbProcess(['objective']);
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
    stderr: 'perturb: cannot write to stdout: no space left on the device\n',
  });
});
