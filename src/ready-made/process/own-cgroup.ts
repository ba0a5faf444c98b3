import { ownPids, type ProcessInfo, processes, procText } from '../shared/processes.js';

/** Returns the cgroups of a process, one for each hierarchy: the lines of `/proc/PID/cgroup`. */
const cgroupsOf = (pid: number) => procText(pid, 'cgroup').trimEnd().split('\n');

/**
 * Returns the cgroup of a process's service or container, in the version 2 or systemd hierarchy; undefined if there is
 * none.
 */
export function serviceCgroup(cgroups: readonly string[]): string | undefined {
  const cgroup = cgroups.find((cgroup) => /^(?:0::|\d+:name=systemd:)\/./.test(cgroup));
  // Such a scope holds everything that a user has started.
  return cgroup && /\/user\.slice\/.*\.scope(?:\/|$)/.test(cgroup) ? undefined : cgroup;
}

/**
 * Returns all processes in a leader's service or container cgroup. Empty without such a cgroup, and unless the leader is
 * its oldest process and neither the leader's parent nor the server is in it.
 */
export function ownCgroup(leader: ProcessInfo): readonly ProcessInfo[] {
  const cgroup = serviceCgroup(cgroupsOf(leader.pid));
  if (cgroup === undefined) return [];
  const members = processes().filter(({ pid }) =>
    cgroupsOf(pid).some((path) => path === cgroup || path.startsWith(`${cgroup}/`)),
  );
  const ownProcesses = [leader.parent, ...ownPids()];
  const isOwn = members.every(
    ({ pid, start }) => Number(start) >= Number(leader.start) && !ownProcesses.includes(pid),
  );
  return isOwn ? members : [];
}
