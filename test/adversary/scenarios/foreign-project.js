import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { perturb } from '../harness/program.js';
import { secondsSince } from '../harness/server.js';

/** @import { Scenario } from '../harness/scenario.js' */

const OBJECTIVE = `name = "Wind"
[[measurement]]
name = "No crash"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"
[stopping_conditions]
attempts = 10
`;

/** @type {Scenario} */
export const endlessFiles = {
  name: 'endless-files',
  promise:
    'a device, a pipe or a huge file in the place of a file of a project is refused in one line, and no search leaves the project through a link',
  async run({ directory }) {
    /** @type {string[]} */
    const broken = [];
    const since = performance.now();
    const outside = join(directory, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.objective.toml'), 'password = "hunter2"\n');
    const commands = {
      'perturb.toml': [['objective', 'lint'], ['doctor'], ['mutators', 'list']],
      'm.toml': [
        ['objective', 'lint', 'a.toml', '--mutators', 'm.toml'],
        ['mutators', 'lint'],
        ['serve', 'mutators', 'm.toml', '--dry-run'],
      ],
      'b.toml': [
        ['objective', 'lint', 'b.toml'],
        ['objective', 'fmt', '--check', 'b.toml'],
        ['objective', 'create', 'b.toml', '--dry-run'],
      ],
    };
    let tried = 0;
    for (const kind of /** @type {const} */ (['device', 'pipe', 'huge'])) {
      for (const [file, all] of Object.entries(commands)) {
        const place = join(directory, `${kind}-${file}`);
        mkdirSync(place);
        writeFileSync(join(place, 'a.toml'), OBJECTIVE);
        const trap = join(place, file);
        if (kind === 'device') symlinkSync('/dev/zero', trap);
        else if (kind === 'pipe') spawnSync('mkfifo', [trap]);
        else {
          writeFileSync(trap, '');
          truncateSync(trap, 2 ** 40);
        }
        for (const words of all) {
          // A pipe that the command line names is waited for.
          if (kind === 'pipe' && words.includes('m.toml')) continue;
          tried += 1;
          const { code, stderr } = await perturb(place, words);
          const isRefused = (code === 2 || code === 4) && /^perturb: [^\n]+\n/.test(stderr);
          if (!isRefused) broken.push(`${kind}: ${words.join(' ')}: ${code}, ${stderr}`);
        }
      }
    }
    const place = join(directory, 'links');
    mkdirSync(place);
    symlinkSync(outside, join(place, 'far'));
    symlinkSync(join(outside, 'secret.objective.toml'), join(place, 'b.objective.toml'));
    for (const include of ['', '[lint]\ninclude = ["**/*.toml"]\n']) {
      writeFileSync(join(place, 'perturb.toml'), include);
      tried += 1;
      const { stdout, stderr } = await perturb(place, ['objective', 'lint']);
      if (`${stdout}${stderr}`.includes('hunter2')) broken.push(`shown through a link: ${include}`);
    }
    return { figures: `${tried} commands in ${secondsSince(since)}`, broken };
  },
};
