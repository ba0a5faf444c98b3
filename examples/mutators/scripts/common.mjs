/*
 * What the scripts of ready-made mutators share: a state that is on the disk before anything is
 * changed, and the processes that they must leave alone.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const stateFile = (name) => `${name}.state.json`;

/** What a mutator has changed, or was about to change; undefined for nothing. */
export function readState(name) {
  try {
    return JSON.parse(readFileSync(stateFile(name), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the state in one step; it is on the disk when this returns. */
export function saveState(name, state) {
  const fresh = `${stateFile(name)}.new`;
  const file = openSync(fresh, 'w', 0o600);
  writeSync(file, JSON.stringify(state));
  fsyncSync(file);
  closeSync(file);
  renameSync(fresh, stateFile(name));
  const directory = openSync('.', 'r');
  fsyncSync(directory);
  closeSync(directory);
}

export function removeState(name) {
  rmSync(stateFile(name), { force: true });
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
    return { pid, state, parent: Number(parent), group: Number(group), start: fields[19] };
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
    const given = action.startsWith('inject') ? JSON.parse(await text(process.stdin)).params : {};
    await lock([name, settings.fault].join('-'));
    await actions[action](name, settings, given);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
