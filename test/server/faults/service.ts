import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
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

interface Service {
  /** What `start.sh` does, in the directory of the service. */
  readonly script: string;
  /** The files of that directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** The pid file that the service writes; without it, the pid of what starts the service is in one. */
  readonly pidFile?: string;
  /** What starts it, first and again. */
  readonly command?: string;
  /** More options of `mutators new kill`. */
  readonly options?: readonly string[];
  /** Called before the service starts, with the directory of the manifest. */
  readonly prepare?: (cwd: string) => void;
}

/** A service in a directory of its own, `service`, beside the manifest. */
export async function startService(service: Service) {
  const { script, files = {}, command = 'sh start.sh', options = [] } = service;
  const pidFile = service.pidFile ?? 'wrapper.pid';
  const cwd = await readyMade(
    { 'start.sh': `cd service\n${script}\n` },
    ['pause', '--pid-file', pidFile],
    ['kill', '--pid-file', pidFile, '--command', command, ...options],
  );
  const directory = join(realpathSync(cwd), 'service');
  mkdirSync(directory);
  // Other users run services too.
  for (const path of [cwd, directory]) chmodSync(path, 0o755);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  service.prepare?.(cwd);
  const members = () =>
    readdirSync('/proc')
      .filter((pid) => ofProcess(() => readlinkSync(`/proc/${pid}/cwd`)) === directory)
      .map(Number);
  const states = () =>
    members().flatMap((pid) => {
      const status = ofProcess(() => readFileSync(`/proc/${pid}/status`, 'utf8'));
      return /^State:\s+(\w)/m.exec(status ?? '')?.[1] ?? [];
    });
  const [program = '', ...args] = command.split(' ');
  const child: ChildProcess = spawn(program, args, { cwd, stdio: 'ignore' });
  if (service.pidFile === undefined) writeFileSync(join(cwd, pidFile), `${child.pid}\n`);
  onTestFinished(async () => {
    for (let left = members(); left.length > 0; left = members()) {
      for (const pid of left) ofProcess(() => process.kill(pid, 'SIGKILL'));
      await delay(5);
    }
  });
  return { cwd, child, members, states, program: await serveIn(cwd) };
}

/** What a server answers; the code of the error if it does not accept the connection. */
export async function ask(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    return await answer.text();
  } catch (error) {
    return ((error as Error).cause as { readonly code: string }).code;
  }
}

export const answers = (port: number) =>
  expect.poll(() => ask(port), { timeout: 60_000 }).toBe('well');

/** A server with two workers, which answer with `well`. */
export const prefork = (port: number) => `import cluster from 'node:cluster';
import { createServer } from 'node:http';
cluster.schedulingPolicy = cluster.SCHED_NONE;
if (cluster.isPrimary) {
  for (const _ of [1, 2]) cluster.fork();
  cluster.on('exit', () => cluster.fork());
} else createServer((_, response) => response.end('well')).listen(${port}, '127.0.0.1');
`;
