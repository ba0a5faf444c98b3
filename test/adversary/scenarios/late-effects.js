import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { inject, serve, until } from '../harness/server.js';
import { listen, mutator } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** @type {Scenario} */
export const lateEffects = {
  name: 'late-effects',
  promise: 'an injection that takes effect after its time-out is reset all the same',
  async run(place) {
    const at = (/** @type {string} */ name) => join(place.directory, name);
    /** @type {boolean} */
    let turned = false;
    // It works on what it was asked, though nobody waits for the answer.
    const server = createServer((request, response) => {
      if (request.method !== 'DELETE') return;
      turned = false;
      response.end();
    });
    const port = await listen(server, place);
    const url = `url = "http://127.0.0.1:${port}/"`;
    const slow = `kind = "http"\ninject = { ${url} }\nreset = { method = "DELETE", ${url} }\ntimeout = "3s"`;
    writeFileSync(
      at('slow.sh'),
      'echo $$ > pid\nwhile [ ! -e late ]; do sleep 0.05; done\ntouch stray\n',
    );
    const stray = `kind = "exec"\ninject = ["sh", "-c", "setsid sh slow.sh & wait"]\nreset = ["true"]\ntimeout = "3s"`;
    // None of them lives for longer than it takes to begin the next.
    writeFileSync(
      at('link.sh'),
      'if [ -e late ]; then touch chained; else setsid sh link.sh & fi\n',
    );
    const chain = `kind = "exec"\ninject = ["sh", "-c", "sh link.sh; sleep 1000"]\nreset = ["true"]\ntimeout = "3s"`;
    const manifest = [mutator('slow', slow), mutator('stray', stray), mutator('chain', chain)].join(
      '\n',
    );
    const running = await serve(place, { manifest });
    const ids = ['slow', 'stray', 'chain'];
    // Each at its own answer: to find the children of another may take longer than the time-out.
    /** @type {string[]} */
    const forgotten = [];
    const statuses = await Promise.all(
      ids.map(async (id) => {
        const status = await inject(running.url, id);
        if (id === 'slow') turned = true;
        if (!(await mayBeActive(running.url, id))) forgotten.push(`${id} counts as reset`);
        return status;
      }),
    );
    const broken = statuses
      .filter((status) => status !== 500)
      .map((status) => `answered ${status}`)
      .concat(forgotten);
    writeFileSync(at('late'), '');
    if (!(await until(() => !turned))) broken.push('the late request is left in force');
    if (!existsSync(at('pid'))) broken.push('no command has left its group');
    if (existsSync(at('stray'))) broken.push('a command that left its group took effect');
    if (existsSync(at('chained'))) broken.push('a command goes on as one child after another');
    if (!/may still take effect/.test(running.said())) broken.push('it was not told');
    process.kill(running.pid, 'SIGTERM');
    if ((await running.exit) !== 0) broken.push('the server did not end well');
    return {
      figures: 'a slow target, a command that leaves its group, and one child after another',
      broken,
    };
  },
};

/**
 * Whether a mutator counts as one that is or may be active.
 *
 * @param {string} url
 * @param {string} id
 * @returns {Promise<boolean>}
 */
async function mayBeActive(url, id) {
  const answer = await fetch(`${url}/mutator`, { headers: { 'perturb-activity': 'true' } });
  const mutators = /** @type {{ mutator_correlation_id: string, attributes: object }[]} */ (
    await answer.json()
  );
  const own = mutators.find((one) => one.mutator_correlation_id === id);
  return 'mutator.perturb.active_since' in (own?.attributes ?? {});
}
