import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { directoryWith, perturb } from '../cli/program.js';
import { makeAuthority } from '../mutators/client/certificates.js';
import { inject, reset, startProgram, startServer } from './programs/server-program.js';

const MANIFEST = `[[mutator]]
name = "wind"

[[mutator.param]]
name = "speed"
type = "float"

[mutator.actuator]
kind = "file"
path = "wind.json"
key = ["speed"]
value = "{speed}"
`;
const STUCK = `[[mutator]]
name = "stuck"
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["sh", "-c", "echo it is stuck >&2; exit 7"]
`;
const WIND = '{"speed": 0.0}\n';
const ARGS = ['--manifest', 'mutators.toml'];

const project = (files: Record<string, string> = {}) =>
  directoryWith({ 'mutators.toml': MANIFEST, 'wind.json': WIND, ...files });
const windIn = (cwd: string) => readFileSync(join(cwd, 'wind.json'), 'utf8');

/** Runs the program to an end that it comes to by itself. */
async function run(args: readonly string[], cwd: string) {
  const program = startProgram(args, { cwd });
  program.child.stdin?.end();
  const { code } = await program.exit;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** Runs what ends before it would serve, in this process. */
const check = (args: readonly string[], cwd: string) =>
  perturb(['serve', 'mutators', ...args], { cwd });

test('serves, says how to connect, and resets in the end', async () => {
  const cwd = project();
  const program = await startServer([...ARGS, '--base-path', '/your/route/'], { cwd });
  expect(program.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/your\/route$/);
  expect(program.stderr()).toContain(`external-mutator-urls = ["${program.url}"]`);
  expect(await inject(program.url, 'wind', { speed: 12.5 })).toBe(201);
  expect(windIn(cwd)).toBe('{"speed": 12.5}\n');
  program.child.kill('SIGINT');
  expect(await program.exit).toEqual({ code: 0, signal: null });
  expect(windIn(cwd)).toBe(WIND);
  expect(program.stdout()).toBe('');
});

test('--dry-run says what it would serve, and touches nothing', async () => {
  const cwd = project();
  const args = [...ARGS, '--dry-run', '--port', '1', '--install-plugin', 'drone'];
  const { code, stdout, stderr } = await check(args, cwd);
  expect([code, stderr]).toEqual([0, '']);
  expect(
    stdout,
  ).toBe(`Would serve 1 mutator at http://127.0.0.1:1, as an external server, no key required:
  wind  file
State is kept in ${join(cwd, '.perturb/state')}
`);
  expect(readdirSync(cwd).sort()).toEqual(['mutators.toml', 'wind.json']);
});

test('--dry-run keeps the keys from a module, as the server does', async () => {
  const module = `import { writeFileSync } from 'node:fs';
const { KEY, PLATFORM_AUTH_TOKEN, OTHER } = process.env;
writeFileSync(new URL('seen', import.meta.url), JSON.stringify({ KEY, PLATFORM_AUTH_TOKEN, OTHER }));
export const inject = () => {}, reset = inject;
`;
  const manifest = '[[mutator]]\nname = "m"\nactuator = { kind = "module", path = "m.mjs" }\n';
  const cwd = directoryWith({ 'mutators.toml': manifest, 'm.mjs': module });
  const env = { KEY: 'hush hush', PLATFORM_AUTH_TOKEN: 'hush', OTHER: 'said' };
  const args = ['serve', 'mutators', '--dry-run', '--api-key-env', 'KEY'];
  expect(await perturb(args, { cwd, env })).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(readFileSync(join(cwd, 'seen'), 'utf8'))).toEqual({ OTHER: 'said' });
});

test.each([
  ['a key', ['--api-key-env', 'PATH'], 'key required'],
  ['insistence', ['--allow-unauthenticated'], 'no key required'],
])('serves everybody with %s', async (_name, flags, access) => {
  const args = [...ARGS, '--host', '0.0.0.0', '--base-path', '/a', '--dry-run', ...flags];
  const { code, stdout } = await check(args, project());
  expect(code).toBe(0);
  expect(stdout).toContain(`at http://${hostname()}:8080/a, as an external server, ${access}`);
});

test.each([
  ['a manifest that is not there', ['-m', 'none.toml'], 2, /cannot read none.toml: no such file/],
  ['a bad port', [...ARGS, '--port', '65536'], 2, /Expected a port, from 0 to 65535/],
  [
    'a bad time',
    [...ARGS, '--shutdown-timeout', '5'],
    2,
    /Expected a duration: "5" has no unit, write "5min" or "5s"\./,
  ],
  [
    'a host with a port',
    [...ARGS, '--allowed-host', 'bench:8080'],
    2,
    /Expected a host name or an address, without a port/,
  ],
  ['a bad base path', [...ARGS, '--base-path', 'a'], 2, /"a" is not a valid base path/],
  ['a base path with steps', [...ARGS, '--base-path', '/a/../b'], 2, /is not a valid base path/],
  ['no key in the variable', [...ARGS, '--api-key-env', 'KEY'], 2, /"KEY" contains no key/],
  ['no key file', [...ARGS, '--api-key-file', 'keys'], 2, /cannot read ".*keys": there is no such/],
  [
    'half of TLS',
    [...ARGS, '--tls-key', 'k.pem'],
    2,
    /--tls-cert and --tls-key must be used together/,
  ],
  [
    'bad TLS files',
    [...ARGS, '--tls-cert', 'wind.json', '--tls-key', 'wind.json'],
    2,
    /cannot be used for TLS: /,
  ],
  ['everybody on IPv6 without a key', [...ARGS, '--host', '::'], 2, /could inject faults/],
  [
    'a token that nobody gave',
    [...ARGS, '--require-auth-token'],
    2,
    /_AUTH_TOKEN, and a path in PLATFORM_R/,
  ],
  ['an unknown level', [...ARGS, '--log-level', 'loud'], 2, /Allowed choices are trace, debug/],
])('refuses %s, and a dry run does', async (_name, args, code, message) => {
  const cwd = project();
  const ended = await check([...args, '--dry-run'], cwd);
  expect(ended.stderr).toMatch(message);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
});

test.each([
  ['everybody without a key', ['--host', '0.0.0.0'], 2, /--allow-unauthenticated/],
  [
    'an address of others',
    ['--host', '192.0.2.1', '--api-key-env', 'PATH'],
    4,
    /this machine does not have that address/,
  ],
])('serves nobody, refusing %s', async (_name, args, code, message) => {
  const cwd = project();
  const ended = await check([...ARGS, ...args], cwd);
  expect(ended.stderr).toMatch(message);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(windIn(cwd)).toBe(WIND);
});

test('reports the findings of a manifest as lint does', async () => {
  const cwd = project({ 'mutators.toml': MANIFEST.replace('name = "speed"', 'nam = "speed"') });
  const { code, stderr } = await check(ARGS, cwd);
  expect(code).toBe(1);
  expect(stderr).toContain('error[manifest/unknown-key]: unknown key "nam"');
});

/** A port that another server has. */
async function takenPort(): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  return (taken.address() as { port: number }).port;
}

test('a port in use is exit 4', async () => {
  const port = await takenPort();
  expect(await check([...ARGS, '--port', String(port)], project())).toMatchObject({
    code: 4,
    stderr: `perturb: cannot listen on 127.0.0.1, port ${port}: the port is already in use\n`,
  });
});

test.each([
  [
    'the reflector',
    (port: number) => `[mutation]\nmutator-http-api-port = ${port}\n`,
    () => [],
    "The reflector's configuration sets this port in mutation.mutator-http-api-port. Stop the other program, or change the port there.",
  ],
  [
    '--port',
    () => '[mutation]\nmutator-http-api-port = 1\n',
    (port: number) => ['--port', String(port)],
    "The plugin was installed with this --port, which overrides the reflector's configuration. Install the plugin with another port.",
  ],
])(
  'a port of a plugin that %s names and that is in use says so',
  async (_, config, flags, help) => {
    const port = await takenPort();
    const cwd = project({ 'reflector.toml': config(port) });
    const env = { PLATFORM_REFLECTOR_CONFIG: join(cwd, 'reflector.toml') };
    const args = ['serve', 'mutators', ...ARGS, ...flags(port)];
    const { code, stderr } = await perturb(args, { cwd, env });
    const message = `cannot listen on 127.0.0.1, port ${port}: the port is already in use`;
    expect([code, stderr]).toEqual([4, `perturb: ${message}\n${help}\n`]);
  },
);

test('two servers do not share their state', async () => {
  const cwd = project();
  const first = await startServer(ARGS, { cwd });
  const { code, stderr } = await check([...ARGS, '--port', '0'], cwd);
  expect([code, stderr]).toEqual([4, expect.stringMatching(/is in use by another server/)]);
  expect(await reset(first.url, 'wind')).toBe(200);
});

test('requires one of the keys, which can be rotated', async () => {
  const cwd = project({ keys: 'one key\n' });
  const env = { KEY: 'another' };
  const program = await startServer([...ARGS, '--api-key-file', 'keys', '--api-key-env', 'KEY'], {
    cwd,
    env,
  });
  const status = async (key?: string) =>
    (await fetch(`${program.url}/mutator`, { headers: key ? { mutator_apikey: key } : {} })).status;
  expect([await status(), await status('x')]).toEqual([400, 401]);
  expect([await status('one key'), await status('another')]).toEqual([200, 200]);
  writeFileSync(join(cwd, 'keys'), 'next key\n');
  await program.said(/the keys have changed/);
  expect([await status('one key'), await status('next key')]).toEqual([401, 200]);
  program.child.kill('SIGTERM');
  await program.exit;
  expect(program.stderr()).not.toMatch(/one key|next key|another/);
});

test('serves https', async () => {
  const authority = makeAuthority();
  const { cert, key } = authority.issue('IP:127.0.0.1', 30);
  const cwd = project({ 'cert.pem': cert, 'key.pem': key });
  const tls = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];
  const { url } = await startServer([...ARGS, ...tls], { cwd });
  expect(url).toMatch(/^https:/);
  const { get } = await import('node:https');
  const ca = readFileSync(authority.caFile);
  const [response] = await once(get(`${url}/mutator`, { ca }), 'response');
  expect(response.statusCode).toBe(200);
  response.destroy();
});

test('accepts the hosts that it is given, and names one that it refuses in the log', async () => {
  const cwd = project();
  const hosts = ['--allowed-host', 'bench', '--allowed-host', '192.0.2.7'];
  const program = await startServer([...ARGS, ...hosts], { cwd });
  const status = (host: string) =>
    new Promise((resolve) => {
      get(`${program.url}/mutator`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
  expect([await status('bench:8080'), await status('192.0.2.7')]).toEqual([200, 200]);
  expect(await status('elsewhere:8080')).toBe(401);
  await program.said(
    /: the Host "elsewhere:8080" is not this server; a server without an API key refuses other hosts$/m,
  );
});

test('logs JSON only when asked to', async () => {
  const cwd = project();
  const program = startProgram([...ARGS, '--port', '0', '--log-format', 'json'], { cwd });
  const [, url] = await program.said(/"url":"([^"]+)"/);
  expect(await inject(url as string, 'wind', { speed: 1 })).toBe(201);
  expect(await inject(url as string, 'wind', { speed: 'fast' })).toBe(400);
  program.child.kill('SIGTERM');
  await program.exit;
  const lines = program
    .stderr()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { level: 'info', event: 'start', url, mutators: 1 },
    { event: 'injection', outcome: 'injected', mutator: 'wind', params: { speed: '1' } },
    { level: 'warn', event: 'injection', outcome: 'refused', status: 400 },
    { event: 'end', signal: 'SIGTERM' },
    { event: 'reset', outcome: 'reset', cause: 'shutdown', mutator: 'wind' },
  ]);
});

test('a reset that a client asks for, and that fails, is one line of the log', async () => {
  const cwd = project({ 'mutators.toml': STUCK });
  const program = startProgram([...ARGS, '--port', '0', '--log-format', 'json'], { cwd });
  const [, url] = await program.said(/"url":"([^"]+)"/);
  expect(await reset(url as string, 'stuck')).toBe(500);
  await program.said(/"cause":"retry"/);
  const lines = program.stderr().match(/^.*"outcome":"failed".*$/gm) ?? [];
  const [first, ...more] = lines.map((line) => JSON.parse(line));
  expect(first).toMatchObject({ event: 'reset', status: 500, mutator: 'stuck' });
  expect(first.reason).toBe('the reset command "sh" ended with code 7, stderr: "it is stuck"');
  expect(new Set(more.map(({ cause }) => cause))).toEqual(new Set(['retry']));
});

test('a reset that fails is named, with what to do, and exit 1', async () => {
  const cwd = project({ 'mutators.toml': STUCK });
  // Long enough for the first attempt and the three that follow.
  const program = await startServer([...ARGS, '--shutdown-timeout', '50s'], { cwd });
  expect(await inject(program.url, 'stuck')).toBe(201);
  program.child.kill('SIGTERM');
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(program.stderr().match(/error: reset failed: stuck/g)).toHaveLength(4);
  expect(program.stderr()).toMatch(/^perturb: "stuck" may be left mutated: .*it is stuck/ms);
  expect(program.stderr()).toContain('then reset "stuck" again');
  writeFileSync(join(cwd, 'mutators.toml'), MANIFEST);
  const refused = await run([...ARGS, '--port', '0'], cwd);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/--forget-missing/)]);
  const forgotten = await startServer([...ARGS, '--forget-missing'], { cwd });
  expect(forgotten.stderr()).toContain('forgotten');
});

test('a start that cannot make an actuator resets first what a crash has left', async () => {
  const cwd = project();
  const first = await startServer(ARGS, { cwd });
  expect(await inject(first.url, 'wind', { speed: 7 })).toBe(201);
  first.child.kill('SIGKILL');
  await first.exit;
  expect(windIn(cwd)).not.toBe(WIND);
  const more = `[[mutator]]
name = "gps"
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["true"]
env = { TOKEN = "{env:TOKEN}" }
`;
  writeFileSync(join(cwd, 'mutators.toml'), MANIFEST + more);
  const { code, stderr } = await run([...ARGS, '--port', '0'], cwd);
  expect(stderr).toContain('the variable "TOKEN" needs the environment variable "TOKEN"');
  expect([code, windIn(cwd)]).toEqual([2, WIND]);
});

test('a second signal ends it at once, and it says what is left', async () => {
  const manifest = `[[mutator]]
name = "slow"
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["sleep", "60"]
timeout = "60s"
`;
  const cwd = project({ 'mutators.toml': manifest });
  const program = await startServer(ARGS, { cwd });
  expect(await inject(program.url, 'slow')).toBe(201);
  program.child.kill('SIGINT');
  await program.said(/shutting down: SIG/);
  program.child.kill('SIGTERM');
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(program.stderr()).toContain('perturb: "slow" may be left mutated');
});

test('outlives a log that nobody reads any more; the same signal twice at once means one', async () => {
  const cwd = project();
  const program = await startServer(ARGS, { cwd });
  program.child.stderr?.destroy();
  for (const speed of [1, 2, 3]) expect(await inject(program.url, 'wind', { speed })).toBe(201);
  program.child.kill('SIGINT');
  program.child.kill('SIGINT');
  expect(await program.exit).toEqual({ code: 0, signal: null });
  expect(windIn(cwd)).toBe(WIND);
});
