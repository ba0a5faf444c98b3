import { run } from '../shared/command.js';
import { findAncestors, readProcFile } from '../shared/processes.js';

export const systemctl = (...args: readonly string[]): string => run('systemctl', args).trim();

export const readProperty = (unit: string, name: string): string =>
  systemctl('show', `--property=${name}`, '--value', unit);

/**
 * True if any of a process's cgroups is a unit's cgroup or one of its descendants.
 *
 * @param cgroups the lines of `/proc/PID/cgroup`
 */
export const isInGroup = (cgroups: string, group: string): boolean =>
  cgroups
    .split('\n')
    .some((line) => `${line.split(':').slice(2).join(':')}/`.startsWith(`${group}/`));

/** Throws an Error for a unit that contains the server. */
export function refuseOwnUnit(unit: string): void {
  const group = readProperty(unit, 'ControlGroup');
  if (group && findAncestors().some(({ pid }) => isInGroup(readProcFile(pid, 'cgroup'), group))) {
    throw new Error(`the server, or a process that started it, belongs to the unit ${unit}`);
  }
}
