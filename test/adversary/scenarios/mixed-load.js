import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { MUTATION, serve } from '../harness/server.js';
import { makeSystem } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const CLIENTS = 200;

/** @param {number} pid */
const use = (pid) => ({
  files: readdirSync(`/proc/${pid}/fd`).length,
  memory: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1_024,
});

/** @type {Scenario} */
export const mixedLoad = {
  name: 'mixed-load',
  promise: 'memory and open files stay flat under the mixed load of 200 clients',
  async run(place, size) {
    const seconds = size === 'full' ? 60 : 3;
    const system = await makeSystem('module', place, 8);
    const { pid, port, exit } = await serve(place, {
      manifest: system.manifest,
      options: ['--log-level', 'silent'],
    });
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    place.defer(() => agent.destroy());
    const body = JSON.stringify({ mutation: MUTATION, params: {} });
    /** @type {readonly [string, string, string, number][]} */
    const asks = [
      ['GET', '/mutator', '', 200],
      ['GET', '/mutator', '', 200],
      ['POST', '/mutator/module-0/mutation', body, 201],
      ['POST', '/mutator/module-1/mutation', '{', 400],
      ['DELETE', '/mutator/module-2/mutation', '', 200],
      ['DELETE', '/mutator/nobody/mutation', '', 404],
      ['PUT', '/mutator', '', 405],
    ];
    let answered = 0;
    let over = false;
    /** @type {Set<string>} */
    const broken = new Set();
    const client = async (/** @type {number} */ number) => {
      for (let turn = number; !over; turn++) {
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
        answered += 1;
        if (status !== expected) broken.add(`${method} ${path} was answered ${status}`);
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
    const wait = (/** @type {number} */ part) =>
      new Promise((done) => setTimeout(done, part * seconds * 1_000));
    await wait(0.3);
    const early = use(pid);
    await wait(0.7);
    const late = use(pid);
    over = true;
    await Promise.all(clients);
    if (late.files > early.files + 10)
      broken.add(`open files grew from ${early.files} to ${late.files}`);
    const growth = Math.round(late.memory - early.memory);
    // The heap breathes.
    if (growth > 48) broken.add(`memory grew by ${growth} MB`);
    process.kill(pid, 'SIGTERM');
    if ((await exit) !== 0) broken.add('the server did not end well');
    const figures = `${seconds} s, ${Math.round(answered / seconds)} requests a second; files ${early.files} and ${late.files}, memory ${Math.round(early.memory)} and ${Math.round(late.memory)} MB`;
    return { figures, broken: [...broken] };
  },
};
