import { run } from '../shared/command.js';
import { ancestors, procText } from '../shared/processes.js';

export const systemctl = (...args: readonly string[]): string => run('systemctl', args).trim();

export const readProperty = (unit: string, name: string): string =>
  systemctl('show', `--property=${name}`, '--value', unit);

/**
 * True if any of a process's cgroups is a unit's cgroup or below it.
 *
 * @param cgroups the lines of `/proc/PID/cgroup`
 */
export const isInGroup = (cgroups: string, group: string): boolean =>
  cgroups
    .split('\n')
    .some((line) => `${line.split(':').slice(2).join(':')}/`.startsWith(`${group}/`));

/** @throws Error for a unit that the server belongs to */
export function refuseOwnUnit(unit: string): void {
  const group = readProperty(unit, 'ControlGroup');
  if (group && ancestors().some(({ pid }) => isInGroup(procText(pid, 'cgroup'), group))) {
    throw new Error(`the server, or a process that started it, belongs to the unit ${unit}`);
  }
}
