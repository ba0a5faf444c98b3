import { ancestors, procText } from '../shared/processes.js';
import type { ScriptSettings } from '../shared/script.js';
import { type Container, inspect, isUp, withLabel } from './engine.js';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';

/** Returns the containers that the settings currently name, in any state. */
export function findNamed(engine: string, settings: ScriptSettings): readonly Container[] {
  const { name, label, service } = settings;
  if (name) {
    const found = inspect(engine, name);
    // The engine also accepts a prefix of an id.
    return found?.name === name ? [found] : [];
  }
  if (label) {
    const [key = '', value = ''] = label.split(/=(.*)/s, 2);
    return withLabel(engine, key, value);
  }
  const [project, ofProject] = (service ?? '').split('/', 2);
  const found = withLabel(engine, SERVICE, ofProject ?? project ?? '');
  if (ofProject !== undefined) return found.filter(({ labels }) => labels[PROJECT] === project);
  const projects = new Set(found.map(({ labels }) => labels[PROJECT] ?? ''));
  if (projects.size > 1) {
    const one = [...projects].sort()[0];
    throw new Error(
      `${projects.size} Compose projects have a service ${service}: name one of them, as in ${one}/${service}`,
    );
  }
  return found;
}

/** Describes the target of the settings. */
export function targetText({ name, label, service }: ScriptSettings): string {
  if (name) return `the container ${name}`;
  return label ? `a container with the label ${label}` : `a container of the service ${service}`;
}

/**
 * Chooses the containers to disturb.
 *
 * @param statuses the states in which one can be disturbed
 * @throws Error if there is none, or if one is the server's own
 */
export function choose(
  engine: string,
  settings: ScriptSettings,
  replicas: unknown,
  statuses: readonly string[],
): readonly Container[] {
  const all = findNamed(engine, settings);
  const able = all.filter(({ status }) => statuses.includes(status));
  if (able.length === 0) {
    const states = all.map(({ name, status }) => `${name} is ${status}`).join(', ');
    const text = targetText(settings);
    if (states === '') throw new Error(`there is no ${text.replace(/^(the|a) /, '')}`);
    const isPaused = all.every(({ status }) => status === 'paused');
    throw new Error(
      `${text} is not running: ${states}${isPaused ? ', and not by this mutator' : ''}`,
    );
  }
  const own = able.find(({ id }) => isOwn(id));
  if (own !== undefined) {
    throw new Error(`the server, or a process that started it, runs in the container ${own.name}`);
  }
  if (replicas !== 'one') return able;
  return able.slice(Math.floor(Math.random() * able.length)).slice(0, 1);
}

/** True if a process that started this one runs in the container. */
function isOwn(id: string): boolean {
  return ancestors().some(({ pid }) => {
    if (procText(pid, 'cgroup').includes(id)) return true;
    // Inside a container its control group may have no name, but the engine mounts a file of its own.
    const mounts = procText(pid, 'mountinfo').split('\n');
    return mounts.some((line) => {
      const [, , , root = '', point] = line.split(' ');
      return point === '/etc/hostname' && root.includes(id);
    });
  });
}

/** Returns the containers that run in place of a removed one. */
export function replacements(engine: string, settings: ScriptSettings): readonly Container[] {
  return findNamed(engine, settings).filter(isUp);
}
