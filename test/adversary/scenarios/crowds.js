import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { get as getTls } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { inject, MUTATION, processorSeconds, secondsSince, serve } from '../harness/server.js';
import { makeSystem } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** How much memory a process has had at most, in MB. @param {number} pid */
const peakOf = (pid) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1_024;

/** @param {import('../harness/scenario.js').Place} place */
async function oneMutator(place) {
  const system = await makeSystem('file', place, 1);
  return system.manifest;
}

/** @param {number} port @param {string | Buffer} sent @returns {Promise<import('node:net').Socket>} */
function open(port, sent) {
  return settled(connect(port, '127.0.0.1'), 'connect', sent);
}

/** With the handshake of TLS behind it. @param {number} port @param {string} sent */
function openTls(port, sent) {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  return settled(socket, 'secureConnect', sent);
}

/**
 * @param {import('node:net').Socket} socket
 * @param {string} event when it can be used
 * @param {string | Buffer} sent
 * @returns {Promise<import('node:net').Socket>}
 */
function settled(socket, event, sent) {
  return new Promise((resolve) => {
    socket.on('error', () => {}).resume();
    socket.once(event, () => {
      if (sent.length > 0) socket.write(sent);
      resolve(socket);
    });
    socket.once('close', () => resolve(socket));
  });
}

/** Whether the list is answered in time, to a client of its own. @param {string} url */
function isServed(url) {
  const ask = url.startsWith('https:') ? getTls : get;
  return new Promise((resolve) => {
    const options = { agent: false, rejectUnauthorized: false, timeout: 30_000 };
    ask(`${url}/mutator`, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    })
      .on('timeout', () => resolve(false))
      .on('error', () => resolve(false));
  });
}

const HALF_HEAD = 'GET /mutator HTTP/1.1\r\nHost: ';
const DENIED = 'GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n';
const HALF_BODY =
  'POST /mutator/file-0/mutation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{';

/** How somebody opens connections to hold them. */
const plainKinds = {
  idle: (/** @type {number} */ port) => open(port, ''),
  'half a head': (/** @type {number} */ port) => open(port, HALF_HEAD),
  'kept alive': (/** @type {number} */ port) => open(port, DENIED),
  'half a body': (/** @type {number} */ port) => open(port, HALF_BODY),
};
const tlsKinds = {
  'no handshake': (/** @type {number} */ port) => open(port, ''),
  'half a handshake': (/** @type {number} */ port) =>
    open(port, Buffer.from('16030100c8010000c40303', 'hex')),
  idle: (/** @type {number} */ port) => openTls(port, ''),
  'half a head': (/** @type {number} */ port) => openTls(port, HALF_HEAD),
  'kept alive': (/** @type {number} */ port) => openTls(port, DENIED),
};

/**
 * @param {import('../harness/scenario.js').Place} place
 * @param {import('../harness/scenario.js').Size} size
 * @param {readonly string[]} options
 * @param {number} most
 * @param {Readonly<Record<string, (port: number) => Promise<import('node:net').Socket>>>} kinds
 */
async function crowd(place, size, options, most, kinds) {
  const manifest = await oneMutator(place);
  const count = size === 'full' ? most : 150;
  const before = size === 'full' ? ':' : 'ulimit -n 128';
  const server = await serve(place, { manifest, before, options });
  /** @type {string[]} */
  const broken = [];
  const since = performance.now();
  for (const [kind, openOne] of Object.entries(kinds)) {
    const sockets = await Promise.all(Array.from({ length: count }, () => openOne(server.port)));
    if (!(await isServed(server.url))) {
      broken.push(`${count} connections with ${kind} lock others out`);
    }
    for (const socket of sockets) socket.destroy();
  }
  const figures = `${count} connections of each of ${Object.keys(kinds).length} kinds, answered within ${secondsSince(since)} in all`;
  return { figures, broken };
}

/** @type {Scenario} */
export const idleConnections = {
  name: 'idle-connections',
  promise: 'connections that are idle, half-open or denied lock nobody out',
  run: (place, size) => crowd(place, size, [], 1_500, plainKinds),
};

/** @type {Scenario} */
export const idleTls = {
  name: 'idle-tls',
  promise: 'connections of TLS that are idle, half-open or denied lock nobody out',
  async run(place, size) {
    const at = (/** @type {string} */ name) => join(place.directory, name);
    const words =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost';
    const files = ['-keyout', at('key.pem'), '-out', at('cert.pem')];
    if (spawnSync('openssl', [...words.split(' '), ...files]).status !== 0) {
      return { figures: '', broken: [], skipped: 'there is no openssl for a certificate' };
    }
    const options = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];
    return crowd(place, size, options, 1_200, tlsKinds);
  },
};

/** @type {Scenario} */
export const pipelining = {
  name: 'pipelining',
  promise: 'a connection that sends without end takes little memory, and SIGTERM keeps its limit',
  async run(place, size) {
    const manifest = await oneMutator(place);
    const server = await serve(place, { manifest });
    const many = size === 'full' ? 300_000 : 3_000;
    const socket = await open(server.port, '');
    // It never reads an answer.
    socket.pause();
    const one = 'GET /mutator HTTP/1.1\r\nHost: localhost\r\n\r\n';
    for (let sent = 0; sent < many; sent += 1_000) socket.write(one.repeat(1_000));
    /** @type {string[]} */
    const broken = [];
    for (let round = 0; round < (size === 'full' ? 50 : 10); round++) {
      const answer = await fetch(`${server.url}/mutator`, { signal: AbortSignal.timeout(30_000) });
      await answer.arrayBuffer();
    }
    const memory = Math.round(peakOf(server.pid));
    if (memory > 200) broken.push(`${memory} MB were taken`);
    const since = performance.now();
    process.kill(server.pid, 'SIGTERM');
    const code = await server.exit;
    const time = secondsSince(since);
    if (code !== 0) broken.push(`the exit code is ${code}`);
    if (performance.now() - since > 30_000) broken.push(`it took ${time} to end`);
    socket.destroy();
    return { figures: `${many} requests at once: ${memory} MB at most, ended in ${time}`, broken };
  },
};

/** To refuse a body may cost so many times what it costs to parse it. */
const MOST_READINGS = 15;

/** So short a time says nothing. */
const SLACK_SECONDS = 1;

/** @type {Scenario} */
export const manyMembers = {
  name: 'many-members',
  promise:
    'bodies of up to 1 MiB with ten thousands of unknown parameters are refused, and hold up nobody for long',
  async run(place, size) {
    const manifest = await oneMutator(place);
    const server = await serve(place, { manifest });
    const count = size === 'full' ? 16 : 2;
    const params = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`spee${at}`, 1]));
    /** @type {string[]} */
    const broken = [];
    const since = performance.now();
    const before = processorSeconds(server.pid).own;
    const refusals = Array.from({ length: count }, () => inject(server.url, 'file-0', params));
    if (!(await isServed(server.url))) broken.push('the list is not answered meanwhile');
    const statuses = await Promise.all(refusals);
    if (statuses.some((status) => status !== 400)) broken.push(`the statuses are ${statuses}`);
    const work = processorSeconds(server.pid).own - before;
    const body = JSON.stringify({ mutation: MUTATION, params });
    const began = processorSeconds().own;
    for (let number = 0; number < count; number++) JSON.parse(body);
    const reading = processorSeconds().own - began;
    if (work > SLACK_SECONDS + MOST_READINGS * reading)
      broken.push(`they cost ${work.toFixed(1)} s, and to parse them ${reading.toFixed(1)} s`);
    const huge = { mutation: MUTATION, params: { note: 'x'.repeat(1024 * 1024) } };
    const { status } = await fetch(`${server.url}/mutator/file-0/mutation`, {
      method: 'POST',
      body: JSON.stringify(huge),
    });
    if (status !== 413) broken.push(`more than 1 MiB is answered by ${status}`);
    return { figures: `${count} bodies, refused within ${secondsSince(since)} in all`, broken };
  },
};
