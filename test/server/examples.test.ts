import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { directoryWith } from '../cli/program.js';
import { inject, type Program, reset, startServer } from './programs/server-program.js';

const EXAMPLES = resolve('examples/mutators');

/** A copy of an example. */
function copyOf(name: string): string {
  const directory = directoryWith({});
  cpSync(join(EXAMPLES, name), directory, { recursive: true });
  return directory;
}

function serve(directory: string, env: Record<string, string> = {}) {
  return startServer(['--manifest', 'mutators.toml'], { cwd: directory, env });
}

async function end(program: Program): Promise<void> {
  program.child.kill('SIGINT');
  expect([await program.exit, program.stderr()]).toEqual([
    { code: 0, signal: null },
    expect.any(String),
  ]);
}

/** Starts a process of the example; it is killed when the test ends. */
function startProcess(directory: string, command: string, ...args: string[]) {
  const env = { PATH: process.env['PATH'], PORT: '0', SIMULATOR_PORT: '0' };
  const child = spawn(command, args, { cwd: directory, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The port that a process says on its first line. */
async function portOf({ stdout }: ReturnType<typeof startProcess>): Promise<string> {
  const [line] = await once(stdout, 'data');
  return /:(\d+)\n$/.exec(String(line))?.[1] as string;
}

test('config: flips keys of a JSON file', async () => {
  const directory = copyOf('config');
  const file = () => readFileSync(join(directory, 'service.json'), 'utf8');
  const before = file();
  const program = await serve(directory);
  expect(await inject(program.url, 'wind', { speed: 30 })).toBe(201);
  expect(await inject(program.url, 'gps')).toBe(201);
  expect(JSON.parse(file())).toEqual({
    gps: { enabled: false, rate: 10 },
    wind: { speed: 30, direction: 270 },
  });
  expect(await reset(program.url, 'wind')).toBe(200);
  expect(JSON.parse(file())).toMatchObject({ gps: { enabled: false }, wind: { speed: 0 } });
  await end(program);
  expect(file()).toBe(before);
});

test('throttle: lets a process run for a share of the time', async () => {
  const directory = copyOf('throttle');
  const { pid } = startProcess(directory, './worker.sh');
  const log = join(directory, 'worker.log');
  while (!existsSync(log)) await delay(10);
  const lines = () => readFileSync(log, 'utf8').split('\n').length;
  const isStopped = () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  /** Waits until the worker has done more. */
  const work = async () => {
    for (const start = lines(); lines() === start; ) await delay(5);
  };
  const stop = async () => {
    while (!isStopped()) await delay(1);
  };
  const program = await serve(directory);
  expect(isStopped()).toBe(false);
  expect(await inject(program.url, 'worker-throttle', { percent: 10 })).toBe(201);
  for (let turn = 0; turn < 3; turn++) {
    await stop();
    await work();
  }
  expect(await inject(program.url, 'worker-throttle', { percent: 0 })).toBe(201);
  // A signal acts when the worker gets its turn; nothing is left then that would let it go on.
  await stop();
  expect(existsSync(join(directory, 'throttle.pid'))).toBe(false);
  expect(await reset(program.url, 'worker-throttle')).toBe(200);
  expect(isStopped()).toBe(false);
  await work();
  expect(await inject(program.url, 'worker-throttle', { percent: 5 })).toBe(201);
  expect(existsSync(join(directory, 'throttle.pid'))).toBe(true);
  await end(program);
  expect(existsSync(join(directory, 'throttle.pid'))).toBe(false);
  expect(isStopped()).toBe(false);
  await work();
});

test('control: drives a service by its control endpoint', async () => {
  const directory = copyOf('control');
  const port = await portOf(startProcess(directory, process.execPath, 'service.js'));
  const manifest = join(directory, 'mutators.toml');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replaceAll(':9000', `:${port}`));
  const work = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    return [response.status, await response.text()];
  };
  const program = await serve(directory);
  expect(await work()).toEqual([200, 'ok after 0 ms\n']);
  expect(await inject(program.url, 'latency', { delay: 20, answer: 'error' })).toBe(201);
  expect(await work()).toEqual([503, 'error after 20 ms\n']);
  expect(await reset(program.url, 'latency')).toBe(200);
  expect(await work()).toEqual([200, 'ok after 0 ms\n']);
  expect(await inject(program.url, 'latency', { delay: 5 })).toBe(201);
  expect(await work()).toEqual([200, 'ok after 5 ms\n']);
  await end(program);
  expect(await work()).toEqual([200, 'ok after 0 ms\n']);
});

test('module: speaks the protocol of a simulator', async () => {
  const directory = copyOf('module');
  const port = await portOf(startProcess(directory, process.execPath, 'simulator.js'));
  const world = async () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.setEncoding('utf8').end('world\n');
    return String((await once(socket, 'data'))[0]);
  };
  const program = await serve(directory, { SIMULATOR_PORT: port });
  expect(await inject(program.url, 'simulation-wind', { speed: 12.5 })).toBe(201);
  expect(await world()).toBe('wind 12.5 0\n');
  expect(await reset(program.url, 'simulation-wind')).toBe(200);
  expect(await world()).toBe('calm\n');
  expect(await inject(program.url, 'simulation-wind', { speed: 1, direction: 90 })).toBe(201);
  await end(program);
  expect(await world()).toBe('calm\n');
});
