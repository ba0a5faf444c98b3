import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** @import { Place } from './scenario.js' */

const PROGRAM = resolve(import.meta.dirname, '../../../dist/bin.cjs');

export const MUTATION = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';

/**
 * A server in a process of its own, which is killed when the scenario ends.
 *
 * @typedef {object} Server
 * @property {number} pid of Node, also where something was started before it
 * @property {import('node:child_process').ChildProcess} child
 * @property {string} url
 * @property {number} port
 * @property {() => string} said on stderr so far
 * @property {Promise<number | null>} exit its exit code
 */

/**
 * What is to be different from a plain start.
 *
 * @typedef {object} Start
 * @property {string} [manifest] its text; the last one stays where it is not given
 * @property {readonly string[]} [options] more of the command line
 * @property {string} [before] shell commands that run first, such as `ulimit -n 256`
 * @property {Readonly<Record<string, string>>} [env]
 * @property {readonly string[]} [wrapper] what the shell is started by
 * @property {readonly string[]} [command] instead of that of a server
 */

/**
 * Starts a server in a directory, without waiting for it.
 *
 * @param {Place} place
 * @param {Start} [start]
 */
export function launch({ directory, defer }, start = {}) {
  const { manifest, options = [], before = ':', env = {}, wrapper = [], command: other } = start;
  if (manifest !== undefined) writeFileSync(join(directory, 'mutators.toml'), manifest);
  const args = ['serve', 'mutators', '--manifest', 'mutators.toml', '--state-dir', 'state'];
  const words = ['--port', '0', ...options];
  const shell = [...wrapper, 'sh', '-c', `${before}\nexec "$@"`, 'sh'];
  const all = other ?? [...shell, process.execPath, PROGRAM, ...args, ...words];
  const [command = '', ...rest] = all;
  const child = spawn(command, rest, {
    cwd: directory,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'close').then(([code]) => /** @type {number | null} */ (code));
  defer(() => {
    child.kill('SIGKILL');
    return exit;
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return { child, exit, said: () => text };
}

/**
 * Starts a server, and waits until it serves.
 *
 * @param {Place} place
 * @param {Start} [start]
 * @returns {Promise<Server>}
 */
export async function serve(place, start) {
  const { child, exit, said } = launch(place, start);
  let ended = false;
  void exit.then(() => {
    ended = true;
  });
  for (;;) {
    // Most of what a start says is about resets; to search all of it each time would take long.
    const banner = said().slice(-2_000);
    const url = /Serving .* at (https?:\S+)[\s\S]*and stops the server\.\n/.exec(banner)?.[1];
    if (url !== undefined) {
      return {
        pid: Number(child.pid),
        child,
        url,
        port: Number(new URL(url).port),
        said,
        exit,
      };
    }
    if (ended) throw new Error(`the server has not started:\n${said()}`);
    await Promise.race([once(/** @type {any} */ (child.stderr), 'data'), exit]);
  }
}

/**
 * Injects; gives the answer.
 *
 * @param {string} url
 * @param {string} id
 * @param {object} params
 * @returns {Promise<{ status: number | undefined, body: string }>}
 */
function injectionAnswer(url, id, params) {
  const body = JSON.stringify({ mutation: MUTATION, params });
  const headers = { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    // To fetch would take longer than the injection.
    request(`${url}/mutator/${id}/mutation`, { method: 'POST', headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    })
      .on('error', reject)
      .end(body);
  });
}

/**
 * Injects; gives the status.
 *
 * @param {string} url
 * @param {string} id
 * @param {object} [params]
 */
export async function inject(url, id, params = {}) {
  return (await injectionAnswer(url, id, params)).status;
}

/** Resets; gives the status. @param {string} url @param {string} id */
export async function reset(url, id) {
  return (await fetch(`${url}/mutator/${id}/mutation`, { method: 'DELETE' })).status;
}

/**
 * Injects into many, a few at a time.
 *
 * @param {string} url
 * @param {readonly string[]} ids
 * @param {object} [params] of each
 * @returns {Promise<string[]>} what went wrong
 */
export async function injectAll(url, ids, params = {}) {
  /** @type {string[]} */
  const wrong = [];
  const left = [...ids];
  const work = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { status, body } = await injectionAnswer(url, id, params);
      if (status !== 201) wrong.push(`the injection into ${id} was answered ${status}: ${body}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return wrong;
}

/**
 * The first reasons, and how many more there are.
 *
 * @param {readonly string[]} broken
 */
export function few(broken) {
  return broken.length <= 3 ? broken : [...broken.slice(0, 3), `and ${broken.length - 3} more`];
}

/** Waits until a condition holds; gives whether it did in time. @param {() => unknown} condition @param {number} [ms] */
export async function until(condition, ms = 60_000) {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    if (await condition()) return true;
    await new Promise((done) => setTimeout(done, 20));
  }
  return false;
}

/** Seconds since a time, for figures. @param {number} since */
export function secondsSince(since) {
  return `${((performance.now() - since) / 1_000).toFixed(1)} s`;
}

/**
 * The processor time of a process, and of those it began that have ended, in seconds; NaN where the
 * system does not tell.
 *
 * @param {number | 'self'} [pid]
 */
export function processorSeconds(pid = 'self') {
  try {
    // The name before the fields may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [user = 0, system = 0, usersOfChildren = 0, systemsOfChildren = 0] = stat
      .slice(11, 15)
      .map((ticks) => Number(ticks) / 100);
    return { own: user + system, children: usersOfChildren + systemsOfChildren };
  } catch {
    return { own: Number.NaN, children: Number.NaN };
  }
}
