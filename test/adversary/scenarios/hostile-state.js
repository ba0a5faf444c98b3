import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, serve } from '../harness/server.js';
import { mutator } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const WIND = 'kind = "file"\npath = "wind.conf"\ntemplate = "mutated"';
const RAIN = 'kind = "exec"\ninject = ["touch", "rain"]\nreset = ["rm", "-f", "rain"]';
const MANIFEST = `${mutator('wind', WIND)}\n${mutator('rain', RAIN)}`;

/** @type {Scenario} */
export const removedState = {
  name: 'removed-state',
  promise:
    'where the state directory is removed while the server runs, no answer says that all is well, and the server resets what it knows and ends',
  async run(place) {
    const at = (/** @type {string} */ name) => join(place.directory, name);
    writeFileSync(at('wind.conf'), 'as it was');
    /** @type {string[]} */
    const broken = [];
    const server = await serve(place, { manifest: MANIFEST });
    for (const id of ['wind', 'rain']) await inject(server.url, id);
    rmSync(at('state'), { recursive: true });
    const url = `${server.url}/mutator/wind/mutation`;
    const { status } = await fetch(url, { method: 'DELETE' });
    if (status !== 500) broken.push(`the reset of a file without a record is answered ${status}`);
    const code = await server.exit;
    if (code !== 1) broken.push(`the server ends with ${code}`);
    if (existsSync(at('rain'))) broken.push('what can be reset was not');
    if (!server.said().includes('is gone from the state directory')) {
      broken.push(`the log does not say why: ${server.said().slice(-500)}`);
    }

    writeFileSync(at('wind.conf'), 'as it was');
    const second = await serve(place);
    rmSync(at('state/journal'));
    const answer = await inject(second.url, 'wind');
    if (answer !== 500) broken.push(`an injection without a journal is answered ${answer}`);
    const end = await second.exit;
    if (end !== 4) broken.push(`the server without a journal ends with ${end}`);
    if (readFileSync(at('wind.conf'), 'utf8') !== 'as it was') broken.push('it was mutated');
    return { figures: 'the whole directory, and the journal', broken };
  },
};
