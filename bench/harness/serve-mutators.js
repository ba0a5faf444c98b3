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
