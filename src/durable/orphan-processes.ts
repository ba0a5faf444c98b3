import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './files.js';

/** Pause between two scans. */
const PAUSE_MS = 5;

/**
 * Number of consecutive empty scans after which no process is left. A scan misses a process that
 * ends just after starting another, but hardly this often, even on a busy machine that delays only
 * this process.
 */
const EMPTY_SCANS = 100;
/**
 * Number of scans if process starts during a scan are unknown. All of these scans are then made.
 */
const EMPTY_SCANS_UNKNOWN = 20;

/** The processes to end: all that a command started, even if the command itself has ended. */
export interface Orphans {
  /** An environment variable that the command received and its children inherit. */
  readonly variable: string;
  readonly values: readonly string[];
  /** The command's first process, if it led its own group and session. */
  readonly leader?: number | undefined;
  /** Maximum number of scans; no limit if absent. */
  readonly rounds?: number;
  /**
   * A moment before the command started. Processes already running then are not part of the
   * command.
   */
  readonly since?: ProcessMoment;
}

/** A moment, identified by the last started process. */
export interface ProcessMoment {
  readonly last: number;
  /** The time in milliseconds of this process's clock. */
  readonly at: number;
}

/** The time after a moment for which higher ids still mean later processes, unless ids wrapped around. */
const MOMENT_LASTS_MS = 2_000;
/** Maximum number of new ids to check. Beyond it, listing all processes is faster. */
const MAX_STARTED = 1_000;

/** Returns the current moment, to be taken before a command starts. */
export function processMoment(): ProcessMoment {
  return { last: lastProcess(), at: performance.now() };
}

/**
 * Returns the id of the last started process, the last field of loadavg in proc(5); NaN if unknown,
 * as in a sandbox that reports 0.
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
 * Kills every process with one of these values for a variable in its environment, in any group or
 * session, and every process in a leader's group or session, with any environment. A killed process
 * may have just started another. Scans therefore repeat until one finds no process while no process
 * on the system started or loaded its program, or until a hundred in a row find none. Without
 * /proc, only the group is killed.
 *
 * @returns the number of processes killed
 */
export async function endOrphanProcesses(orphans: Orphans): Promise<number> {
  const { variable, values, leader, rounds = Number.POSITIVE_INFINITY } = orphans;
  const entries = new Set(values.map((value) => `${variable}=${value}`));
  const excludedPids = new Set<number>([process.pid]);
  const killedPids = new Set<number>();
  const requiredScans = Number.isNaN(lastProcess()) ? EMPTY_SCANS_UNKNOWN : EMPTY_SCANS;
  let emptyScans = 0;
  for (let round = 0; round < rounds && emptyScans < requiredScans; round++) {
    if (round > 0) await pause(PAUSE_MS);
    // A group is killed as a whole: no member can start another meanwhile.
    if (leader !== undefined) killGroup(leader, 'SIGKILL');
    const lastPid = lastProcess();
    let isConclusive = true;
    emptyScans += 1;
    // Newest first and without a pause, because a process that only starts the next one is
    // short-lived.
    for (const pid of startedSince(orphans.since) ?? processes().reverse()) {
      if (excludedPids.has(pid)) continue;
      const environment = readProc(pid, 'environ');
      const isOrphan =
        environment?.split('\0').some((entry) => entries.has(entry)) ||
        (leader !== undefined && fieldsOf(pid)?.session === leader);
      if (isOrphan) {
        killedPids.add(pid);
        kill(pid, 'SIGKILL');
        emptyScans = 0;
      } else if (environment) {
        excludedPids.add(pid);
      } else if (environment === '') {
        isConclusive &&= fieldsOf(pid)?.isLoading !== true;
      }
    }
    if (emptyScans > 0 && isConclusive && lastProcess() === lastPid) break;
  }
  return killedPids.size;
}

/** Returns the ids of processes started after a moment, newest first; undefined if unknown. */
function startedSince(since: ProcessMoment | undefined): number[] | undefined {
  if (since === undefined || performance.now() - since.at > MOMENT_LASTS_MS) return undefined;
  const lastPid = lastProcess();
  const count = lastPid - since.last;
  if (!(count >= 0 && count <= MAX_STARTED)) return undefined;
  return Array.from({ length: count }, (_, offset) => lastPid - offset);
}

/** Returns the ids of all processes, oldest first unless ids wrapped around. */
function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/**
 * Reads a file of a process. The text is empty for a zombie, for a process that is loading its
 * program, or if no more files can be opened. Returns undefined for a process that is gone or
 * unreadable.
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

/** The known fields of a running process. */
interface ProcessFields {
  readonly parent: number;
  readonly session: number;
  /** True if its environment is not set yet, as between execve(2) and the first instruction. */
  readonly isLoading: boolean;
}

function fieldsOf(pid: number): ProcessFields | undefined {
  const stat = readProc(pid, 'stat');
  return stat === undefined ? undefined : readFields(stat);
}

/**
 * Parses `stat` of proc(5), by the field numbers given there.
 *
 * @param stat the text; empty if no more files could be opened
 * @returns undefined for a process that has ended
 */
export function readFields(stat: string): ProcessFields | undefined {
  if (stat === '') return { parent: Number.NaN, session: Number.NaN, isLoading: true };
  // The third field follows the name, which may contain anything.
  const [state = 'Z', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 4]);
  if (state === 'Z' || state === 'X') return undefined;
  const isKernelThread = (field(9) & PF_KTHREAD) !== 0;
  const isMemoryless = field(51) !== 0 && field(50) === field(51);
  return { parent: field(4), session: field(6), isLoading: !isKernelThread && !isMemoryless };
}

/**
 * True if this process is orphaned: its creator has ended, and another process has become its
 * parent. A new process has its creator's session until it starts its own. If the sessions differ,
 * the creator may have started a new session since. Unlike the new parent of an orphan, the creator
 * is no ancestor of the old session's leader, and started later than that leader. If the leader has
 * ended, its id, which is the session's, is compared instead. False if this cannot be determined,
 * as on systems other than Linux, or if both processes are in one session.
 */
export function isOrphaned(): boolean {
  const stat = readProc('self', 'stat') ?? '';
  const self = readFields(stat);
  const parent = self && fieldsOf(self.parent);
  if (!Number.isInteger(self?.session) || !Number.isInteger(parent?.session)) return false;
  const { session, parent: parentPid } = self as ProcessFields;
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
    // The process ended by itself, or belongs to another user.
  }
}
