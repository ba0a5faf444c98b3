import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './files.js';

/** How long to wait before processes are looked for again. */
const PAUSE_MS = 5;

/**
 * One that ends as it begins the next is missed by a scan, but hardly by so many in a row: the machine
 * may be busy, and this process wait for its turn while the others go on.
 */
const EMPTY_SCANS = 100;
/** Where it is not known whether a process began during a scan: every end takes so many scans there. */
const EMPTY_SCANS_UNKNOWN = 20;

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
 * scan finds none while no process of the system began or loaded its program, or a hundred in a row do.
 * Where there is no /proc, only the group is killed.
 *
 * @returns how many processes were found and killed
 */
export async function endOrphanProcesses(orphans: Orphans): Promise<number> {
  const { variable, values, leader, rounds = Number.POSITIVE_INFINITY } = orphans;
  const entries = new Set(values.map((value) => `${variable}=${value}`));
  const others = new Set<number>([process.pid]);
  const killed = new Set<number>();
  const enough = Number.isNaN(lastProcess()) ? EMPTY_SCANS_UNKNOWN : EMPTY_SCANS;
  let empty = 0;
  for (let round = 0; round < rounds && empty < enough; round++) {
    if (round > 0) await pause(PAUSE_MS);
    // A group is killed as a whole: no member can begin another meanwhile.
    if (leader !== undefined) killGroup(leader, 'SIGKILL');
    const last = lastProcess();
    let isSure = true;
    empty += 1;
    // The newest first, and without a pause: a process that only begins the next does not live long.
    for (const pid of begunSince(orphans.since) ?? processes().reverse()) {
      if (others.has(pid)) continue;
      const environment = readProc(pid, 'environ');
      const isOurs =
        environment?.split('\0').some((entry) => entries.has(entry)) ||
        (leader !== undefined && fieldsOf(pid)?.session === leader);
      if (isOurs) {
        killed.add(pid);
        kill(pid, 'SIGKILL');
        empty = 0;
      } else if (environment) {
        others.add(pid);
      } else if (environment === '') {
        isSure &&= fieldsOf(pid)?.isLoading !== true;
      }
    }
    if (empty > 0 && isSure && lastProcess() === last) break;
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

/**
 * Nothing of a process that has ended, though nobody waited for it yet, or that loads its program, and
 * where no file is left to open; undefined of one that is gone, or that we may not read, nor kill.
 */
function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    return ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '') ? '' : undefined;
  }
}

/** A thread of the kernel, in the flags of proc(5). */
const PF_KTHREAD = 0x00200000;

/** What is known of a process that runs. */
interface ProcessFields {
  readonly session: number;
  /** Whether it is about to have an environment, as between execve(2) and the first instruction. */
  readonly isLoading: boolean;
}

function fieldsOf(pid: number): ProcessFields | undefined {
  const stat = readProc(pid, 'stat');
  return stat === undefined ? undefined : readFields(stat);
}

/**
 * Reads `stat` of proc(5), by the numbers of the fields there.
 *
 * @param stat its text; empty where no file was left to open it
 * @returns undefined for a process that has ended
 */
export function readFields(stat: string): ProcessFields | undefined {
  if (stat === '') return { session: Number.NaN, isLoading: true };
  // The third field follows the name, which may hold anything.
  const [state = 'Z', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(rest[number - 4]);
  if (state === 'Z' || state === 'X') return undefined;
  const isOfKernel = (field(9) & PF_KTHREAD) !== 0;
  const isEmptied = field(51) !== 0 && field(50) === field(51);
  return { session: field(6), isLoading: !isOfKernel && !isEmptied };
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
