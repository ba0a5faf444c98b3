import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { few, inject, launch, secondsSince, serve, until } from '../harness/server.js';
import { mutator } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** @type {Scenario} */
export const stuckRecovery = {
  name: 'stuck-recovery',
  promise: 'SIGTERM while a crash is cleared up keeps to --shutdown-timeout',
  async run(place) {
    const actuator =
      'kind = "exec"\ninject = ["true"]\nreset = ["sh", "-c", "touch begun; exec sleep 600"]\ntimeout = "10min"';
    const first = await serve(place, { manifest: mutator('stuck', actuator) });
    /** @type {string[]} */
    const broken = [];
    if ((await inject(first.url, 'stuck')) !== 201) broken.push('it was not injected');
    first.child.kill('SIGKILL');
    await first.exit;
    const { child, exit, said } = launch(place, { options: ['--shutdown-timeout', '1s'] });
    if (!(await until(() => existsSync(join(place.directory, 'begun'))))) {
      broken.push('the start resets nothing');
    }
    const since = performance.now();
    child.kill('SIGTERM');
    const code = await exit;
    const time = secondsSince(since);
    if (code !== 1) broken.push(`the exit code is ${code}`);
    if (performance.now() - since > 30_000) broken.push(`it took ${time} to end`);
    if (!/"stuck" may be left mutated/.test(said())) broken.push('it is not named');
    return { figures: `ended in ${time} with a limit of 1 s`, broken: few(broken) };
  },
};
