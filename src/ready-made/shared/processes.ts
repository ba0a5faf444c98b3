import { readFileSync } from 'node:fs';
import { readFields } from '../../durable/index.js';

/** The text of a file of a process in /proc; empty if the process has ended or belongs to others. */
export function procText(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** The pids of the processes that started this one, the nearest first; the server is among them. */
export function ancestors(): readonly number[] {
  const found: number[] = [];
  for (let pid = process.ppid; pid > 0; ) {
    found.push(pid);
    const stat = procText(pid, 'stat');
    pid = stat === '' ? 0 : (readFields(stat)?.parent ?? 0);
  }
  return found;
}
