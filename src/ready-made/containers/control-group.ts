import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { procText } from '../shared/processes.js';
import type { Container } from './engine.js';

/** The kernel's view of a container, if its engine runs on this machine. */
type ContainerProcess = Pick<Container, 'id' | 'pid'>;

/** Returns the directory of a container's control group, by the controller's name; `''` for version 2. */
function directoryOf({ id, pid }: ContainerProcess, controller: string): string | undefined {
  for (const line of procText(pid, 'cgroup').split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    // The pid may belong to another process by now.
    if (path.includes(id) && controllers.split(',').includes(controller)) {
      return `/sys/fs/cgroup${controller === '' ? '' : `/${controller}`}${path}`;
    }
  }
  return undefined;
}

/** Returns a value of the container's control group; undefined if it cannot be read here. */
export function groupValue(
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
 * True if the kernel has stopped the container's processes, even if its engine reports otherwise; undefined if the
 * kernel's state cannot be read here.
 */
export function isFrozen(container: ContainerProcess): boolean | undefined {
  const states = FREEZERS.flatMap(({ controller, file, words: [thawedText] }) => {
    const value = groupValue(container, controller, file);
    return value === undefined ? [] : [value !== thawedText];
  });
  return states.length === 0 ? undefined : states.includes(true);
}

/** Stops or continues the container's processes without its engine. */
export function setFrozen(container: ContainerProcess, shouldFreeze: boolean): void {
  for (const { controller, file, words } of FREEZERS) {
    if (groupValue(container, controller, file) === undefined) continue;
    writeFileSync(`${directoryOf(container, controller)}/${file}`, words[shouldFreeze ? 1 : 0]);
  }
}
