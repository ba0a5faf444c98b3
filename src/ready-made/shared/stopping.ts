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
 * Stops whole trees of processes: repeats it until all stand still and nothing new has been started.
 *
 * @param find returns what is to be stopped now, given what has been
 * @param note gets what is new and all, before anything new is stopped
 * @param stopped what has been stopped already
 */
export async function halt(
  find: (stopped: readonly ProcessId[]) => readonly ProcessInfo[],
  note: (fresh: readonly ProcessInfo[], all: readonly ProcessId[]) => void | Promise<void>,
  stopped: readonly ProcessId[] = [],
): Promise<readonly ProcessId[]> {
  let all = stopped;
  for (;;) {
    // Looked at first: what still ran may have started something after it was searched.
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
    // What may not be stopped is not noted, so that a reset can continue all the rest.
    for (const one of fresh) signal(one, 0);
    all = [...all, ...fresh.map(({ pid, start }) => ({ pid, start }))];
    await note(fresh, all);
    for (const one of fresh) signal(one, 'SIGSTOP');
  }
}

/**
 * Continues processes, children before their parents, until none is stopped. A wrapper such as su stops itself
 * when it sees that its child is stopped, so what started them is continued too.
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

/** Kills processes that stand still, so that they start no others; waits for their end. */
export async function end(all: readonly ProcessId[]): Promise<void> {
  for (const one of all) signal(one, 'SIGKILL');
  await awaitEnd(all);
  await resume(all);
  // A program may take a zombie with the pid in its pid file for one that runs. Not every process reaps its children.
  const isThere = ({ pid, start }: ProcessId) => processOf(pid)?.start === start;
  for (const due = performance.now() + REAP_MS; performance.now() < due && all.some(isThere); ) {
    await delay(RETRY_MS);
  }
}

/** Waits for the end of processes; the actuator's timeout ends this. */
export async function awaitEnd(all: readonly ProcessId[]): Promise<void> {
  while (all.some(isAlive)) await delay(RETRY_MS);
}
