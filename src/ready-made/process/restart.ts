import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { codeOf } from '../../durable/index.js';
import { inheritedEnvironment } from '../shared/command.js';
import { openLog } from '../shared/log-file.js';
import { findByVariable, type ProcessId, type ProcessInfo } from '../shared/processes.js';
import type { ScriptSettings } from '../shared/script.js';
import { awaitReady } from './ready.js';
import { findNamedProcess, LAG_MS, pidFileOf } from './targets.js';

const VARIABLE = 'PERTURB_STARTED_BY';
const LOG_BYTES = 1_000;
const LOG_LINES = 10;

/**
 * Starts the command, unless a supervisor or an earlier, killed reset has already started the service. Waits until the
 * service is ready. Writes the pid file, unless the program itself does.
 */
export async function restartService(
  name: string,
  settings: ScriptSettings,
  { token, killed }: { readonly token: string; readonly killed: readonly ProcessId[] },
): Promise<void> {
  const { command = '', ready } = settings;
  const file = pidFileOf(settings);
  const findNamed = () => {
    const process = findNamedProcess(file);
    // A process with the pid of a killed process is a different process.
    return killed.some(({ pid }) => pid === process?.pid) ? undefined : process;
  };
  const findService = (): ProcessInfo | undefined =>
    findNamed() ?? findByVariable(VARIABLE, token)[0];
  const log = openLog(`${name}.log`);
  const since = fstatSync(log).size;
  let exit: { readonly code: unknown; readonly time: number } | undefined;
  if (findService() === undefined) {
    const [program = '', ...args] = command.split(/\s+/);
    const child = spawn(program, args, {
      env: { ...inheritedEnvironment(), [VARIABLE]: token },
      detached: true,
      stdio: ['ignore', log, log],
    });
    const recordExit = (code: unknown) => {
      exit = { code, time: performance.now() };
    };
    child.once('error', (error) => recordExit(codeOf(error)));
    child.once('exit', (code, signal) => recordExit(code ?? signal));
    child.unref();
  }
  const createError = (problem: string) =>
    new Error(`${command} was restarted, and ${problem}${readLastLines(`${name}.log`, since)}`);
  // The server sends this signal on the actuator's timeout.
  process.once('SIGTERM', () => {
    const problem = ready ? `is not ready: ${ready}` : 'is not running';
    process.stderr.write(`${createError(problem).message}\n`);
    process.exit(1);
  });
  await awaitReady(settings, () => {
    if (findService() !== undefined) return true;
    // A daemon writes its pid file after its first process has exited.
    if (exit !== undefined && (exit.code !== 0 || performance.now() > exit.time + LAG_MS)) {
      throw createError(`has exited (${exit.code})`);
    }
    return false;
  });
  const service = findService();
  if (service === undefined) throw createError('is not running');
  if (findNamed() === undefined) writePid(file, service.pid);
}

/**
 * Returns a colon and the last lines of a log.
 *
 * @param since the number of bytes to skip at the start of the log
 */
export function readLastLines(path: string, since: number): string {
  const log = openSync(path, 'r');
  const { size } = fstatSync(log);
  const bytes = Buffer.alloc(Math.min(size - since, LOG_BYTES));
  readSync(log, bytes, 0, bytes.length, size - bytes.length);
  closeSync(log);
  const lines = bytes.toString().trim().split('\n').slice(-LOG_LINES).join('\n');
  return lines === '' ? '' : `: ${lines}`;
}

/** Writes a pid file atomically. Does not follow a symbolic link in place of the new file. */
function writePid(file: string, pid: number): void {
  rmSync(`${file}.new`, { force: true });
  const fd = openSync(`${file}.new`, 'wx');
  writeSync(fd, `${pid}\n`);
  closeSync(fd);
  renameSync(`${file}.new`, file);
}
