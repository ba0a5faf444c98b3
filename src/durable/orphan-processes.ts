import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a process that was killed may take to be gone before it is looked for again. */
const PAUSE_MS = 5;

/**
 * Kills every process whose environment gives a variable one of these values. Children inherit it,
 * whatever group or session they went to. One that is killed may have begun another at that moment,
 * so this is repeated until none is left. Where there is no /proc none can be found.
 *
 * @param rounds how often to look at most; without end unless given
 * @returns how many were killed
 */
export async function endOrphanProcesses(
  variable: string,
  values: readonly string[],
  rounds = Number.POSITIVE_INFINITY,
): Promise<number> {
  const entries = new Set(values.map((value) => `${variable}=${value}`));
  const killed = new Set<number>();
  for (let round = 0; round < rounds; round++) {
    const found = await processesWith(entries);
    if (found.length === 0) break;
    for (const pid of found) {
      killed.add(pid);
      kill(pid, 'SIGKILL');
    }
    await pause(PAUSE_MS);
  }
  return killed.size;
}

/** A process that has ended, but is not waited for yet, has no environment any more. */
async function processesWith(entries: ReadonlySet<string>): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const found: number[] = [];
  // One after another, for there may be more processes than files that can be open.
  for (const pid of names.map(Number)) {
    if (!(pid > 0) || pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').some((entry) => entries.has(entry))) found.push(pid);
  }
  return found;
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
