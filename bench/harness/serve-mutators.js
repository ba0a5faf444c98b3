import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { perturb } from './programs.js';
import { serveProgram } from './serve-program.js';

/** @import { Place } from './scenario.js' */

/**
 * Serves mutators until the scenario ends, with the state directory `name`.state.
 *
 * @param {Place} place
 * @param {string} name
 * @param {readonly string[]} mutators their tables in the manifest
 * @returns the port
 */
export function serveMutators(place, name, mutators) {
  const manifest = `${name}.toml`;
  writeFileSync(join(place.directory, manifest), mutators.join('\n'));
  const options = ['--manifest', manifest, '--port', '0', '--state-dir', `${name}.state`];
  return serveProgram(place, perturb('serve', 'mutators', ...options));
}

/**
 * Serves mutators with a speed each, whose actuator does nothing, as `serveMutators` does.
 *
 * @param {Place} place
 * @param {readonly string[]} ids
 * @param {string} [more] a line of each of their tables
 * @returns the port
 */
export function serveIdleMutators(place, ids, more = '') {
  writeFileSync(join(place.directory, 'idle.mjs'), IDLE);
  const tables = ids.map((id) => idleMutator(id, more));
  return serveMutators(place, 'mutators', tables);
}

const IDLE = 'export const inject = () => {};\nexport const reset = () => {};\n';

/** @param {string} id @param {string} more */
function idleMutator(id, more) {
  return `[[mutator]]
name = "${id}"
${more}

[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]

[mutator.actuator]
kind = "module"
path = "idle.mjs"
`;
}
