/*
 * Pauses processes, or kills them and starts them again. On Linux.
 *
 *   node process.mjs inject-pause|reset-pause NAME pid-file=FILE|group=FILE|unit=UNIT
 *   node process.mjs inject-kill|reset-kill NAME pid-file=FILE|group=FILE|unit=UNIT command=COMMAND
 *
 * The first line of the file is a pid: of the process, or of one whose process group is meant. All that
 * descends from it is meant too, such as workers, and the program that a wrapper has started. What is stopped
 * or killed is noted in NAME.state.json first, by pid and start, so that no other process is ever meant.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ancestors, isToken, main, newToken, openLog, processOf, run, stateFile } from './common.mjs';

const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => processOf(Number(pid)) ?? []);
const isSame = (one, other) => one.pid === other.pid && one.start === other.start;
const isAlive = ({ pid, start }) => {
  const now = processOf(pid);
  // While other threads end, the first one may be a zombie already, and the files of all are still open.
  return now !== undefined && now.start === start && (now.state !== 'Z' || now.threads > 1);
};

/** Returns true if no thread can start a process; one in the state D waits for the kernel, or for a child of vfork. */
function isHalted(one) {
  try {
    return !isAlive(one) || readdirSync(`/proc/${one.pid}/task`).every((thread) => !/[RS]/.test(processOf(`${one.pid}/task/${thread}`)?.state));
  } catch {
    return !isAlive(one);
  }
}

function signal({ pid, start }, name) {
  if (!isAlive({ pid, start })) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code === 'EPERM') throw new Error(`the process ${pid} belongs to a user whose processes the server may not stop`);
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Those of the given processes that live, and all that descends from them, in whatever group or session. */
function trees(roots) {
  const all = processes().filter((one) => one.state !== 'Z');
  const found = new Set(roots.flatMap((root) => all.find((one) => isSame(one, root)) ?? []));
  // What is added meanwhile is visited too. A child that is older than its parent belongs to one that had the pid before.
  for (const { pid, start } of found) {
    for (const one of all) if (one.parent === pid && Number(one.start) >= Number(start)) found.add(one);
  }
  return [...found];
}

/** The pids of this process and those that started it. */
const ownPids = () => [process.pid, ...ancestors().map((one) => one.pid)];

/**
 * Stops whole trees of processes: repeats it until all stand still and nothing new has been started.
 *
 * @param find a function that returns what is to be stopped now, given what has been
 * @param note a function of what is new and of all, called before anything new is stopped
 * @param noted what has been stopped already
 */
async function halt(find, note, noted = []) {
  for (;;) {
    // Looked at first: what still ran may have started something after it was searched.
    const halted = noted.every(isHalted);
    const fresh = find(noted).filter((one) => !noted.some((other) => isSame(one, other)));
    if (fresh.length === 0) {
      if (halted) return noted;
      await pause(1);
      continue;
    }
    const own = fresh.find(({ pid }) => ownPids().includes(pid));
    if (own !== undefined) throw new Error(`the process ${own.pid} is the server, or started it, so it is not stopped`);
    // What may not be stopped is not noted, so that a reset can continue all the rest.
    for (const one of fresh) signal(one, 0);
    noted = [...noted, ...fresh.map(({ pid, start }) => ({ pid, start }))];
    note(fresh, noted);
    for (const one of fresh) signal(one, 'SIGSTOP');
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
  let line = '';
  try {
    // PostgreSQL's has more lines.
    [line] = readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`there is no file ${file}`);
  }
  const pid = /^\s*\d+\s*$/.test(line) ? Number(line) : 0;
  if (pid < 2) throw new Error(`the first line of ${file} is not the pid of a service: ${JSON.stringify(line.slice(0, 80))}`);
  const leader = processOf(pid);
  if (leader === undefined || !isAlive(leader)) throw new Error(`no process has the pid in ${file}: ${pid} has ended`);
  if (beginOf(leader) > statSync(file).mtimeMs + SLACK_MS) {
    throw new Error(`the process ${pid} began after ${file} was written, so it may be another one: touch ${file} if it is meant`);
  }
  const chosen = group ? processes().filter((one) => one.group === leader.group && isAlive(one)) : [leader];
  const own = ownPids();
  const server = chosen.find((one) => own.includes(one.pid));
  if (server !== undefined) throw new Error(`${file} names the server, or a process that started it: pid ${server.pid}`);
  // The one that the file names comes first.
  chosen.sort((one, other) => Number(other.pid === pid) - Number(one.pid === pid));
  return chosen;
}

/** Stops all that the settings name, with what descends from it. */
const haltTargets = (settings, note) => halt((noted) => trees([...targets(settings), ...noted]), note);

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
  await haltTargets(settings, (fresh, noted) => {
    const stopped = fresh.find(({ state }) => state === 'T' || state === 't');
    if (stopped !== undefined) throw new Error(`the process ${stopped.pid} is already stopped, and not by this mutator`);
    ofPause(name, settings).save({ processes: noted });
  });
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
  if (!unit && !settings.command) throw new Error('without a command, nothing could be started again');
  const token = newToken();
  const note = (killed) => ofKill(name, settings).save({ killed, token });
  let killed;
  if (unit) {
    killed = [processOf(Number(property(unit, 'MainPID')))].filter((one) => one !== undefined);
    note(killed);
    systemctl('kill', `--signal=SIG${word}`, unit);
  } else {
    killed = await haltTargets(settings, (_fresh, noted) => note(noted));
    for (const one of killed) signal(one, `SIG${word}`);
    // A stopped process takes no other signal until it is continued.
    for (const one of killed) signal(one, 'SIGCONT');
  }
  // The time-out of the actuator ends this.
  while (killed.some(isAlive)) await pause(20);
}

async function resetKill(name, settings) {
  const state = ofKill(name, settings).read();
  if (state === undefined) return;
  const { unit } = settings;
  let { killed } = state;
  if (!unit) {
    // What was sent a signal may have ignored it, and started more.
    for (const one of killed) signal(one, 'SIGSTOP');
    killed = await halt(trees, (_fresh, noted) => ofKill(name, settings).save({ ...state, killed: noted }), killed);
  }
  // What was sent a signal may be about to end.
  for (const one of killed) signal(one, 'SIGKILL');
  while (killed.some(isAlive)) await pause(20);
  if (unit) {
    // Otherwise the limit of starts (StartLimitBurst) would refuse one that is killed often.
    if (property(unit, 'ActiveState') === 'failed') systemctl('reset-failed', unit);
    systemctl('start', unit);
  } else await startAgain(name, settings, { ...state, killed });
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
