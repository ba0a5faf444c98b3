import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** How long to wait before processes are looked for again. */
const PAUSE_MS = 5;

/** One that ends as it begins the next is missed by a scan, but hardly by so many in a row. */
const EMPTY_SCANS = 10;

/** Which processes to end: those that a command has begun, and it may be gone itself. */
export interface Orphans {
  /** A variable that the command was given a value of; its children inherit it. */
  readonly variable: string;
  readonly values: readonly string[];
  /** The process that the command began as, if it led a group and a session of its own. */
  readonly leader?: number | undefined;
  /** How often to look at most; without limit unless given. */
  readonly rounds?: number;
  /** A moment before the command began: what ran then is none of it. */
  readonly since?: ProcessMoment;
}

/** A moment, by the process that had begun last. */
export interface ProcessMoment {
  readonly last: number;
  /** By the clock of this process, in milliseconds. */
  readonly at: number;
}

/** So long after a moment higher ids are those of later processes, unless ids began again. */
const MOMENT_LASTS_MS = 2_000;
/** To ask for more ids than these costs more than to list the processes. */
const MOST_BEGUN = 1_000;

/** The moment before a command begins. */
export function processMoment(): ProcessMoment {
  return { last: lastProcess(), at: performance.now() };
}

/**
 * The id of the process that began last, the last field of loadavg in proc(5); NaN where that is not
 * known, as in a sandbox that gives 0.
 */
function lastProcess(): number {
  try {
    return (
      Number.parseInt(readFileSync('/proc/loadavg', 'latin1').split(' ')[4] ?? '', 10) || Number.NaN
    );
  } catch {
    return Number.NaN;
  }
}

/**
 * Kills every process whose environment gives a variable one of these values, whatever group or
 * session it went to, and every process in the group or the session of a leader, whatever its
 * environment. One that is killed may have begun another at that moment, so this is repeated until one
 * scan finds none while no process of the system began, or ten in a row. Where there is no /proc, only
 * the group is killed.
 *
 * @returns how many processes were found and killed
 */
export async function endOrphanProcesses(orphans: Orphans): Promise<number> {
  const { variable, values, leader, rounds = Number.POSITIVE_INFINITY } = orphans;
  const entries = new Set(values.map((value) => `${variable}=${value}`));
  const others = new Set<number>([process.pid]);
  const killed = new Set<number>();
  let empty = 0;
  for (let round = 0; round < rounds && empty < EMPTY_SCANS; round++) {
    if (round > 0) await pause(PAUSE_MS);
    // A group is killed as a whole: no member can begin another meanwhile.
    if (leader !== undefined) killGroup(leader, 'SIGKILL');
    const last = lastProcess();
    empty += 1;
    // The newest first, and without a pause: a process that only begins the next does not live long.
    for (const pid of begunSince(orphans.since) ?? processes().reverse()) {
      if (others.has(pid)) continue;
      const environment = readProc(pid, 'environ').split('\0');
      const isOurs =
        environment.some((entry) => entries.has(entry)) ||
        (leader !== undefined && sessionOf(pid) === leader);
      if (!isOurs) {
        // One that could not be read may be ours: there may be no file left to open.
        if (environment.length > 1) others.add(pid);
        continue;
      }
      killed.add(pid);
      kill(pid, 'SIGKILL');
      empty = 0;
    }
    if (empty > 0 && lastProcess() === last) break;
  }
  return killed.size;
}

/** The ids that went to processes after a moment, the newest first; undefined where that is not known. */
function begunSince(since: ProcessMoment | undefined): number[] | undefined {
  if (since === undefined || performance.now() - since.at > MOMENT_LASTS_MS) return undefined;
  const last = lastProcess();
  const count = last - since.last;
  if (!(count >= 0 && count <= MOST_BEGUN)) return undefined;
  return Array.from({ length: count }, (_, at) => last - at);
}

/** The ids of all processes, the oldest first unless ids have begun again. */
function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Of a process that has ended, though nobody waited for it yet, and of one that we may not read: nothing. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** The session of a process that runs. In proc(5), state, parent, group and session follow the name. */
function sessionOf(pid: number): number | undefined {
  const stat = readProc(pid, 'stat');
  const [state = 'Z', , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : Number(session);
}

/** Sends a signal to a process that leads a group, and to all others in that group. */
export function killGroup(leader: number, signal: NodeJS.Signals): void {
  kill(-leader, signal);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself, or is another user's.
  }
}
