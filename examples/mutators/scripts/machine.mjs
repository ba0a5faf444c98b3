/*
 * Uses up what a machine has: processor, memory and disk, with stress-ng; and fills a file system. On Linux.
 *
 *   node machine.mjs inject-stress|verify-stress|reset-stress NAME fault=cpu|memory|io seconds=SECONDS
 *   node machine.mjs inject-disk|verify-disk|reset-disk NAME path=DIRECTORY
 *
 * NAME.state.json, or that of NAME-FAULT, holds first a token, which the processes of stress-ng have in their
 * environment, and which is in the names of all files that are made: no others are ever ended or removed, except
 * for what descends from these processes.
 */
import { spawn } from 'node:child_process';
import { ftruncateSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statfsSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ancestors, isToken, main, newToken, openLog, run, stateFile } from './common.mjs';
import { carriers, end, halt, trees } from './processes.mjs';

const VARIABLE = 'PERTURB_STRESS';

const STRESS = {
  cpu: ({ load }) => ['--keep-name', '--cpu', '0', '--cpu-load', `${load}`],
  memory: ({ size }) => ['--keep-name', '--vm', '1', '--vm-bytes', `${size}M`, '--vm-keep'],
  io: ({ workers }, directory) => ['--keep-name', '--hdd', `${workers}`, '--hdd-bytes', '64M', '--temp-path', directory],
};

const ofStress = (own) => stateFile(own, {}, { token: isToken });
const temporaryOf = (own, token) => `${own}-${token}.tmp`;

async function injectStress(name, { fault, seconds }, params) {
  const own = `${name}-${fault}`;
  await resetStress(name, { fault });
  if (Object.values(params).every((value) => value === 0)) return;
  const token = newToken();
  const directory = temporaryOf(own, token);
  const log = openLog(`${own}.log`);
  ftruncateSync(log);
  ofStress(own).save({ token });
  mkdirSync(directory);
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('PERTURB_'));
  const child = spawn('stress-ng', [...STRESS[fault](params, directory), '--timeout', `${seconds}s`], {
    env: { ...Object.fromEntries(inherited), [VARIABLE]: token },
    detached: true,
    stdio: ['ignore', log, log],
  });
  let problem;
  child.once('error', (error) => { problem = error.code === 'ENOENT' ? 'stress-ng is not installed' : error.message; });
  child.once('exit', () => { problem ??= `stress-ng has ended: ${readFileSync(`${own}.log`, 'utf8').trim()}`; });
  // It has begun when it has workers.
  while (carriers(VARIABLE, token).length < 2) {
    if (problem !== undefined) throw new Error(problem);
    await pause(20);
  }
  child.unref();
}

async function resetStress(name, { fault }) {
  const own = `${name}-${fault}`;
  const file = ofStress(own);
  const state = file.read();
  if (state === undefined) return;
  await end(await halt((noted) => trees([...carriers(VARIABLE, state.token), ...noted]), () => {}));
  rmSync(temporaryOf(own, state.token), { recursive: true, force: true });
  file.remove();
}

/** The file systems of the files that the server that runs this has open, such as its journal. */
function ownDevices() {
  return ancestors().flatMap(({ pid }) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        const file = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
        return file?.isFile() ? [file.dev] : [];
      });
    } catch {
      return [];
    }
  });
}

const ofDisk = (name, { path }) =>
  stateFile(name, { path }, { directory: (value) => typeof value === 'string', dev: Number.isInteger, token: isToken });
const fillOf = ({ directory, token }) => join(directory, `perturb-fill-${token}`);

function injectDisk(name, settings, { share }) {
  resetDisk(name, settings);
  const { path: named } = settings;
  // A link may lead elsewhere by the time of the reset.
  const path = realpathSync(named);
  const { dev } = statSync(path);
  if (!statSync(path).isDirectory()) throw new Error(`${path} is not a directory`);
  if ([statSync('.').dev, ...ownDevices()].includes(dev)) {
    throw new Error(`${named} is on the file system of the server's own files: name another one`);
  }
  const { blocks, bfree, bavail, bsize } = statfsSync(path);
  const used = blocks - bfree;
  const length = Math.floor((used + bavail) * (share / 100) - used) * bsize;
  if (length <= 0) return;
  const state = { directory: path, dev, token: newToken() };
  const file = fillOf(state);
  ofDisk(name, settings).save(state);
  try {
    run('fallocate', ['--length', `${length}`, file]);
  } catch (error) {
    if (!/not supported/i.test(error.message)) throw error;
    // A file system that cannot reserve space is written to.
    run('fallocate', ['--posix', '--length', `${length}`, file]);
  }
}

function resetDisk(name, settings) {
  const state = ofDisk(name, settings).read();
  if (state === undefined) return;
  const file = fillOf(state);
  const now = statSync(state.directory, { throwIfNoEntry: false });
  if (now?.dev !== state.dev) {
    throw new Error(`${file} is on a file system that is not mounted there now: mount it, or remove ${name}.state.json if it is gone`);
  }
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new Error(`${file} is no longer the file that fills ${state.directory}: remove it, or move it away`);
  if (found !== undefined) unlinkSync(file);
  ofDisk(name, settings).remove();
}

/** Throws unless stress-ng has workers, if it is to have any. */
function verifyStress(name, { fault }, params) {
  if (Object.values(params).every((value) => value === 0)) return;
  const state = ofStress(`${name}-${fault}`).read();
  const found = state === undefined ? 0 : carriers(VARIABLE, state.token).length;
  if (found < 2) throw new Error('stress-ng has no workers');
}

/** How far the fullness of a file system may lie below what was asked, as blocks are whole. */
const SLACK = 0.02;

/** Throws unless a file system has so few free bytes. */
function verifyDisk(_name, { path }, { share }) {
  const { blocks, bfree, bavail, bsize } = statfsSync(path);
  const used = blocks - bfree;
  if (used / (used + bavail) < share / 100 - SLACK) throw new Error(`${path} has ${bavail * bsize} free bytes`);
}

await main({
  'inject-stress': injectStress,
  'reset-stress': resetStress,
  'verify-stress': verifyStress,
  'inject-disk': injectDisk,
  'reset-disk': resetDisk,
  'verify-disk': verifyDisk,
});
