import { areProcesses, isAlive, type ProcessId, processOf, trees } from '../shared/processes.js';
import type { Action, ScriptSettings } from '../shared/script.js';
import { isToken, newToken, stateFile } from '../shared/state-file.js';
import { awaitEnd, end, halt, resume, signal } from '../shared/stopping.js';
import { isReady, readied } from './ready.js';
import { restartService } from './restart.js';
import { haltTargets, namedProcess, pidFileOf, targetOf } from './targets.js';
import { property, refuseOwnUnit, systemctl } from './units.js';

interface Killed {
  readonly killed: readonly ProcessId[];
  /** In the environment of restarted processes. */
  readonly token: string;
}

const stateOf = (name: string, settings: ScriptSettings) =>
  stateFile<Killed>(name, targetOf(settings), { killed: areProcesses, token: isToken });

export const injectKill: Action = async (name, settings, params) => {
  await resetKill(name, settings, params);
  const { unit, command } = settings;
  const word = `SIG${params['signal']}` as NodeJS.Signals;
  if (unit) refuseOwnUnit(unit);
  if (unit && property(unit, 'ActiveState') !== 'active') {
    throw new Error(`the unit ${unit} is not running`);
  }
  if (!unit && !command) throw new Error('without a command, nothing could be started again');
  const token = newToken();
  const note = (killed: readonly ProcessId[]) => stateOf(name, settings).save({ killed, token });
  let killed: readonly ProcessId[];
  if (unit) {
    const main = processOf(Number(property(unit, 'MainPID')));
    killed = main === undefined ? [] : [{ pid: main.pid, start: main.start }];
    await note(killed);
    systemctl('kill', `--signal=${word}`, unit);
  } else {
    killed = await haltTargets(settings, (_fresh, all) => note(all));
    for (const one of killed) signal(one, word);
    // A stopped process receives no other signal until it is continued.
    await resume(killed);
  }
  await awaitEnd(killed);
};

export const resetKill: Action = async (name, settings) => {
  const file = stateOf(name, settings);
  const state = file.read();
  if (state === undefined) return;
  const { unit } = settings;
  let { killed } = state;
  if (!unit) {
    // A signalled process may have ignored the signal, and started more.
    for (const one of killed) signal(one, 'SIGSTOP');
    killed = await halt(trees, (_fresh, all) => file.save({ ...state, killed: all }), killed);
  }
  // A signalled process may be about to end.
  await end(killed);
  if (unit) await startUnit(unit, settings);
  else await restartService(name, settings, { ...state, killed });
  await file.remove();
};

async function startUnit(unit: string, settings: ScriptSettings): Promise<void> {
  // Otherwise the limit of starts (StartLimitBurst) would refuse a unit that is killed often.
  if (property(unit, 'ActiveState') === 'failed') systemctl('reset-failed', unit);
  systemctl('start', unit);
  await readied(settings, () => {
    const state = property(unit, 'ActiveState');
    if (state === 'failed' || state === 'inactive') {
      throw new Error(`the unit ${unit} was started, and is ${state}`);
    }
    return state === 'active';
  });
}

/** Throws unless all killed processes have ended, without replacements. */
export const verifyKill: Action = async (name, settings) => {
  const { unit, ready } = settings;
  if (unit && property(unit, 'ActiveState') === 'active') {
    throw new Error(`the unit ${unit} is active`);
  }
  const running = stateOf(name, settings).read()?.killed.find(isAlive);
  if (running !== undefined) throw new Error(`the process ${running.pid} has not ended`);
  const again = unit ? undefined : namedProcess(pidFileOf(settings));
  if (again !== undefined) throw new Error(`the process ${again.pid} runs in its place`);
  if (ready && (await isReady(ready))) throw new Error(`${ready} is still ready`);
};
