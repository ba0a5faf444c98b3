import { few, injectAll, processorSeconds, serve } from '../harness/server.js';
import { makeSystem } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** Few: each of thousands of mutators has one open at most. */
const FEW_FILES = 'ulimit -n 256';

/** A time that grows with the square would be 16 times as long for four times as many. */
const MOST_GROWTH = 10;

/** So short a time says nothing of how it grows. */
const SLACK_SECONDS = 2;

/** @param {number} since */
const secondsSince = (since) => (performance.now() - since) / 1_000;

/** @param {string} kind @param {number} most @param {string} [what] @returns {Scenario} */
const many = (kind, most, what = `of kind ${kind}`) => ({
  name: `many-${kind}`,
  promise: `many active mutators ${what} are reset at SIGTERM, and by the start after kill -9, with 256 open files, in a time linear in their number`,
  async run(place, size) {
    const count = size === 'full' ? most : 20;
    const system = await makeSystem(kind, place, count);
    /** @type {string[]} */
    const broken = [];
    // How long it takes where the machine has much else to do is not what is attacked.
    const options = ['--shutdown-timeout', '10min'];
    const start = { manifest: system.manifest, before: FEW_FILES, options };
    /** Starts a server that has so many active. @param {readonly string[]} ids */
    const serveActive = async (ids) => {
      const server = await serve(place, start);
      if (system.active() > 0) broken.push(`${system.active()} are active when it serves`);
      broken.push(...(await injectAll(server.url, ids)));
      const turned = system.active();
      if (turned !== ids.length) broken.push(`only ${turned} of ${ids.length} were injected`);
      return server;
    };
    /** @param {import('../harness/server.js').Server} server */
    const end = async (server) => {
      const since = performance.now();
      const { own, children } = processorSeconds(server.pid);
      const before = processorSeconds().children + own + children;
      process.kill(server.pid, 'SIGTERM');
      const code = await server.exit;
      const seconds = secondsSince(since);
      const work = processorSeconds().children - before;
      if (code !== 0) broken.push(`the exit code is ${code}: ${server.said().slice(-300)}`);
      if (system.active() > 0) broken.push(`${system.active()} are left active in the end`);
      // What else the machine does makes the time longer, but not the work.
      return { seconds, cost: Number.isNaN(work) ? seconds : work };
    };

    // Of few nothing is learnt of how the time grows.
    const quarter =
      size === 'full'
        ? await end(await serveActive(system.ids.slice(0, count / 4)))
        : { seconds: 0, cost: 0 };
    const killed = await serveActive(system.ids);
    process.kill(killed.pid, 'SIGKILL');
    await killed.exit;
    const since = performance.now();
    const next = await serve(place, start);
    const recovery = secondsSince(since);
    if (system.active() > 0) broken.push(`${system.active()} are left active after kill -9`);
    broken.push(...(await injectAll(next.url, system.ids)));
    const turned = system.active();
    if (turned !== count) broken.push(`only ${turned} of ${count} were injected`);
    const all = await end(next);
    if (size === 'full' && all.cost > SLACK_SECONDS + MOST_GROWTH * quarter.cost) {
      const costs = [quarter.cost, all.cost].map((one) => `${one.toFixed(1)} s`);
      broken.push(`a quarter took ${costs[0]} of a processor, and all of them ${costs[1]}`);
    }
    const times = `${count / 4} in ${quarter.seconds.toFixed(1)} s, ${count} in ${all.seconds.toFixed(1)} s, after kill -9 in ${recovery.toFixed(1)} s`;
    return { figures: times, broken: few(broken) };
  },
});

export const manyActive = [
  many('file', 1_000),
  many('shared', 600, 'in one file'),
  many('exec', 1_000),
  many('http', 2_000),
  many('module', 2_000),
];
