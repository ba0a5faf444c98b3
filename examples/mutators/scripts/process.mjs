/*
 * Pauses processes, or kills them and starts them again. On Linux.
 *
 *   node process.mjs inject-pause|verify-pause|reset-pause NAME pid-file=FILE|group=FILE|unit=UNIT
 *   node process.mjs inject-kill|verify-kill|reset-kill NAME pid-file=FILE|group=FILE|unit=UNIT command=COMMAND ready=READY
 *
 * The first line of the file is a pid: of the process, or of one whose process group is meant. All that
 * descends from it is meant too, such as workers, and the program that a wrapper has started, and all in its
 * cgroup, if that is its own. What is stopped or killed is noted in NAME.state.json first, by pid and start, so
 * that no other process is ever meant. What is started again is ready when READY accepts connections (HOST:PORT),
 * answers with success (a URL), or exits with 0 (a command); without it, when it still lives after a second.
 */
import { execFile, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ancestors, isToken, main, newToken, openLog, processOf, run, stateFile } from './common.mjs';
import { carriers, end, halt, isAlive, isHalted, ownCgroup, ownPids, processes, resume, signal, starters, trees } from './processes.mjs';

/** When a process began, in ms since 1970; the system counts it in hundredths of a second since its own start. */
function beginOf({ start }) {
  const [, boot] = /^btime (\d+)/m.exec(readFileSync('/proc/stat', 'utf8'));
  return Number(boot) * 1000 + Number(start) * 10;
}

/** Clocks are read in whole seconds. */
const SLACK_MS = 2_000;

/** An error that a pid file may cause which its program is about to write. */
const lagging = (message) => Object.assign(new Error(message), { lags: true });
/** How long to wait for such a file. */
const LAG_MS = 2_000;

/** The processes that the settings name. */
function targets({ 'pid-file': pidFile, group }) {
  const file = pidFile || group;
  let line = '';
  try {
    // PostgreSQL's has more lines.
    [line] = readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw lagging(`there is no file ${file}`);
  }
  if (line === '') throw lagging(`the first line of ${file} is empty: it should be the pid of a service`);
  const pid = /^\s*\d+\s*$/.test(line) ? Number(line) : 0;
  if (pid < 2) throw new Error(`the first line of ${file} is not the pid of a service: ${JSON.stringify(line.slice(0, 80))}`);
  const leader = processOf(pid);
  if (leader === undefined || !isAlive(leader)) throw lagging(`no process has the pid in ${file}: ${pid} has ended`);
  if (beginOf(leader) > statSync(file).mtimeMs + SLACK_MS) {
    throw lagging(`the process ${pid} began after ${file} was written, so it may be another one: touch ${file} if it is meant`);
  }
  const isChosen = (one) => one.pid === pid || (group && one.group === leader.group) || cgroup.includes(one.pid);
  const cgroup = ownCgroup(leader).map((one) => one.pid);
  const chosen = processes().filter((one) => isChosen(one) && isAlive(one));
  const own = ownPids();
  const server = chosen.find((one) => own.includes(one.pid));
  if (server !== undefined) throw new Error(`${file} names the server, or a process that started it: pid ${server.pid}`);
  // The one that the file names comes first.
  chosen.sort((one, other) => Number(other.pid === pid) - Number(one.pid === pid));
  return chosen;
}

/** The process that a pid file names, if it lives. */
function namedBy(file) {
  try {
    return targets({ 'pid-file': file })[0];
  } catch {
    return undefined;
  }
}

/** The processes that the settings name, once the pid file is up to date. */
async function settledTargets(settings) {
  const until = performance.now() + LAG_MS;
  for (;;) {
    try {
      return targets(settings);
    } catch (error) {
      if (!error.lags || performance.now() > until) throw error;
    }
    await pause(20);
  }
}

/** Stops all that the settings name, with what descends from it. */
async function haltTargets(settings, note) {
  await settledTargets(settings);
  return halt((noted) => trees([...targets(settings), ...noted]), note);
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
  await resetPause(name, settings);
  if (settings.unit) {
    refuseOwnUnit(settings.unit);
    const state = property(settings.unit, 'FreezerState');
    if (state !== 'running') throw new Error(`the unit ${settings.unit} is already ${state}, and not by this mutator`);
    ofPause(name, settings).save({ processes: [] });
    systemctl('freeze', settings.unit);
    return;
  }
  await haltTargets(settings, (fresh, noted) => {
    // What started them is continued with them.
    const stopped = [...fresh, ...(noted.length === fresh.length ? starters(fresh) : [])].find(({ state }) => /[Tt]/.test(state));
    if (stopped !== undefined) throw new Error(`the process ${stopped.pid} is already stopped, and not by this mutator`);
    ofPause(name, settings).save({ processes: noted });
  });
}

async function resetPause(name, settings) {
  const state = ofPause(name, settings).read();
  if (state === undefined) return;
  const { unit } = settings;
  // One that has ended meanwhile cannot be thawed, and need not be.
  if (unit && !['inactive', 'failed'].includes(property(unit, 'ActiveState'))) systemctl('thaw', unit);
  await resume(state.processes);
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
    await resume(killed);
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
  await end(killed);
  if (unit) {
    // Otherwise the limit of starts (StartLimitBurst) would refuse one that is killed often.
    if (property(unit, 'ActiveState') === 'failed') systemctl('reset-failed', unit);
    systemctl('start', unit);
    await readied(settings, async () => {
      const state = property(unit, 'ActiveState');
      if (state === 'failed' || state === 'inactive') throw new Error(`the unit ${unit} was started, and is ${state}`);
      return state === 'active';
    });
  } else await startAgain(name, settings, { ...state, killed });
  ofKill(name, settings).remove();
}

const VARIABLE = 'PERTURB_STARTED_BY';
const LOG_BYTES = 1_000;
/** How long one question whether a service is ready may take. */
const LONGEST_ASK_MS = 5_000;
/** After this long, a service of which nothing else is known counts as ready. */
const LIVES_MS = 1_000;

/** Whether a service is ready, as `ready` asks it. */
async function isReady(ready) {
  const signal = AbortSignal.timeout(LONGEST_ASK_MS);
  const [, host, port] = /^\[?([^\s/[\]]+?)\]?:(\d+)$/.exec(ready) ?? [];
  try {
    if (/^https?:/.test(ready)) return (await fetch(ready, { redirect: 'manual', signal })).ok;
    if (port !== undefined) {
      const socket = connect(Number(port), host);
      await once(socket, 'connect', { signal }).finally(() => socket.destroy());
      return true;
    }
    const [command, ...args] = ready.split(/\s+/);
    const [code] = await once(execFile(command, args, { signal }), 'exit');
    return code === 0;
  } catch {
    return false;
  }
}

/** Waits until a service runs, as `runs` says, and is ready; `runs` throws if it will not be. */
async function readied({ ready }, runs) {
  const due = performance.now() + LIVES_MS;
  for (;;) {
    const isUp = (await runs()) && (ready ? await isReady(ready) : performance.now() >= due);
    // It may have ended meanwhile.
    if (isUp && (await runs())) return;
    await pause(20);
  }
}

/** What was added to a log since it had that many bytes: its last lines. */
function lastLines(path, since) {
  const log = openSync(path, 'r');
  const { size } = fstatSync(log);
  const bytes = Buffer.alloc(Math.min(size - since, LOG_BYTES));
  readSync(log, bytes, 0, bytes.length, size - bytes.length);
  closeSync(log);
  const lines = bytes.toString().trim().split('\n').slice(-10).join('\n');
  return lines === '' ? '' : `: ${lines}`;
}

/** Writes a pid file in one step; a link in the place of the new file is not followed. */
function writePid(file, pid) {
  rmSync(`${file}.new`, { force: true });
  const fd = openSync(`${file}.new`, 'wx');
  writeSync(fd, `${pid}\n`);
  closeSync(fd);
  renameSync(`${file}.new`, file);
}

/**
 * Starts the command once, even if an earlier reset that was killed has started it, or a supervisor has, and waits
 * until it is ready. A pid file that the program writes itself is left to it.
 */
async function startAgain(name, settings, { token, killed }) {
  const { 'pid-file': pidFile, group, command } = settings;
  const file = pidFile || group;
  const named = () => {
    const found = namedBy(file);
    // One that has the pid of one that was killed is another one.
    return killed.some(({ pid }) => pid === found?.pid) ? undefined : found;
  };
  const server = () => named() ?? carriers(VARIABLE, token)[0];
  const log = openLog(`${name}.log`);
  const since = fstatSync(log).size;
  let ended;
  if (server() === undefined) {
    // The command must not be one of the server's: with its variable, it would be ended with the commands that a killed server has left.
    const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('PERTURB_'));
    const [program, ...args] = command.split(/\s+/);
    const child = spawn(program, args, {
      env: { ...Object.fromEntries(inherited), [VARIABLE]: token },
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.once('error', ({ code }) => { ended = { code, at: performance.now() }; });
    child.once('exit', (code, signal) => { ended = { code: code ?? signal, at: performance.now() }; });
    child.unref();
  }
  const failed = (what) => new Error(`${command} was started again, and ${what}${lastLines(`${name}.log`, since)}`);
  // This comes when the time of the actuator is up.
  process.once('SIGTERM', () => {
    console.error(failed(settings.ready ? `is not ready: ${settings.ready}` : 'does not run').message);
    process.exit(1);
  });
  await readied(settings, () => {
    if (server() !== undefined) return true;
    // A program that goes to the background writes its pid file when its first process has ended.
    if (ended !== undefined && (ended.code !== 0 || performance.now() > ended.at + LAG_MS)) throw failed(`has ended (${ended.code})`);
    return false;
  });
  if (named() === undefined) writePid(file, server().pid);
}

/** Throws unless all that the settings name stands still. */
function verifyPause(name, settings) {
  const { unit } = settings;
  if (unit) {
    const state = property(unit, 'FreezerState');
    if (state !== 'frozen') throw new Error(`the unit ${unit} is ${state}`);
    return;
  }
  const running = trees([...targets(settings), ...(ofPause(name, settings).read()?.processes ?? [])]).find((one) => !isHalted(one));
  if (running !== undefined) throw new Error(`the process ${running.pid} is not stopped`);
}

/** Throws unless nothing runs of what was killed, nor anything in its place. */
async function verifyKill(name, settings) {
  const { unit, ready, 'pid-file': pidFile, group } = settings;
  if (unit && property(unit, 'ActiveState') === 'active') throw new Error(`the unit ${unit} is active`);
  const running = ofKill(name, settings).read()?.killed.find(isAlive);
  if (running !== undefined) throw new Error(`the process ${running.pid} has not ended`);
  const again = unit ? undefined : namedBy(pidFile || group);
  if (again !== undefined) throw new Error(`the process ${again.pid} runs in its place`);
  if (ready && (await isReady(ready))) throw new Error(`${ready} is still ready`);
}

await main({
  'inject-pause': injectPause,
  'reset-pause': resetPause,
  'verify-pause': verifyPause,
  'inject-kill': injectKill,
  'reset-kill': resetKill,
  'verify-kill': verifyKill,
});
