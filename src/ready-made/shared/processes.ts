import { readdirSync, readFileSync } from 'node:fs';
import { hasShape } from './state-file.js';

/** The identity of a process. Another process may get the same pid, but not with the same start. */
export interface ProcessId {
  readonly pid: number;
  /** The process's start, in clock ticks since the system's start, in digits. */
  readonly start: string;
}

/** A snapshot of a process. */
export interface ProcessInfo extends ProcessId {
  /** A letter of proc(5), such as `Z`. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly threads: number;
}

/** Parses `stat` of proc(5), by the field numbers in that manual. */
export function parseStat(pid: number, stat: string): ProcessInfo {
  // The third field follows the name, which may hold any characters.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => fields[number - 3] ?? '';
  return {
    ...{ pid, state: field(3), parent: Number(field(4)), group: Number(field(5)) },
    ...{ threads: Number(field(20)), start: field(22) },
  };
}

/** Returns the text of a file of a process in /proc; empty if the process has ended or belongs to others. */
export function procText(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Returns a process, even a zombie; undefined if the pid is free. */
export function processOf(pid: number): ProcessInfo | undefined {
  const stat = procText(pid, 'stat');
  return stat === '' ? undefined : parseStat(pid, stat);
}

/** Returns all visible processes, zombies included. */
export const processes = (): readonly ProcessInfo[] =>
  readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : [],
  );

/** Returns the ancestors of this process, nearest first. The server is among them. */
export function ancestors(): readonly ProcessInfo[] {
  const ancestorList: ProcessInfo[] = [];
  for (
    let current = processOf(process.ppid);
    current !== undefined;
    current = processOf(current.parent)
  ) {
    ancestorList.push(current);
  }
  return ancestorList;
}

/** Returns the pids of this process and its ancestors. */
export const ownPids = (): readonly number[] => [process.pid, ...ancestors().map(({ pid }) => pid)];

export const isSame = (a: ProcessId, b: ProcessId): boolean =>
  a.pid === b.pid && a.start === b.start;

export function isAlive({ pid, start }: ProcessId): boolean {
  const current = processOf(pid);
  // While other threads end, the first thread may already be a zombie, and the files of all are still open.
  return (
    current !== undefined &&
    current.start === start &&
    (current.state !== 'Z' || current.threads > 1)
  );
}

export const isStopped = ({ pid }: ProcessId): boolean => /[Tt]/.test(processOf(pid)?.state ?? '');

/** True if no thread can start a process. A thread in state D waits for the kernel, or for a child of vfork. */
export function isHalted(id: ProcessId): boolean {
  const { pid } = id;
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return (
      !isAlive(id) ||
      threads.every(
        (thread) => !/[RS]/.test(parseStat(pid, procText(pid, `task/${thread}/stat`)).state),
      )
    );
  } catch {
    return !isAlive(id);
  }
}

/** Returns the live roots, and all their descendants, in any group or session. */
export function findProcessTrees(
  roots: readonly ProcessId[],
  candidates: readonly ProcessInfo[] = processes(),
): readonly ProcessInfo[] {
  const liveProcesses = candidates.filter(({ state }) => state !== 'Z');
  const tree = new Set(
    roots.flatMap((root) => liveProcesses.find((process) => isSame(process, root)) ?? []),
  );
  // The loop also visits added processes. A child older than its parent belongs to an earlier process with that
  // pid.
  for (const { pid, start } of tree) {
    for (const process of liveProcesses) {
      if (process.parent === pid && Number(process.start) >= Number(start)) tree.add(process);
    }
  }
  return [...tree];
}

/** Returns the parents of processes, nearest first, even zombies. Excludes the server and its ancestors. */
export function parentsOf(children: readonly ProcessId[]): readonly ProcessInfo[] {
  const excludedPids = [0, 1, ...ownPids()];
  const parents = new Map<number, ProcessInfo>();
  for (const { pid, start } of children) {
    const child = processOf(pid);
    let current = child?.start === start ? processOf(child.parent) : undefined;
    for (
      ;
      current !== undefined && !excludedPids.includes(current.pid);
      current = processOf(current.parent)
    ) {
      parents.set(current.pid, current);
    }
  }
  return [...parents.values()];
}

/** Returns the live processes with a variable in their environment, oldest first. */
export function findByVariable(variable: string, value: string): readonly ProcessInfo[] {
  const entry = `${variable}=${value}`;
  return processes()
    .filter(
      ({ pid, state }) => state !== 'Z' && procText(pid, 'environ').split('\0').includes(entry),
    )
    .sort((a, b) => Number(a.start) - Number(b.start) || a.pid - b.pid);
}

export const areProcesses = (value: unknown): value is readonly ProcessId[] =>
  Array.isArray(value) &&
  value.every((item) =>
    hasShape<ProcessId>(item, {
      pid: (pid) => Number.isInteger(pid) && Number(pid) > 1,
      start: (start) => typeof start === 'string' && /^\d+$/.test(start),
    }),
  );
