import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { secondsSince, serve } from '../harness/server.js';
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

/** @param {number} port @param {string} text @returns {Promise<import('node:net').Socket>} */
function open(port, text) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.once('connect', () => {
      if (text !== '') socket.write(text);
      resolve(socket);
    });
    socket.once('close', () => resolve(socket));
  });
}

/** @type {Scenario} */
export const idleConnections = {
  name: 'idle-connections',
  promise: 'connections that are idle, half-open or denied lock nobody out',
  async run(place, size) {
    const manifest = await oneMutator(place);
    const count = size === 'full' ? 1_500 : 300;
    const before = size === 'full' ? ':' : 'ulimit -n 256';
    const server = await serve(place, { manifest, before });
    /** @type {string[]} */
    const broken = [];
    const kinds = {
      idle: '',
      'half a head': 'GET /mutator HTTP/1.1\r\nHost: ',
      'kept alive': 'GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'half a body':
        'POST /mutator/file-0/mutation HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{',
    };
    const since = performance.now();
    for (const [kind, text] of Object.entries(kinds)) {
      const sockets = await Promise.all(
        Array.from({ length: count }, () => open(server.port, text)),
      );
      const answer = await fetch(`${server.url}/mutator`, {
        signal: AbortSignal.timeout(10_000),
      }).catch(() => undefined);
      if (answer?.status !== 200) broken.push(`${count} connections with ${kind} lock others out`);
      await answer?.arrayBuffer();
      for (const socket of sockets) socket.destroy();
    }
    const figures = `${count} connections of each of ${Object.keys(kinds).length} kinds, answered within ${secondsSince(since)} in all`;
    return { figures, broken };
  },
};

/** @type {Scenario} */
export const pipelining = {
  name: 'pipelining',
  promise: 'a connection that sends without end takes little memory, and SIGTERM keeps its limit',
  async run(place, size) {
    const manifest = await oneMutator(place);
    const server = await serve(place, { manifest });
    const many = size === 'full' ? 300_000 : 20_000;
    const socket = await open(server.port, '');
    // It never reads an answer.
    socket.pause();
    const one = 'GET /mutator HTTP/1.1\r\nHost: localhost\r\n\r\n';
    for (let sent = 0; sent < many; sent += 1_000) socket.write(one.repeat(1_000));
    /** @type {string[]} */
    const broken = [];
    for (let round = 0; round < 50; round++) {
      const answer = await fetch(`${server.url}/mutator`, { signal: AbortSignal.timeout(5_000) });
      await answer.arrayBuffer();
    }
    const memory = Math.round(peakOf(server.pid));
    if (memory > 200) broken.push(`${memory} MB were taken`);
    const since = performance.now();
    process.kill(server.pid, 'SIGTERM');
    const code = await server.exit;
    const time = secondsSince(since);
    if (code !== 0) broken.push(`the exit code is ${code}`);
    if (performance.now() - since > 10_000) broken.push(`it took ${time} to end`);
    socket.destroy();
    return { figures: `${many} requests at once: ${memory} MB at most, ended in ${time}`, broken };
  },
};
