import { readdirSync, readFileSync } from 'node:fs';
import { hasShape } from './state-file.js';

/** What names a process for good: another one may get the same pid, but not with the same start. */
export interface ProcessId {
  readonly pid: number;
  /** When it began, in clock ticks since the system did, in digits. */
  readonly start: string;
}

/** A process at one moment. */
export interface ProcessInfo extends ProcessId {
  /** A letter of proc(5), such as `Z`. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly threads: number;
}

/** Parses `stat` of proc(5), by the field numbers given there. */
export function parseStat(pid: number, stat: string): ProcessInfo {
  // The third field follows the name, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => fields[number - 3] ?? '';
  return {
    ...{ pid, state: field(3), parent: Number(field(4)), group: Number(field(5)) },
    ...{ threads: Number(field(20)), start: field(22) },
  };
}

/** The text of a file of a process in /proc; empty if the process has ended or belongs to others. */
export function procText(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** A process, zombies included; undefined if there is none. */
export function processOf(pid: number): ProcessInfo | undefined {
  const stat = procText(pid, 'stat');
  return stat === '' ? undefined : parseStat(pid, stat);
}

/** All processes that can be seen, zombies included. */
export const processes = (): readonly ProcessInfo[] =>
  readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : [],
  );

/** The processes that started this one, the nearest first; the server is among them. */
export function ancestors(): readonly ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (let at = processOf(process.ppid); at !== undefined; at = processOf(at.parent)) {
    found.push(at);
  }
  return found;
}

/** The pids of this process and of those that started it. */
export const ownPids = (): readonly number[] => [process.pid, ...ancestors().map(({ pid }) => pid)];

export const isSame = (one: ProcessId, other: ProcessId): boolean =>
  one.pid === other.pid && one.start === other.start;

export function isAlive({ pid, start }: ProcessId): boolean {
  const now = processOf(pid);
  // While other threads end, the first one may be a zombie already, and the files of all are still open.
  return now !== undefined && now.start === start && (now.state !== 'Z' || now.threads > 1);
}

export const isStopped = ({ pid }: ProcessId): boolean => /[Tt]/.test(processOf(pid)?.state ?? '');

/** True if no thread can start a process; one in the state D waits for the kernel, or for a child of vfork. */
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

/** Those of the roots that live, and all that descends from them, in whatever group or session. */
export function trees(
  roots: readonly ProcessId[],
  all: readonly ProcessInfo[] = processes(),
): readonly ProcessInfo[] {
  const living = all.filter(({ state }) => state !== 'Z');
  const found = new Set(roots.flatMap((root) => living.find((one) => isSame(one, root)) ?? []));
  // What is added meanwhile is visited too. A child older than its parent belongs to an earlier process with that pid.
  for (const { pid, start } of found) {
    for (const one of living) {
      if (one.parent === pid && Number(one.start) >= Number(start)) found.add(one);
    }
  }
  return [...found];
}

/**
 * The processes that started others, the nearest first, though they may be zombies by now; without the server
 * and those that started it.
 */
export function starters(all: readonly ProcessId[]): readonly ProcessInfo[] {
  const others = [0, 1, ...ownPids()];
  const found = new Map<number, ProcessInfo>();
  for (const { pid, start } of all) {
    const one = processOf(pid);
    let at = one?.start === start ? processOf(one.parent) : undefined;
    for (; at !== undefined && !others.includes(at.pid); at = processOf(at.parent)) {
      found.set(at.pid, at);
    }
  }
  return [...found.values()];
}

/** The living processes with that variable in their environment, the oldest first. */
export function carriers(variable: string, value: string): readonly ProcessInfo[] {
  const entry = `${variable}=${value}`;
  return processes()
    .filter(
      ({ pid, state }) => state !== 'Z' && procText(pid, 'environ').split('\0').includes(entry),
    )
    .sort((one, other) => Number(one.start) - Number(other.start) || one.pid - other.pid);
}

export const areProcesses = (value: unknown): value is readonly ProcessId[] =>
  Array.isArray(value) &&
  value.every((one) =>
    hasShape<ProcessId>(one, {
      pid: (pid) => Number.isInteger(pid) && Number(pid) > 1,
      start: (start) => typeof start === 'string' && /^\d+$/.test(start),
    }),
  );
