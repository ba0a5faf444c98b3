import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, launch, serve } from '../harness/server.js';
import { mutator } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const WIND = 'kind = "file"\npath = "wind.conf"\ntemplate = "mutated"';
const RAIN = 'kind = "exec"\ninject = ["touch", "rain"]\nreset = ["rm", "-f", "rain"]';
const MANIFEST = `${mutator('wind', WIND)}\n${mutator('rain', RAIN)}`;

/** How soon a server must have ended. */
const MOST_MS = 2_000;

/** @type {Scenario} */
export const removedState = {
  name: 'removed-state',
  promise:
    'a server whose state directory is removed, idle or not, resets what it knows and ends within 2 s; no answer says that all is well, and no other server takes the directory before that',
  alone: true,
  async run(place) {
    const at = (/** @type {string} */ name) => join(place.directory, name);
    writeFileSync(at('wind.conf'), 'as it was');
    /** @type {string[]} */
    const broken = [];
    /** @type {number[]} */
    const times = [];
    /**
     * Removes a part of a server's state, and waits for its end.
     *
     * @param {Awaited<ReturnType<typeof serve>>} server
     * @param {string} part
     * @param {number} expected its exit code
     * @param {() => Promise<number | undefined>} [request] whose answer must not be a success
     */
    const remove = async (server, part, expected, request) => {
      const removed = performance.now();
      rmSync(at(part), { recursive: true });
      // The server may be gone before it is asked.
      const status = await request?.().catch(() => undefined);
      if (status !== undefined && status < 400) broken.push(`${part}: an answer is ${status}`);
      const code = await server.exit;
      times.push(performance.now() - removed);
      if (code !== expected) broken.push(`without ${part}, the server ends with ${code}`);
    };

    const first = await serve(place, { manifest: MANIFEST });
    for (const id of ['wind', 'rain']) await inject(first.url, id);
    const url = `${first.url}/mutator/wind/mutation`;
    await remove(first, 'state', 1, async () => (await fetch(url, { method: 'DELETE' })).status);
    if (existsSync(at('rain'))) broken.push('what can be reset was not');
    if (!first.said().includes('is missing from the state directory')) {
      broken.push(`the log does not say why: ${first.said().slice(-500)}`);
    }

    writeFileSync(at('wind.conf'), 'as it was');
    const second = await serve(place);
    await remove(second, 'state/journal', 4, () => inject(second.url, 'wind'));
    if (readFileSync(at('wind.conf'), 'utf8') !== 'as it was') broken.push('it was mutated');

    await remove(await serve(place), 'state', 4);

    const last = await serve(place);
    last.child.kill('SIGSTOP');
    rmSync(at('state'), { recursive: true });
    const other = launch(place);
    if ((await other.exit) !== 4) broken.push(`another server has started: ${other.said()}`);
    last.child.kill('SIGCONT');
    await last.exit;

    const most = Math.max(...times);
    if (most > MOST_MS) broken.push(`a server ended after ${Math.round(most)} ms`);
    const figures = `the whole directory, also of an idle server, and the journal; ended within ${(most / 1_000).toFixed(1)} s`;
    return { figures, broken };
  },
};
