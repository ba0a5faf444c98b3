import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { perturb } from '../harness/program.js';
import { few, injectAll, until } from '../harness/server.js';
import { makeSystem, openPipe, ownPort } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const REFLECTOR = resolve(import.meta.dirname, '../../server/programs/reflector.js');

/** What a plugin may have as stdin. */
const STDINS = ['a pipe', 'closed', 'inherited', '/dev/null'];

/** So soon must the resets begin. */
const SOON_SECONDS = 2;

/** @type {Scenario} */
export const reflectorKills = {
  name: 'reflector-kills',
  promise:
    'a plugin whose reflector is killed at any moment, whatever its stdin, resets within 2 s, and ends',
  alone: true,
  async run(place, size) {
    const { directory, defer } = place;
    const parts = await Promise.all(['file', 'exec'].map((kind) => makeSystem(kind, place, 2)));
    const ids = parts.flatMap((system) => system.ids);
    const active = () => parts.reduce((sum, system) => sum + system.active(), 0);
    const port = await ownPort();
    const config = join(directory, 'reflector.toml');
    writeFileSync(config, `[mutation]\nmutator-http-api-port = ${port}\n`);
    writeFileSync(
      join(directory, 'mutators.toml'),
      parts.map(({ manifest }) => manifest).join('\n'),
    );
    const install = ['serve', 'mutators', '--install-plugin', 'drone', '--plugins-dir', '.'];
    const { code, stderr } = await perturb(directory, install);
    if (code !== 0) throw new Error(`the plugin is not installed: ${stderr}`);
    const pipe = openPipe(join(directory, 'pipe'));
    defer(() => closeSync(pipe));

    /** @type {string[]} */
    const broken = [];
    const counts = { rounds: size === 'full' ? 100 : 4, serving: 0, disturbed: 0, seconds: 0 };
    for (let round = 0; round < counts.rounds; round++) {
      const stdin = STDINS[round % STDINS.length] ?? '';
      const reflector = spawn(process.execPath, [REFLECTOR, join(directory, 'drone'), stdin], {
        cwd: directory,
        // As a service has: a process that lost its creator can be told by its session.
        detached: true,
        env: { PATH: process.env['PATH'], PLATFORM_REFLECTOR_CONFIG: config },
        stdio: [pipe, 'pipe', 'pipe'],
      });
      const ended = once(reflector, 'close');
      const said = { text: '', pid: 0, endedAt: Number.NaN };
      reflector.stdout?.on('data', (pid) => {
        said.pid = Number(pid);
      });
      reflector.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        said.text += text;
        if (Number.isNaN(said.endedAt) && / shutting down: /.test(said.text)) {
          said.endedAt = performance.now();
        }
      });
      defer(() => said.pid > 0 && isRunning(said.pid) && process.kill(said.pid, 'SIGKILL'));
      const isServing = () => said.text.includes('Serving ');
      let over = false;
      const load = async () => {
        while (!over) {
          await injectAll(`http://127.0.0.1:${port}`, ids).catch(() => {});
          await delay(10);
        }
      };
      const loading = load();
      // Half of them where there is something to reset, and the rest at any moment of the start.
      if (round % 8 < 4) await until(() => active() > 0);
      await delay(Math.random() * 600);
      if (isServing()) counts.serving += 1;
      if (active() > 0) counts.disturbed += 1;
      const killed = performance.now();
      reflector.kill('SIGKILL');
      // The plugin has the same stdout and stderr, so these close when it has ended.
      if (!(await Promise.race([ended, delay(30_000, false, { ref: false })]))) {
        broken.push(`round ${round}, stdin ${stdin}: the plugin lives on`);
      }
      over = true;
      await loading;
      const seconds = (said.endedAt - killed) / 1_000;
      if (seconds > counts.seconds) counts.seconds = seconds;
      if (active() > 0) broken.push(`round ${round}, stdin ${stdin}: ${active()} are left active`);
    }
    if (size === 'full' && counts.seconds > SOON_SECONDS) {
      broken.push(`resets began ${counts.seconds.toFixed(1)} s after a kill`);
    }
    if (counts.disturbed === 0) broken.push('no kill found anything active, which proves nothing');
    return {
      figures: `${counts.rounds} kills, ${counts.serving} of them of plugins that served, ${counts.disturbed} with mutators active; resets began within ${counts.seconds.toFixed(1)} s`,
      broken: few(broken),
    };
  },
};

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
