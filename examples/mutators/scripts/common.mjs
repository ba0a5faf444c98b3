/*
 * What the scripts of ready-made mutators share: a state that is on the disk before anything is
 * changed and that only they can have written, and the processes that they must leave alone.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** A random part of the names of what a mutator makes. */
export const newToken = () => randomBytes(12).toString('hex');
export const isToken = (value) => /^[\da-f]{24}$/.test(value);

const MOST_BYTES = 1 << 20;

/** Why an open file may hold what others wrote; undefined if only this user can have written it. */
function distrust(fd) {
  const found = fstatSync(fd);
  const own = process.geteuid();
  if (!found.isFile()) return 'it is not a regular file';
  if (found.uid !== own) return `it belongs to user ${found.uid}, not to ${own}`;
  if ((found.mode & 0o022) !== 0) return 'other users may write to it';
  if (found.nlink > 1) return 'it has more than one name';
  return undefined;
}

/** Opens a file without following a link or waiting; undefined if there is none. */
function openUnlinked(path, flags, refuse) {
  try {
    return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    // A link, a directory to write to, a socket or a pipe.
    if (['ELOOP', 'EISDIR', 'ENXIO'].includes(error.code)) refuse('it is not a regular file');
    throw error;
  }
}

/** Opens a log to add to it; returns its descriptor. */
export function openLog(path) {
  const refuse = (reason) => {
    throw new Error(`refusing to write to ${path}: ${reason}. Move it away.`);
  };
  const log = openUnlinked(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, refuse);
  const reason = distrust(log);
  if (reason !== undefined) refuse(reason);
  return log;
}

/** The directory as no copy of it, and no other directory, is. */
const placeOf = () => `${statSync('.', { bigint: true }).ino}:${realpathSync('.')}`;

/**
 * The file of what a mutator has changed, or was about to change. A file that this user's mutator did not write
 * here, for the same target, is refused: it would have something of others removed, started or killed.
 *
 * @param target the settings that name what is changed
 * @param shape a predicate for each key of the state
 */
export function stateFile(name, target, shape) {
  const file = `${name}.state.json`;
  const refuse = (reason) => {
    throw new Error(`refusing ${file}: ${reason}. Nothing was touched. Check what it names, then remove it.`);
  };
  const parse = (text) => {
    try {
      const parsed = JSON.parse(text);
      const hasShape = Object.entries(shape).every(([key, is]) => is(parsed.state[key]));
      if (hasShape && Object.keys(parsed.state).every((key) => Object.hasOwn(shape, key))) return parsed;
    } catch {
      // It is refused as well.
    }
    return refuse('it is not a state of this mutator');
  };
  return {
    /** What it holds; undefined where nothing is changed. */
    read() {
      const fd = openUnlinked(file, constants.O_RDONLY, refuse);
      if (fd === undefined) return undefined;
      try {
        const reason = distrust(fd) ?? (fstatSync(fd).size > MOST_BYTES ? 'it is too large' : undefined);
        if (reason !== undefined) refuse(reason);
        const noted = parse(readFileSync(fd, 'utf8'));
        if (noted.place !== placeOf()) refuse('it was written in another directory');
        const changed = Object.keys(target).find((key) => (noted.target?.[key] ?? '') !== (target[key] ?? ''));
        if (changed !== undefined) refuse(`it was written for another ${changed} than ${target[changed] || 'none'}`);
        return noted.state;
      } finally {
        closeSync(fd);
      }
    },
    /** Writes it in one step; it is on the disk when this returns. */
    save(state) {
      const fresh = `${file}.new`;
      rmSync(fresh, { force: true });
      const fd = openSync(fresh, 'wx', 0o600);
      writeSync(fd, JSON.stringify({ place: placeOf(), target, state }));
      fsyncSync(fd);
      closeSync(fd);
      renameSync(fresh, file);
      const directory = openSync('.', 'r');
      fsyncSync(directory);
      closeSync(directory);
    },
    remove() {
      rmSync(file, { force: true });
    },
  };
}

/** Runs a command to its end; gives what it printed, and throws what it complained about. */
export function run(command, args, input = '') {
  try {
    return execFileSync(command, args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`${command} is not installed`);
    throw new Error(`${command} ${args.join(' ')}: ${(error.stderr || error.message).trim()}`);
  }
}

/** A process as the system knows it; undefined where there is none. */
export function processOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group] = fields;
    // No other process ever has the same pid and start.
    return { pid, state, parent: Number(parent), group: Number(group), threads: Number(fields[17]), start: fields[19] };
  } catch {
    return undefined;
  }
}

/** The processes that this one descends from, the nearest first: the server is among them. */
export function ancestors() {
  const found = [];
  for (let at = processOf(process.ppid); at !== undefined; at = processOf(at.parent)) found.push(at);
  return found;
}

/**
 * Waits until no other process changes the state of that name in this directory, as a second server would.
 * On Linux an abstract socket is a lock that ends with its process.
 */
async function lock(name) {
  if (process.platform !== 'linux') return;
  const { dev, ino } = statSync('.');
  for (;;) {
    const server = createServer().unref();
    server.listen(`\0perturb-${dev}-${ino}-${name}`);
    try {
      await once(server, 'listening');
      return;
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
      await pause(20);
    }
  }
}

/**
 * Does what the command line says: an action, the name of the mutators, and `key=value` settings.
 *
 * @param actions functions of the name, the settings, and the parameters of the mutation
 */
export async function main(actions) {
  const [, , action, name, ...words] = process.argv;
  try {
    if (actions[action] === undefined) throw new Error(`usage: ${Object.keys(actions).join('|')} NAME key=value ...`);
    const settings = Object.fromEntries(words.map((word) => word.split(/=(.*)/s, 2)));
    const given = /^(?:inject|verify)-/.test(action) ? JSON.parse(await text(process.stdin)).params : {};
    await lock([name, settings.fault].join('-'));
    await actions[action](name, settings, given);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
