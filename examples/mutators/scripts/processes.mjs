/*
 * Processes of Linux, found and stopped as whole trees.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ancestors, processOf } from './common.mjs';

/** All processes that can be seen, zombies included. */
export const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => processOf(Number(pid)) ?? []);
export const isSame = (one, other) => one.pid === other.pid && one.start === other.start;
export const isAlive = ({ pid, start }) => {
  const now = processOf(pid);
  // While other threads end, the first one may be a zombie already, and the files of all are still open.
  return now !== undefined && now.start === start && (now.state !== 'Z' || now.threads > 1);
};

/** Returns true if no thread can start a process; one in the state D waits for the kernel, or for a child of vfork. */
export function isHalted(one) {
  try {
    return !isAlive(one) || readdirSync(`/proc/${one.pid}/task`).every((thread) => !/[RS]/.test(processOf(`${one.pid}/task/${thread}`)?.state));
  } catch {
    return !isAlive(one);
  }
}

export function signal({ pid, start }, name) {
  if (!isAlive({ pid, start })) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code === 'EPERM') throw new Error(`the process ${pid} belongs to a user whose processes the server may not stop`);
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Those of the given processes that live, and all that descends from them, in whatever group or session. */
export function trees(roots) {
  const all = processes().filter((one) => one.state !== 'Z');
  const found = new Set(roots.flatMap((root) => all.find((one) => isSame(one, root)) ?? []));
  // What is added meanwhile is visited too. A child that is older than its parent belongs to one that had the pid before.
  for (const { pid, start } of found) {
    for (const one of all) if (one.parent === pid && Number(one.start) >= Number(start)) found.add(one);
  }
  return [...found];
}

/** The pids of this process and those that started it. */
export const ownPids = () => [process.pid, ...ancestors().map((one) => one.pid)];

/**
 * Stops whole trees of processes: repeats it until all stand still and nothing new has been started.
 *
 * @param find a function that returns what is to be stopped now, given what has been
 * @param note a function of what is new and of all, called before anything new is stopped
 * @param noted what has been stopped already
 */
export async function halt(find, note, noted = []) {
  for (;;) {
    // Looked at first: what still ran may have started something after it was searched.
    const halted = noted.every(isHalted);
    const fresh = find(noted).filter((one) => !noted.some((other) => isSame(one, other)));
    if (fresh.length === 0) {
      if (halted) return noted;
      await pause(1);
      continue;
    }
    const own = fresh.find(({ pid }) => ownPids().includes(pid));
    if (own !== undefined) throw new Error(`the process ${own.pid} is the server, or started it, so it is not stopped`);
    // What may not be stopped is not noted, so that a reset can continue all the rest.
    for (const one of fresh) signal(one, 0);
    noted = [...noted, ...fresh.map(({ pid, start }) => ({ pid, start }))];
    note(fresh, noted);
    for (const one of fresh) signal(one, 'SIGSTOP');
  }
}

export const isStopped = ({ pid }) => /[Tt]/.test(processOf(pid)?.state);

/** What started processes, the nearest first, though they may be zombies by now; but neither the server nor what started that. */
export function starters(all) {
  const others = [0, 1, ...ownPids()];
  const found = new Map();
  for (const { pid, start } of all) {
    const one = processOf(pid);
    let at = one?.start === start ? processOf(one.parent) : undefined;
    for (; at !== undefined && !others.includes(at.pid); at = processOf(at.parent)) found.set(at.pid, at);
  }
  return [...found.values()];
}

/**
 * Continues processes, children before their parents, until none is stopped. A wrapper such as su stops itself
 * when it sees that its child is stopped, so what started them is continued too.
 */
export async function resume(all) {
  const stopped = () => [...all.toReversed(), ...starters(all)].filter((one) => isAlive(one) && isStopped(one));
  for (let left = stopped(); left.length > 0; left = stopped()) {
    for (const one of left) signal(one, 'SIGCONT');
    await pause(20);
  }
}

const REAP_MS = 1_000;

/** Kills processes that stand still, so that they start no others; waits for their end. */
export async function end(all) {
  for (const one of all) signal(one, 'SIGKILL');
  // The time-out of the actuator ends this.
  while (all.some(isAlive)) await pause(20);
  await resume(all);
  // A program may take a zombie with the pid in its pid file for one that runs. Not every process reaps its children.
  for (const due = performance.now() + REAP_MS; performance.now() < due && all.some(({ pid, start }) => processOf(pid)?.start === start); ) await pause(20);
}

/** The living processes with that variable in their environment, the oldest first. */
export function carriers(variable, value) {
  const carries = ({ pid, state }) => {
    try {
      return state !== 'Z' && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${variable}=${value}`);
    } catch {
      return false;
    }
  };
  return processes().filter(carries).sort((one, other) => Number(one.start) - Number(other.start) || one.pid - other.pid);
}

/** The cgroups of a process, one for each hierarchy, as the system writes them. */
function cgroupsOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}

/** The one in which services and containers are started: of version 2, or systemd's. */
const isOfServices = (cgroup) => /^(?:0::|\d+:name=systemd:)\/./.test(cgroup);
/** One that holds whatever a user has started. */
const isOfSession = (cgroup) => /\/user\.slice\/.*\.scope(?:\/|$)/.test(cgroup);

/**
 * All processes in the cgroup of one, if that is its own: it is the oldest there, and neither the process that
 * started it nor the server is there too. Otherwise none.
 */
export function ownCgroup(leader) {
  const cgroup = cgroupsOf(leader.pid).find(isOfServices);
  if (cgroup === undefined || isOfSession(cgroup)) return [];
  const members = processes().filter(({ pid }) => cgroupsOf(pid).some((one) => one === cgroup || one.startsWith(`${cgroup}/`)));
  const others = [leader.parent, ...ownPids()];
  const isOwn = members.every(({ pid, start }) => Number(start) >= Number(leader.start) && !others.includes(pid));
  return isOwn ? members : [];
}
