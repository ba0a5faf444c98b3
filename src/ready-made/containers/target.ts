import { findAncestors, readProcFile } from '../shared/processes.js';
import type { ScriptSettings } from '../shared/script.js';
import { type Container, findByLabel, inspect, isUp } from './engine.js';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';

/** Returns the containers that currently match the settings, in any state. */
export function findNamed(engine: string, settings: ScriptSettings): readonly Container[] {
  const { name, label, service } = settings;
  if (name) {
    const container = inspect(engine, name);
    // The engine also accepts a prefix of an id.
    return container?.name === name ? [container] : [];
  }
  if (label) {
    const [key = '', value = ''] = label.split(/=(.*)/s, 2);
    return findByLabel(engine, key, value);
  }
  const [project, serviceName] = (service ?? '').split('/', 2);
  const containers = findByLabel(engine, SERVICE, serviceName ?? project ?? '');
  if (serviceName !== undefined)
    return containers.filter(({ labels }) => labels[PROJECT] === project);
  const projects = new Set(containers.map(({ labels }) => labels[PROJECT] ?? ''));
  if (projects.size > 1) {
    const example = [...projects].sort()[0];
    throw new Error(
      `${projects.size} Compose projects have a service ${service}: name one project, as in ${example}/${service}`,
    );
  }
  return containers;
}

/** Describes the containers named in the settings. */
export function describeTarget({ name, label, service }: ScriptSettings): string {
  if (name) return `the container ${name}`;
  return label ? `a container with the label ${label}` : `a container of the service ${service}`;
}

/**
 * Chooses the containers to disturb.
 *
 * @param statuses the states in which a container can be disturbed
 * @throws Error if no container can be disturbed, or if the server runs in one of the containers
 */
export function chooseContainers(
  engine: string,
  settings: ScriptSettings,
  replicas: unknown,
  statuses: readonly string[],
): readonly Container[] {
  const containers = findNamed(engine, settings);
  const candidates = containers.filter(({ status }) => statuses.includes(status));
  if (candidates.length === 0) {
    const states = containers.map(({ name, status }) => `${name} is ${status}`).join(', ');
    const text = describeTarget(settings);
    if (states === '') throw new Error(`there is no ${text.replace(/^(the|a) /, '')}`);
    const isPaused = containers.every(({ status }) => status === 'paused');
    throw new Error(
      `${text} is not running: ${states}${isPaused ? ', but not by this mutator' : ''}`,
    );
  }
  const ownContainer = candidates.find(({ id }) => isOwn(id));
  if (ownContainer !== undefined) {
    throw new Error(
      `the server, or a process that started it, runs in the container ${ownContainer.name}`,
    );
  }
  if (replicas !== 'one') return candidates;
  return candidates.slice(Math.floor(Math.random() * candidates.length)).slice(0, 1);
}

/** True if this process or one of its ancestors runs in the container. */
function isOwn(id: string): boolean {
  return findAncestors().some(({ pid }) => {
    if (readProcFile(pid, 'cgroup').includes(id)) return true;
    // Within a container, the cgroup's path may lack the id. The source of the engine's mount at /etc/hostname still
    // contains the id.
    const mounts = readProcFile(pid, 'mountinfo').split('\n');
    return mounts.some((line) => {
      const [, , , root = '', point] = line.split(' ');
      return point === '/etc/hostname' && root.includes(id);
    });
  });
}

/** Returns running containers that replace a removed container. */
export function findReplacements(engine: string, settings: ScriptSettings): readonly Container[] {
  return findNamed(engine, settings).filter(isUp);
}
