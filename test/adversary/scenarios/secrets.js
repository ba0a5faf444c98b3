import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../harness/server.js';
import { mutator } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const KEY = 'k"e\\y-0123';
const TOKEN = 'to"ken-0123';

/** @type {Scenario} */
export const secrets = {
  name: 'secrets',
  promise:
    'keys and tokens reach no command, no module and no log, but where the manifest asks for one',
  async run(place) {
    const at = (/** @type {string} */ name) => join(place.directory, name);
    writeFileSync(
      at('knob.mjs'),
      `import { writeFileSync } from 'node:fs';
export const inject = () => writeFileSync('module.json', JSON.stringify(process.env));
export const reset = () => {};
`,
    );
    const dump = (/** @type {string} */ file, more = '') =>
      `kind = "exec"\ninject = ["sh", "-c", "env > ${file}; echo $API_KEY $GIVEN >&2; exit 3"]\nreset = ["true"]\n${more}`;
    const manifest = [
      mutator('command', dump('command.txt')),
      mutator('asked', dump('asked.txt', 'env = { GIVEN = "{env:API_KEY}" }')),
      mutator('module', 'kind = "module"\npath = "knob.mjs"'),
    ].join('\n');
    writeFileSync(at('reflector.toml'), 'mutation.other = 1\n');
    const server = await serve(place, {
      manifest,
      options: ['--api-key-env', 'API_KEY', '--log-level', 'trace'],
      env: { API_KEY: KEY, PLATFORM_AUTH_TOKEN: TOKEN },
    });
    for (const id of ['command', 'asked', 'module']) {
      const body = JSON.stringify({ mutation: '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e', params: {} });
      const headers = { mutator_apikey: KEY };
      await fetch(`${server.url}/mutator/${id}/mutation`, { method: 'POST', body, headers });
    }
    process.kill(server.pid, 'SIGTERM');
    await server.exit;
    /** @type {string[]} */
    const broken = [];
    const isSecret = (/** @type {string} */ text) => text.includes('-0123');
    if (isSecret(readFileSync(at('command.txt'), 'utf8'))) broken.push('a command has a secret');
    if (isSecret(readFileSync(at('module.json'), 'utf8'))) broken.push('a module has a secret');
    if (!readFileSync(at('asked.txt'), 'utf8').includes(`GIVEN=${KEY}`))
      broken.push('what was asked for is not given');
    if (isSecret(server.said())) broken.push(`the log has a secret: ${server.said()}`);
    return { figures: 'a key with quotes and a backslash, a token', broken };
  },
};
