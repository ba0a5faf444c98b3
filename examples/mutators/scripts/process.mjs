/*
 * Pauses processes, or kills them and starts them again. On Linux.
 *
 *   node process.mjs inject-pause|reset-pause NAME pid-file=FILE|group=FILE|unit=UNIT
 *   node process.mjs inject-kill|reset-kill NAME pid-file=FILE|group=FILE|unit=UNIT command=COMMAND
 *
 * The file holds a pid: of the process, or of one whose process group is meant. What is stopped or
 * killed is noted in NAME.state.json first, by pid and start, so that no other process is ever meant.
 */
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ancestors, main, processOf, readState, removeState, run, saveState } from './common.mjs';

const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => processOf(Number(pid)) ?? []);
const isAlive = ({ pid, start }) => {
  const now = processOf(pid);
  return now !== undefined && now.start === start && now.state !== 'Z';
};

function signal({ pid, start }, name) {
  if (!isAlive({ pid, start })) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** When a process began, in ms since 1970; the system counts it in hundredths of a second since its own start. */
function beginOf({ start }) {
  const [, boot] = /^btime (\d+)/m.exec(readFileSync('/proc/stat', 'utf8'));
  return Number(boot) * 1000 + Number(start) * 10;
}

/** Clocks are read in whole seconds. */
const SLACK_MS = 2_000;

/** The processes that the settings name. */
function targets({ 'pid-file': pidFile, group }) {
  const file = pidFile || group;
  let pid = 0;
  try {
    pid = Number(/^\s*(\d+)\s*$/.exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`there is no file ${file}`);
  }
  const leader = pid > 1 ? processOf(pid) : undefined;
  if (leader === undefined || !isAlive(leader)) throw new Error(`no process has the pid in ${file}`);
  if (beginOf(leader) > statSync(file).mtimeMs + SLACK_MS) {
    throw new Error(`the process ${pid} began after ${file} was written, so it may be another one: touch ${file} if it is meant`);
  }
  const chosen = group ? processes().filter((one) => one.group === leader.group && isAlive(one)) : [leader];
  const own = [process.pid, ...ancestors().map((one) => one.pid)];
  const server = chosen.find((one) => own.includes(one.pid));
  if (server !== undefined) throw new Error(`${file} names the server, or a process that started it: pid ${server.pid}`);
  // The one that the file names comes first.
  chosen.sort((one, other) => Number(other.pid === pid) - Number(one.pid === pid));
  return chosen.map(({ pid, start, state }) => ({ pid, start, state }));
}

const systemctl = (...args) => run('systemctl', [...args]).trim();
const property = (unit, name) => systemctl('show', `--property=${name}`, '--value', unit);

/** Refuses a unit that the server belongs to. */
function refuseOwnUnit(unit) {
  const group = property(unit, 'ControlGroup');
  if (!group) return;
  for (const { pid } of ancestors()) {
    const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n').map((line) => `${line.split(':').slice(2).join(':')}/`);
    if (groups.some((one) => one.startsWith(`${group}/`))) throw new Error(`the server, or a process that started it, belongs to the unit ${unit}`);
  }
}

async function injectPause(name, settings) {
  resetPause(name);
  if (settings.unit) {
    refuseOwnUnit(settings.unit);
    const state = property(settings.unit, 'FreezerState');
    if (state !== 'running') throw new Error(`the unit ${settings.unit} is already ${state}, and not by this mutator`);
    saveState(name, { unit: settings.unit });
    systemctl('freeze', settings.unit);
    return;
  }
  let noted = [];
  // Whatever is started meanwhile is stopped too.
  for (;;) {
    const found = targets(settings).filter(({ pid, start }) => !noted.some((one) => one.pid === pid && one.start === start));
    if (found.length === 0) return;
    const stopped = found.find(({ state }) => state === 'T' || state === 't');
    if (stopped !== undefined) throw new Error(`the process ${stopped.pid} is already stopped, and not by this mutator`);
    noted = [...noted, ...found];
    saveState(name, { processes: noted });
    for (const one of found) signal(one, 'SIGSTOP');
  }
}

function resetPause(name) {
  const state = readState(name);
  // One that has ended meanwhile cannot be thawed, and need not be.
  if (state?.unit && !['inactive', 'failed'].includes(property(state.unit, 'ActiveState'))) systemctl('thaw', state.unit);
  for (const one of state?.processes ?? []) signal(one, 'SIGCONT');
  removeState(name);
}

async function injectKill(name, settings, { signal: word }) {
  if (readState(name) !== undefined) await resetKill(name, settings);
  const { unit } = settings;
  if (unit) refuseOwnUnit(unit);
  if (unit && property(unit, 'ActiveState') !== 'active') throw new Error(`the unit ${unit} is not running`);
  const main = unit && processOf(property(unit, 'MainPID'));
  const killed = unit ? [main].filter((one) => one !== undefined) : targets(settings);
  if (!unit && !settings.command) throw new Error('without a command, nothing could be started again');
  saveState(name, { killed, unit, token: randomUUID() });
  if (unit) systemctl('kill', `--signal=SIG${word}`, unit);
  else for (const one of killed) signal(one, `SIG${word}`);
  // The time-out of the actuator ends this.
  while (killed.some(isAlive)) await pause(20);
}

async function resetKill(name, settings) {
  const state = readState(name);
  if (state === undefined) return;
  // What was sent a signal may be about to end.
  for (const one of state.killed) signal(one, 'SIGKILL');
  while (state.killed.some(isAlive)) await pause(20);
  if (state.unit) {
    // Otherwise the limit of starts (StartLimitBurst) would refuse one that is killed often.
    if (property(state.unit, 'ActiveState') === 'failed') systemctl('reset-failed', state.unit);
    systemctl('start', state.unit);
  } else await startAgain(name, settings, state);
  removeState(name);
}

const VARIABLE = 'PERTURB_STARTED_BY';
const isStartedBy = (token) => ({ pid }) => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${VARIABLE}=${token}`);
  } catch {
    return false;
  }
};

/** Starts the command once, even if an earlier reset that was killed has started it, or a supervisor has. */
async function startAgain(name, settings, { token, killed }) {
  const file = settings['pid-file'] || settings.group;
  const runs = () => {
    try {
      const [{ pid }] = targets({ 'pid-file': file });
      // One that has the pid of one that was killed is another one.
      return killed.every((one) => one.pid !== pid);
    } catch {
      return false;
    }
  };
  if (runs() || processes().some(isStartedBy(token))) return;
  // The command must not be one of the server's: with its variable, it would be ended with the commands that a killed server has left.
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('PERTURB_'));
  const log = openSync(`${name}.log`, 'a', 0o600);
  const shell = 'echo $$ > "$0.new" && mv "$0.new" "$0" && exec "$@"';
  const child = spawn('/bin/sh', ['-c', shell, file, ...settings.command.split(/\s+/)], {
    env: { ...Object.fromEntries(inherited), [VARIABLE]: token },
    detached: true,
    stdio: ['ignore', log, log],
  });
  let ended = false;
  child.once('error', () => { ended = true; });
  child.once('exit', (code) => { ended = code !== 0; });
  child.unref();
  while (!runs()) {
    if (ended) throw new Error(`${settings.command} has ended: see ${name}.log`);
    await pause(20);
  }
}

await main({
  'inject-pause': injectPause,
  'reset-pause': resetPause,
  'inject-kill': injectKill,
  'reset-kill': resetKill,
});
