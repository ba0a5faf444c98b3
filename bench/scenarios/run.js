import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bare, perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';
import { serveIdleMutators } from '../harness/serve-mutators.js';

/** @import { Place, Scenario } from '../harness/scenario.js' */

const ATTEMPTS = 150;

/** Attempts of a command that waits, at one bench or at several. */
const WAITING = 60;
const BENCHES = ['a', 'b', 'c', 'd'];

/** About what a run takes beside a bare Node, in megabytes. */
const MEMORY = 60;

const OBJECTIVE = `name = "nothing"
[mutation_constraints]
max_concurrent_mutations = 1
[[measurement]]
name = "done"
check = "MATCH (name = 'done') AS done AGGREGATE count() = 1"
[stopping_conditions]
attempts = ${ATTEMPTS}
`;

/** Tells only that it was there. */
const COMMAND = 'echo \'{"probe":"S","name":"done"}\' > $PERTURB_SESSION\n';

/** Serves the mutators of a bench. @param {Place} place @returns where */
async function serveBench(place) {
  mkdirSync(place.directory, { recursive: true });
  return `http://127.0.0.1:${await serveIdleMutators(place, ['wind'], 'max_active = "10min"')}`;
}

/**
 * Carries the objective out, without a baseline.
 *
 * @param {string} cwd
 * @param {readonly string[]} more flags
 * @param {readonly string[]} command
 * @param {boolean} [cpu] whether to measure its CPU
 */
function runObjective(cwd, more, command, cpu = false) {
  const out = join(mkdtempSync(join(cwd, 'run-')), 'run');
  const flags = ['--out', out, '--baseline', '0', '--seed', '1', ...more];
  const run = perturb('objective', 'run', 'o.objective.toml', ...flags, '--', ...command);
  return runProgram(run, { cwd, cpu });
}

/** Has a run use so many benches. @param {number} count */
function atBenches(count) {
  /** @param {{ readonly cwd: string }} stage */
  return ({ cwd }) => {
    const benches = BENCHES.slice(0, count).flatMap((name) => ['--bench', name]);
    return runObjective(cwd, ['--attempts', `${WAITING}`, ...benches], ['sh', 'waiting.sh']);
  };
}

/** @type {Scenario<{ readonly url: string, readonly cwd: string }>} */
export const run = {
  name: 'run',
  about: 'what the attempts of a run cost beside its commands',
  async prepare(place) {
    const cwd = place.directory;
    writeFileSync(join(cwd, 'o.objective.toml'), OBJECTIVE);
    writeFileSync(join(cwd, 'nothing.sh'), COMMAND);
    writeFileSync(join(cwd, 'waiting.sh'), `sleep 1\n${COMMAND}`);
    /** @type {string[]} */
    const urls = [];
    for (const name of BENCHES) {
      urls.push(await serveBench({ ...place, directory: join(cwd, name) }));
    }
    const benches = BENCHES.map((name, at) => `[benches.${name}]\nservers = ["${urls[at]}"]\n`);
    writeFileSync(join(cwd, 'perturb.toml'), benches.join(''));
    return { url: urls[0] ?? '', cwd };
  },
  comparisons: [
    {
      work: {
        what: `${ATTEMPTS} attempts of a command that does nothing`,
        run({ url, cwd }) {
          return runObjective(cwd, ['--server', url], ['sh', 'nothing.sh'], true);
        },
      },
      floor: {
        what: 'the commands, two requests and five syncs each',
        run({ url, cwd }) {
          const mutations = `${url}/mutator/wind/mutation`;
          const args = [mutations, `${ATTEMPTS}`, `${MEMORY}`, 'sh', 'nothing.sh'];
          return runProgram(bare('run-commands', ...args), { cwd, cpu: true });
        },
      },
      limits: [{ quantity: 'cpu', most: 1.9 }],
      pairs: 5,
    },
    {
      work: {
        what: `${WAITING} attempts that wait, at ${BENCHES.length} benches`,
        run: atBenches(BENCHES.length),
      },
      floor: { what: 'at one bench', run: atBenches(1) },
      limits: [{ quantity: 'time', most: 0.277 }],
      pairs: 2,
    },
  ],
};
