import { listProcesses, ownPids, type ProcessInfo, readProcFile } from '../shared/processes.js';

/** Returns the lines of `/proc/PID/cgroup`, one for each cgroup hierarchy. */
const cgroupsOf = (pid: number) => readProcFile(pid, 'cgroup').trimEnd().split('\n');

/**
 * Returns the cgroup of a process's service or container, in the version 2 or systemd hierarchy; undefined if the
 * process has none.
 */
export function findServiceCgroup(cgroups: readonly string[]): string | undefined {
  const cgroup = cgroups.find((cgroup) => /^(?:0::|\d+:name=systemd:)\/./.test(cgroup));
  // A user session's scope contains everything that the user has started.
  return cgroup && /\/user\.slice\/.*\.scope(?:\/|$)/.test(cgroup) ? undefined : cgroup;
}

/**
 * Returns all processes in the cgroup of a leader's service or container. Returns no processes if there is no such
 * cgroup, or if the cgroup contains a process older than the leader, the leader's parent, or the server.
 */
export function findCgroupProcesses(leader: ProcessInfo): readonly ProcessInfo[] {
  const cgroup = findServiceCgroup(cgroupsOf(leader.pid));
  if (cgroup === undefined) return [];
  const members = listProcesses().filter(({ pid }) =>
    cgroupsOf(pid).some((path) => path === cgroup || path.startsWith(`${cgroup}/`)),
  );
  const ownProcesses = [leader.parent, ...ownPids()];
  const isOwn = members.every(
    ({ pid, start }) => Number(start) >= Number(leader.start) && !ownProcesses.includes(pid),
  );
  return isOwn ? members : [];
}
