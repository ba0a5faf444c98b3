import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { directoryWith, perturb } from '../../cli/program.js';
import { isLong } from '../../long.js';
import { inject, type Program, reset, startServer } from '../programs/server-program.js';

/** A directory with ready-made mutators, as `perturb mutators new` writes them. */
export async function readyMade(
  files: Readonly<Record<string, string>>,
  ...kinds: readonly (readonly string[])[]
): Promise<string> {
  const cwd = directoryWith(files);
  for (const words of kinds) {
    expect(await perturb(['mutators', 'new', ...words], { cwd })).toMatchObject({
      code: 0,
      stderr: '',
    });
  }
  return cwd;
}

export function serveIn(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Program & { readonly url: string }> {
  return startServer(['--manifest', 'mutators.toml'], { cwd, env });
}

/** Starts a process that says a first line on stdout; it is killed when the test ends. */
export async function startSpeaking(
  cwd: string,
  command: string,
  ...args: readonly string[]
): Promise<ChildProcess & { readonly line: string }> {
  const child = spawn(command, args, { cwd, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const exit = once(child, 'close');
  while (!said.includes('\n')) {
    if (child.exitCode !== null) throw new Error(`${command} has ended: ${said}`);
    await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), exit]);
  }
  return Object.assign(child, { line: said.split('\n')[0] ?? '' });
}

/** Has a server listen at a free port of the loopback until the test ends; gives the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A service that sends back what it gets. */
export const echo = () =>
  createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}).pipe(socket);
  });

/** Sends one byte and waits for it; gives how long it took, in ms. */
export async function roundTrip(socket: Socket): Promise<number> {
  const start = performance.now();
  socket.write('x');
  await once(socket, 'data');
  return performance.now() - start;
}

/** The shortest of five round trips. */
export async function fewRoundTrips(socket: Socket): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 5; n++) times.push(await roundTrip(socket));
  return Math.min(...times);
}

/** Waits for a round trip that takes less: on a busy machine, not each one does. */
export async function tripsBelow(socket: Socket, ms: number): Promise<void> {
  await expect.poll(() => roundTrip(socket)).toBeLessThan(ms);
}

/** How often the server is killed in a test: in the short form once, where something is active for sure. */
export const KILLS = isLong ? 100 : 1;

type Serving = Awaited<ReturnType<typeof serveIn>>;

interface Kills {
  readonly cwd: string;
  /** What is injected, in turn: the mutator's id, and its parameters. */
  readonly faults: readonly (readonly [id: string, params: object])[];
  readonly isActive: () => boolean | Promise<boolean>;
  readonly env?: Readonly<Record<string, string>>;
  /** The first server to kill, when one serves already; nothing is active in it. */
  readonly first?: Serving;
  /** Called where all is active. */
  readonly during?: () => void;
}

/** The pids of the scripts that act in a directory now, without a proxy. */
function scriptsIn(cwd: string): number[] {
  const directory = realpathSync(cwd);
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const [, script = '', action] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const isScript = /^\w+\.mjs$/.test(script) && action !== 'run';
      return isScript && readlinkSync(`/proc/${pid}/cwd`) === directory ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Kills the scripts while they inject, at any moment. What was not injected must be undone by the answer, and
 * a reset must undo the rest.
 */
async function killScripts({ url }: Serving, { cwd, faults, isActive }: Kills): Promise<void> {
  let isOver = false;
  const answers = Promise.all(faults.map(([id, params]) => inject(url, id, params))).finally(() => {
    isOver = true;
  });
  while (!isOver && scriptsIn(cwd).length === 0) await delay(5);
  await delay(Math.random() * 100);
  for (const pid of scriptsIn(cwd)) killIfThere(pid);
  if (!(await answers).includes(201)) expect(await isActive()).toBe(false);
  for (const [id] of faults) expect([id, await reset(url, id)]).toEqual([id, 200]);
  expect(await isActive()).toBe(false);
}

function killIfThere(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * Kills first the scripts and then the server again and again while they inject; after the next start nothing
 * must be left. Some of the kills must have come while something was active. The last server ends by itself.
 */
export async function killedAgainAndAgain(kills: Kills): Promise<void> {
  const { cwd, faults, isActive, env } = kills;
  let disturbed = 0;
  for (let round = 0; round < KILLS; round++) {
    const server = (round === 0 && kills.first) || (await serveIn(cwd, env));
    expect([round, await isActive()]).toEqual([round, false]);
    await killScripts(server, kills);
    const all = faults.map(([id, params]) => inject(server.url, id, params).catch(() => 0));
    // Every other one where something is active for sure, the rest at any moment.
    if (round % 2 === 0) {
      await Promise.all(all);
      kills.during?.();
    } else await delay(Math.random() * 300);
    if (await isActive()) disturbed += 1;
    server.child.kill('SIGKILL');
    await Promise.all([server.exit, ...all]);
  }
  const last = await serveIn(cwd, env);
  expect(await isActive()).toBe(false);
  last.child.kill('SIGTERM');
  expect((await last.exit).code).toBe(0);
  expect(disturbed).toBeGreaterThanOrEqual(Math.ceil(KILLS / 2));
}
