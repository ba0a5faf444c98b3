import { ownPids, type ProcessInfo, processes, procText } from '../shared/processes.js';

/** Returns the cgroups of a process, one for each hierarchy, in the system's format. */
const cgroupsOf = (pid: number) => procText(pid, 'cgroup').trimEnd().split('\n');

/** Returns the cgroup of a service or a container among those of a process: of version 2, or systemd's. */
export function serviceCgroup(cgroups: readonly string[]): string | undefined {
  const cgroup = cgroups.find((cgroup) => /^(?:0::|\d+:name=systemd:)\/./.test(cgroup));
  // A scope that holds everything that a user has started.
  return cgroup && /\/user\.slice\/.*\.scope(?:\/|$)/.test(cgroup) ? undefined : cgroup;
}

/**
 * Returns all processes in the cgroup of one, if that is its own: it is the oldest there, and neither its parent
 * nor the server is there too. Otherwise none.
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
