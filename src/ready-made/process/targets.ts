import { readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../durable/index.js';
import {
  findProcess,
  findProcessTrees,
  isAlive,
  listProcesses,
  ownPids,
  type ProcessId,
  type ProcessInfo,
} from '../shared/processes.js';
import type { ScriptSettings } from '../shared/script.js';
import { halt } from '../shared/stopping.js';
import { findCgroupProcesses } from './own-cgroup.js';

/** The error for a pid file that the program may not have written yet. */
class LagError extends Error {}

/** Timeout for a program to write its pid file. */
export const LAG_MS = 2_000;
const RETRY_MS = 20;
/** Tolerance for clocks with one-second resolution. */
const SLACK_MS = 2_000;

/** Returns the settings that name processes. A mutator's state is valid only for the same settings. */
export const targetOf = ({ 'pid-file': pidFile, group, unit }: ScriptSettings) => ({
  'pid-file': pidFile,
  group,
  unit,
});

/** Returns the path of the pid file. */
export const pidFileOf = ({ 'pid-file': pidFile, group }: ScriptSettings): string =>
  pidFile || group || '';

/**
 * Parses the pid on the first line of a pid file. PostgreSQL's pid file has further lines.
 *
 * @throws Error if the first line is not a pid
 */
export function parsePid(text: string, file: string): number {
  const [line = ''] = text.split('\n');
  if (line === '') {
    throw new LagError(
      `expected a service's pid on the first line of ${file}, found an empty line`,
    );
  }
  const pid = /^\s*\d+\s*$/.test(line) ? Number(line) : 0;
  if (pid >= 2) return pid;
  const quotedLine = JSON.stringify(line.slice(0, 80));
  throw new Error(`expected a service's pid on the first line of ${file}, found ${quotedLine}`);
}

function readPid(file: string): number {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? new LagError(`there is no file ${file}`) : error;
  }
  return parsePid(text, file);
}

/**
 * Returns a process's start time, in milliseconds since 1970. The system counts start times in hundredths of a second
 * since boot.
 */
function startTimeOf({ start }: ProcessInfo): number {
  const [, boot] = /^btime (\d+)/m.exec(readFileSync('/proc/stat', 'utf8')) ?? [];
  return Number(boot) * 1000 + Number(start) * 10;
}

/** Returns the target processes, starting with the process in the pid file. */
export function findTargets(settings: ScriptSettings): readonly ProcessInfo[] {
  const file = pidFileOf(settings);
  const pid = readPid(file);
  const leader = findProcess(pid);
  if (leader === undefined || !isAlive(leader)) {
    throw new LagError(`the process in ${file} has exited: pid ${pid}`);
  }
  if (startTimeOf(leader) > statSync(file).mtimeMs + SLACK_MS) {
    throw new LagError(
      `process ${pid} started after ${file} was written, so the pid may have been reused: if this is the right process, touch ${file}`,
    );
  }
  const isInTargetGroup = settings['group']
    ? ({ group }: ProcessInfo) => group === leader.group
    : () => false;
  const cgroup = findCgroupProcesses(leader).map((process) => process.pid);
  const chosenProcesses = listProcesses().filter(
    (process) =>
      (process.pid === pid || isInTargetGroup(process) || cgroup.includes(process.pid)) &&
      isAlive(process),
  );
  const ownIds = ownPids();
  const server = chosenProcesses.find((process) => ownIds.includes(process.pid));
  if (server !== undefined) {
    throw new Error(
      `${file} contains the pid of the server or one of its ancestors: ${server.pid}`,
    );
  }
  return chosenProcesses.sort((a, b) => Number(b.pid === pid) - Number(a.pid === pid));
}

/** Returns the live process whose pid is in a pid file; undefined if there is none. */
export function findNamedProcess(file: string): ProcessInfo | undefined {
  try {
    return findTargets({ 'pid-file': file })[0];
  } catch {
    return undefined;
  }
}

/** Waits until the pid file is up to date. */
async function awaitPidFile(settings: ScriptSettings): Promise<void> {
  const deadline = performance.now() + LAG_MS;
  for (;;) {
    try {
      findTargets(settings);
      return;
    } catch (error) {
      if (!(error instanceof LagError) || performance.now() > deadline) throw error;
    }
    await delay(RETRY_MS);
  }
}

/** Stops all targeted processes and their descendants. Calls `note` like `halt`. */
export async function haltTargets(
  settings: ScriptSettings,
  note: Parameters<typeof halt>[1],
): Promise<readonly ProcessId[]> {
  await awaitPidFile(settings);
  return halt(
    (stoppedProcesses) => findProcessTrees([...findTargets(settings), ...stoppedProcesses]),
    note,
  );
}
