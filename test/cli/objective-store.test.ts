import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteObjective } from '../../src/cli/objective/stored.js';
import { commitIn } from './git.js';
import { CLEAN, directoryWith, perturb, perturbProcess, WARNED, WRONG } from './program.js';
import { edit, transcript } from './transcript.js';

const DRONE = readFileSync('examples/objectives/drone-wind.objective.toml', 'utf8').replace(
  ' with a failing link',
  '',
);

const objective = (...args: readonly string[]): string[] => ['objective', ...args];

test('a session: create, list, show, diff, export, delete, restore, purge', async () => {
  const cwd = directoryWith({
    'objectives/drone.toml': DRONE,
    'wind.toml': CLEAN,
  });
  const commit = commitIn(cwd);
  const first = await transcript(cwd, [
    'objective list',
    'objective create objectives/drone.toml wind.toml --dry-run',
    'objective create objectives/drone.toml wind.toml',
    'objective create objectives/drone.toml',
    'objective list',
    'objective show "Drone in wind"',
    'objective show Wind --format json',
    'objective show Wind --format toml',
    'objective show Wnid',
    'objective show Wind@2',
  ]);
  edit(cwd, 'objectives/drone.toml', 'range = [0.0, 25.0]', 'range = [0.0, 30]   # stronger');
  edit(cwd, 'objectives/drone.toml', 'name = "link-failure"', 'name = "link-loss"');
  edit(cwd, 'objectives/drone.toml', '2h 30min', '90min');
  edit(cwd, 'objectives/drone.toml', 'severity >= 4', 'severity>=5');
  edit(cwd, 'wind.toml', 'name = "Wind"', "# The same.\nname   = 'Wind'");
  const second = await transcript(cwd, [
    'objective create wind.toml objectives/drone.toml',
    'objective create wind.toml objectives/drone.toml --format json',
    'objective create wind.toml objectives/drone.toml --update',
    'objective diff "Drone in wind@1" "Drone in wind"',
    'objective diff Wind wind.toml',
    'objective diff Wind wind.toml --text',
    'objective diff Wind "Drone in wind" --format json',
    'objective delete Wind',
    'objective delete Wind --yes',
    'objective delete Wind --yes',
    'objective list',
    'objective create wind.toml',
    'objective delete Wind --undo',
    'objective delete Wind --undo',
    'objective delete Rain --undo',
    'objective delete Wind --purge --yes',
    'objective show Wind',
    'objective list --format json',
  ]);
  await expect(`${first}\n${second}`.replaceAll(commit, 'COMMIT')).toMatchFileSnapshot(
    '../../fixtures/store/session.txt',
  );
});

test('an error rejects all files, with the report of lint', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN, 'b.toml': WRONG });
  for (const format of ['pretty', 'json']) {
    const created = await perturb(objective('create', 'a.toml', 'b.toml', '-f', format), { cwd });
    expect(created.code).toBe(1);
    expect(created).toEqual(
      await perturb(objective('lint', 'a.toml', 'b.toml', '-f', format), { cwd }),
    );
  }
  expect(readdirSync(cwd)).toEqual(['a.toml', 'b.toml']);
});

test('a misspelt tag rejects, and does not hide a range that is outside', async () => {
  const cwd = directoryWith({ 'mutators.toml': MUTATORS, 'a.toml': MISSPELT_TAG });
  const args = objective('create', 'a.toml', '--mutators', 'mutators.toml', '-f', 'json');
  const { code, stdout } = await perturb(args, { cwd });
  const { findings } = JSON.parse(stdout) as { findings: { rule: string; message: string }[] };
  expect({ code, found: findings.map(({ rule, message }) => [rule, message]) }).toEqual({
    code: 1,
    found: [
      ['catalog/nothing-selected', 'no mutator has the tag "dron"'],
      [
        'catalog/range-outside-hard-range',
        '-5.0 is outside the hard range [0.0, 40.0] of parameter "speed"',
      ],
      [
        'catalog/range-outside-hard-range',
        '400.0 is outside the hard range [0.0, 40.0] of parameter "speed"',
      ],
    ],
  });
});

const MUTATORS = `[[mutator]]
name = "wind"
tags = ["drone"]

[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]

[mutator.actuator]
kind = "exec"
inject = ["true", "{speed}"]
reset = ["true"]
`;

const MISSPELT_TAG = `name = "Wind"

[mutation_constraints]
mutator_tags = ["dron"]

[[mutator]]
name = "wind"

[[mutator.param_constraints]]
name = "speed"
range = [-5.0, 400.0]

[[measurement]]
name = "No crash"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

[stopping_conditions]
attempts = 3
`;

test('warnings are reported on stderr, and do not reject', async () => {
  const cwd = directoryWith({ 'a.toml': WARNED });
  const { code, stdout, stderr } = await perturb(objective('create', 'a.toml'), { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'created "Wind@1"\n' });
  expect(stderr).toContain('warning[objective/no-stopping-condition]');
});

test('stdin, and two files of one name', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN, 'b.toml': CLEAN });
  expect(await perturb(objective('create', '-'), { cwd, stdin: CLEAN })).toEqual({
    code: 0,
    stdout: 'created "Wind@1"\n',
    stderr: '',
  });
  expect(await perturb(objective('create', 'a.toml', 'b.toml'), { cwd })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'perturb: nothing was stored: a.toml and b.toml have the same name "Wind"\nRename one of them.\n',
  });
});

test('a silenced finding that leaves a part out rejects', async () => {
  const text = '# perturb: ignore-file objective/missing-key\nname = "Wind"\n';
  const cwd = directoryWith({ 'a.toml': text });
  const { code, stderr } = await perturb(objective('create', 'a.toml'), { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain(
    'nothing was stored: a silenced finding makes part of a.toml unreadable\n',
  );
});

test('export gives back every byte', async () => {
  const original = `\ufeff${CLEAN.replaceAll('\n', '\r\n')}# 🌬`;
  const cwd = directoryWith({ 'a.toml': original });
  await perturb(objective('create', 'a.toml'), { cwd });
  expect((await perturb(objective('export', 'Wind'), { cwd })).stdout).toBe(original);
  await perturb(objective('export', 'Wind@1', '-o', 'b.toml'), { cwd });
  expect(readFileSync(join(cwd, 'b.toml'))).toEqual(readFileSync(join(cwd, 'a.toml')));
});

test('the store is that of the flag, of perturb.toml, of the project', async () => {
  const cwd = directoryWith({
    'a.toml': CLEAN,
    'deep/perturb.toml': '[store]\nurl = "sqlite:lab.db"\n',
  });
  mkdirSync(join(cwd, 'deep/er'));
  mkdirSync(join(cwd, '.git'));
  mkdirSync(join(cwd, 'other'));
  const create = (from: string, ...flags: readonly string[]) =>
    perturbProcess(objective('create', '-', ...flags), { cwd: join(cwd, from), stdin: CLEAN });
  await create('deep/er');
  expect(readdirSync(join(cwd, 'deep')).sort()).toEqual(['er', 'lab.db', 'perturb.toml']);
  await create('other');
  expect(readdirSync(join(cwd, '.perturb')).sort()).toEqual(['.gitignore', 'objectives.db']);
  await create('deep/er', '--store', 'sqlite:x.db');
  expect(readdirSync(join(cwd, 'deep/er'))).toEqual(['x.db']);
});

test('a password does not belong into perturb.toml, and is not repeated', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[store]\nurl = "postgres://lab:secret@127.0.0.1/lab"\n',
  });
  expect(await perturb(objective('list'), { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      "perturb: perturb.toml contains the store's password; remove it, and set PGPASSWORD or write ~/.pgpass\n",
  });
});

test('a store that cannot be used: one line, and 4', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN, 'no.db': 'no database, and long enough to see it' });
  const create = (url: string) => perturb(objective('create', 'a.toml', '--store', url), { cwd });
  for (const url of ['sqlite:no.db', 'sqlite:a.toml/x.db', 'postgres://u:secret@127.0.0.1:9/d']) {
    const { code, stdout, stderr } = await create(url);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/^perturb: [^\n]+: [^\n]+\n$/);
    expect(stderr).not.toContain('secret');
  }
});

test.each([
  ['y\n', 'deleted "Wind"\n', 'Delete "Wind"? It can be restored. [y/N] '],
  ['no\n', '', 'Delete "Wind"? It can be restored. [y/N] perturb: nothing was deleted\n'],
])('on a terminal, delete asks, and %j answers', async (answer, stdout, stderr) => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  await perturb(objective('create', 'a.toml'), { cwd });
  const said: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
  const output = (name: keyof typeof said) => ({
    write(text: string) {
      said[name] += text;
    },
  });
  async function* terminal() {
    yield Buffer.from(answer);
  }
  const io = {
    stdin: Object.assign(terminal(), { isTTY: true }),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: {},
    cwd,
  };
  await deleteObjective.run({ io, color: undefined }, ['Wind'], { timeout: 10_000 });
  expect(said).toEqual({ stdout, stderr });
});

test('lint loads none of the libraries of the store', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN, 'trap.cjs': TRAP });
  const env = { NODE_OPTIONS: `--require ${join(cwd, 'trap.cjs')}` };
  const stderrOf = async (name: string) =>
    (await perturbProcess(objective(name, 'a.toml'), { cwd, env })).stderr;
  expect(await stderrOf('lint')).toBe('');
  expect(await stderrOf('create')).toContain('loaded libsql');
});

/** Tells which libraries of the store are loaded. */
const TRAP = `const Module = require('node:module');
const load = Module._load;
Module._load = (request, ...rest) => {
  if (/^(?:libsql|pg)$/.test(request)) process.stderr.write('loaded ' + request + '\\n');
  return load(request, ...rest);
};
`;

const isRoot = process.getuid?.() === 0;

test('a directory that is read-only', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  await perturbProcess(objective('create', 'a.toml'), { cwd });
  edit(cwd, 'a.toml', 'Wind', 'Rain');
  for (const name of ['.perturb/objectives.db', '.perturb/.gitignore', 'a.toml']) {
    chmodSync(join(cwd, name), 0o444);
  }
  for (const name of ['.perturb', '.']) chmodSync(join(cwd, name), 0o555);
  const { code, stdout, stderr } = await perturbProcess(objective('create', 'a.toml'), {
    cwd,
    // Root may write everywhere.
    ...(isRoot && { uid: 65_534 }),
  });
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toMatch(/^perturb: cannot (?:open|write) \.perturb\/objectives\.db: [^\n]+\n$/);
});

test('the default store is empty before the first create; a named one must be there', async () => {
  const cwd = directoryWith({});
  const first = 'perturb: register one with perturb objective create FILE\n';
  expect(await perturb(objective('list', '--format', 'json'), { cwd })).toEqual({
    code: 0,
    stdout: `${JSON.stringify({ version: 1, objectives: [] }, null, 2)}\n`,
    stderr: first,
  });
  expect(await perturb(objective('list'), { cwd })).toEqual({
    code: 0,
    stdout: 'no objectives\n',
    stderr: first,
  });
  expect(readdirSync(cwd)).toEqual([]);
  expect((await perturb(objective('list', '--store', 'sqlite:lab.db'), { cwd })).code).toBe(4);
});

test('a log has every revision, and --deleted lists what was deleted', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  await perturb(objective('create', 'a.toml'), { cwd });
  edit(cwd, 'a.toml', 'attempts = 10', 'attempts = 20');
  await perturb(objective('create', 'a.toml', '--update'), { cwd });
  const log = await transcript(cwd, [
    'objective show Wind --history',
    'objective show Wnd --history',
  ]);
  expect(log).toBe(`$ perturb objective show Wind --history
REVISION  CREATED               STOP         FILE    COMMIT
2         TIME  20 attempts  a.toml  -
1         TIME  10 attempts  a.toml  -

$ perturb objective show Wnd --history
perturb: the store has no objective "Wnd"
did you mean "Wind"?
(exit 2)
`);
  await perturb(objective('delete', 'Wind', '--yes'), { cwd });
  const { stdout } = await perturb(objective('list', '--deleted', '--format', 'json'), { cwd });
  const { objectives } = JSON.parse(stdout);
  expect(objectives).toMatchObject([{ name: 'Wind', revision: 2 }]);
  expect(new Date(objectives[0].deleted_at).getTime()).toBeGreaterThan(0);
  expect((await perturb(objective('list', '--deleted'), { cwd })).stdout).toMatch(/ DELETED\n/);
});

test('a word that ends in .toml is a file, though it does not exist', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  for (const words of [
    ['diff', 'a.toml', 'b.toml'],
    ['measure', 'b.toml', 'x.jsonl'],
  ]) {
    expect(await perturb(objective(...words), { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'perturb: cannot read b.toml: no such file or directory\n',
    });
  }
});

test.each([
  ['a composed letter', 'Caf\u00e9', 'Cafe\u0301', '"Caf\\u{e9}" and "Cafe\\u{301}"'],
  ['another blank', 'In wind', 'In\u00a0 wind', '"In wind" and "In\\u{a0} wind"'],
  ['an invisible character', 'Wind', 'Wi\u200bnd', '"Wind" and "Wi\\u{200b}nd"'],
])(
  'a name that differs by %s alone is refused, and nothing is stored',
  async (_, one, other, both) => {
    const cwd = directoryWith({
      'one.toml': CLEAN.replace('Wind', one),
      'other.toml': CLEAN.replace('Wind', other),
    });
    const refusal = {
      code: 1,
      stdout: '',
      stderr: `perturb: nothing was stored: the names ${both} look alike\nUse the same name for both, or rename one.\n`,
    };
    const together = await perturb(objective('create', 'one.toml', 'other.toml'), { cwd });
    expect(together.code).toBe(1);
    expect(together.stderr).toContain('look alike');
    expect((await perturb(objective('create', 'one.toml'), { cwd })).code).toBe(0);
    expect(await perturb(objective('create', 'other.toml'), { cwd })).toEqual(refusal);
    expect((await perturb(objective('create', 'one.toml'), { cwd })).stdout).toMatch(/^unchanged /);
  },
);

/** Hides the native module of SQLite, as an installation with --omit=optional does. */
const WITHOUT_NATIVE = `const Module = require('node:module');
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  if (!request.startsWith('@libsql/')) return resolve(request, ...rest);
  throw Object.assign(new Error(\`Cannot find module '\${request}'\`), { code: 'MODULE_NOT_FOUND' });
};
`;

test('without its native module the store says to install again, and doctor goes on', async () => {
  const cwd = directoryWith({ 'wind.toml': CLEAN, 'hide.cjs': WITHOUT_NATIVE });
  const env = { NODE_OPTIONS: '--require ./hide.cjs' };
  const problem =
    /the SQLite module for this machine is not installed \(Cannot find module '@libsql\/[\w-]+'\): reinstall Perturb on this machine, without --omit=optional/;
  const created = await perturbProcess(objective('create', 'wind.toml'), { cwd, env });
  expect([created.code, created.stdout]).toEqual([4, '']);
  expect(created.stderr).toMatch(problem);
  expect((await perturb(objective('create', 'wind.toml'), { cwd })).code).toBe(0);
  const doctor = await perturbProcess(['doctor'], { cwd, env });
  expect(doctor.code).toBe(4);
  expect(doctor.stdout).toMatch(/^perturb +ok /m);
  expect(doctor.stdout).toMatch(problem);
});
