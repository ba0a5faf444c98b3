import { readdirSync, readFileSync } from 'node:fs';
import { hasShape } from './state-file.js';

/** A process's identity. Another process may reuse the pid, but not with the same start time. */
export interface ProcessId {
  readonly pid: number;
  /** The start time in clock ticks since the system's boot, as decimal digits. */
  readonly start: string;
}

/** A snapshot of a process. */
export interface ProcessInfo extends ProcessId {
  /** A state letter from proc(5), such as `Z`. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly threads: number;
}

/** Parses /proc/PID/stat, whose fields are numbered as in proc(5). */
export function parseStat(pid: number, stat: string): ProcessInfo {
  // The third field follows the name, which may contain any characters.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => fields[number - 3] ?? '';
  return {
    ...{ pid, state: field(3), parent: Number(field(4)), group: Number(field(5)) },
    ...{ threads: Number(field(20)), start: field(22) },
  };
}

/** Returns the text of a process's file in /proc; empty if the process has ended or belongs to another user. */
export function readProcFile(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Returns a process by its pid, even a zombie; undefined if there is none. */
export function findProcess(pid: number): ProcessInfo | undefined {
  const stat = readProcFile(pid, 'stat');
  return stat === '' ? undefined : parseStat(pid, stat);
}

/** Returns all visible processes, including zombies. */
export const listProcesses = (): readonly ProcessInfo[] =>
  readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (findProcess(Number(name)) ?? []) : [],
  );

/** Returns the ancestors of this process, nearest first. The server is one of them. */
export function findAncestors(): readonly ProcessInfo[] {
  const ancestorList: ProcessInfo[] = [];
  for (
    let current = findProcess(process.ppid);
    current !== undefined;
    current = findProcess(current.parent)
  ) {
    ancestorList.push(current);
  }
  return ancestorList;
}

/** Returns the pids of this process and its ancestors. */
export const ownPids = (): readonly number[] => [
  process.pid,
  ...findAncestors().map(({ pid }) => pid),
];

export const isSameProcess = (a: ProcessId, b: ProcessId): boolean =>
  a.pid === b.pid && a.start === b.start;

export function isAlive({ pid, start }: ProcessId): boolean {
  const current = findProcess(pid);
  // While other threads are ending, the first thread may already be a zombie, but the process's files are still open.
  return (
    current !== undefined &&
    current.start === start &&
    (current.state !== 'Z' || current.threads > 1)
  );
}

export const isStopped = ({ pid }: ProcessId): boolean =>
  /[Tt]/.test(findProcess(pid)?.state ?? '');

/**
 * True if none of a process's threads can start a process. A thread in state D waits for the kernel, or for a child of
 * vfork.
 */
export function isHalted(id: ProcessId): boolean {
  const { pid } = id;
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return (
      !isAlive(id) ||
      threads.every(
        (thread) => !/[RS]/.test(parseStat(pid, readProcFile(pid, `task/${thread}/stat`)).state),
      )
    );
  } catch {
    return !isAlive(id);
  }
}

/** Returns the live roots and all of their descendants, in any process group or session. */
export function findProcessTrees(
  roots: readonly ProcessId[],
  candidates: readonly ProcessInfo[] = listProcesses(),
): readonly ProcessInfo[] {
  const liveProcesses = candidates.filter(({ state }) => state !== 'Z');
  const tree = new Set(
    roots.flatMap((root) => liveProcesses.find((process) => isSameProcess(process, root)) ?? []),
  );
  // The loop also visits processes that it adds. A child that is older than its parent belongs to an earlier process
  // with the parent's pid.
  for (const { pid, start } of tree) {
    for (const process of liveProcesses) {
      if (process.parent === pid && Number(process.start) >= Number(start)) tree.add(process);
    }
  }
  return [...tree];
}

/** Returns the ancestors of processes, nearest first, including zombies. Excludes the server and its ancestors. */
export function findAncestorsOf(children: readonly ProcessId[]): readonly ProcessInfo[] {
  const excludedPids = [0, 1, ...ownPids()];
  const parents = new Map<number, ProcessInfo>();
  for (const { pid, start } of children) {
    const child = findProcess(pid);
    let current = child?.start === start ? findProcess(child.parent) : undefined;
    for (
      ;
      current !== undefined && !excludedPids.includes(current.pid);
      current = findProcess(current.parent)
    ) {
      parents.set(current.pid, current);
    }
  }
  return [...parents.values()];
}

/** Returns the live processes with `variable=value` in their environment, oldest first. */
export function findByVariable(variable: string, value: string): readonly ProcessInfo[] {
  const entry = `${variable}=${value}`;
  return listProcesses()
    .filter(
      ({ pid, state }) => state !== 'Z' && readProcFile(pid, 'environ').split('\0').includes(entry),
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
