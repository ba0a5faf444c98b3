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

/** How long a process may take until it is ready. */
const READY_MS = 10_000;
/** How often it is looked whether it is. */
const LOOK_MS = 50;
/** The longest that one look waits for an answer. */
const ANSWER_MS = 1_000;
/** How long a process without an address must live to count as ready. */
const LIFE_MS = 1_000;
/** How long a process may take to end once it was asked to. */
const END_MS = 5_000;
/** How many of its last lines an error has. */
const LAST_LINES = 5;

/** What happens to a process while mutators are served. */
export type ProcessEvent =
  | { readonly kind: 'said'; readonly name: string; readonly line: string }
  | { readonly kind: 'ended'; readonly name: string; readonly how: string };

export interface ProcessOptions {
  /** The manifest's directory, where they start. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The variables that they do not get. */
  readonly secretVariables: readonly string[];
  readonly events: (event: ProcessEvent) => void;
}

/**
 * Starts what a manifest needs running, one after another, each in a process group of its own, and waits until each is
 * ready.
 *
 * @returns ends them all, last first
 * @throws ServeError for one that does not become ready, or where something else answers in its place; then the others
 * have ended
 */
export async function startProcesses(
  processes: readonly ManifestProcess[],
  options: ProcessOptions,
): Promise<() => Promise<void>> {
  const ends: (() => Promise<void>)[] = [];
  const endAll = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    for (const one of processes) ends.push(await start(one, options));
  } catch (error) {
    await endAll();
    throw error;
  }
  return endAll;
}

async function start(
  { name, command, ready }: ManifestProcess,
  { directory, environment, secretVariables, events }: ProcessOptions,
): Promise<() => Promise<void>> {
  const address = ready === undefined ? undefined : parseAddress(ready);
  // One that a killed server had started may still be ending.
  if (address !== undefined && !(await becomesFree(address))) {
    throw new ServeError(
      'process',
      `process ${quote(name)} cannot be started: something else answers at ${ready}: end that, or leave the process out of the manifest if you start it yourself`,
    );
  }
  const [program = '', ...args] = command;
  const env = { ...withoutVariables(environment, secretVariables), PERTURB_PROCESS: name };
  // A closed stdin tells it that the server has ended, however that was.
  const child = spawn(program, args, { cwd: directory, env, detached: true, stdio: 'pipe' });
  child.stdin.on('error', () => {});
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (last.push(line) > LAST_LINES) last.shift();
      events({ kind: 'said', name, line });
    });
  }
  let how: string | undefined;
  const ended = new Promise<void>((done) => {
    child.once('error', ({ message }) => {
      how = `cannot be started: ${message}`;
      done();
    });
    child.once('close', (code, signal) => {
      how ??= `ended with ${signal ?? `status ${code}`}`;
      done();
    });
  });
  const isReady =
    address === undefined
      ? await Promise.race([ended.then(() => false), wait(LIFE_MS, true)])
      : await becomesReady(address, () => how !== undefined);
  if (!isReady) {
    const why = how ?? `does not answer at ${ready} within ${READY_MS / 1_000} s`;
    await end(child, ended);
    throw new ServeError('process', `process ${quote(name)} ${[why, ...last].join('; ')}`);
  }
  let isEnding = false;
  void ended.then(() => {
    if (!isEnding) events({ kind: 'ended', name, how: how ?? '' });
  });
  return () => {
    isEnding = true;
    return end(child, ended);
  };
}

/** Waits until something answers at an address, the process has ended, or it took too long. */
async function becomesReady(address: Address, hasEnded: () => boolean): Promise<boolean> {
  const deadline = performance.now() + READY_MS;
  while (!hasEnded() && performance.now() < deadline) {
    await wait(LOOK_MS);
    if (await answers(address)) return !hasEnded();
  }
  return false;
}

/** Waits as long as a process may take to end; false where something still answers then. */
async function becomesFree(address: Address): Promise<boolean> {
  const deadline = performance.now() + END_MS;
  while (await answers(address)) {
    if (performance.now() >= deadline) return false;
    await wait(LOOK_MS);
  }
  return true;
}

async function answers(address: Address): Promise<boolean> {
  // It may fail after the time is up.
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

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.stdin?.end();
  if (child.pid === undefined) return;
  killGroup(child.pid, 'SIGTERM');
  const isOver = await Promise.race([ended.then(() => true), wait(END_MS, false)]);
  if (isOver) return;
  killGroup(child.pid, 'SIGKILL');
  await ended;
}
