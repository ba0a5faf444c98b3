import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { withoutVariables } from '../../actuators/acting/index.js';
import { type Address, parseAddress } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import { killGroup } from '../../durable/index.js';
import type { ManifestProcess } from '../../mutators/index.js';
import { ServeError } from './serve-error.js';

/** Timeout for a process to become ready. */
const READY_MS = 10_000;
/** Interval between checks for readiness. */
const CHECK_INTERVAL_MS = 50;
/** Timeout for each check. */
const ANSWER_MS = 1_000;
/** Time without an exit after which a process without an address counts as ready. */
const MIN_LIFE_MS = 1_000;
/** Timeout for ending a process. */
const END_MS = 5_000;
/** Number of a process's last output lines to include in an error. */
const LAST_LINES = 5;

/** An output line or the unexpected end of a process that the mutators need. */
export type ProcessEvent =
  | { readonly kind: 'said'; readonly name: string; readonly line: string }
  | { readonly kind: 'ended'; readonly name: string; readonly how: string };

export interface ProcessOptions {
  /** The manifest's directory, in which the processes start. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The variables that the processes do not inherit. */
  readonly secretVariables: readonly string[];
  readonly events: (event: ProcessEvent) => void;
}

/**
 * Starts a manifest's processes in order, each in its own process group. Waits until each process is ready before
 * starting the next.
 *
 * @returns a function that ends all processes, last first
 * @throws ServeError if a process does not become ready, or if another program responds at the process's address; first
 * stops the processes already started
 */
export async function startProcesses(
  processes: readonly ManifestProcess[],
  options: ProcessOptions,
): Promise<() => Promise<void>> {
  const stopFunctions: (() => Promise<void>)[] = [];
  const stopAll = async () => {
    for (const stop of stopFunctions.splice(0).reverse()) await stop();
  };
  try {
    for (const process of processes) stopFunctions.push(await start(process, options));
  } catch (error) {
    await stopAll();
    throw error;
  }
  return stopAll;
}

async function start(
  { name, command, ready }: ManifestProcess,
  { directory, environment, secretVariables, events }: ProcessOptions,
): Promise<() => Promise<void>> {
  const address = ready === undefined ? undefined : parseAddress(ready);
  // A process of a killed server may still be ending.
  if (address !== undefined && !(await waitUntilFree(address))) {
    throw new ServeError(
      'process',
      `process ${quote(name)} cannot be started: another process responds at ${ready}. Stop that process, or, if you start ${quote(name)} yourself, remove it from the manifest`,
    );
  }
  const [program = '', ...args] = command;
  const env = { ...withoutVariables(environment, secretVariables), PERTURB_PROCESS: name };
  // A closed stdin shows the process that the server has ended, even if the server was killed.
  const child = spawn(program, args, { cwd: directory, env, detached: true, stdio: 'pipe' });
  child.stdin.on('error', () => {});
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (lastLines.push(line) > LAST_LINES) lastLines.shift();
      events({ kind: 'said', name, line });
    });
  }
  let ending: string | undefined;
  const exit = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => {
      ending = `cannot be started: ${message}`;
      resolve();
    });
    child.once('close', (code, signal) => {
      ending ??= `ended with ${signal ?? `status ${code}`}`;
      resolve();
    });
  });
  const isReady =
    address === undefined
      ? await Promise.race([exit.then(() => false), wait(MIN_LIFE_MS, true)])
      : await waitUntilReady(address, () => ending !== undefined);
  if (!isReady) {
    const problem = ending ?? `did not respond at ${ready} within ${READY_MS / 1_000} s`;
    await endProcess(child, exit);
    throw new ServeError('process', `process ${quote(name)} ${[problem, ...lastLines].join('; ')}`);
  }
  let isEnding = false;
  void exit.then(() => {
    if (!isEnding) events({ kind: 'ended', name, how: ending ?? '' });
  });
  return () => {
    isEnding = true;
    return endProcess(child, exit);
  };
}

/** Waits until an address accepts connections. Returns false on a timeout or if the process has ended. */
async function waitUntilReady(address: Address, hasEnded: () => boolean): Promise<boolean> {
  const deadline = performance.now() + READY_MS;
  while (!hasEnded() && performance.now() < deadline) {
    await wait(CHECK_INTERVAL_MS);
    if (await isAnswering(address)) return !hasEnded();
  }
  return false;
}

/** Waits until an address no longer accepts connections. Returns false on a timeout. */
async function waitUntilFree(address: Address): Promise<boolean> {
  const deadline = performance.now() + END_MS;
  while (await isAnswering(address)) {
    if (performance.now() >= deadline) return false;
    await wait(CHECK_INTERVAL_MS);
  }
  return true;
}

async function isAnswering(address: Address): Promise<boolean> {
  // The connection may fail after the timeout.
  const socket = connect(address).on('error', () => {});
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(ANSWER_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function endProcess(child: ChildProcess, exit: Promise<void>): Promise<void> {
  child.stdin?.end();
  if (child.pid === undefined) return;
  killGroup(child.pid, 'SIGTERM');
  const hasExited = await Promise.race([exit.then(() => true), wait(END_MS, false)]);
  if (hasExited) return;
  killGroup(child.pid, 'SIGKILL');
  await exit;
}
