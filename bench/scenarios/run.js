import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bare, perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';
import { serveIdleMutators } from '../harness/serve-mutators.js';

/** @import { Scenario } from '../harness/scenario.js' */

const ATTEMPTS = 150;

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

/** @type {Scenario<{ readonly url: string, readonly cwd: string }>} */
export const run = {
  name: 'run',
  about: 'what the attempts of a run cost beside its commands',
  async prepare(place) {
    const cwd = place.directory;
    writeFileSync(join(cwd, 'o.objective.toml'), OBJECTIVE);
    writeFileSync(join(cwd, 'nothing.sh'), COMMAND);
    const port = await serveIdleMutators(place, ['wind'], 'max_active = "10min"');
    return { url: `http://127.0.0.1:${port}`, cwd };
  },
  comparisons: [
    {
      work: {
        what: `${ATTEMPTS} attempts of a command that does nothing`,
        run({ url, cwd }) {
          const out = mkdtempSync(join(cwd, 'run-'));
          const flags = [
            '--server',
            url,
            '--out',
            join(out, 'run'),
            '--baseline',
            '0',
            '--seed',
            '1',
          ];
          const run = perturb(
            'objective',
            'run',
            'o.objective.toml',
            ...flags,
            '--',
            'sh',
            'nothing.sh',
          );
          return runProgram(run, { cwd, cpu: true });
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
  ],
};
