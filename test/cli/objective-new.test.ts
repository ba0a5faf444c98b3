import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readQuestions } from '../../src/cli/objective/new.js';
import { serveMutators } from './mutator-server.js';
import { directoryWith, perturb } from './program.js';

const MANIFEST = resolve('fixtures/mutators/drone.mutators.toml');
const LISTING = resolve('fixtures/mutators/drone.listing.json');

test('it is written to a file named after it, and lints clean', async () => {
  const cwd = directoryWith({});
  expect(await perturb(['objective', 'new', 'Drone: in Wind!'], { cwd })).toEqual({
    code: 0,
    stdout: 'created drone-in-wind.objective.toml\n',
    stderr: '',
  });
  const lint = ['objective', 'lint', '--max-warnings', '0'];
  expect((await perturb(lint, { cwd })).code).toBe(0);
});

test('a file that exists stays as it is, unless --force is given', async () => {
  const cwd = directoryWith({ 'wind.objective.toml': 'precious' });
  const content = () => readFileSync(join(cwd, 'wind.objective.toml'), 'utf8');
  const create = ['objective', 'new', 'Wind'];
  expect(await perturb(create, { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'perturb: wind.objective.toml exists\nChoose another name with --output, or overwrite it with --force.\n',
  });
  expect(content()).toBe('precious');
  expect((await perturb([...create, '--force'], { cwd })).code).toBe(0);
  expect(content()).toMatch(/^name = "Wind"\n/);
});

test.each([
  ['manifest', () => MANIFEST],
  ['listing', () => LISTING],
  ['server', async () => (await serveMutators()).url],
])('from a %s it lints clean against the same', async (_kind, sourceOf) => {
  const source = await sourceOf();
  const cwd = directoryWith({});
  const made = await perturb(['objective', 'new', 'x', '--mutators', source, '-o', '-'], { cwd });
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
  expect(made.stdout.match(/^name = "simulation-wind"$/m)).not.toBeNull();
  const lint = ['objective', 'lint', '-', '--max-warnings', '0', '--mutators', source];
  expect(await perturb(lint, { cwd, stdin: made.stdout })).toEqual({
    code: 0,
    stdout: 'no problems in 1 file\n',
    stderr: '',
  });
});

test.each([
  [['--tag', 'simulator'], ['simulation-wind']],
  [
    ['--probe', 'NAV', '--probe', 'BENCH'],
    ['gps', 'gps'],
  ],
  [['--tag', 'drone', '--probe', 'GAZEBO'], ['simulation-wind']],
])('%j chooses among the mutators', async (flags, names) => {
  const args = ['objective', 'new', 'x', '--mutators', MANIFEST, '-o', '-', ...flags];
  const { stdout } = await perturb(args);
  const tables = [...stdout.matchAll(/^\[\[mutator\]\]\nname = "(.*)"$/gm)];
  expect(tables.map(([, name]) => name)).toEqual(names);
  expect(stdout.includes('\nmutator_tags = ')).toBe(flags.includes('--tag'));
});

test.each([
  [
    ['x', '--mutators', MANIFEST, '--tag', 'simulater'],
    'perturb: no mutator has the tag "simulater"\ndid you mean "simulator"?\n',
  ],
  [
    ['x', '--mutators', MANIFEST, '--tag', 'simulator', '--probe', 'NAV'],
    'perturb: no mutator matches both --tag and --probe\n',
  ],
  [
    ['x', '--tag', 'simulator'],
    'perturb: --tag and --probe select mutators, but there are no mutators\nPass a source with --mutators, or list it in perturb.toml.\n',
  ],
  [[' '], 'perturb: the name is empty\n'],
  [
    ['x', '-o', 'no/such/x.toml'],
    'perturb: cannot write no/such/x.toml: no such file or directory\n',
  ],
])('%j is wrong usage', async (args, stderr) => {
  const cwd = directoryWith({});
  expect(await perturb(['objective', 'new', ...args], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr,
  });
});

test('a manifest with findings is refused, and nothing is written', async () => {
  const cwd = directoryWith({ 'm.toml': '[[mutator]]\nname = "wind"\n' });
  const args = ['objective', 'new', 'x', '--mutators', 'm.toml'];
  expect(await perturb(args, { cwd })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'm.toml:1:1: error manifest/missing-key: missing key "actuator"; add a table [mutator.actuator]\n',
  });
});

test('a source that is not there: 4', async () => {
  const cwd = directoryWith({});
  const args = ['objective', 'new', 'x', '--mutators', 'no.toml'];
  const { code, stderr } = await perturb(args, { cwd });
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: `perturb: cannot read mutators from "no.toml": there is no such file\n`,
  });
});

test('perturb.toml gives the mutators, and a bench that is down only a warning', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[lint]\nmutators = ["bench/mutators.toml"]\n',
    'bench/mutators.toml': readFileSync(MANIFEST),
    'down/perturb.toml': '[lint]\nmutators = ["http://127.0.0.1:1/bench"]\n',
  });
  const made = await perturb(['objective', 'new', 'x', '--tag', 'simulator', '-o', '-'], { cwd });
  expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
  expect(made.stdout).toMatch(/^name = "simulation-wind"$/m);
  const down = await perturb(['objective', 'new', 'x', '-o', '-'], { cwd: join(cwd, 'down') });
  expect(down.code).toBe(0);
  expect(down.stdout).toMatch(/^# name = "simulation-wind"$/m);
  expect(down.stderr).toMatch(/^perturb: warning: written without mutators: .*127\.0\.0\.1:1/);
  const tagged = ['objective', 'new', 'x', '--tag', 'simulator', '-o', '-'];
  expect((await perturb(tagged, { cwd: join(cwd, 'down') })).code).toBe(4);
});

test('editors get the schema of the installed package', async () => {
  const schema = 'node_modules/perturb/grammar/objective.schema.json';
  const cwd = directoryWith({ [schema]: '{}', 'deep/x': '' });
  const write = ['objective', 'new', 'Wind', '-o', 'deep/wind.toml'];
  expect((await perturb(write, { cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, 'deep/wind.toml'), 'utf8')).toMatch(
    new RegExp(`^#:schema \\.\\./${schema}\\n`),
  );
});

test('an objective for each question has nothing to format', async () => {
  const cwd = directoryWith({});
  for (const number of readQuestions().keys()) {
    const args = ['objective', 'new', `Question ${number}`, '--question', number];
    expect((await perturb(args, { cwd })).code).toBe(0);
  }
  expect(await perturb(['objective', 'fmt', '--check'], { cwd })).toMatchObject({ code: 0 });
  expect(await perturb(['objective', 'lint', '--max-warnings', '0'], { cwd })).toMatchObject({
    code: 0,
  });
});

test.skipIf(process.platform === 'win32')('a full disk leaves no file behind', () => {
  const cwd = directoryWith({});
  const write = `trap '' XFSZ; ulimit -f 0; exec "$@"`;
  const program = [process.execPath, resolve('dist/bin.cjs')];
  const args = ['-c', write, 'sh', ...program, 'objective', 'new', 'Drone'];
  const { status, stderr } = spawnSync('sh', args, { cwd, encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, 'perturb: cannot write drone.objective.toml: EFBIG\n']);
  expect(readdirSync(cwd)).toEqual([]);
});
