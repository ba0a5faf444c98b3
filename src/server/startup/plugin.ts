import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quote } from '../../diagnostics/index.js';
import { codeOf, makeDirectories, replaceFile } from '../../durable/index.js';
import { decodeSource } from '../../source/index.js';
import { isTable, readToml, type TomlTable } from '../../toml/index.js';
import { explainSystemError, readConfiguredFile, ServeError } from './serve-error.js';

/** Default prefix of a reflector's environment variables. */
export const DEFAULT_PREFIX = 'PLATFORM';

/** A reflector's configuration for a plugin. */
interface PluginConfig {
  /** The port on which the reflector expects the API, if configured. */
  readonly port?: number;
  /** The reflector's token, if any. A secret. */
  readonly token?: string;
}

const TABLE = 'mutation';
const KEY = 'mutator-http-api-port';

/** The key of the API's port in a reflector's configuration. */
export const PORT_KEY = `${TABLE}.${KEY}`;

/**
 * Reads a reflector's settings from `<prefix>_REFLECTOR_CONFIG`, the path of its configuration file, and
 * `<prefix>_AUTH_TOKEN`.
 *
 * @returns undefined if no reflector started the program
 * @throws ServeError if the file cannot be read, or has an invalid port
 */
export function readPluginConfig(
  env: Readonly<Record<string, string | undefined>>,
  prefix: string = DEFAULT_PREFIX,
): PluginConfig | undefined {
  const path = env[`${prefix}_REFLECTOR_CONFIG`];
  if (path === undefined || path === '') return undefined;
  const token = env[`${prefix}_AUTH_TOKEN`];
  const port = readPort(path);
  return {
    ...(port !== undefined && { port }),
    ...(token !== undefined && token !== '' && { token }),
  };
}

function readPort(path: string): number | undefined {
  const root = readRoot(path);
  const mutation = root[TABLE];
  const port = isTable(mutation) ? mutation[KEY] : undefined;
  const subject = `${quote(path)}, the reflector's configuration,`;
  if (port === undefined) return undefined;
  if (typeof port !== 'bigint' || port < 1n || port > 65_535n) {
    throw new ServeError(
      'bad-plugin-config',
      `${subject} has an invalid ${PORT_KEY}: expected an integer from 1 to 65535`,
    );
  }
  return Number(port);
}

function readRoot(path: string): TomlTable {
  const decoded = decodeSource(path, readConfiguredFile('bad-plugin-config', path, false));
  const { document, findings } = readToml(decoded);
  const finding = findings.find(({ severity }) => severity === 'error');
  if (document !== undefined && finding === undefined) return document.root;
  const { line, column } = decoded.source.lines.position(finding?.span.start ?? 0);
  throw new ServeError(
    'bad-plugin-config',
    `${path}:${line}:${column}: ${finding?.message ?? 'this is not valid TOML'}`,
    "This file is the reflector's configuration, which sets the API's port.",
  );
}

/** The line that identifies a launcher written by Perturb. */
const SIGNATURE =
  '# Starts a Perturb mutator server, for a reflector. Made by perturb serve mutators';

export interface PluginInstallation {
  /** The launcher's file name, which the reflector's configuration names. */
  readonly name: string;
  /** The absolute path of the launcher's directory. */
  readonly directory: string;
  /** The server's argument vector, with absolute paths. */
  readonly command: readonly string[];
  /** The server's option for the parent's pid, which only the launcher knows. */
  readonly parentFlag: string;
  /** True to overwrite a file that Perturb did not write. */
  readonly force: boolean;
}

/**
 * Writes the launcher, an executable for a reflector to start, atomically.
 *
 * @returns the launcher's path
 */
export async function installPlugin(installation: PluginInstallation): Promise<string> {
  const { name, directory, force } = installation;
  if (!/^\w[\w.-]*$/.test(name)) {
    throw new ServeError(
      'bad-plugin',
      `${quote(name)} is not a valid plugin name`,
      'Use letters, digits, "_", "-" and ".".',
    );
  }
  const path = join(directory, name);
  try {
    makeDirectories(directory);
    if (!force && (await isForeign(path))) {
      throw new ServeError(
        'bad-plugin',
        `${quote(path)} exists, and Perturb did not write it`,
        'Choose another name, or overwrite the file with --force.',
      );
    }
    const temporaryPath = join(directory, `.${name}.new`);
    await replaceFile(path, Buffer.from(launcher(installation)), {
      mode: 0o755,
      temporary: temporaryPath,
    });
  } catch (error) {
    if (error instanceof ServeError) throw error;
    throw new ServeError('bad-plugin', `cannot write ${quote(path)}: ${explainSystemError(error)}`);
  }
  return path;
}

/**
 * Returns the shell script that starts the server. The script replaces itself with the server, which then receives
 * signals and stdin directly. It passes the pid of its parent, because the parent may have changed by the time the
 * server runs.
 */
function launcher({ command, parentFlag }: PluginInstallation): string {
  const words = command.map(shellQuote).join(' ');
  return `#!/bin/sh\n${SIGNATURE}\nexec ${words} ${parentFlag} "$PPID" "$@"\n`;
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
