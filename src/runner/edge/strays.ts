import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Looks are this far apart, and so many at most. */
const PAUSE_MS = 10;
const LOOKS = 200;

/**
 * Kills every process that has a variable of that value in its environment, and its children, which
 * inherit it, whatever group or session they went to. Where there is no /proc none can be found.
 *
 * @returns how many were killed
 */
export async function endStrays(variable: string, value: string): Promise<number> {
  const killed = new Set<number>();
  for (let look = 0; look < LOOKS; look += 1) {
    const strays = await processesWith(`${variable}=${value}\0`);
    if (strays.length === 0) break;
    for (const pid of strays) {
      killed.add(pid);
      kill(pid);
    }
    await pause(PAUSE_MS);
  }
  return killed.size;
}

async function processesWith(entry: string): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // A process that has ended and is not waited for has none.
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return `\0${environment}`.includes(`\0${entry}`);
    }),
  );
  return pids.filter((_, index) => found[index]);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
