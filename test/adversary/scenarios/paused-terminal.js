import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { injectAll, launch, until } from '../harness/server.js';
import { makeSystem } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** @type {Scenario} */
export const pausedTerminal = {
  name: 'paused-terminal',
  promise: 'a terminal that nobody reads holds up neither requests nor resets',
  async run(place, size) {
    if (spawnSync('script', ['--version']).error !== undefined || process.platform !== 'linux') {
      return { figures: '', broken: [], skipped: 'there is no util-linux "script" for a terminal' };
    }
    const count = size === 'full' ? 200 : 10;
    // Some hundred lines fill what a terminal holds.
    const refusals = size === 'full' ? 10_000 : 1_000;
    const at = (/** @type {string} */ name) => join(place.directory, name);
    const system = await makeSystem('file', place, count);
    // What the terminal shows goes to a file, until its program is stopped.
    const wrapper = ['script', '--quiet', '--flush', '--return', '--command'];
    const program = [
      'node',
      join(import.meta.dirname, '../../../dist/bin.cjs'),
      'serve',
      'mutators',
    ];
    const options = '--manifest mutators.toml --state-dir state --port 0 --log-level info';
    const command = `echo $$ > pid; exec ${program.join(' ')} ${options}`;
    const { child, exit } = launch(place, {
      manifest: system.manifest,
      command: [...wrapper, command, at('shown')],
    });
    const shown = () => (existsSync(at('shown')) ? readFileSync(at('shown'), 'utf8') : '');
    await until(() => /and stops the server\./.test(shown()));
    const url = String(/Serving .* at (http:\S+)/.exec(shown())?.[1]);
    const pid = Number(readFileSync(at('pid'), 'utf8'));
    place.defer(() => {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    });
    const broken = await injectAll(url, system.ids);
    child.kill('SIGSTOP');
    const since = performance.now();
    for (let asked = 0; asked < refusals; asked += 50) {
      await Promise.all(
        Array.from(
          { length: 50 },
          () =>
            new Promise((done) =>
              get(`${url}/nowhere`, (answer) => answer.resume().on('end', done)),
            ),
        ),
      );
    }
    const rate = Math.round((refusals * 1_000) / (performance.now() - since));
    process.kill(pid, 'SIGTERM');
    if (!(await until(() => system.active() === 0))) {
      broken.push(`${system.active()} are left active`);
    }
    const isGone = () => {
      try {
        return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      } catch {
        return true;
      }
    };
    if (!(await until(isGone))) broken.push('the server does not end');
    child.kill('SIGCONT');
    await exit;
    return { figures: `${count} active, ${refusals} log lines, ${rate} requests a second`, broken };
  },
};
