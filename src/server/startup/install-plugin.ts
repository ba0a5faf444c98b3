import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quote } from '../../diagnostics/index.js';
import { codeOf, replaceFile } from '../../durable/index.js';
import { ServeError, systemReason } from './serve-error.js';

/** Where a reflector looks for plugins, relative to its working directory. */
export const PLUGINS_DIR = 'reflector-plugins/mutators';

/** The line by which a launcher that Perturb wrote is known again. */
const SIGNATURE =
  '# Starts a Perturb mutator server, for a reflector. Made by perturb serve mutators';

export interface PluginInstallation {
  /** The file name by which the reflector is told to start it. */
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
  /** The command that it runs: absolute paths, and the flags for the server. */
  readonly command: readonly string[];
  /** Replaces a file that is not ours, too. */
  readonly force: boolean;
}

/**
 * Writes the executable that a reflector can start: all at once, or not at all.
 *
 * @returns the path of the executable
 */
export async function installPlugin(installation: PluginInstallation): Promise<string> {
  const { name, directory, command, force } = installation;
  if (!/^\w[\w.-]*$/.test(name)) {
    throw new ServeError(
      'bad-plugin',
      `${quote(name)} is not a valid name for a plugin`,
      'Use letters, digits, "_", "-" and ".".',
    );
  }
  const path = join(directory, name);
  try {
    await mkdir(directory, { recursive: true });
    if (!force && (await isForeign(path))) {
      throw new ServeError(
        'bad-plugin',
        `${quote(path)} exists, and Perturb did not write it`,
        'Choose another name, or replace it with --force.',
      );
    }
    const temporary = join(directory, `.${name}.new`);
    await replaceFile(path, Buffer.from(launcher(command)), { mode: 0o755, temporary });
  } catch (error) {
    if (error instanceof ServeError) throw error;
    throw new ServeError('bad-plugin', `cannot write ${quote(path)}: ${systemReason(error)}`);
  }
  return path;
}

/** It replaces itself with the server, so that signals and stdin reach the server directly. */
function launcher(command: readonly string[]): string {
  return `#!/bin/sh\n${SIGNATURE}\nexec ${command.map(shellQuote).join(' ')} "$@"\n`;
}

function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

async function isForeign(path: string): Promise<boolean> {
  try {
    return !(await readFile(path, 'latin1')).includes(SIGNATURE);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
