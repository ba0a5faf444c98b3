import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { isPlainFailure, perturb } from '../harness/program.js';
import { secondsSince } from '../harness/server.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** @param {string} name */
const objective = (name) => `name = "${name}"

[[measurement]]
name = "No crash"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

[stopping_conditions]
attempts = 10
`;

/** @type {Scenario} */
export const damagedStore = {
  name: 'damaged-store',
  promise: 'a store with a damaged byte gives back what was registered, or refuses in one line',
  async run({ directory }, size) {
    const text = objective('Wind');
    writeFileSync(join(directory, 'wind.toml'), text);
    await perturb(directory, ['objective', 'create', 'wind.toml', '--store', 'sqlite:sound.db']);
    const sound = readFileSync(join(directory, 'sound.db'));
    const used = [...sound.keys()].filter((at) => sound[at] !== 0);
    const count = size === 'full' ? 60 : 15;
    let refused = 0;
    /** @type {string[]} */
    const broken = [];
    for (let number = 0; number < count; number++) {
      const at = /** @type {number} */ (used[Math.floor((number * used.length) / count)]);
      const bytes = Buffer.from(sound);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (number % 8)), at);
      writeFileSync(join(directory, 'damaged.db'), bytes);
      const args = ['objective', 'export', 'Wind', '--store', 'sqlite:damaged.db'];
      const outcome = await perturb(directory, args);
      if (outcome.code === 0 && outcome.stdout === text) continue;
      refused++;
      // One whose name was damaged is not found.
      const isMissing = outcome.code === 2 && /has no objective/.test(outcome.stderr);
      if (!isMissing && !isPlainFailure(outcome)) {
        broken.push(`byte ${at}: exit code ${outcome.code}, ${outcome.stderr}${outcome.stdout}`);
      }
    }
    return { figures: `${count} bytes damaged, ${refused} of them refused`, broken };
  },
};

/** @type {Scenario} */
export const brokenDatabase = {
  name: 'broken-database',
  promise: 'a database server that breaks off or goes silent is one line, within --timeout',
  async run({ directory, defer }, size) {
    const target = process.env['PERTURB_TEST_POSTGRES_URL'];
    if (target === undefined) {
      return { figures: '', broken: [], skipped: 'there is no PostgreSQL server' };
    }
    let limit = Number.POSITIVE_INFINITY;
    let isSilent = false;
    let said = 0;
    const { hostname, port } = new URL(target);
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      let sent = 0;
      client.on('error', () => {}).on('close', () => upstream.destroy());
      upstream.on('error', () => {}).on('close', () => client.destroySoon());
      client.on('data', (bytes) => void upstream.write(bytes));
      upstream.on('data', (bytes) => {
        if (sent >= limit) return;
        client.write(bytes.subarray(0, limit - sent));
        sent += bytes.length;
        said = sent;
        if (sent >= limit && !isSilent) client.resetAndDestroy();
      });
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
    defer(() => server.close());
    const url = new URL(target);
    url.port = String(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
    const name = `Adversary ${process.pid}`;
    writeFileSync(join(directory, 'a.toml'), objective(name));
    const store = ['--store', url.href];
    const created = await perturb(directory, ['objective', 'create', 'a.toml', ...store]);
    defer(() => perturb(directory, ['objective', 'delete', name, '--purge', '--yes', ...store]));
    await perturb(directory, ['objective', 'show', name, ...store]);
    const all = said;
    const broken = created.code === 0 ? [] : [created.stderr];
    const points = size === 'full' ? 25 : 6;
    const since = performance.now();
    for (let point = 0; point < points; point++) {
      limit = Math.floor((point * (all - 40)) / points);
      for (isSilent of [false, true]) {
        const time = isSilent ? ['--timeout', '300ms'] : [];
        const outcome = await perturb(directory, ['objective', 'show', name, ...store, ...time]);
        if (!isPlainFailure(outcome)) {
          broken.push(`after ${limit} bytes: exit code ${outcome.code}, ${outcome.stderr}`);
        }
      }
    }
    limit = Number.POSITIVE_INFINITY;
    return { figures: `${2 * points} points, in ${secondsSince(since)}`, broken };
  },
};
