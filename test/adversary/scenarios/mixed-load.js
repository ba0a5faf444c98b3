import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { inject, MUTATION, serve, until } from '../harness/server.js';
import { makeSystem } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const CLIENTS = 200;
const KINDS = ['file', 'exec', 'http', 'module'];

/** How far the heap may go up and down; in the few seconds of a small run it still grows. */
const MOST_GROWTH_MB = { full: 32, small: 96 };

/** @param {number} pid */
const memoryOf = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1_024;

/** @param {number} pid */
const filesOf = (pid) => readdirSync(`/proc/${pid}/fd`).length;

/** @param {readonly number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** @type {Scenario} */
export const mixedLoad = {
  name: 'mixed-load',
  promise:
    'under the mixed load of 200 clients memory stays as it is, and in the end all files are closed',
  async run(place, size) {
    if (process.platform !== 'linux') {
      return { figures: '', broken: [], skipped: 'the system does not tell of memory and files' };
    }
    const requests = size === 'full' ? 24_000 : 400;
    const parts = await Promise.all(KINDS.map((kind) => makeSystem(kind, place, 2)));
    const manifest = parts.map((system) => system.manifest).join('\n');
    const { pid, port, url, exit } = await serve(place, {
      manifest,
      options: ['--log-level', 'silent'],
    });
    // What is opened or loaded once is so by now.
    for (const { ids } of parts) for (const id of ids) await inject(url, id);
    const atFirst = filesOf(pid);

    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    place.defer(() => agent.destroy());
    const body = JSON.stringify({ mutation: MUTATION, params: {} });
    /** @type {readonly [string, string, string, number][]} */
    const asks = [
      ['GET', '/mutator', '', 200],
      ...KINDS.flatMap((kind) => [
        /** @type {[string, string, string, number]} */ ([
          'POST',
          `/mutator/${kind}-0/mutation`,
          body,
          201,
        ]),
        /** @type {[string, string, string, number]} */ ([
          'DELETE',
          `/mutator/${kind}-1/mutation`,
          '',
          200,
        ]),
      ]),
      ['GET', '/mutator', '', 200],
      ['POST', '/mutator/module-1/mutation', '{', 400],
      ['DELETE', '/mutator/nobody/mutation', '', 404],
      ['PUT', '/mutator', '', 405],
    ];
    let asked = 0;
    /** @type {Set<string>} */
    const broken = new Set();
    const client = async (/** @type {number} */ number) => {
      for (let turn = number; asked < requests; turn++) {
        asked += 1;
        const [method, path, sent, expected] = /** @type {(typeof asks)[number]} */ (
          asks[turn % asks.length]
        );
        const status = await new Promise((resolve) => {
          const headers = sent === '' ? {} : { 'content-length': sent.length };
          request({ port, host: '127.0.0.1', agent, method, path, headers }, (response) => {
            response.resume().on('end', () => resolve(response.statusCode));
          })
            .on('error', resolve)
            .end(sent);
        });
        if (status !== expected) broken.add(`${method} ${path} was answered ${status}`);
      }
    };
    /** @type {number[]} */
    const memory = [];
    const since = performance.now();
    const timer = setInterval(() => memory.push(memoryOf(pid)), 100);
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
    await Promise.all(clients);
    const rate = Math.round((requests * 1_000) / (performance.now() - since));
    clearInterval(timer);
    agent.destroy();

    // The heap grows at first, to what so many clients need.
    const flat = memory.slice(memory.length / 6);
    const early = Math.round(median(flat.slice(0, flat.length / 2)));
    const late = Math.round(median(flat.slice(flat.length / 2)));
    if (late - early > MOST_GROWTH_MB[size]) broken.add(`memory grew from ${early} to ${late} MB`);
    if (!(await until(() => filesOf(pid) <= atFirst))) {
      broken.add(`${filesOf(pid)} files are open, and ${atFirst} were at first`);
    }
    const files = filesOf(pid);
    process.kill(pid, 'SIGTERM');
    if ((await exit) !== 0) broken.add('the server did not end well');
    const left = parts.reduce((sum, system) => sum + system.active(), 0);
    if (left > 0) broken.add(`${left} are left active`);
    const figures = `${requests} requests, ${rate} a second; memory ${early} MB in the first half, ${late} MB in the second; ${atFirst} files open before, ${files} after`;
    return { figures, broken: [...broken] };
  },
};
