import { few, injectAll, secondsSince, serve } from '../harness/server.js';
import { makeSystem } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** Few: each of 2,000 mutators has one open at most. */
const FEW_FILES = 'ulimit -n 256';

/** @param {string} kind @param {number} most @param {string} [what] @returns {Scenario} */
const ended = (kind, most, what = `of kind ${kind}`) => ({
  name: `many-${kind}`,
  promise: `SIGTERM resets thousands of active mutators ${what}, with 256 open files`,
  async run(place, size) {
    const count = size === 'full' ? most : 40;
    const system = await makeSystem(kind, place, count);
    const server = await serve(place, { manifest: system.manifest, before: FEW_FILES });
    const wrong = await injectAll(server.url, system.ids);
    const turned = system.active();
    if (turned !== count) wrong.push(`only ${turned} of ${count} were injected`);
    const since = performance.now();
    process.kill(server.pid, 'SIGTERM');
    const code = await server.exit;
    const time = secondsSince(since);
    if (code !== 0) wrong.push(`the exit code is ${code}: ${server.said().slice(-300)}`);
    if (system.active() !== 0) wrong.push(`${system.active()} are left active`);
    return { figures: `${count} active, reset in ${time}`, broken: few(wrong) };
  },
});

/** @type {Scenario} */
const killed = {
  name: 'many-killed',
  promise: 'after kill -9 the next start resets thousands of all kinds before it listens',
  async run(place, size) {
    const count = size === 'full' ? 500 : 10;
    const parts = await Promise.all(
      ['file', 'exec', 'module', 'http'].map((kind) => makeSystem(kind, place, count)),
    );
    const manifest = parts.map((system) => system.manifest).join('\n');
    const active = () => parts.reduce((sum, system) => sum + system.active(), 0);
    const first = await serve(place, { manifest, before: FEW_FILES });
    const wrong = await injectAll(
      first.url,
      parts.flatMap(({ ids }) => ids),
    );
    process.kill(first.pid, 'SIGKILL');
    await first.exit;
    if (active() !== 4 * count) wrong.push(`only ${active()} of ${4 * count} were injected`);
    const since = performance.now();
    const next = await serve(place, { before: FEW_FILES });
    const time = secondsSince(since);
    if (active() !== 0) wrong.push(`${active()} are left active when it serves`);
    process.kill(next.pid, 'SIGTERM');
    if ((await next.exit) !== 0) wrong.push('the next server did not end well');
    return { figures: `${4 * count} active, reset in ${time}`, broken: few(wrong) };
  },
};

export const manyActive = [
  ended('file', 2_000),
  ended('shared', 1_000, 'in one file'),
  ended('exec', 2_000),
  ended('http', 2_000),
  ended('module', 2_000),
  killed,
];
