import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inject, launch, serve } from '../harness/server.js';
import { mutator } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const WIND = 'kind = "file"\npath = "wind.conf"\ntemplate = "mutated"';
const RAIN = 'kind = "exec"\ninject = ["touch", "rain"]\nreset = ["rm", "-f", "rain"]';
const MANIFEST = `${mutator('wind', WIND)}\n${mutator('rain', RAIN)}`;

/** @type {Scenario} */
export const plantedState = {
  name: 'planted-state',
  promise: 'a state directory that was planted has nothing reset or restored, and is named',
  async run(place) {
    const at = (/** @type {string} */ name) => join(place.directory, name);
    writeFileSync(at('wind.conf'), 'as it was');
    const first = await serve(place, { manifest: MANIFEST });
    await inject(first.url, 'wind');
    process.kill(first.pid, 'SIGKILL');
    await first.exit;
    cpSync(at('state'), at('saved'), {
      recursive: true,
      filter: (name) => !name.endsWith('.sock'),
    });
    /** @type {readonly (readonly [string, () => unknown])[]} */
    const plants = [
      ['a copy', () => {}],
      ['one that others may write to', () => chmodSync(at('state'), 0o777)],
      ['one with a record that others may write to', () => chmodSync(at('state/journal'), 0o666)],
      ...(process.getuid?.() === 0
        ? [/** @type {const} */ (['one of another user', () => chownSync(at('state'), 12, 34)])]
        : []),
      [
        'one with a pipe for a journal',
        () => {
          rmSync(at('state/journal'));
          execFileSync('mkfifo', [at('state/journal')]);
        },
      ],
    ];
    /** @type {string[]} */
    const broken = [];
    for (const [index, [what, plant]] of plants.entries()) {
      // Not removed: a new directory might get the same inode.
      renameSync(at('state'), at(`state-${index}`));
      cpSync(at('saved'), at('state'), { recursive: true });
      plant();
      const next = launch(place);
      const code = await next.exit;
      if (code !== 4) broken.push(`the start on ${what} ends with ${code}: ${next.said()}`);
      if (!next.said().includes(at('state'))) broken.push(`${what} is not named: ${next.said()}`);
      if (readFileSync(at('wind.conf'), 'utf8') !== 'mutated') broken.push(`${what} is restored`);
    }
    return {
      figures: `${plants.length} plants: ${plants.map(([what]) => what).join(', ')}`,
      broken,
    };
  },
};

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

/** @type {Scenario} */
export const strangeNames = {
  name: 'strange-names',
  promise: 'names in the state directory that no server makes are named, and left alone',
  async run(place) {
    const at = (/** @type {string} */ name) => join(place.directory, name);
    writeFileSync(at('wind.conf'), 'as it was');
    const first = await serve(place, { manifest: MANIFEST });
    await inject(first.url, 'wind');
    process.kill(first.pid, 'SIGKILL');
    await first.exit;
    const names = ['running/foo(bar', 'running/.*', 'running/--help', 'originals/a.json', 'notes'];
    mkdirSync(at('state/running'), { recursive: true });
    for (const name of names) writeFileSync(at(`state/${name}`), 'theirs');
    const next = await serve(place);
    /** @type {string[]} */
    const broken = [];
    for (const name of names) {
      if (!next.said().includes(name)) broken.push(`${name} is not named`);
      if (readFileSync(at(`state/${name}`), 'utf8') !== 'theirs') broken.push(`${name} is changed`);
    }
    if (readFileSync(at('wind.conf'), 'utf8') !== 'as it was') broken.push('it is left mutated');
    return { figures: `${names.length} names`, broken };
  },
};
