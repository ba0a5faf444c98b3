import {
  areProcesses,
  findAncestorsOf,
  findProcessTrees,
  isHalted,
  type ProcessId,
} from '../shared/processes.js';
import type { Action, ScriptSettings } from '../shared/script.js';
import { openStateFile } from '../shared/state-file.js';
import { resume } from '../shared/stopping.js';
import { findTargets, haltTargets, targetOf } from './targets.js';
import { readProperty, refuseOwnUnit, systemctl } from './units.js';

interface PauseState {
  /** The paused processes; empty for a unit. */
  readonly processes: readonly ProcessId[];
}

const stateOf = (name: string, settings: ScriptSettings) =>
  openStateFile<PauseState>(name, targetOf(settings), { processes: areProcesses });

export const injectPause: Action = async (name, settings, params) => {
  await resetPause(name, settings, params);
  const { unit } = settings;
  const file = stateOf(name, settings);
  if (unit) {
    refuseOwnUnit(unit);
    const state = readProperty(unit, 'FreezerState');
    if (state !== 'running') {
      throw new Error(`the unit ${unit} is already ${state}, but not by this mutator`);
    }
    await file.save({ processes: [] });
    systemctl('freeze', unit);
    return;
  }
  await haltTargets(settings, async (newProcesses, processes) => {
    // A reset also continues the parents, so they must not be stopped already.
    const parents = processes.length === newProcesses.length ? findAncestorsOf(newProcesses) : [];
    const stoppedProcess = [...newProcesses, ...parents].find(({ state }) => /[Tt]/.test(state));
    if (stoppedProcess !== undefined) {
      throw new Error(`process ${stoppedProcess.pid} is already stopped, but not by this mutator`);
    }
    await file.save({ processes });
  });
};

export const resetPause: Action = async (name, settings) => {
  const file = stateOf(name, settings);
  const state = file.read();
  if (state === undefined) return;
  const { unit } = settings;
  // A unit that has ended cannot be thawed, and need not be.
  if (unit && !['inactive', 'failed'].includes(readProperty(unit, 'ActiveState'))) {
    systemctl('thaw', unit);
  }
  await resume(state.processes);
  await file.remove();
};

/** Throws unless all targeted processes are stopped. */
export const verifyPause: Action = (name, settings) => {
  const { unit } = settings;
  if (unit) {
    const state = readProperty(unit, 'FreezerState');
    if (state !== 'frozen') throw new Error(`the unit ${unit} is ${state}`);
    return;
  }
  const pausedProcesses = stateOf(name, settings).read()?.processes ?? [];
  const runningProcess = findProcessTrees([...findTargets(settings), ...pausedProcesses]).find(
    (process) => !isHalted(process),
  );
  if (runningProcess !== undefined) throw new Error(`process ${runningProcess.pid} is not stopped`);
};
