import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../durable/index.js';
import {
  isAlive,
  isHalted,
  isSame,
  isStopped,
  ownPids,
  type ProcessId,
  type ProcessInfo,
  processOf,
  starters,
} from './processes.js';

const RETRY_MS = 20;

/** Sends a signal to a process, unless it has ended. @throws Error if it belongs to another user */
export function signal(id: ProcessId, name: NodeJS.Signals | 0): void {
  if (!isAlive(id)) return;
  try {
    process.kill(id.pid, name);
  } catch (error) {
    if (codeOf(error) === 'EPERM') {
      throw new Error(
        `the process ${id.pid} belongs to a user whose processes the server may not stop`,
      );
    }
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/**
 * Stops whole trees of processes: repeats until all are stopped and no new one was started.
 *
 * @param find returns the processes to stop, given those already stopped
 * @param note receives the new processes and all, before the new ones are stopped
 * @param stopped the processes already stopped
 */
export async function halt(
  find: (stopped: readonly ProcessId[]) => readonly ProcessInfo[],
  note: (fresh: readonly ProcessInfo[], all: readonly ProcessId[]) => void | Promise<void>,
  stopped: readonly ProcessId[] = [],
): Promise<readonly ProcessId[]> {
  let all = stopped;
  for (;;) {
    // Checked first: a process that still ran may have started others after the search.
    const halted = all.every(isHalted);
    const fresh = find(all).filter((one) => !all.some((other) => isSame(one, other)));
    if (fresh.length === 0) {
      if (halted) return all;
      await delay(1);
      continue;
    }
    const own = fresh.find(({ pid }) => ownPids().includes(pid));
    if (own !== undefined) {
      throw new Error(`the process ${own.pid} is the server, or started it, so it is not stopped`);
    }
    // Processes that may not be stopped are not recorded, which lets a reset continue all the rest.
    for (const one of fresh) signal(one, 0);
    all = [...all, ...fresh.map(({ pid, start }) => ({ pid, start }))];
    await note(fresh, all);
    for (const one of fresh) signal(one, 'SIGSTOP');
  }
}

/**
 * Continues processes, children before their parents, until none is stopped. A wrapper such as su stops itself when
 * its child is stopped, so parents are continued too.
 */
export async function resume(all: readonly ProcessId[]): Promise<void> {
  const stopped = () =>
    [...all.toReversed(), ...starters(all)].filter((one) => isAlive(one) && isStopped(one));
  for (let left = stopped(); left.length > 0; left = stopped()) {
    for (const one of left) signal(one, 'SIGCONT');
    await delay(RETRY_MS);
  }
}

const REAP_MS = 1_000;

/** Kills stopped processes, which therefore start no others; waits for their end. */
export async function end(all: readonly ProcessId[]): Promise<void> {
  for (const one of all) signal(one, 'SIGKILL');
  await awaitEnd(all);
  await resume(all);
  // A program may mistake a zombie with the pid in its pid file for a running process. Not every process reaps its
  // children.
  const isThere = ({ pid, start }: ProcessId) => processOf(pid)?.start === start;
  for (const due = performance.now() + REAP_MS; performance.now() < due && all.some(isThere); ) {
    await delay(RETRY_MS);
  }
}

/** Waits for the end of processes, limited by the actuator's timeout. */
export async function awaitEnd(all: readonly ProcessId[]): Promise<void> {
  while (all.some(isAlive)) await delay(RETRY_MS);
}
