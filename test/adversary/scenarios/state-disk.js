import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { few, injectAll, launch, serve } from '../harness/server.js';
import { makeSystem } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** A namespace in which a disk for the state can be mounted without asking anybody. */
const WRAPPER = ['unshare', '--mount', '--map-root-user'];
const MOUNT =
  'mount -t tmpfs -o size=4m,mode=700 tmpfs state && cp -a saved/. state/ 2>/dev/null || :';

/** @param {'full' | 'read-only'} what @returns {Scenario} */
const disk = (what) => ({
  name: `${what}-disk`,
  promise: `with a ${what} state disk resets go on, also after a crash, and then the start ends with 4`,
  async run(place, size) {
    const at = (/** @type {string} */ name) => join(place.directory, name);
    const probe = spawnSync('unshare', [
      ...WRAPPER.slice(1),
      'mount',
      '-t',
      'tmpfs',
      'tmpfs',
      '/mnt',
    ]);
    if (probe.status !== 0) {
      return { figures: '', broken: [], skipped: 'nothing can be mounted here' };
    }
    const count = size === 'full' ? 100 : 5;
    const system = await makeSystem('file', place, count);
    const fill =
      what === 'full'
        ? 'head -c 8388608 /dev/zero > state/filler 2>/dev/null; :'
        : 'mount -o remount,ro state';
    spawnSync('mkdir', ['-p', at('state'), at('saved')]);
    const start = { manifest: system.manifest, before: MOUNT, wrapper: WRAPPER };

    // It fills while mutators are active.
    const first = await serve(place, start);
    const broken = await injectAll(first.url, system.ids);
    const enter = (/** @type {string} */ command) =>
      spawnSync('nsenter', [
        ...['--target', String(first.pid), '--mount', '--user', '--preserve-credentials'],
        ...['sh', '-c', `cd '${place.directory}' && ${command}`],
      ]);
    const saved = enter('rm -rf saved && cp -a state saved && rm -f saved/*.sock');
    if (saved.status !== 0)
      return { figures: '', broken: [], skipped: 'its disk cannot be entered' };
    const turned = system.ids.map((id) => [id, readFileSync(at(`file/${id}`))]);
    enter(fill);
    process.kill(first.pid, 'SIGTERM');
    await first.exit;
    if (system.active() > 0) broken.push(`${system.active()} are left active in the end`);

    // It was full when the server was started again after a crash.
    for (const [id, bytes] of turned)
      writeFileSync(at(`file/${id}`), /** @type {Buffer} */ (bytes));
    const options = ['--adopt-state'];
    const next = launch(place, { ...start, options, before: `${MOUNT}\n${fill}` });
    const code = await next.exit;
    if (code !== 4) broken.push(`the start ends with ${code}: ${next.said().slice(-300)}`);
    if (system.active() > 0) broken.push(`${system.active()} are left active by the start`);
    if (/delete|another (?:directory )?with/.test(next.said()))
      broken.push(`it advises: ${next.said()}`);
    return { figures: `${count} active, twice`, broken: few(broken) };
  },
});

export const stateDisk = [disk('full'), disk('read-only')];
