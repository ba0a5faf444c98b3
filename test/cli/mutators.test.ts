import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deadUrl, serveTcp } from '../mutators/client/servers.js';
import { serveMutators } from './mutator-server.js';
import { directoryWith, perturb } from './program.js';

const MUTATION = '0190e1a2-0000-7000-8000-000000000001';

test.each([
  ['list', ['list'], 'list.txt'],
  ['list as json', ['list', '-f', 'json'], 'list.json'],
  ['inspect', ['inspect', 'wind'], 'inspect.txt'],
  ['inspect as json', ['inspect', 'wind', '-f', 'json'], 'inspect.json'],
])('%s', async (_name, args, golden) => {
  const { url } = await serveMutators();
  const { code, stdout, stderr } = await perturb(['mutators', ...args, '--server', url]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await expect(stdout).toMatchFileSnapshot(`../../fixtures/mutators/drone.${golden}`);
});

test('what a listing says never acts on the terminal, and what is wrong in it is told', async () => {
  const attributes = { 'mutator.name': 'a\u001b[2Jb\nc', 'mutator.layer': 'galactic' };
  const listing = JSON.stringify([{ mutator_correlation_id: 'x\u202ey', attributes }]);
  const { url } = await serveMutators({ listing });
  expect(await perturb(['mutators', 'list', '-s', url])).toEqual({
    code: 0,
    stdout:
      'ID          NAME            PROBE  LAYER  OPERATION  PARAMETERS\n' +
      'x\\u{202e}y  a\\u{1b}[2Jb\\nc  -      -      -          -\n',
    stderr:
      'perturb: warning: mutator "x\\u{202e}y": "mutator.layer" is "galactic", not one of implementational, operational, environmental\n',
  });
});

test('the time after which a mutation is reset is shown as a manifest writes it', async () => {
  const attributes = { 'mutator.perturb.max_active': { Timestamp: 630_000_000_000 } };
  const listing = JSON.stringify([{ mutator_correlation_id: 'x', attributes }]);
  const { url } = await serveMutators({ listing });
  const { stdout } = await perturb(['mutators', 'inspect', 'x', '-s', url]);
  expect(stdout).toBe('id          x\nmax_active  10min 30s\n\nno parameters\n');
});

test('numbers of json are those of the server', async () => {
  const listing = `[{"mutator_correlation_id": "x", "attributes": {
    "acme.a": 5, "acme.b": 5.0, "acme.c": 9007199254740993, "acme.d": {"BigInt": "18446744073709551616"}}}]`;
  const { url } = await serveMutators({ listing });
  const { stdout } = await perturb(['mutators', 'inspect', 'x', '-s', url, '-f', 'json']);
  expect(stdout).toBe(`{
  "version": 1,
  "mutator": {
    "id": "x",
    "tags": [],
    "parameters": [],
    "attributes": {
      "acme.a": 5,
      "acme.b": 5.0,
      "acme.c": 9007199254740993,
      "acme.d": {
        "BigInt": 18446744073709551616
      }
    }
  }
}
`);
});

/** A listing of mutators, each by its id with the attributes that are given. */
function listingOf(mutators: Readonly<Record<string, object>>): string {
  return JSON.stringify(
    Object.entries(mutators).map(([id, attributes]) => ({
      mutator_correlation_id: id,
      attributes,
    })),
  );
}

test('inspect shows every attribute of a mutator and of its parameters', async () => {
  const listing = listingOf({
    x: {
      'mutator.name': 'heater',
      'mutator.group': 'thermal',
      'mutator.safety': 'hot',
      'mutator.source.file': 'heater.c',
      'mutator.source.line': 7,
      'mutator.acme.owner': 'bench',
      'mutator.params.level.name': 'Level',
      'mutator.params.level.value_type': 'Integer',
      'mutator.params.level.description': 'How hot',
      'mutator.params.level.value_distribution.kind': 'discrete',
      'mutator.params.level.value_distribution.scaling': 'linear',
      'mutator.params.level.value_distribution.option_set.low': 1,
      'mutator.params.level.value_distribution.option_set.high': 10,
      'mutator.params.level.acme.curve': 'steep',
    },
  });
  const { url } = await serveMutators({ listing });
  expect(await perturb(['mutators', 'inspect', 'x', '-s', url])).toEqual({
    code: 0,
    stderr: '',
    stdout: `id                  x
name                heater
group               thermal
safety              hot
source file         heater.c
source line         7
mutator.acme.owner  "bench"

KEY    NAME   TYPE             VALUES               UNITS  DEFAULT  LEAST EFFECT  DISTRIBUTION  SCALING  DESCRIPTION
level  Level  enum of integer  low = 1 | high = 10  -      -        -             discrete      linear   How hot

level.acme.curve  "steep"
`,
  });
});

const WINDS = listingOf({
  a: { 'mutator.name': 'wind', 'mutator.probe': 'A', 'mutator.layer': 'galactic' },
  b: { 'mutator.name': 'wind', 'mutator.probe': 'B' },
  c: { 'mutator.name': 'gps' },
});

test.each([
  ['gps', 'c'],
  ['wind@B', 'b'],
  ['b', 'b'],
])('inspect, inject and reset take %s, without warnings about other mutators', async (word, id) => {
  const statusOf = ({ path }: { path: string }) =>
    path === `/bench/mutator/${id}/mutation` ? undefined : 404;
  const { url, changes } = await serveMutators({ listing: WINDS, statusOf });
  const ask = (command: string, ...more: string[]) =>
    perturb(['mutators', command, word, '-s', url, ...more]);
  const page = await ask('inspect', '-f', 'json');
  expect(page).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(page.stdout).mutator.id).toBe(id);
  expect(await ask('inject', '--mutation', MUTATION)).toEqual({
    code: 0,
    stdout: `injected ${MUTATION} into ${id}\n`,
    stderr: '',
  });
  expect(await ask('reset')).toEqual({ code: 0, stdout: `reset ${id}\n`, stderr: '' });
  const path = `/bench/mutator/${id}/mutation`;
  expect(changes.filter((change) => change.path === path).map(({ method }) => method)).toEqual([
    'POST',
    'DELETE',
  ]);
});

test.each(['inspect', 'inject', 'reset'])(
  '%s refuses a name that several have',
  async (command) => {
    const statusOf = () => 404;
    const { url } = await serveMutators({ listing: WINDS, statusOf });
    expect(await perturb(['mutators', command, 'wind', '-s', url])).toEqual({
      code: 2,
      stdout: '',
      stderr: `perturb: warning: mutator "a": "mutator.layer" is "galactic", not one of implementational, operational, environmental
perturb: 2 mutators are named "wind"
Use one of their ids: "a" (probe "A"), "b" (probe "B").
`,
    });
  },
);

test('a server without mutators', async () => {
  const { url } = await serveMutators({ listing: '[]' });
  expect((await perturb(['mutators', 'list', '-s', url])).stdout).toBe('no mutators\n');
  expect(await perturb(['mutators', 'reset', '--all', '-s', url])).toEqual({
    code: 0,
    stdout: 'no mutator was reset\n',
    stderr: '',
  });
});

test('inject types its values by their parameters, fills in defaults, and says what it sent', async () => {
  const { url, changes } = await serveMutators();
  const args = ['inject', 'wind', '--param', 'speed=12', '-p', 'mode=gust'];
  const mutation = ['--mutation', MUTATION.toUpperCase()];
  expect(await perturb(['mutators', ...args, ...mutation, '-s', url])).toEqual({
    code: 0,
    stdout: `injected ${MUTATION} into wind\n  speed  12.0\n  mode   gust\n`,
    stderr: '',
  });
  const path = '/bench/mutator/wind/mutation';
  const body = `{"mutation":"${MUTATION}","params":{"speed":12.0,"mode":"gust"}}`;
  expect(changes).toEqual([{ method: 'POST', path, body }]);

  const { stdout } = await perturb(['mutators', 'inject', 'wind', '-f', 'json', '-s', url]);
  const { mutation: random } = JSON.parse(stdout);
  expect(random).toMatch(/^[0-9a-f-]{36}$/);
  expect(stdout).toBe(
    `{\n  "version": 1,\n  "id": "wind",\n  "mutation": "${random}",\n  "params": {\n    "speed": 5.0,\n    "mode": "steady"\n  }\n}\n`,
  );
  expect(changes[1]?.body).toBe(`{"mutation":"${random}","params":{"speed":5.0,"mode":"steady"}}`);
});

test.each([
  [['wnd'], 'perturb: there is no mutator with the id or name "wnd"\ndid you mean "wind"?\n'],
  [
    ['simulation-wind@GPS'],
    'perturb: there is no mutator with the id or name "simulation-wind@GPS"\ndid you mean "simulation-wind"?\n',
  ],
  [
    ['wind', '-p', 'sped=5', '-p', 'speed=fast', '-p', 'mode=gst', '-p', 'speed'],
    `perturb: nothing was sent to the mutator "wind":
  there is no parameter "sped" (did you mean "speed"?)
  parameter "speed": expected a float, found "fast"
  parameter "mode": "gst" is not an option (did you mean "gust"?)
  "speed" is not of the form key=value
`,
  ],
  [
    ['wind', '-p', 'speed=41', '-p', 'mode=gust', '-p', 'mode=steady'],
    `perturb: nothing was sent to the mutator "wind":
  parameter "speed": 41.0 is outside the hard range [0.0, 40.0]
  duplicate parameter "mode"
`,
  ],
  [
    ['battery'],
    'perturb: nothing was sent to the mutator "battery":\n  parameter "volts" is missing, and has no default\n',
  ],
  [
    ['wind', '--mutation', 'gust'],
    "perturb: option '--mutation <uuid>' argument 'gust' is invalid. Expected a UUID.\n",
  ],
])('inject %j is wrong usage, and nothing is sent', async (args, stderr) => {
  const { url, changes } = await serveMutators();
  expect(await perturb(['mutators', 'inject', ...args, '-s', url])).toEqual({
    code: 2,
    stdout: '',
    stderr,
  });
  expect(changes).toEqual([]);
});

test('an injection that fails half-way says that the mutation may be active', async () => {
  const { url } = await serveMutators({ statusOf: () => 500 });
  expect(await perturb(['mutators', 'inject', 'wind', '--mutation', MUTATION, '-s', url])).toEqual({
    code: 4,
    stdout: '',
    stderr: `perturb: ${url}/mutator/wind/mutation returned 500: the mutator failed and may be active; check the server's log for the cause
Mutation ${MUTATION} may be active. Reset the mutator "wind".
`,
  });
});

test('reset resets one, and asks for the listing only to say what was meant', async () => {
  const statusOf = ({ path }: { path: string }) => (path.includes('/wind/') ? undefined : 404);
  const { url, changes } = await serveMutators({ statusOf });
  expect(await perturb(['mutators', 'reset', 'wind', '-s', url])).toEqual({
    code: 0,
    stdout: 'reset wind\n',
    stderr: '',
  });
  expect(changes).toEqual([{ method: 'DELETE', path: '/bench/mutator/wind/mutation', body: '' }]);
  expect(await perturb(['mutators', 'reset', 'wnd', '-s', url])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: there is no mutator with the id or name "wnd"\ndid you mean "wind"?\n',
  });
});

test('reset --all resets all that it can, and names the others', async () => {
  const statusOf = ({ path }: { path: string }) => (path.includes('/gps/') ? 500 : undefined);
  const { url, changes } = await serveMutators({ statusOf });
  const { code, stdout, stderr } = await perturb(['mutators', 'reset', '--all', '-s', url]);
  const done = ['battery', 'gps-module', 'link-drop-packets', 'wind'];
  expect(code).toBe(4);
  expect(stdout).toBe(done.map((id) => `reset ${id}\n`).join(''));
  expect(stderr).toMatch(/^perturb: .*\/mutator\/gps\/mutation returned 500: .*\n$/);
  expect(changes).toHaveLength(5);
  const json = await perturb(['mutators', 'reset', '--all', '-f', 'json', '-s', url]);
  const message = stderr.slice('perturb: '.length).trimEnd();
  expect(JSON.parse(json.stdout)).toEqual({
    version: 1,
    reset: done,
    forgotten: [],
    failed: [{ id: 'gps', message }],
  });
});

test.each([
  [[], 'perturb: reset needs one mutator, or --all\n'],
  [['-s', 'http://127.0.0.1:1'], 'perturb: reset needs one mutator, or --all\n'],
  [['wind', '--all', '-s', 'http://127.0.0.1:1'], 'perturb: reset needs one mutator, or --all\n'],
])('reset %j is wrong usage', async (args, stderr) => {
  expect(await perturb(['mutators', 'reset', ...args])).toEqual({ code: 2, stdout: '', stderr });
});

test('a key comes from a file or a variable, and is never printed', async () => {
  const key = 's3cret-key';
  const { url } = await serveMutators({ key, listing: '[]' });
  const cwd = directoryWith({ key: `\n ${key}\r\nolder\n`, wrong: 'other\n' });
  const list = (flags: readonly string[], env = {}) =>
    perturb(['mutators', 'list', '-s', url, ...flags], { cwd, env });
  const fine = { code: 0, stdout: 'no mutators\n', stderr: '' };
  expect(await list(['--api-key-file', 'key'])).toEqual(fine);
  expect(await list(['--api-key-env', 'KEY'], { KEY: key })).toEqual(fine);
  expect(await list([])).toEqual({
    code: 4,
    stdout: '',
    stderr: `perturb: ${url}/mutator returned 400: the server requires an API key, but none was sent\nPass the key with --api-key-file or --api-key-env.\n`,
  });
  const refused = await list(['--api-key-file', 'wrong']);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toMatch(/returned 401: the server does not accept this API key/);
  expect(refused.stderr).not.toContain('other');
});

test('a server goes by its name in perturb.toml, with its key', async () => {
  const { url } = await serveMutators({ key: 'k', listing: '[]' });
  const cwd = directoryWith({
    'perturb.toml': `[servers.bench]\nurl = "${url}"\napi_key_env = "PERTURB_BENCH_KEY"\n`,
    'deep/other.toml': `[servers]\nbench = 5\n`,
    key: 'k',
  });
  const list = (args: readonly string[], env = {}, at = cwd) =>
    perturb(['mutators', 'list', ...args], { cwd: at, env });
  const fine = { code: 0, stdout: 'no mutators\n', stderr: '' };
  expect(await list(['-s', 'bench'], { PERTURB_BENCH_KEY: 'k' }, `${cwd}/deep`)).toEqual(fine);
  expect(await list(['-s', 'bench', '--api-key-file', 'key'])).toEqual(fine);
  expect((await list(['-s', 'bench'])).code).toBe(2);
  expect(await list(['-s', 'bnch'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: there is no server "bnch" in perturb.toml\ndid you mean "bench"?\n',
  });
  expect(await list(['-s', 'bench', '--config', 'deep/other.toml'])).toEqual({
    code: 2,
    stdout: '',
    stderr: [
      'error[config/wrong-type]: expected a table, found an integer',
      '  ╭─ deep/other.toml:2:9',
      '1 │ [servers]',
      '2 │ bench = 5',
      '  │         ^',
      '  ╵',
      '',
      '1 error in 1 file',
      'perturb: perturb.toml has errors',
      '',
    ].join('\n'),
  });
  expect(await list(['-s', 'bench'], {}, directoryWith({}))).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'perturb: there is no server "bench" in perturb.toml\nAdd a table [servers.NAME] with a url, or pass a URL that starts with http:// or https://.\n',
  });
});

test('a server that is not there: 4', async () => {
  const dead = await deadUrl();
  expect(await perturb(['mutators', 'list', '-s', dead])).toEqual({
    code: 4,
    stdout: '',
    stderr: `perturb: ${dead}/mutator refused the connection: check that the mutator server is running on this port\n`,
  });
});

test.each(['100ms', '0.5ms'])('a server that does not answer within %s: 4', async (timeout) => {
  const url = await serveTcp(() => {});
  expect(await perturb(['mutators', 'list', '-s', url, '--timeout', timeout])).toEqual({
    code: 4,
    stdout: '',
    stderr: `perturb: the request to ${url}/mutator timed out after ${timeout.replace('ms', ' ms')}: check the server, or increase --timeout\n`,
  });
});

test('without --server, it is the only one of perturb.toml', async () => {
  const { url } = await serveMutators();
  const table = (name: string) => `[servers.${name}]\nurl = "${url}"\n`;
  const cwd = directoryWith({
    'one/perturb.toml': table('bench'),
    'two/perturb.toml': table('bench') + table('spare'),
    'none/x': '',
  });
  const list = (from: string) =>
    perturb(['mutators', 'list', '--format', 'json'], { cwd: join(cwd, from) });
  expect(await list('one')).toMatchObject({ code: 0, stderr: '' });
  expect(await list('two')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'perturb: perturb.toml has several mutator servers\nChoose one with --server: bench, spare\n',
  });
  expect(await list('none')).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: no mutator server specified or configured
Pass one with --server URL, or add a table [servers.NAME] with a url to perturb.toml.
`,
  });
});
