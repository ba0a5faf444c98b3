import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readProcFile } from '../shared/processes.js';
import type { Container } from './engine.js';

/** A container's identity in the kernel. The pid is valid only if the container's engine runs on this machine. */
type ContainerProcess = Pick<Container, 'id' | 'pid'>;

/**
 * Returns the directory of a container's cgroup for a controller, or for cgroup version 2 if the controller is `''`.
 */
function directoryOf({ id, pid }: ContainerProcess, controller: string): string | undefined {
  for (const line of readProcFile(pid, 'cgroup').split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    // Another process may have reused the pid.
    if (path.includes(id) && controllers.split(',').includes(controller)) {
      return `/sys/fs/cgroup${controller === '' ? '' : `/${controller}`}${path}`;
    }
  }
  return undefined;
}

/** Returns a value from the container's cgroup; undefined if the value cannot be read on this machine. */
export function readCgroupValue(
  container: ContainerProcess,
  controller: string,
  file: string,
): string | undefined {
  const directory = directoryOf(container, controller);
  const path = `${directory}/${file}`;
  if (directory === undefined || !existsSync(path)) return undefined;
  return readFileSync(path, 'utf8').trim();
}

const FREEZERS = [
  { controller: 'freezer', file: 'freezer.state', words: ['THAWED', 'FROZEN'] },
  { controller: '', file: 'cgroup.freeze', words: ['0', '1'] },
] as const;

/**
 * True if the kernel has frozen the container's processes, even if its engine reports otherwise; undefined if the
 * kernel's state cannot be read on this machine.
 */
export function isFrozen(container: ContainerProcess): boolean | undefined {
  const states = FREEZERS.flatMap(({ controller, file, words: [thawedText] }) => {
    const value = readCgroupValue(container, controller, file);
    return value === undefined ? [] : [value !== thawedText];
  });
  return states.length === 0 ? undefined : states.includes(true);
}

/** Freezes or thaws the container's processes through its cgroup, without the engine. */
export function setFrozen(container: ContainerProcess, shouldFreeze: boolean): void {
  for (const { controller, file, words } of FREEZERS) {
    if (readCgroupValue(container, controller, file) === undefined) continue;
    writeFileSync(`${directoryOf(container, controller)}/${file}`, words[shouldFreeze ? 1 : 0]);
  }
}
