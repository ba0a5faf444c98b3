import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { objective } from '../harness/objectives.js';
import { pathOf, perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';

/** @import { Comparison, Scenario } from '../harness/scenario.js' */

/** @typedef {{ readonly directory: string }} Stage */

/**
 * Other linters on the file that Perturb lints, as npm installs them. Biome
 * reads no TOML: it gets the same content as JSON.
 *
 * @type {readonly { readonly name: string, readonly args: (directory: string) => string[] }[]}
 */
const peers = [
  { name: 'tombi', args: (at) => [bin(at, 'tombi'), 'lint', '--offline', 'a.objective.toml'] },
  { name: 'taplo', args: (at) => [bin(at, 'taplo'), 'lint', 'a.objective.toml'] },
  { name: 'biome', args: (at) => [bin(at, 'biome'), 'lint', 'a.json'] },
];

/** @param {string} directory @param {string} name */
function bin(directory, name) {
  return join(directory, 'node_modules/.bin', name);
}

/** @type {Scenario<Stage>} */
export const peersScenario = {
  name: 'peers',
  about: 'one file beside other linters from npm; only when named, for it installs them',
  prepare({ directory }) {
    copyFileSync(pathOf('../peers/package.json'), join(directory, 'package.json'));
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    const { status, stderr } = spawnSync('npm', install, { cwd: directory, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the other linters cannot be installed:\n${stderr}`);
    const text = objective(0);
    writeFileSync(join(directory, 'a.objective.toml'), text);
    writeFileSync(join(directory, 'a.json'), `${JSON.stringify(parse(text), null, 2)}\n`);
    return { directory };
  },
  comparisons: peers.map(
    ({ name, args }) =>
      /** @type {Comparison<Stage>} */ ({
        work: {
          what: 'lint one file of 1 kB',
          run: ({ directory }) =>
            runProgram(perturb('objective', 'lint', 'a.objective.toml'), { cwd: directory }),
        },
        floor: {
          what: `${name} on it`,
          run: ({ directory }) => runProgram(args(directory), { cwd: directory }),
        },
        limits: [{ quantity: 'time', most: 1 }],
        pairs: 15,
      }),
  ),
};
