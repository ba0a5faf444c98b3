import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { few, injectAll, serve } from '../harness/server.js';
import { makeSystem } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** Copies a directory, but for sockets. @param {string} from @param {string} to */
const copy = (from, to) =>
  cpSync(from, to, { recursive: true, filter: (name) => !name.endsWith('.sock') });

/** @type {Scenario} */
export const damagedJournal = {
  name: 'damaged-journal',
  promise: 'a damaged journal has every mutator reset before the server listens, and it says so',
  async run(place, size) {
    const { directory } = place;
    const at = (/** @type {string} */ name) => join(directory, name);
    const system = await makeSystem('file', place, 3);
    const first = await serve(place, { manifest: system.manifest });
    const wrong = await injectAll(first.url, system.ids);
    process.kill(first.pid, 'SIGKILL');
    await first.exit;
    for (const name of ['file', 'state']) copy(at(name), at(`${name}.active`));

    const whole = readFileSync(at('state.active/journal'));
    // The tests of the journal damage every byte and every bit, without a server.
    const step = size === 'full' ? 15 : whole.length;
    /** @type {(Buffer | undefined)[]} */
    const damages = [undefined, Buffer.alloc(0)];
    for (let end = Math.min(step, whole.length >> 1); end < whole.length; end += step) {
      damages.push(whole.subarray(0, end));
    }
    for (let bit = 3; bit < whole.length * 8; bit += step * 8 + 3) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = Number(flipped[bit >> 3]) ^ (1 << (bit & 7));
      damages.push(flipped);
    }
    for (const [index, damage] of damages.entries()) {
      for (const name of ['file', 'state']) {
        rmSync(at(name), { recursive: true, force: true });
        copy(at(`${name}.active`), at(name));
      }
      if (damage === undefined) rmSync(at('state/journal'));
      else writeFileSync(at('state/journal'), damage);
      // A copy is not the directory in which the records were made.
      const next = await serve(place, { options: ['--adopt-state'] });
      if (system.active() > 0) wrong.push(`damage ${index}: ${system.active()} are left active`);
      if (!/the journal is damaged/.test(next.said())) wrong.push(`damage ${index} is not told`);
      next.child.kill('SIGKILL');
      await next.exit;
    }
    const figures = `${damages.length} damages of ${whole.length} bytes: cut, a bit flipped, empty, missing`;
    return { figures, broken: few(wrong) };
  },
};
