import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownPort } from '../adversary/harness/systems.js';
import { deadUrl } from '../mutators/client/servers.js';
import { startServer } from '../server/programs/server-program.js';
import { serveMutators } from './mutator-server.js';
import { directoryWith, perturb } from './program.js';

/* Stopping servers, and letting mutations in again; with servers that run. */

const mutator = (id: string, reset = `["rm", "-f", "${id}.on"]`) => `[[mutator]]
name = "${id}"
max_active = "10min"
[mutator.actuator]
kind = "exec"
inject = ["touch", "${id}.on"]
reset = ${reset}
`;

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const timeless = (text: string) => text.replace(TIME, 'TIME');

async function stopped(args: readonly string[], cwd: string) {
  const { code, stdout, stderr } = await perturb(['mutators', 'stop', ...args], { cwd });
  return { code, stdout: timeless(stdout), stderr: timeless(stderr) };
}

test('stop resets everything and lets nothing in, also after kill -9, until it is released', async () => {
  const cwd = directoryWith({ 'mutators.toml': mutator('wind') + mutator('rain') });
  const port = `${await ownPort()}`;
  const first = await startServer(['--port', port, 'mutators.toml'], { cwd });
  const inject = async (id: string) => {
    const { code, stderr } = await perturb(['mutators', 'inject', id, '-s', first.url]);
    return { code, stderr: timeless(stderr) };
  };
  const refused = {
    code: 4,
    stderr: `perturb: ${first.url}/mutator/rain/mutation returned 500: the server was stopped at TIME and refuses mutations until you run "perturb mutators stop --release"\n`,
  };
  expect((await inject('wind')).code).toBe(0);
  expect(await stopped(['-s', first.url], cwd)).toEqual({
    code: 0,
    stdout: `${first.url}: reset 2; stopped at TIME: refusing mutations until you run "perturb mutators stop --release"\n`,
    stderr: '',
  });
  expect(existsSync(join(cwd, 'wind.on'))).toBe(false);
  expect(await inject('rain')).toEqual(refused);
  const { stdout } = await perturb(['mutators', 'list', '-s', first.url]);
  expect(timeless(stdout)).toMatch(
    /\n\nstopped at TIME: refusing mutations until you run "perturb mutators stop --release"\n$/,
  );
  first.child.kill('SIGKILL');
  await first.exit;

  const next = await startServer(['mutators.toml', '--port', port], { cwd });
  expect(next.url).toBe(first.url);
  expect(next.stderr()).toContain('stopped: refusing mutations until');
  expect(await inject('rain')).toEqual(refused);
  expect(existsSync(join(cwd, 'rain.on'))).toBe(false);
  expect(await stopped(['--release', '-s', next.url], cwd)).toEqual({
    code: 0,
    stdout: `${next.url}: accepts mutations\n`,
    stderr: '',
  });
  expect(await inject('rain')).toEqual({ code: 0, stderr: '' });
  // It resets nothing where nothing was stopped.
  expect((await stopped(['--release', '-s', next.url], cwd)).code).toBe(0);
  expect(existsSync(join(cwd, 'rain.on'))).toBe(true);
});

test('stop stops every server of perturb.toml, and names what it could not reset', async () => {
  const cwd = directoryWith({
    'mutators.toml': mutator('wind') + mutator('stuck', '["sh", "-c", "exit 7"]'),
  });
  const own = await startServer(['mutators.toml'], { cwd });
  const foreign = await serveMutators();
  const dead = await deadUrl();
  const urls = { own: own.url, foreign: foreign.url, dead };
  const servers = Object.entries(urls).map(([name, url]) => `[servers.${name}]\nurl = "${url}"\n`);
  const project = directoryWith({ 'perturb.toml': servers.join('') });
  expect(await stopped([], project)).toEqual({
    code: 1,
    stdout: `own: reset 1, failed 1; stopped at TIME: refusing mutations until you run "perturb mutators stop --release"
foreign: reset 5; not a Perturb server, so it still accepts mutations
dead: not stopped
`,
    stderr: `perturb: own: stuck: ${own.url}/mutator/stuck/mutation returned 500: the mutator failed and may be active; check the server's log for the cause
perturb: dead: ${dead}/mutator refused the connection: check that the mutator server is running on this port
`,
  });
  expect(foreign.changes.map(({ method }) => method)).toEqual(Array(5).fill('DELETE'));
  const { stdout } = await perturb(['mutators', 'stop', '-s', 'own', '-f', 'json'], {
    cwd: project,
  });
  expect(JSON.parse(timeless(stdout))).toEqual({
    version: 1,
    servers: [
      {
        server: 'own',
        reset: ['wind'],
        failed: [{ id: 'stuck', message: expect.stringContaining('returned 500') }],
        held_since: 'TIME',
      },
    ],
  });
});

test('says whether a server is stopped where every reset fails', async () => {
  const cwd = directoryWith({ 'mutators.toml': mutator('stuck', '["false"]') });
  const { url } = await startServer(['mutators.toml'], { cwd });
  const failure = `${url}/mutator/stuck/mutation returned 500: the mutator failed and may be active; check the server's log for the cause`;
  const stderr = `perturb: ${url}: stuck: ${failure}\n`;
  const held =
    'reset 0, failed 1; stopped at TIME: refusing mutations until you run "perturb mutators stop --release"';
  for (let time = 1; time <= 2; time++) {
    expect(await stopped(['-s', url], cwd)).toEqual({
      code: 1,
      stdout: `${url}: ${held}\n`,
      stderr,
    });
  }
  expect(await stopped(['-s', url, '--release'], cwd)).toEqual({
    code: 1,
    stdout: `${url}: accepts mutations\n`,
    stderr,
  });
  const dead = await deadUrl();
  expect(await stopped(['-s', dead, '--release'], cwd)).toMatchObject({
    code: 1,
    stdout: `${dead}: not released\n`,
  });
});

test('list and inspect show what is active, since when and until when', async () => {
  const cwd = directoryWith({ 'mutators.toml': mutator('wind') + mutator('rain') });
  const { url } = await startServer(['mutators.toml'], { cwd });
  const id = '3b241101-e2bb-4255-8caf-4136c566a962';
  await perturb(['mutators', 'inject', 'wind', '--mutation', id, '-s', url]);
  const list = await perturb(['mutators', 'list', '-s', url]);
  expect(timeless(list.stdout)).toMatch(
    /^wind .* since TIME, until TIME +no parameters|^wind .* since TIME, until TIME/m,
  );
  expect(timeless(list.stdout)).toMatch(/^rain +rain +- +- +- +- +-$/m);
  const page = await perturb(['mutators', 'inspect', 'wind', '-s', url]);
  expect(timeless(page.stdout)).toContain(
    `active      since TIME, until TIME\nmutation    ${id}\n`,
  );
  const json = await perturb(['mutators', 'inspect', 'wind', '-s', url, '-f', 'json']);
  const { active, attributes } = JSON.parse(json.stdout).mutator;
  expect(active).toEqual({ since: expect.any(String), until: expect.any(String), mutation: id });
  expect(Date.parse(active.until) - Date.parse(active.since)).toBe(600_000);
  expect(Object.keys(attributes)).toEqual([
    'mutator.perturb.max_active',
    'mutator.perturb.timeout',
  ]);
  // A client that does not ask for it sees the listing as it was.
  expect(await (await fetch(`${url}/mutator`)).text()).not.toContain('active_since');
});

test('stop without a server, and a header that is neither true nor false', async () => {
  const cwd = directoryWith({ 'mutators.toml': mutator('wind') });
  expect(await stopped([], cwd)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'perturb: no mutator server specified or configured\nPass one with --server URL, or add a table [servers.NAME] with a url to perturb.toml.\n',
  });
  const { url } = await startServer(['mutators.toml'], { cwd });
  const headers = { 'perturb-hold': 'yes' };
  const answer = await fetch(`${url}/mutator/wind/mutation`, { method: 'DELETE', headers });
  expect([answer.status, answer.headers.get('perturb-held-since')]).toEqual([400, null]);
});

test('every answer to a client that is let in says that the server is stopped', async () => {
  const cwd = directoryWith({ 'mutators.toml': mutator('wind') });
  const { url } = await startServer(['mutators.toml'], { cwd });
  expect((await stopped(['-s', url], cwd)).code).toBe(0);
  const ask = async (method: string, id: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/mutator/${id}/mutation`, { method, headers });
    return [answer.status, timeless(answer.headers.get('perturb-held-since') ?? '')];
  };
  expect(await ask('DELETE', 'wind', { 'perturb-run': 'first' })).toEqual([200, 'TIME']);
  expect(await ask('POST', 'wind', { 'perturb-run': 'second' })).toEqual([409, 'TIME']);
  expect(await ask('POST', 'wind')).toEqual([400, 'TIME']);
  expect(await ask('DELETE', 'none')).toEqual([404, 'TIME']);
  expect(await ask('DELETE', 'wind', { origin: 'http://127.0.0.1' })).toEqual([401, '']);
});
