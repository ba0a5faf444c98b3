import { areProcesses, isHalted, type ProcessId, starters, trees } from '../shared/processes.js';
import type { Action, ScriptSettings } from '../shared/script.js';
import { stateFile } from '../shared/state-file.js';
import { resume } from '../shared/stopping.js';
import { haltTargets, targetOf, targets } from './targets.js';
import { property, refuseOwnUnit, systemctl } from './units.js';

interface Paused {
  /** Empty for a unit. */
  readonly processes: readonly ProcessId[];
}

const stateOf = (name: string, settings: ScriptSettings) =>
  stateFile<Paused>(name, targetOf(settings), { processes: areProcesses });

export const injectPause: Action = async (name, settings, params) => {
  await resetPause(name, settings, params);
  const { unit } = settings;
  const file = stateOf(name, settings);
  if (unit) {
    refuseOwnUnit(unit);
    const state = property(unit, 'FreezerState');
    if (state !== 'running') {
      throw new Error(`the unit ${unit} is already ${state}, and not by this mutator`);
    }
    await file.save({ processes: [] });
    systemctl('freeze', unit);
    return;
  }
  await haltTargets(settings, async (fresh, all) => {
    // Their parents are continued with them.
    const others = all.length === fresh.length ? starters(fresh) : [];
    const stopped = [...fresh, ...others].find(({ state }) => /[Tt]/.test(state));
    if (stopped !== undefined) {
      throw new Error(`the process ${stopped.pid} is already stopped, and not by this mutator`);
    }
    await file.save({ processes: all });
  });
};

export const resetPause: Action = async (name, settings) => {
  const file = stateOf(name, settings);
  const state = file.read();
  if (state === undefined) return;
  const { unit } = settings;
  // A unit that has ended meanwhile cannot be thawed, and need not be.
  if (unit && !['inactive', 'failed'].includes(property(unit, 'ActiveState'))) {
    systemctl('thaw', unit);
  }
  await resume(state.processes);
  await file.remove();
};

/** Throws unless all processes of the settings are stopped. */
export const verifyPause: Action = (name, settings) => {
  const { unit } = settings;
  if (unit) {
    const state = property(unit, 'FreezerState');
    if (state !== 'frozen') throw new Error(`the unit ${unit} is ${state}`);
    return;
  }
  const paused = stateOf(name, settings).read()?.processes ?? [];
  const running = trees([...targets(settings), ...paused]).find((process) => !isHalted(process));
  if (running !== undefined) throw new Error(`the process ${running.pid} is not stopped`);
};
