import { spawn } from 'node:child_process';
import { ftruncateSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../../durable/index.js';
import { inheritedEnvironment } from '../shared/command.js';
import { openLog } from '../shared/log-file.js';
import { findByVariable, findProcessTrees } from '../shared/processes.js';
import type { Action, Params } from '../shared/script.js';
import { isToken, newToken, openStateFile } from '../shared/state-file.js';
import { end, halt } from '../shared/stopping.js';

const VARIABLE = 'PERTURB_STRESS';
const RETRY_MS = 20;

const FAULTS: Readonly<Record<string, (params: Params, directory: string) => readonly string[]>> = {
  cpu: ({ load }) => ['--cpu', '0', '--cpu-load', `${load}`],
  memory: ({ size }) => ['--vm', '1', '--vm-bytes', `${size}M`, '--vm-keep'],
  io: ({ workers }, directory) => [
    ...['--hdd', `${workers}`, '--hdd-bytes', '64M', '--temp-path', directory],
  ],
};

/**
 * Returns the arguments for stress-ng.
 *
 * @throws Error for an unknown fault
 */
export function toStressArguments(
  fault: string,
  seconds: string,
  params: Params,
  directory: string,
): readonly string[] {
  const args = Object.hasOwn(FAULTS, fault) ? FAULTS[fault]?.(params, directory) : undefined;
  if (args === undefined)
    throw new Error(`unknown fault ${fault}, expected one of ${Object.keys(FAULTS).join(', ')}`);
  return ['--keep-name', ...args, '--timeout', `${seconds}s`];
}

const isNothing = (params: Params) => Object.values(params).every((value) => value === 0);

const stateOf = (stateName: string) =>
  openStateFile<{ readonly token: string }>(stateName, {}, { token: isToken });
const temporaryDirectory = (stateName: string, token: string) => `${stateName}-${token}.tmp`;

export const injectStress: Action = async (name, settings, params) => {
  const { fault = '', seconds = '' } = settings;
  const stateName = `${name}-${fault}`;
  await resetStress(name, settings, params);
  if (isNothing(params)) return;
  const token = newToken();
  const directory = temporaryDirectory(stateName, token);
  const args = toStressArguments(fault, seconds, params, directory);
  const log = openLog(`${stateName}.log`);
  ftruncateSync(log);
  await stateOf(stateName).save({ token });
  mkdirSync(directory);
  const child = spawn('stress-ng', args, {
    env: { ...inheritedEnvironment(), [VARIABLE]: token },
    detached: true,
    stdio: ['ignore', log, log],
  });
  let problem: string | undefined;
  child.once('error', (error) => {
    problem = codeOf(error) === 'ENOENT' ? 'stress-ng is not installed' : error.message;
  });
  child.once('exit', () => {
    problem ??= `stress-ng exited: ${readFileSync(`${stateName}.log`, 'utf8').trim()}`;
  });
  while (!hasWorkers(token)) {
    if (problem !== undefined) throw new Error(problem);
    await delay(RETRY_MS);
  }
  child.unref();
};

const hasWorkers = (token: string) => findByVariable(VARIABLE, token).length >= 2;

export const resetStress: Action = async (name, { fault }) => {
  const stateName = `${name}-${fault}`;
  const file = stateOf(stateName);
  const state = file.read();
  if (state === undefined) return;
  const find: Parameters<typeof halt>[0] = (stoppedProcesses) =>
    findProcessTrees([...findByVariable(VARIABLE, state.token), ...stoppedProcesses]);
  await end(await halt(find, () => {}));
  rmSync(temporaryDirectory(stateName, state.token), { recursive: true, force: true });
  await file.remove();
};

/** Throws if stress-ng has no workers, unless the parameters require none. */
export const verifyStress: Action = (name, { fault }, params) => {
  if (isNothing(params)) return;
  const state = stateOf(`${name}-${fault}`).read();
  if (state === undefined || !hasWorkers(state.token)) throw new Error('stress-ng has no workers');
};
