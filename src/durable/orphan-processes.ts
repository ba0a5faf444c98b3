import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** How long to wait before processes are looked for again. */
const PAUSE_MS = 5;

/** One that ends as it begins the next is missed by a scan, but hardly by three in a row. */
const EMPTY_SCANS = 3;

/** Which processes to end: those that a command has begun, and it may be gone itself. */
export interface Orphans {
  /** A variable that the command was given a value of; its children inherit it. */
  readonly variable: string;
  readonly values: readonly string[];
  /** The process that the command began as, if it led a group and a session of its own. */
  readonly leader?: number | undefined;
  /** How often to look at most; without limit unless given. */
  readonly rounds?: number;
}

/**
 * Kills every process whose environment gives a variable one of these values, whatever group or
 * session it went to, and every process in the group or the session of a leader, whatever its
 * environment. One that is killed may have begun another at that moment, so this is repeated until
 * three scans in a row find none. Where there is no /proc, only the group is killed.
 *
 * @returns how many processes were found and killed
 */
export async function endOrphanProcesses(orphans: Orphans): Promise<number> {
  const { variable, values, leader, rounds = Number.POSITIVE_INFINITY } = orphans;
  const entries = new Set(values.map((value) => `${variable}=${value}`));
  const killed = new Set<number>();
  let empty = 0;
  for (let round = 0; round < rounds && empty < EMPTY_SCANS; round++) {
    if (round > 0) await pause(PAUSE_MS);
    // A group is killed as a whole: no member can begin another meanwhile.
    if (leader !== undefined) killGroup(leader, 'SIGKILL');
    const found = await processesOf(entries, leader);
    for (const pid of found) {
      killed.add(pid);
      kill(pid, 'SIGKILL');
    }
    empty = found.length === 0 ? empty + 1 : 0;
  }
  return killed.size;
}

/** A process that has ended, but is not waited for yet, has no environment any more. */
async function processesOf(
  entries: ReadonlySet<string>,
  leader: number | undefined,
): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const found: number[] = [];
  // The newest first, and one after another: there may be more processes than files that can be open.
  for (const pid of names.map(Number).reverse()) {
    if (!(pid > 0) || pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    const isOurs = environment.split('\0').some((entry) => entries.has(entry));
    if (isOurs || (leader !== undefined && (await isInSession(pid, leader)))) found.push(pid);
  }
  return found;
}

/** Whether a process runs in a session; proc(5): the state, the parent, the group and the session follow the name. */
async function isInSession(pid: number, leader: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(session) === leader && state !== 'Z' && state !== 'X';
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
