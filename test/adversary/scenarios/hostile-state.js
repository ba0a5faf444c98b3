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
import { inject, launch, serve, until } from '../harness/server.js';
import { mutator } from '../harness/systems.js';

/** @import { Scenario } from '../harness/scenario.js' */

const WIND = 'kind = "file"\npath = "wind.conf"\ntemplate = "mutated"';
const RAIN = 'kind = "exec"\ninject = ["touch", "rain"]\nreset = ["rm", "-f", "rain"]';
const MANIFEST = `${mutator('wind', WIND)}\n${mutator('rain', RAIN)}`;

/** @typedef {{ what: string, says: RegExp, plant: () => unknown, undo: () => unknown }} Plant */

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
    const [uid, gid] = [process.getuid?.(), process.getgid?.()].map(Number);
    const swap = (/** @type {string} */ one, /** @type {string} */ other) => {
      renameSync(at(one), at('aside'));
      renameSync(at(other), at(one));
      renameSync(at('aside'), at(other));
    };
    /** Each with what is said of it, and how it is taken back. @type {readonly Plant[]} */
    const plants = [
      {
        what: 'a copy',
        says: /has records that were not made in it/,
        plant() {
          const filter = (/** @type {string} */ name) => !name.endsWith('.sock');
          cpSync(at('state'), at('copy'), { recursive: true, filter });
          swap('state', 'copy');
        },
        undo: () => swap('state', 'copy'),
      },
      {
        what: 'one that others may write to',
        says: /other users may write to it/,
        plant: () => chmodSync(at('state'), 0o777),
        undo: () => chmodSync(at('state'), 0o700),
      },
      {
        what: 'one with a record that others may write to',
        says: /journal .*other users may write to it/,
        plant: () => chmodSync(at('state/journal'), 0o666),
        undo: () => chmodSync(at('state/journal'), 0o600),
      },
      {
        what: 'one of another user',
        says: /it belongs to user 12/,
        plant: () => chownSync(at('state'), 12, 34),
        undo: () => chownSync(at('state'), Number(uid), Number(gid)),
      },
      {
        what: 'one with a pipe for a journal',
        says: /it is not a regular file/,
        plant() {
          execFileSync('mkfifo', [at('pipe')]);
          swap('state/journal', 'pipe');
        },
        undo: () => swap('state/journal', 'pipe'),
      },
    ].filter(({ what }) => uid === 0 || what !== 'one of another user');
    /** @type {string[]} */
    const broken = [];
    for (const { what, says, plant, undo } of plants) {
      plant();
      const { child, exit, said } = launch(place);
      await until(() => child.exitCode !== null || /Serving .* at /.test(said()));
      child.kill('SIGKILL');
      const code = await exit;
      undo();
      if (code !== 4) broken.push(`the start on ${what} ends with ${code}: ${said()}`);
      if (!said().includes(at('state')) || !says.test(said()))
        broken.push(`${what} is not named: ${said()}`);
      if (readFileSync(at('wind.conf'), 'utf8') !== 'mutated') broken.push(`${what} is restored`);
    }
    // Without a plant it is recovered, so that it was for the plants that it was not.
    const sound = await serve(place);
    if (readFileSync(at('wind.conf'), 'utf8') !== 'as it was')
      broken.push(`the sound one is not restored: ${sound.said()}`);
    return {
      figures: `${plants.length} plants: ${plants.map(({ what }) => what).join(', ')}`,
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
