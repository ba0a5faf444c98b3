import { chmodSync, chownSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CLEAN, directoryWith, perturb, perturbProcess } from './program.js';

/* A perturb.toml that somebody else wrote: what it may send, and whom it may have asked. */

/** A server of no mutators, and what it was sent. */
async function listening(): Promise<{
  url: string;
  requests: IncomingMessage[];
  met: () => number;
}> {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push(request);
    response.end('[]');
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, met: () => connections };
}

const bench = (url: string, variable: string) =>
  `[lint]\nmutators = ["bench"]\n[servers.bench]\nurl = "${url}"\napi_key_env = "${variable}"\n`;

const EACH = [
  ['objective', 'lint', 'a.toml'],
  ['objective', 'create', 'a.toml'],
  ['mutators', 'list'],
  ['doctor'],
];

const GITHUB = { GITHUB_TOKEN: 'ghp_secret' };

test.each(EACH.map((words) => [words.join(' '), words] as const))(
  'a variable of another name is sent nowhere, and both ways out are said: %s',
  async (_, words) => {
    const server = await listening();
    const cwd = directoryWith({
      'a.toml': CLEAN,
      'perturb.toml': bench(server.url, 'GITHUB_TOKEN'),
    });
    const { code, stdout, stderr } = await perturb(words, { cwd, env: GITHUB });
    expect(code).toBe(2);
    expect(`${stdout}${stderr}`).toContain(
      '"GITHUB_TOKEN" may contain an unrelated secret: perturb.toml may name only variables like PERTURB_..._KEY',
    );
    if (words[0] !== 'doctor') {
      expect(stderr).toContain(
        'help: rename the variable, pass it with --api-key-env, or name it in ~/.config/perturb/perturb.toml\n',
      );
    }
    expect(server.requests.map(({ headers }) => headers['mutator_apikey'])).toEqual(
      words[0] === 'doctor' ? [undefined, undefined] : [],
    );
  },
);

test.each([
  ['PERTURB_BENCH_KEY', 0],
  ['PERTURB_KEY', 0],
  ['PERTURB_BENCH_TOKEN', 2],
  ['MY_PERTURB_KEY', 2],
  ['PERTURB_A_KEYS', 2],
])('the variable %s: exit code %i', async (variable, code) => {
  const server = await listening();
  const cwd = directoryWith({ 'a.toml': CLEAN, 'perturb.toml': bench(server.url, variable) });
  const outcome = await perturb(['objective', 'lint', 'a.toml'], { cwd, env: { [variable]: 'k' } });
  expect(outcome.code).toBe(code);
  expect(server.requests.map(({ headers }) => headers['mutator_apikey'])).toEqual(
    code === 0 ? ['k'] : [],
  );
});

test("the user's own perturb.toml may name any variable, for its own URL alone", async () => {
  const server = await listening();
  const other = await listening();
  const home = directoryWith({ '.config/perturb/perturb.toml': bench(server.url, 'GITHUB_TOKEN') });
  const project = (url: string) =>
    directoryWith({
      'a.toml': CLEAN,
      'perturb.toml': `[lint]\nmutators = ["bench"]\n[servers.bench]\nurl = "${url}"\n`,
    });
  const lint = ['objective', 'lint', 'a.toml'];
  const env = { ...GITHUB, HOME: home };
  expect((await perturb(lint, { cwd: project(server.url), env })).code).toBe(0);
  expect((await perturb(lint, { cwd: project(other.url), env })).code).toBe(0);
  const keysOf = ({ requests }: typeof server) =>
    requests.map(({ headers }) => headers['mutator_apikey']);
  expect([keysOf(server), keysOf(other)]).toEqual([['ghp_secret'], [undefined]]);
  // Its servers go by their names, and are asked only then.
  const cwd = directoryWith({ 'a.toml': CLEAN });
  const xdg = { ...GITHUB, XDG_CONFIG_HOME: join(home, '.config') };
  expect((await perturb(['mutators', 'list', '-s', 'bench'], { cwd, env: xdg })).code).toBe(0);
  expect((await perturb(lint, { cwd, env: xdg })).code).toBe(0);
  expect(keysOf(server)).toEqual(['ghp_secret', 'ghp_secret']);
  expect((await perturb(['mutators', 'list', '-s', 'bench'], { cwd, env: GITHUB })).code).toBe(2);
});

test.skipIf(process.getuid?.() !== 0)(
  'a perturb.toml of another user is an error that names --config',
  async () => {
    const place = directoryWith({ 'perturb.toml': '', 'work/a.toml': CLEAN });
    const cwd = join(place, 'work');
    const lint = ['objective', 'lint', 'a.toml'];
    chownSync(join(place, 'perturb.toml'), 12_345, 12_345);
    const refused = {
      code: 2,
      stdout: '',
      stderr:
        'perturb: ../perturb.toml belongs to another user\nIf you trust it, pass --config ../perturb.toml.\n',
    };
    expect(await perturb(lint, { cwd })).toEqual(refused);
    expect((await perturb([...lint, '--config', '../perturb.toml'], { cwd })).code).toBe(0);
    for (const path of [place, cwd]) chmodSync(path, 0o755);
    expect((await perturbProcess(lint, { cwd, uid: 12_345 })).code).toBe(0);
    expect(await perturbProcess(lint, { cwd, uid: 12_346 })).toEqual(refused);
    chownSync(join(place, 'perturb.toml'), 0, 0);
    expect((await perturbProcess(lint, { cwd, uid: 12_346 })).code).toBe(0);
  },
);

test('--offline asks nobody', async () => {
  const server = await listening();
  const address = server.url.replace('http:', 'postgres:');
  const files = {
    'a.toml': CLEAN,
    'perturb.toml': `${bench(server.url, 'PERTURB_BENCH_KEY')}[store]\nurl = "${address}/perturb"\n`,
  };
  const env = { PERTURB_BENCH_KEY: 'k' };
  for (const [words, code] of [
    [['objective', 'lint', 'a.toml'], 4],
    [['objective', 'create', 'a.toml'], 4],
    [['objective', 'create', 'a.toml', '--mutators', 'm.json'], 4],
    [['objective', 'new', 'Wind'], 0],
    [['doctor'], 4],
  ] as const) {
    const cwd = directoryWith({ ...files, 'm.json': '[]' });
    expect([words, (await perturb([...words, '--offline'], { cwd, env })).code]).toEqual([
      words,
      code,
    ]);
  }
  expect(server.met()).toBe(0);
});

/** A server of PostgreSQL that asks for the password, and the passwords that it was sent. */
async function asking(): Promise<{ port: number; passwords: string[] }> {
  const passwords: string[] = [];
  const askForPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
  const server = createTcpServer((socket) => {
    socket.once('data', () => {
      socket.write(askForPassword);
      socket.once('data', (answer) => {
        passwords.push(answer.toString('utf8', 5, answer.length - 1));
        socket.destroy();
      });
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, passwords };
}

test.each([
  ['another host', '0.0.0.0', {}, []],
  ['another host than that of the variable', '0.0.0.0', { PGHOST: 'db.example' }, []],
  ['the host of the variable', '0.0.0.0', { PGHOST: '0.0.0.0' }, ['hush']],
  ['this machine', '127.0.0.1', {}, ['hush']],
])('PGPASSWORD and a store that perturb.toml names at %s', async (_, host, env, sent) => {
  const server = await asking();
  const url = `postgres://lab@${host}:${server.port}/lab?sslmode=disable`;
  const cwd = directoryWith({ 'perturb.toml': `[store]\nurl = "${url}"\n` });
  const given = { PGPASSWORD: 'hush', PGPASSFILE: join(cwd, 'none'), ...env };
  const { code } = await perturbProcess(['objective', 'list'], { cwd, env: given });
  expect({ code, sent: server.passwords.filter((word) => word !== '') }).toEqual({ code: 4, sent });
  const named = await perturbProcess(['objective', 'list', '--store', url], { cwd, env: given });
  expect({ code: named.code, last: server.passwords.at(-1) }).toEqual({ code: 4, last: 'hush' });
});

test('the password file, where the variable is for other servers', async () => {
  const server = await asking();
  const place = `postgres://lab@0.0.0.0:${server.port}/lab`;
  const lines = [
    `#0.0.0.0:${server.port}:lab:lab:commented`,
    `db.example:${server.port}:lab:lab:of another`,
    String.raw`0.0.0.0:*:l\ab:lab:c:l\:o\\n`,
    '*:*:*:*:late',
  ];
  const cwd = directoryWith({
    'perturb.toml': `[store]\nurl = "${place}?sslmode=disable"\n`,
    passwords: `${lines.join('\n')}\n`,
  });
  const path = join(cwd, 'passwords');
  const env = { PGPASSWORD: 'hush', PGPASSFILE: path };
  chmodSync(path, 0o600);
  expect(await perturbProcess(['objective', 'list'], { cwd, env })).toMatchObject({
    code: 4,
    stderr: `perturb: cannot use ${place}: it closed the connection: try again\n`,
  });
  expect(server.passwords.at(-1)).toBe(String.raw`c:l:o\n`);
  chmodSync(path, 0o640);
  expect(await perturbProcess(['objective', 'list'], { cwd, env })).toMatchObject({
    code: 4,
    stderr: `perturb: the password file ${path} is not used because other users may read it: run chmod 600 on it\n`,
  });
});
