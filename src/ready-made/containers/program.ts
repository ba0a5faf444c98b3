/*
 * Disturbs Docker or Podman containers.
 *
 *   node containers.mjs inject|verify|reset NAME fault=FAULT engine=docker|podman name=CONTAINER|label=KEY=VALUE|service=SERVICE
 *
 * FAULT is pause, kill, stop, restart, network, cpu or memory. An injection chooses the containers. It first records them
 * in NAME-FAULT.state.json, by id and start time, with the state to restore.
 */

import { type Action, runScript, type ScriptSettings } from '../shared/script.js';
import { openStateFile, type StateFile } from '../shared/state-file.js';
import { inspect } from './engine.js';
import { type ContainerState, faultOf, isContainerState } from './faults.js';
import { chooseContainers } from './target.js';

interface State {
  readonly containers: readonly ContainerState[];
}

function stateOf(name: string, settings: ScriptSettings): StateFile<State> {
  const { fault, engine, name: container, label, service, network } = settings;
  const target = { engine, name: container, label, service, network };
  return openStateFile<State>(`${name}-${fault}`, target, {
    containers: (list) => Array.isArray(list) && list.every(isContainerState),
  });
}

const inject: Action = async (name, settings, params) => {
  const { engine = '' } = settings;
  const { statuses, recordState, inject: act, isTransient } = faultOf(settings['fault']);
  await reset(name, settings, {});
  const targets = chooseContainers(engine, settings, params['replicas'], statuses);
  const containers = targets.map((container) => ({
    id: container.id,
    startedAt: container.startedAt,
    ...recordState?.(engine, container, settings),
  }));
  await stateOf(name, settings).save({ containers });
  for (const container of containers) await act(engine, container, params);
  if (isTransient === true) await reset(name, settings, {});
};

const reset: Action = async (name, settings) => {
  const { engine = '', fault } = settings;
  const file = stateOf(name, settings);
  const state = file.read();
  if (state === undefined) return;
  await faultOf(fault).reset(engine, settings, state.containers);
  await file.remove();
};

/** Throws unless all chosen containers have the fault. A transient fault needs no verification. */
const verify: Action = (name, settings, params) => {
  const { engine = '', fault } = settings;
  const { explainInactive } = faultOf(fault);
  for (const state of stateOf(name, settings).read()?.containers ?? []) {
    const container = inspect(engine, state.id);
    if (container === undefined) throw new Error(`the container ${state.id} no longer exists`);
    const reason = explainInactive(container, state, engine, params);
    if (reason !== undefined) throw new Error(`the container ${container.name} ${reason}`);
  }
};

await runScript({ inject, verify, reset });
