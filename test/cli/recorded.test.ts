import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

/* Objectives held against recorded sessions, on the command line. */

const SESSION = [
  { probe: 'GAZEBO', name: 'GUST', attributes: { force: 13.5 } },
  { probe: 'AUTOPILOT', name: 'MODE', attributes: { mode: 'HOLD', armed: true } },
]
  .map((event) => `${JSON.stringify(event)}\n`)
  .join('');

const objective = (check: string): string => `name = "Wind"

[[measurement]]
name = "m"
check = "${check}"

[stopping_conditions]
attempts = 1
`;

const GUTS = objective("MATCH (name = 'GUTS') AS g");
const FOUND =
  'a.toml:5:24: warning recorded/unknown-name: no recorded event has the name "GUTS"; did you mean "GUST"?\n';

const lint = ['objective', 'lint', '-f', 'compact', 'a.toml'];

test('an objective is held against the sessions of a file, a directory and a glob', async () => {
  const cwd = directoryWith({ 'a.toml': GUTS, 'runs/1/attempts/1.jsonl': SESSION });
  for (const sessions of ['runs/1/attempts/1.jsonl', 'runs', 'runs/*/attempts/*']) {
    const outcome = await perturb([...lint, '--sessions', sessions], { cwd });
    expect([sessions, outcome]).toEqual([sessions, { code: 0, stdout: FOUND, stderr: '' }]);
  }
  expect(await perturb(lint, { cwd })).toMatchObject({ stdout: '' });
});

test('the polls of perturb.toml are known before any was recorded', async () => {
  const asked = objective("MATCH (response @ shop AND error = 'timeout') AS late");
  const sessions = '[lint]\nsessions = ["x.jsonl"]\n';
  const poll = '[polls.shop]\ntcp = "127.0.0.1:1"\n';
  const files = { 'a.toml': asked, 'x.jsonl': SESSION };
  const cwd = directoryWith({ ...files, 'perturb.toml': `${sessions}${poll}` });
  expect(await perturb(lint, { cwd })).toEqual({ code: 0, stdout: '', stderr: '' });
  writeFileSync(join(cwd, 'perturb.toml'), sessions);
  expect(await perturb(lint, { cwd })).toMatchObject({
    stdout: expect.stringContaining('no recorded event is at the probe "shop"'),
  });
});

test("a run's own events are listed once among those that were recorded", async () => {
  const own = '{"probe":"perturb","name":"perturb.injected"}\n{"probe":"A","name":"x"}\n';
  const cwd = directoryWith({ 'a.toml': objective("MATCH (name = 'far') AS g"), 'x.jsonl': own });
  expect(await perturb([...lint, '--sessions', 'x.jsonl'], { cwd })).toMatchObject({
    stdout:
      'a.toml:5:24: warning recorded/unknown-name: no recorded event has the name "far"; expected one of "perturb.injected", "x", "perturb.reset" or "perturb.command.ended"\n',
  });
});

test('--fix --suggested writes what was recorded in place of what never was', async () => {
  const cwd = directoryWith({ 'a.toml': GUTS, 'x.jsonl': SESSION });
  const flags = ['--sessions', 'x.jsonl', '--fix'];
  expect(await perturb([...lint, ...flags], { cwd })).toMatchObject({ stdout: FOUND });
  const fixed = await perturb([...lint, ...flags, '--suggested'], { cwd });
  expect(fixed).toEqual({ code: 0, stdout: '', stderr: 'perturb: fixed 1 file\n' });
  expect(readFileSync(join(cwd, 'a.toml'), 'utf8')).toBe(GUTS.replace('GUTS', 'GUST'));
});

test('perturb.toml names sessions, those that are still to come too, and what they rightly lack', async () => {
  const config = '[lint]\nsessions = ["runs", "recordings/*.jsonl"]\n';
  const cwd = directoryWith({ 'a.toml': GUTS, 'perturb.toml': config });
  expect(await perturb(lint, { cwd })).toEqual({
    ...{ code: 0, stdout: '', stderr: '' },
  });
  const home = directoryWith({
    ...{ 'a.toml': GUTS, 'perturb.toml': config, 'recordings/1.jsonl': SESSION },
    'deep/a.toml': GUTS,
  });
  expect(await perturb(lint, { cwd: home })).toMatchObject({ stdout: FOUND });
  const below = await perturb(lint, { cwd: join(home, 'deep') });
  expect(below.stdout).toBe(FOUND);
  writeFileSync(join(home, 'perturb.toml'), `${config}\n[recorded]\nexpected = ["GUTS"]\n`);
  expect(await perturb(lint, { cwd: home })).toMatchObject({ stdout: '' });
});

test('what is broken in a session is told, and a flag that names none is refused', async () => {
  const cwd = directoryWith({ 'a.toml': GUTS, 'x.jsonl': `${SESSION}{"probe": 3}\n` });
  const broken = await perturb([...lint, '--sessions', 'x.jsonl'], { cwd });
  expect([broken.code, broken.stdout]).toEqual([0, FOUND]);
  expect(broken.stderr).toMatch(/^perturb: warning: x\.jsonl: 3: .*\n$/);
  const missing = await perturb([...lint, '--sessions', 'flights'], { cwd });
  expect(missing).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'perturb: no session found at flights\n' +
      'Name a file, a glob, or a directory with *.session.jsonl or with the runs of an objective.\n',
  });
});

test('lint refuses sessions of which nothing can be read', async () => {
  const cwd = directoryWith({ 'a.toml': GUTS, 'x.session.jsonl': 'one\ntwo\n' });
  expect(await perturb([...lint, '--sessions', '.'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'perturb: warning: x.session.jsonl: unknown format: it looks like text, which begins with "one"\n' +
      'perturb: no session could be read\n',
  });
});

test('what was read is kept in the cache directory of the user, and not beside the session', async () => {
  const cwd = directoryWith({ 'a.toml': GUTS, 'x.jsonl': SESSION });
  const before = readdirSync(cwd);
  const cache = directoryWith({});
  const env = { XDG_CACHE_HOME: cache };
  await perturb([...lint, '--sessions', 'x.jsonl'], { cwd, env });
  expect(readdirSync(cwd)).toEqual(before);
  expect(readdirSync(join(cache, 'perturb', 'vocabulary'))).toHaveLength(1);
});

test('inspect prints the names that a session has, for people and for scripts', async () => {
  const cwd = directoryWith({ 'runs/1.session.jsonl': SESSION });
  const page = await perturb(['session', 'inspect', 'runs'], { cwd });
  expect(page).toMatchObject({ code: 0, stderr: '' });
  expect(page.stdout).toContain(`
EVENT  PROBE      EVENTS  ATTRIBUTES
GUST   GAZEBO     1       force
MODE   AUTOPILOT  1       armed; mode

ATTRIBUTE  EVENTS  KINDS    TEXTS
armed      1       boolean  -
force      1       float    -
mode       1       string   1 HOLD
`);
  const json = await perturb(['session', 'inspect', 'runs/*', '-f', 'json'], { cwd });
  expect(JSON.parse(json.stdout).files).toMatchObject([
    {
      ...{ file: 'runs/1.session.jsonl', whole: true },
      session: {
        names: [
          { name: 'GUST', probe: 'GAZEBO', events: 1 },
          { name: 'MODE', probe: 'AUTOPILOT', events: 1 },
        ],
        attributes: [
          { name: 'armed', kinds: { boolean: 1 }, texts: [] },
          { name: 'force', kinds: { float: 1 }, texts: [] },
          { name: 'mode', kinds: { string: 1 }, texts: [{ text: 'HOLD', events: 1 }] },
          { name: 'name', kinds: { string: 2 }, texts: [] },
          { name: 'probe', kinds: { string: 2 }, texts: [] },
        ],
      },
    },
  ]);
  const nothing = await perturb(['session', 'inspect', 'none'], { cwd });
  expect([nothing.code, nothing.stdout]).toEqual([2, '']);
});

test('recordings are read by the [reading] tables of perturb.toml, and again once a table has changed', async () => {
  const table = (name: string, files: string, pattern: string) =>
    `[reading.${name}]\nfiles = ["${files}"]\npattern = '${pattern}'\n`;
  const words = '^(?<name>\\w+) (?<mode>\\w+)$';
  const other = table('other', '*.txt', '^(?<mode>\\w+) (?<name>\\w+)$');
  const config = `${table('app', '*.log', words)}${other}`;
  const cwd = directoryWith({ 'a.toml': GUTS, 'x.log': 'GUST ALTO\n', 'perturb.toml': config });
  const command = [...lint, '--sessions', 'x.log'];
  const env = { XDG_CACHE_HOME: join(cwd, 'cache') };
  expect(await perturb(command, { cwd, env })).toEqual({ code: 0, stdout: FOUND, stderr: '' });
  const alto = FOUND.replace(
    'did you mean "GUST"?',
    'expected one of "ALTO", "perturb.injected", "perturb.reset" or "perturb.command.ended"',
  );
  const byName = await perturb([...command, '--reading', 'other'], { cwd, env });
  expect(byName).toEqual({ code: 0, stdout: alto, stderr: '' });
  writeFileSync(join(cwd, 'perturb.toml'), other.replace('*.txt', '*.log'));
  expect(await perturb(command, { cwd, env })).toEqual({ code: 0, stdout: alto, stderr: '' });
  writeFileSync(join(cwd, 'perturb.toml'), config.replace('*.txt', 'x.*'));
  expect(await perturb(command, { cwd, env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'x.log matches [reading.app] and [reading.other] of perturb.toml',
    ),
  });
});

test.each([
  ['lint', lint],
  ['create', ['objective', 'create', 'a.toml']],
])('%s refuses a --reading without recordings that it could be for', async (_, command) => {
  const config = '[reading.app]\nfiles = ["*.log"]\n';
  const cwd = directoryWith({ 'a.toml': GUTS, 'perturb.toml': config });
  expect(await perturb([...command, '--reading', 'app'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'perturb: --reading has no effect without recorded sessions\n' +
      'List sessions in perturb.toml, or pass them to "perturb objective lint" with --sessions.\n',
  });
});

test('create reads recordings by the tables of perturb.toml, or the one that --reading names', async () => {
  const config = `[lint]
sessions = ["x.log"]
[reading.app]
files = ["*.log"]
pattern = '^(?<name>\\w+) (?<mode>\\w+)$'
[reading.other]
files = ["*.txt"]
pattern = '^(?<mode>\\w+) (?<name>\\w+)$'
`;
  const cwd = directoryWith({ 'a.toml': GUTS, 'x.log': 'GUST GUTS\n', 'perturb.toml': config });
  const create = ['objective', 'create', 'a.toml', '--dry-run'];
  const warned = await perturb(create, { cwd });
  expect([warned.code, warned.stderr]).toEqual([
    0,
    expect.stringContaining('no recorded event has the name "GUTS"'),
  ]);
  expect(await perturb([...create, '--reading', 'other'], { cwd })).toEqual({
    ...{ code: 0, stdout: 'created "Wind@1"\n' },
    stderr: 'perturb: dry run: nothing was stored\n',
  });
});
