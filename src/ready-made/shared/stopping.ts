import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../durable/index.js';
import {
  findAncestorsOf,
  findProcess,
  isAlive,
  isHalted,
  isSameProcess,
  isStopped,
  ownPids,
  type ProcessId,
  type ProcessInfo,
} from './processes.js';

const RETRY_MS = 20;

/**
 * Sends a signal to a process, unless it has ended.
 *
 * @throws Error if the process belongs to another user
 */
export function sendSignal(id: ProcessId, name: NodeJS.Signals | 0): void {
  if (!isAlive(id)) return;
  try {
    process.kill(id.pid, name);
  } catch (error) {
    if (codeOf(error) === 'EPERM') {
      throw new Error(
        `the server has no permission to signal process ${id.pid}, which belongs to another user`,
      );
    }
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/**
 * Stops whole process trees. Repeats this until all processes are stopped and none of them has started another process.
 *
 * @param find returns the processes to stop, given the processes already stopped
 * @param note receives the newly found processes and all processes, before the newly found processes are stopped
 * @param stoppedProcesses the processes already stopped
 */
export async function halt(
  find: (stopped: readonly ProcessId[]) => readonly ProcessInfo[],
  note: (
    newProcesses: readonly ProcessInfo[],
    processes: readonly ProcessId[],
  ) => void | Promise<void>,
  stoppedProcesses: readonly ProcessId[] = [],
): Promise<readonly ProcessId[]> {
  let processes = stoppedProcesses;
  for (;;) {
    // Checked first, because a running process may have started other processes after the search.
    const areHalted = processes.every(isHalted);
    const newProcesses = find(processes).filter(
      (process) => !processes.some((stoppedProcess) => isSameProcess(process, stoppedProcess)),
    );
    if (newProcesses.length === 0) {
      if (areHalted) return processes;
      await delay(1);
      continue;
    }
    const ownProcess = newProcesses.find(({ pid }) => ownPids().includes(pid));
    if (ownProcess !== undefined) {
      throw new Error(
        `refusing to stop process ${ownProcess.pid}, which is the server or an ancestor of the server`,
      );
    }
    // Checks the permissions before recording, because a reset must be able to continue all recorded processes.
    for (const process of newProcesses) sendSignal(process, 0);
    processes = [...processes, ...newProcesses.map(({ pid, start }) => ({ pid, start }))];
    await note(newProcesses, processes);
    for (const process of newProcesses) sendSignal(process, 'SIGSTOP');
  }
}

/**
 * Continues processes, children before their parents, until none is stopped. Also continues their parents, because a
 * wrapper such as su stops itself when its child is stopped.
 */
export async function resume(processes: readonly ProcessId[]): Promise<void> {
  const findStopped = () =>
    [...processes.toReversed(), ...findAncestorsOf(processes)].filter(
      (process) => isAlive(process) && isStopped(process),
    );
  for (
    let stoppedProcesses = findStopped();
    stoppedProcesses.length > 0;
    stoppedProcesses = findStopped()
  ) {
    for (const process of stoppedProcesses) sendSignal(process, 'SIGCONT');
    await delay(RETRY_MS);
  }
}

const REAP_MS = 1_000;

/**
 * Kills stopped processes, and waits until they have ended. Stopped processes cannot start other processes in the
 * meantime.
 */
export async function end(processes: readonly ProcessId[]): Promise<void> {
  for (const process of processes) sendSignal(process, 'SIGKILL');
  await awaitEnd(processes);
  await resume(processes);
  // A program may mistake a zombie with the pid in its pid file for a running process, and not every parent reaps its
  // children.
  const isPresent = ({ pid, start }: ProcessId) => findProcess(pid)?.start === start;
  for (
    const deadline = performance.now() + REAP_MS;
    performance.now() < deadline && processes.some(isPresent);
  ) {
    await delay(RETRY_MS);
  }
}

/** Waits until processes have ended, up to the actuator's timeout. */
export async function awaitEnd(processes: readonly ProcessId[]): Promise<void> {
  while (processes.some(isAlive)) await delay(RETRY_MS);
}
