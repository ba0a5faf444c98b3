import {
  areProcesses,
  findProcess,
  findProcessTrees,
  isAlive,
  type ProcessId,
} from '../shared/processes.js';
import type { Action, ScriptSettings } from '../shared/script.js';
import { isToken, newToken, openStateFile } from '../shared/state-file.js';
import { awaitEnd, end, halt, resume, sendSignal } from '../shared/stopping.js';
import { awaitReady, isReady } from './ready.js';
import { restartService } from './restart.js';
import { findNamedProcess, haltTargets, pidFileOf, targetOf } from './targets.js';
import { readProperty, refuseOwnUnit, systemctl } from './units.js';

interface KillState {
  readonly killed: readonly ProcessId[];
  /** A token in the environment of restarted processes. */
  readonly token: string;
}

const stateOf = (name: string, settings: ScriptSettings) =>
  openStateFile<KillState>(name, targetOf(settings), { killed: areProcesses, token: isToken });

export const injectKill: Action = async (name, settings, params) => {
  await resetKill(name, settings, params);
  const { unit, command } = settings;
  const signalName = `SIG${params['signal']}` as NodeJS.Signals;
  if (unit) refuseOwnUnit(unit);
  if (unit && readProperty(unit, 'ActiveState') !== 'active') {
    throw new Error(`the unit ${unit} is not running`);
  }
  if (!unit && !command) throw new Error('a command is required to restart the processes');
  const token = newToken();
  const saveState = (killedProcesses: readonly ProcessId[]) =>
    stateOf(name, settings).save({ killed: killedProcesses, token });
  let killedProcesses: readonly ProcessId[];
  if (unit) {
    const main = findProcess(Number(readProperty(unit, 'MainPID')));
    killedProcesses = main === undefined ? [] : [{ pid: main.pid, start: main.start }];
    await saveState(killedProcesses);
    systemctl('kill', `--signal=${signalName}`, unit);
  } else {
    killedProcesses = await haltTargets(settings, (_added, processes) => saveState(processes));
    for (const process of killedProcesses) sendSignal(process, signalName);
    // A stopped process handles other signals only once it continues.
    await resume(killedProcesses);
  }
  await awaitEnd(killedProcesses);
};

export const resetKill: Action = async (name, settings) => {
  const file = stateOf(name, settings);
  const state = file.read();
  if (state === undefined) return;
  const { unit } = settings;
  let { killed } = state;
  if (!unit) {
    // A process may have ignored its signal, and started other processes since.
    for (const process of killed) sendSignal(process, 'SIGSTOP');
    killed = await halt(
      findProcessTrees,
      (_added, processes) => file.save({ ...state, killed: processes }),
      killed,
    );
  }
  // A process that received the signal may be about to exit.
  await end(killed);
  if (unit) await startUnit(unit, settings);
  else await restartService(name, settings, { ...state, killed });
  await file.remove();
};

async function startUnit(unit: string, settings: ScriptSettings): Promise<void> {
  // Otherwise the start limit (StartLimitBurst) would refuse a unit that is killed often.
  if (readProperty(unit, 'ActiveState') === 'failed') systemctl('reset-failed', unit);
  systemctl('start', unit);
  await awaitReady(settings, () => {
    const state = readProperty(unit, 'ActiveState');
    if (state === 'failed' || state === 'inactive') {
      throw new Error(`the unit ${unit} was started, but is ${state}`);
    }
    return state === 'active';
  });
}

/** Throws unless all killed processes have ended without replacements. */
export const verifyKill: Action = async (name, settings) => {
  const { unit, ready } = settings;
  if (unit && readProperty(unit, 'ActiveState') === 'active') {
    throw new Error(`the unit ${unit} is active`);
  }
  const runningProcess = stateOf(name, settings).read()?.killed.find(isAlive);
  if (runningProcess !== undefined) throw new Error(`process ${runningProcess.pid} has not exited`);
  const replacement = unit ? undefined : findNamedProcess(pidFileOf(settings));
  if (replacement !== undefined)
    throw new Error(`process ${replacement.pid} has replaced the killed process`);
  if (ready && (await isReady(ready))) throw new Error(`${ready} is still ready`);
};
