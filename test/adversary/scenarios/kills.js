import { few, injectAll, serve, until } from '../harness/server.js';
import { makeSystem } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** @type {Scenario} */
export const kills = {
  name: 'kills',
  promise: 'killed at any moment under load, the next start leaves nothing active',
  async run(place, size) {
    const parts = await Promise.all(
      ['file', 'exec', 'module', 'http', 'shared'].map((kind) => makeSystem(kind, place, 4)),
    );
    const manifest = parts.map((system) => system.manifest).join('\n');
    const ids = parts.flatMap((system) => system.ids);
    const active = () => parts.reduce((sum, system) => sum + system.active(), 0);
    const rounds = size === 'full' ? 25 : 2;
    /** @type {string[]} */
    const broken = [];
    let disturbed = 0;
    for (let round = 0; round < rounds; round++) {
      const server = await serve(place, { manifest });
      if (active() > 0) broken.push(`round ${round}: ${active()} are left active`);
      let over = false;
      const load = async () => {
        while (!over) await injectAll(server.url, ids).catch(() => {});
      };
      const loading = load();
      // Every other one at any moment, and the rest where there is something to reset.
      if (round % 2 === 1) await until(() => active() > 0);
      await new Promise((done) => setTimeout(done, Math.random() * 200));
      process.kill(server.pid, 'SIGKILL');
      over = true;
      await Promise.all([server.exit, loading]);
      if (active() > 0) disturbed += 1;
    }
    const last = await serve(place);
    if (active() > 0) broken.push(`in the end ${active()} are left active`);
    process.kill(last.pid, 'SIGTERM');
    if ((await last.exit) !== 0) broken.push('the last server did not end well');
    if (disturbed === 0) broken.push('no kill found anything active, which proves nothing');
    return {
      figures: `${rounds} kills, ${disturbed} of them with mutators active`,
      broken: few(broken),
    };
  },
};
