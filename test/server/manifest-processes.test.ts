import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ownPort } from '../adversary/harness/systems.js';
import { directoryWith, perturb } from '../cli/program.js';
import { startProgram, startServer } from './programs/server-program.js';

/* What a manifest needs running. */

const MUTATOR = `[[mutator]]
name = "level"
[[mutator.param]]
name = "value"
type = "integer"
[mutator.actuator]
kind = "exec"
inject = ["sh", "-c", "test -e up && echo inject >> log"]
reset = ["sh", "-c", "test -e up && echo reset >> log"]
`;

/** Listens at a port until its stdin or it itself is ended; leaves \`up\` meanwhile. */
const SERVICE = `import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
const end = () => { rmSync('up'); appendFileSync('log', 'end\\n'); process.exit(); };
process.once('SIGTERM', end).stdin.once('end', end).resume();
createServer().listen(Number(process.argv[2]), '127.0.0.1', () => {
  writeFileSync('up', '');
  appendFileSync('log', 'up ' + process.env.PERTURB_PROCESS + '\\n');
  console.log('here I am');
});
`;

const process_ = (command: string, ready = '') =>
  `[[process]]\nname = "service"\ncommand = ${command}\n${ready && `ready = "${ready}"\n`}\n`;

async function setUp() {
  const port = await ownPort();
  const command = `["${process.execPath}", "service.mjs", "${port}"]`;
  const manifest = process_(command, `127.0.0.1:${port}`) + MUTATOR;
  return directoryWith({ 'mutators.toml': manifest, 'service.mjs': SERVICE });
}

const log = (cwd: string) => readFileSync(join(cwd, 'log'), 'utf8').split('\n').slice(0, -1);
const inject = (cwd: string, url: string) =>
  perturb(['mutators', 'inject', 'level', '--param', 'value=1', '--server', url], { cwd });

test('a process is ready before anything else, and ends after all is reset', async () => {
  const cwd = await setUp();
  const { url, child, exit, stderr } = await startServer([], { cwd });
  expect(await inject(cwd, url)).toMatchObject({ code: 0 });
  child.kill('SIGTERM');
  expect(await exit).toEqual({ code: 0, signal: null });
  expect(log(cwd)).toEqual(['up service', 'inject', 'reset', 'end']);
  expect(stderr()).toMatch(/^\d\d:\d\d:\d\d here I am process=service$/m);
});

test('with its server killed it ends, and it is there again before what was left is reset', async () => {
  const cwd = await setUp();
  const first = await startServer([], { cwd });
  await inject(cwd, first.url);
  first.child.kill('SIGKILL');
  await first.exit;
  await expect.poll(() => existsSync(join(cwd, 'up'))).toBe(false);
  const second = await startServer([], { cwd });
  second.child.kill('SIGTERM');
  await second.exit;
  expect(log(cwd)).toEqual([...['up service', 'inject', 'end'], ...['up service', 'reset', 'end']]);
});

test('something else that answers in its place keeps the server from serving', async () => {
  const server = createServer();
  const port = await new Promise<number>((done) => {
    server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port));
  });
  onTestFinished(() => void server.close());
  const cwd = directoryWith({
    'mutators.toml': process_('["sh", "-c", "touch started"]', `127.0.0.1:${port}`) + MUTATOR,
  });
  const { exit, stderr } = startProgram(['--port', '0'], { cwd });
  expect(await exit).toEqual({ code: 4, signal: null });
  expect(stderr()).toContain(
    `perturb: process "service" cannot be started: another process responds at 127.0.0.1:${port}. Stop that process, or, if you start "service" yourself, remove it from the manifest\n`,
  );
  expect(existsSync(join(cwd, 'started'))).toBe(false);
});

test('something that answers in its place and ends soon is waited for, such as that of a killed server', async () => {
  const cwd = await setUp();
  const { 1: port } =
    /127\.0\.0\.1:(\d+)/.exec(readFileSync(join(cwd, 'mutators.toml'), 'utf8')) ?? [];
  const before = createServer((socket) => {
    // The first look of the server.
    socket.destroy();
    before.close();
  });
  await new Promise<void>((done) => void before.listen(Number(port), '127.0.0.1', done));
  const { child, exit } = await startServer([], { cwd });
  child.kill('SIGTERM');
  await exit;
  expect(log(cwd)).toEqual(['up service', 'end']);
});

test('one that has no address must live for a second', async () => {
  const cwd = directoryWith({
    'mutators.toml': process_('["sh", "-c", "sleep 0.2; echo too soon; exit 3"]') + MUTATOR,
  });
  const { exit, stderr } = startProgram(['--port', '0'], { cwd });
  expect(await exit).toEqual({ code: 4, signal: null });
  expect(stderr()).toContain('perturb: process "service" ended with status 3; too soon\n');
});

test.each([
  [
    'ends at once',
    '["sh", "-c", "echo one; echo two; exit 7"]',
    /^perturb: process "service" ended with status 7; one; two$/m,
  ],
  [
    'is not there',
    '["./none"]',
    /^perturb: process "service" cannot be started: spawn \.\/none ENOENT$/m,
  ],
])('one that %s keeps the server from serving', async (_, command, said) => {
  const nowhere = `127.0.0.1:${await ownPort()}`;
  const cwd = directoryWith({ 'mutators.toml': process_(command, nowhere) + MUTATOR });
  const { exit, stderr } = startProgram(['--port', '0'], { cwd });
  expect(await exit).toEqual({ code: 4, signal: null });
  expect(stderr()).toMatch(said);
});

test('mistakes in its table are findings', async () => {
  const cwd = directoryWith({
    'mutators.toml': `${process_('[]', 'here')}${process_('["true"]')}${MUTATOR}`,
  });
  const { code, stdout } = await perturb(['mutators', 'lint', '--format', 'compact'], { cwd });
  expect([code, stdout.split('\n').slice(0, 3)]).toEqual([
    1,
    [
      'mutators.toml:3:11: error manifest/invalid-value: "command" must not be empty; name a program',
      'mutators.toml:4:9: error manifest/invalid-value: expected HOST:PORT, found "here"',
      'mutators.toml:7:8: error manifest/duplicate-id: duplicate process "service"',
    ],
  ]);
});
