import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTATION, serve } from '../harness/server.js';
import { mutator } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const KEY = 'k"e\\y-0123';
const TOKEN = 'to"ken-0123';

/** What a manifest writes to be given both. */
const ASKED = 'env = { KEY = "{env:API_KEY}", TOKEN = "{env:PLATFORM_AUTH_TOKEN}" }';

/** What commands and modules are given, whether they ask for it or not. */
const kinds = {
  command:
    'kind = "exec"\ninject = ["sh", "-c", "env > $PERTURB_PARAM_TO; env >&2; exit 3"]\nreset = ["true"]',
  module: 'kind = "module"\npath = "knob.mjs"',
};

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
export const inject = (mutation, { to }) => {
  const seen = Object.entries(process.env).map(([name, value]) => name + '=' + value).join('\\n');
  writeFileSync(to, seen);
  throw new Error(seen);
};
export const reset = () => {};
`,
    );
    const wants = Object.entries(kinds).flatMap(([kind, actuator]) => [
      { id: kind, actuator, isAsked: false },
      { id: `${kind}-asks`, actuator: `${actuator}\n${ASKED}`, isAsked: true },
    ]);
    const manifest = wants
      .map(({ id, actuator }) =>
        mutator(id, actuator).replace(
          '[mutator.actuator]',
          '[[mutator.param]]\nname = "to"\ntype = "string"\n[mutator.actuator]',
        ),
      )
      .join('\n');
    writeFileSync(at('reflector.toml'), '[mutation]\nmutator-http-api-port = 1\n');
    const server = await serve(place, {
      manifest,
      options: ['--api-key-env', 'API_KEY', '--require-auth-token', '--log-level', 'trace'],
      env: {
        API_KEY: KEY,
        PLATFORM_AUTH_TOKEN: TOKEN,
        PLATFORM_REFLECTOR_CONFIG: 'reflector.toml',
      },
    });
    /** @type {string[]} */
    const broken = [];
    for (const [index, { id }] of wants.entries()) {
      const body = JSON.stringify({ mutation: MUTATION, params: { to: `${id}.txt` } });
      const headers = { mutator_apikey: index % 2 === 0 ? KEY : TOKEN };
      const url = `${server.url}/mutator/${id}/mutation`;
      const { status } = await fetch(url, { method: 'POST', body, headers });
      if (status !== 500) broken.push(`${id} was answered ${status}`);
    }
    process.kill(server.pid, 'SIGTERM');
    await server.exit;
    for (const { id, isAsked } of wants) {
      const seen = readFileSync(at(`${id}.txt`), 'utf8');
      const given = seen.split('\n').filter((line) => /^(?:KEY|TOKEN)=.*-0123$/.test(line));
      if (!isAsked && seen.includes('-0123')) broken.push(`${id} is given a secret: ${seen}`);
      if (isAsked && given.length !== 2)
        broken.push(`${id} is not given what it asks for: ${seen}`);
    }
    if (server.said().includes('-0123')) broken.push(`the log has a secret: ${server.said()}`);
    if (!server.said().includes('PATH=')) broken.push('the log shows nothing of the failures');
    return { figures: 'a key and a token, both with quotes, two commands, two modules', broken };
  },
};
