/*
 * Pauses processes, or kills them and starts them again. On Linux.
 *
 *   node process.mjs inject-pause|reset-pause NAME pid-file=FILE|group=FILE|unit=UNIT
 *   node process.mjs inject-kill|reset-kill NAME pid-file=FILE|group=FILE|unit=UNIT command=COMMAND
 *
 * The file holds a pid: of the process, or of one whose process group is meant. What is stopped or
 * killed is noted in NAME.state.json first, by pid and start, so that no other process is ever meant.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ancestors, isToken, main, newToken, openLog, processOf, run, stateFile } from './common.mjs';

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

const areProcesses = (value) =>
  Array.isArray(value) && value.every((one) => Number.isInteger(one?.pid) && one.pid > 1 && /^\d+$/.test(one.start));
const ofTarget = (name, { 'pid-file': pidFile, group, unit }, shape) => stateFile(name, { 'pid-file': pidFile, group, unit }, shape);
/** Of a unit, no processes are noted. */
const ofPause = (name, settings) => ofTarget(name, settings, { processes: areProcesses });
const ofKill = (name, settings) => ofTarget(name, settings, { killed: areProcesses, token: isToken });

async function injectPause(name, settings) {
  resetPause(name, settings);
  if (settings.unit) {
    refuseOwnUnit(settings.unit);
    const state = property(settings.unit, 'FreezerState');
    if (state !== 'running') throw new Error(`the unit ${settings.unit} is already ${state}, and not by this mutator`);
    ofPause(name, settings).save({ processes: [] });
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
    ofPause(name, settings).save({ processes: noted });
    for (const one of found) signal(one, 'SIGSTOP');
  }
}

function resetPause(name, settings) {
  const state = ofPause(name, settings).read();
  if (state === undefined) return;
  const { unit } = settings;
  // One that has ended meanwhile cannot be thawed, and need not be.
  if (unit && !['inactive', 'failed'].includes(property(unit, 'ActiveState'))) systemctl('thaw', unit);
  for (const one of state.processes) signal(one, 'SIGCONT');
  ofPause(name, settings).remove();
}

async function injectKill(name, settings, { signal: word }) {
  await resetKill(name, settings);
  const { unit } = settings;
  if (unit) refuseOwnUnit(unit);
  if (unit && property(unit, 'ActiveState') !== 'active') throw new Error(`the unit ${unit} is not running`);
  const main = unit && processOf(Number(property(unit, 'MainPID')));
  const killed = unit ? [main].filter((one) => one !== undefined) : targets(settings);
  if (!unit && !settings.command) throw new Error('without a command, nothing could be started again');
  ofKill(name, settings).save({ killed, token: newToken() });
  if (unit) systemctl('kill', `--signal=SIG${word}`, unit);
  else for (const one of killed) signal(one, `SIG${word}`);
  // The time-out of the actuator ends this.
  while (killed.some(isAlive)) await pause(20);
}

async function resetKill(name, settings) {
  const state = ofKill(name, settings).read();
  if (state === undefined) return;
  const { unit } = settings;
  // What was sent a signal may be about to end.
  for (const one of state.killed) signal(one, 'SIGKILL');
  while (state.killed.some(isAlive)) await pause(20);
  if (unit) {
    // Otherwise the limit of starts (StartLimitBurst) would refuse one that is killed often.
    if (property(unit, 'ActiveState') === 'failed') systemctl('reset-failed', unit);
    systemctl('start', unit);
  } else await startAgain(name, settings, state);
  ofKill(name, settings).remove();
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
  const log = openLog(`${name}.log`);
  // With -C, a link in the place of the new file is not followed.
  const shell = 'rm -f "$0.new" && set -C && echo $$ > "$0.new" && mv "$0.new" "$0" && exec "$@"';
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
