import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './files.js';

/** Pause between two scans. */
const PAUSE_MS = 5;

/**
 * Number of consecutive empty scans required to conclude that no process remains. A process that
 * exits just after starting another can evade a scan, but is very unlikely to evade this many, even
 * if a busy machine delays only this process.
 */
const EMPTY_SCANS = 100;
/**
 * Number of consecutive empty scans required if process starts during a scan cannot be detected.
 */
const EMPTY_SCANS_UNKNOWN = 20;

/**
 * The processes to end: all processes started by a command, even if the command itself has ended.
 */
export interface Orphans {
  /** The name of an environment variable that the command received and its children inherit. */
  readonly variable: string;
  readonly values: readonly string[];
  /** The id of the command's first process, if it led its own group and session. */
  readonly leader?: number | undefined;
  /** Maximum number of scans; no limit if absent. */
  readonly rounds?: number;
  /**
   * A moment before the command started. Processes that were already running at that moment do not
   * belong to the command.
   */
  readonly since?: ProcessMoment;
}

/** A moment, identified by the most recently started process. */
export interface ProcessMoment {
  readonly last: number;
  /** Time on this process's clock, in milliseconds. */
  readonly at: number;
}

/** Time after a moment during which higher ids mean later processes, unless ids wrapped around. */
const MOMENT_LASTS_MS = 2_000;
/** Maximum number of new ids to check. For more, listing all processes is faster. */
const MAX_STARTED = 1_000;

/** Returns the current moment. Call it before starting a command. */
export function captureProcessMoment(): ProcessMoment {
  return { last: lastProcess(), at: performance.now() };
}

/**
 * Returns the id of the most recently started process, which is the last field of /proc/loadavg.
 * Returns NaN if the id is unknown, as in a sandbox that reports 0.
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
 * Kills every process with one of `values` for `variable` in its environment, and every process in
 * the leader's group or session. A killed process may have just started another, so scans repeat.
 * They stop after an empty scan during which no process on the system started or was loading its
 * program, or after `EMPTY_SCANS` consecutive empty scans. Without /proc, kills only the group.
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
    // Killing the whole group at once prevents its members from starting processes meanwhile.
    if (leader !== undefined) killGroup(leader, 'SIGKILL');
    const lastPid = lastProcess();
    let isConclusive = true;
    emptyScans += 1;
    // Newest first and without a pause, to catch short-lived processes that only start the next
    // process.
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
 * Reads a file in a process's /proc directory. The text is empty for a zombie, for a process that
 * is loading its program, or if no more files can be opened. Returns undefined if the process is
 * gone or unreadable.
 */
function readProc(pid: number | 'self', name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    return ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '') ? '' : undefined;
  }
}

/** The flag of a kernel thread in proc(5). */
const PF_KTHREAD = 0x00200000;

/** The parsed fields of a process that has not ended. */
interface ProcessFields {
  readonly parent: number;
  readonly session: number;
  /**
   * True if the process's environment may not be set yet, as between execve(2) and the first
   * instruction.
   */
  readonly isLoading: boolean;
}

function fieldsOf(pid: number): ProcessFields | undefined {
  const stat = readProc(pid, 'stat');
  return stat === undefined ? undefined : parseProcessStat(stat);
}

/**
 * Parses /proc/PID/stat, whose fields are numbered as in proc(5).
 *
 * @param stat the text; empty if no more files could be opened
 * @returns undefined for a process that has ended
 */
export function parseProcessStat(stat: string): ProcessFields | undefined {
  if (stat === '') return { parent: Number.NaN, session: Number.NaN, isLoading: true };
  // The state, field 3, follows the process's name, which may contain any characters.
  const [state = 'Z', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 4]);
  if (state === 'Z' || state === 'X') return undefined;
  const isKernelThread = (field(9) & PF_KTHREAD) !== 0;
  const isMemoryless = field(51) !== 0 && field(50) === field(51);
  return { parent: field(4), session: field(6), isLoading: !isKernelThread && !isMemoryless };
}

/**
 * True if this process is orphaned: its creator has ended, and another process has become its
 * parent. A process inherits its creator's session. If the parent is in another session, the parent
 * is either the creator, which has started a new session since, or an orphan's new parent. Only a
 * new parent is an ancestor of the old session's leader. If the leader has ended, a parent with a
 * lower id than the session (the leader's id) is a new parent, because the creator started after
 * the leader. False if this cannot be determined, as on systems other than Linux, or if this
 * process leads its session or shares its parent's session.
 */
export function isOrphaned(): boolean {
  const stat = readProc('self', 'stat') ?? '';
  const self = parseProcessStat(stat);
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

/** Sends a signal to a process group. */
export function killGroup(leader: number, signal: NodeJS.Signals): void {
  kill(-leader, signal);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended, or belongs to another user.
  }
}
