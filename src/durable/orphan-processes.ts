import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './files.js';

/** How long to wait before looking for processes again. */
const PAUSE_MS = 5;

/**
 * A scan misses a process that ends as it begins the next, but this many in a row hardly will, even on
 * a busy machine, where this process may wait its turn while the others go on.
 */
const EMPTY_SCANS = 100;
/** The same if it is not known whether a process began during a scan: then it always takes this many. */
const EMPTY_SCANS_UNKNOWN = 20;

/** Which processes to end: those that a command began, even if it is gone itself. */
export interface Orphans {
  /** An environment variable that the command was given; its children inherit it. */
  readonly variable: string;
  readonly values: readonly string[];
  /** The process that the command began as, if it led a group and a session of its own. */
  readonly leader?: number | undefined;
  /** The most times to look; no limit if absent. */
  readonly rounds?: number;
  /** A moment before the command began: what was running then is not part of it. */
  readonly since?: ProcessMoment;
}

/** A moment, identified by the process that had begun last. */
export interface ProcessMoment {
  readonly last: number;
  /** By the clock of this process, in milliseconds. */
  readonly at: number;
}

/** How long after a moment higher ids still mean later processes, unless ids wrapped around. */
const MOMENT_LASTS_MS = 2_000;
/** Checking more ids than this costs more than listing the processes. */
const MOST_BEGUN = 1_000;

/** The current moment, to be taken before a command begins. */
export function processMoment(): ProcessMoment {
  return { last: lastProcess(), at: performance.now() };
}

/**
 * The id of the process that began last, the last field of loadavg in proc(5); NaN if it is not
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
 * session it moved to, and every process in the group or the session of a leader, whatever its
 * environment. One that is killed may have just begun another, so this is repeated until one scan finds
 * none while no process on the system began or loaded its program, or a hundred scans in a row find none.
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
    // The newest first, and without a pause: a process that only begins the next one is short-lived.
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

/** The ids given to processes after a moment, the newest first; undefined if that is not known. */
function begunSince(since: ProcessMoment | undefined): number[] | undefined {
  if (since === undefined || performance.now() - since.at > MOMENT_LASTS_MS) return undefined;
  const last = lastProcess();
  const count = last - since.last;
  if (!(count >= 0 && count <= MOST_BEGUN)) return undefined;
  return Array.from({ length: count }, (_, at) => last - at);
}

/** The ids of all processes, the oldest first unless ids wrapped around. */
function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/**
 * A file of a process. It is empty for one that ended but was not yet waited for, or that is loading its
 * program, or if no more files can be opened; undefined for one that is gone, or that we may not read.
 */
function readProc(pid: number | 'self', name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    return ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '') ? '' : undefined;
  }
}

/** A kernel thread, in the flags of proc(5). */
const PF_KTHREAD = 0x00200000;

/** What is known about a running process. */
interface ProcessFields {
  readonly parent: number;
  readonly session: number;
  /** Whether it is about to have an environment, as between execve(2) and the first instruction. */
  readonly isLoading: boolean;
}

function fieldsOf(pid: number): ProcessFields | undefined {
  const stat = readProc(pid, 'stat');
  return stat === undefined ? undefined : readFields(stat);
}

/**
 * Reads `stat` of proc(5), by the field numbers given there.
 *
 * @param stat its text; empty if no more files could be opened
 * @returns undefined for a process that has ended
 */
export function readFields(stat: string): ProcessFields | undefined {
  if (stat === '') return { parent: Number.NaN, session: Number.NaN, isLoading: true };
  // The third field follows the name, which may hold anything.
  const [state = 'Z', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(rest[number - 4]);
  if (state === 'Z' || state === 'X') return undefined;
  const isOfKernel = (field(9) & PF_KTHREAD) !== 0;
  const isEmptied = field(51) !== 0 && field(50) === field(51);
  return { parent: field(4), session: field(6), isLoading: !isOfKernel && !isEmptied };
}

/**
 * True if this process's parent did not create it, because the creator ended. A new process has its
 * creator's session until it begins one of its own. If the sessions differ, the creator may have begun a
 * new one since; unlike a process that adopts others, it is no ancestor of the old session's leader, and
 * began after it: where the leader has ended, its id, which is the session's, is compared.
 * False where nothing tells, as on systems other than Linux, or if both are in one session.
 */
export function isAdopted(): boolean {
  const stat = readProc('self', 'stat') ?? '';
  const own = readFields(stat);
  const parent = own && fieldsOf(own.parent);
  if (!Number.isInteger(own?.session) || !Number.isInteger(parent?.session)) return false;
  const { session, parent: parentPid } = own as ProcessFields;
  if (session === parent?.session || session === Number.parseInt(stat, 10)) return false;
  const leader = fieldsOf(session);
  return leader === undefined ? parentPid < session : descendsFrom(leader, parentPid);
}

function descendsFrom(descendant: ProcessFields, ancestor: number): boolean {
  let current: ProcessFields | undefined = descendant;
  while (current !== undefined && current.parent !== ancestor) current = fieldsOf(current.parent);
  return current !== undefined;
}

/** Sends a signal to a process that leads a group, and to all others in that group. */
export function killGroup(leader: number, signal: NodeJS.Signals): void {
  kill(-leader, signal);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself, or belongs to another user.
  }
}
