import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownPort } from '../../adversary/harness/systems.js';
import { inject, reset } from '../programs/server-program.js';
import { readyMade, serveIn } from './ready-made.js';

/*
 * Services of several processes. Which processes belong to one is told by their working directory, which
 * they share with nothing else, so independently of how the script finds them.
 */

function ofProcess<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** A service that `sh start.sh` starts in a directory of its own, which `service/NAME` are the files of. */
async function start(script: string, files: Readonly<Record<string, string>>, pidFile: string) {
  const cwd = await readyMade(
    { 'start.sh': `cd service\n${script}\n` },
    ['pause', '--pid-file', pidFile],
    ['kill', '--pid-file', pidFile, '--command', 'sh start.sh'],
  );
  const directory = join(realpathSync(cwd), 'service');
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const members = () =>
    readdirSync('/proc')
      .filter((pid) => ofProcess(() => readlinkSync(`/proc/${pid}/cwd`)) === directory)
      .map(Number);
  const states = () =>
    members().flatMap((pid) => {
      const status = ofProcess(() => readFileSync(`/proc/${pid}/status`, 'utf8'));
      return /^State:\s+(\w)/m.exec(status ?? '')?.[1] ?? [];
    });
  const child: ChildProcess = spawn('sh', ['start.sh'], { cwd, stdio: 'ignore' });
  onTestFinished(async () => {
    for (let left = members(); left.length > 0; left = members()) {
      for (const pid of left) ofProcess(() => process.kill(pid, 'SIGKILL'));
      await delay(5);
    }
  });
  return { cwd, child, members, states, program: await serveIn(cwd) };
}

/** What a server answers; the code of the error if it does not accept the connection. */
async function ask(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    return await answer.text();
  } catch (error) {
    return ((error as Error).cause as { readonly code: string }).code;
  }
}

const answers = (port: number) => expect.poll(() => ask(port), { timeout: 60_000 }).toBe('well');

const PREFORK = (port: number) => `import cluster from 'node:cluster';
import { createServer } from 'node:http';
cluster.schedulingPolicy = cluster.SCHED_NONE;
if (cluster.isPrimary) {
  for (const _ of [1, 2]) cluster.fork();
  cluster.on('exit', () => cluster.fork());
} else createServer((_, response) => response.end('well')).listen(${port}, '127.0.0.1');
`;

/** Pauses and kills a service, and has it back each time, with as many processes as before. */
async function disturb(service: Awaited<ReturnType<typeof start>>, port: number, size: number) {
  const { members, states, program } = service;
  await answers(port);
  await expect.poll(() => members().length).toBe(size);
  const before = members();
  expect(await inject(program.url, 'pause')).toBe(201);
  expect(states()).toEqual(before.map(() => 'T'));
  // The kernel accepts the connection; nobody can answer before the reset.
  const asked = ask(port);
  expect(await reset(program.url, 'pause')).toBe(200);
  expect(await asked).toBe('well');
  expect([members(), states().includes('T')]).toEqual([before, false]);

  for (const signal of ['KILL', 'TERM']) {
    const killed = members();
    expect(await inject(program.url, 'kill', { signal })).toBe(201);
    expect([signal, members(), await ask(port)]).toEqual([signal, [], 'ECONNREFUSED']);
    expect(await reset(program.url, 'kill')).toBe(200);
    await answers(port);
    await expect.poll(() => members().length).toBe(size);
    expect(members().filter((pid) => killed.includes(pid))).toEqual([]);
  }
}

test('pause, kill: a pre-fork server in a session of its own, behind a wrapper that waits for it', async () => {
  const port = await ownPort();
  const script = `setsid ${process.execPath} service.mjs\necho ended`;
  const service = await start(script, { 'service.mjs': PREFORK(port) }, 'wrapper.pid');
  const { child, cwd, members, states, program } = service;
  writeFileSync(join(cwd, 'wrapper.pid'), `${child.pid}\n`);
  await disturb(service, port, 4);

  const worker = Math.max(...members());
  process.kill(worker, 'SIGSTOP');
  await expect.poll(() => states().filter((state) => state === 'T')).toEqual(['T']);
  expect(await inject(program.url, 'pause')).toBe(500);
  await program.said(
    new RegExp(`the process ${worker} is already stopped, and not by this mutator`),
  );
  expect(states().filter((state) => state === 'T')).toEqual(['T']);
}, 120_000);

test('pause, kill: processes that start others all the time', async () => {
  const loops =
    'loop() { while :; do sleep 0.01 & wait $!; done; }\nloop & loop & (loop & loop & wait) & wait';
  const { child, cwd, members, states, program } = await start(loops, {}, 'loops.pid');
  writeFileSync(join(cwd, 'loops.pid'), `${child.pid}\n`);
  for (let round = 0; round < 3; round++) {
    await expect.poll(() => members().length).toBeGreaterThan(6);
    expect(await inject(program.url, 'pause')).toBe(201);
    const stopped = members();
    expect(states().filter((state) => !'TD'.includes(state))).toEqual([]);
    expect(await inject(program.url, 'pause')).toBe(201);
    expect(await reset(program.url, 'pause')).toBe(200);
    expect(stopped.length).toBeGreaterThanOrEqual(6);
    await expect.poll(() => states().includes('T')).toBe(false);

    expect(await inject(program.url, 'kill')).toBe(201);
    expect(members()).toEqual([]);
    expect(await reset(program.url, 'kill')).toBe(200);
  }
}, 120_000);

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

describe.skipIf(!hasNginx)(`nginx${hasNginx ? '' : ' (skipped: not installed)'}`, () => {
  test('pause, kill: the workers too, by the pid file that it writes', async () => {
    const port = await ownPort();
    const conf = `daemon off;
worker_processes 2;
pid nginx.pid;
error_log stderr;
events {}
http { access_log off; server { listen 127.0.0.1:${port}; return 200 well; } }
`;
    const script = 'exec nginx -p . -c nginx.conf';
    await disturb(await start(script, { 'nginx.conf': conf }, 'service/nginx.pid'), port, 3);
  }, 120_000);
});
