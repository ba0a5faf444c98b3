import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { until } from './server.js';

/** @import { Place } from './scenario.js' */

/** Debian has nginx where only root's PATH leads. */
export const PATH = [process.env['PATH'], '/usr/sbin'].join(delimiter);

/**
 * A system with many knobs.
 *
 * @typedef {object} System
 * @property {string} manifest
 * @property {readonly string[]} ids of its mutators
 * @property {() => number} active how many knobs are turned
 */

/** @param {string} id @param {string} actuator */
export const mutator = (id, actuator) =>
  `[[mutator]]\nname = "${id}"\n[mutator.actuator]\n${actuator}\n`;

/** @param {string} directory @param {string} kind @param {number} count */
function knobs(directory, kind, count) {
  mkdirSync(join(directory, kind), { recursive: true });
  return Array.from({ length: count }, (_, index) => `${kind}-${index}`);
}

/** Knobs that are files: the turned ones are there. @param {string} directory @param {string} kind */
const filesIn = (directory, kind) => () => readdirSync(join(directory, kind)).length;

/** @type {Record<string, (place: Place, count: number) => Promise<System>>} */
const systems = {
  async file({ directory }, count) {
    const ids = knobs(directory, 'file', count);
    for (const id of ids) writeFileSync(join(directory, 'file', id), '{"speed": 0}');
    const actuator = (/** @type {string} */ id) =>
      `kind = "file"\npath = "file/${id}"\nformat = "json"\nkey = ["speed"]\nvalue = 30`;
    return {
      ids,
      manifest: ids.map((id) => mutator(id, actuator(id))).join('\n'),
      active: () =>
        ids.filter((id) => readFileSync(join(directory, 'file', id), 'utf8') !== '{"speed": 0}')
          .length,
    };
  },

  /** All in one file. */
  async shared({ directory }, count) {
    const ids = knobs(directory, 'shared', count);
    const path = join(directory, 'shared', 'all.json');
    const before = JSON.stringify(Object.fromEntries(ids.map((id) => [id, 0])), null, 1);
    writeFileSync(path, before);
    const actuator = (/** @type {string} */ id) =>
      `kind = "file"\npath = "shared/all.json"\nkey = ["${id}"]\nvalue = 30`;
    return {
      ids,
      manifest: ids.map((id) => mutator(id, actuator(id))).join('\n'),
      active: () => readFileSync(path, 'utf8').split(': 30').length - 1,
    };
  },

  async exec({ directory }, count) {
    const ids = knobs(directory, 'exec', count);
    const actuator = (/** @type {string} */ id) =>
      `kind = "exec"\ninject = ["touch", "exec/${id}"]\nreset = ["rm", "-f", "exec/${id}"]\ntimeout = "60s"`;
    const manifest = ids.map((id) => mutator(id, actuator(id))).join('\n');
    return { ids, manifest, active: filesIn(directory, 'exec') };
  },

  async module({ directory }, count) {
    const ids = knobs(directory, 'module', count);
    writeFileSync(
      join(directory, 'knob.mjs'),
      `import { rmSync, writeFileSync } from 'node:fs';
const file = (mutator) => new URL('module/' + mutator, import.meta.url);
export const inject = (mutation, params, mutator) => writeFileSync(file(mutator), '');
export const reset = (mutator) => rmSync(file(mutator), { force: true });
`,
    );
    const actuator = () => 'kind = "module"\npath = "knob.mjs"\ntimeout = "60s"';
    const manifest = ids.map((id) => mutator(id, actuator())).join('\n');
    return { ids, manifest, active: filesIn(directory, 'module') };
  },

  async http(place, count) {
    const ids = knobs(place.directory, 'http', count);
    /** @type {Set<string>} */
    const turned = new Set();
    const server = createServer((request, response) => {
      const id = String(request.url).slice(1);
      if (request.method === 'PUT') turned.add(id);
      else turned.delete(id);
      response.end();
    });
    const port = await listen(server, place);
    const url = (/** @type {string} */ id) => `url = "http://127.0.0.1:${port}/${id}"`;
    const actuator = (/** @type {string} */ id) =>
      `kind = "http"\ninject = { method = "PUT", ${url(id)} }\nreset = { method = "DELETE", ${url(id)} }\ntimeout = "60s"`;
    const manifest = ids.map((id) => mutator(id, actuator(id))).join('\n');
    return { ids, manifest, active: () => turned.size };
  },
};

/**
 * Has a server listen until the scenario ends.
 *
 * @param {import('node:http').Server} server
 * @param {Place} place
 * @returns {Promise<number>} the port
 */
export function listen(server, { defer }) {
  defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
    });
  });
}

/**
 * Starts a server program in the scenario's directory, and waits until it listens on the loopback address.
 *
 * @param {Place} place
 * @param {number} port
 * @param {readonly string[]} command
 */
export async function listening({ directory, defer }, port, [program = '', ...args]) {
  const child = spawn(program, args, { cwd: directory, env: { PATH }, stdio: 'ignore' });
  const ended = once(child, 'close');
  defer(() => {
    child.kill('SIGTERM');
    return ended;
  });
  const hasAnswered = () =>
    new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false));
      socket.unref().once('connect', () => socket.destroy());
    });
  if (!(await until(hasAnswered, 20_000))) throw new Error(`${program} does not listen`);
  return child;
}

/**
 * A port that the system gives to nobody who asks for any, so that it is free for a server that begins anew.
 *
 * @returns {Promise<number>}
 */
export async function ownPort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isFree = await new Promise((done) => {
      server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true));
    });
    if (isFree) return new Promise((done) => server.close(() => done(port)));
  }
}

/** Makes a pipe that nobody writes to, and that does not end. @param {string} path @returns {number} its descriptor */
export function openPipe(path) {
  execFileSync('mkfifo', [path]);
  return openSync(path, 'r+');
}

/**
 * A system with so many knobs of a kind.
 *
 * @param {string} kind
 * @param {Place} place
 * @param {number} count
 */
export function makeSystem(kind, place, count) {
  const make = systems[kind];
  if (make === undefined) throw new Error(`there is no system of kind ${kind}`);
  return make(place, count);
}
