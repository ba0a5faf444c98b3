import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { PluginInstallation } from '../../server/index.js';
import { type ServeFlags, STATE_DIRECTORY } from './flags.js';

type Flag = keyof ServeFlags;

/** The flags that a launcher repeats, when they were given. */
const switches = [
  ['allowUnauthenticated', '--allow-unauthenticated'],
  ['forgetMissing', '--forget-missing'],
  ['requireAuthToken', '--require-auth-token'],
] as const satisfies [Flag, string][];
const paths = [
  ['apiKeyFile', '--api-key-file'],
  ['tlsCert', '--tls-cert'],
  ['tlsKey', '--tls-key'],
] as const satisfies [Flag, string][];
const values = [
  ['host', '--host'],
  ['port', '--port'],
  ['basePath', '--base-path'],
  ['apiKeyEnv', '--api-key-env'],
  ['adminPort', '--admin-port'],
  ['logFormat', '--log-format'],
  ['logLevel', '--log-level'],
  ['envPrefix', '--env-prefix'],
] as const satisfies [Flag, string][];

/**
 * The executable that starts what the flags ask for, from any working
 * directory. Each has a state directory of its own unless one is given, for
 * two servers cannot share one.
 */
export function launcherFor(
  cwd: string,
  flags: ServeFlags & { readonly manifest: string },
  name: string,
): PluginInstallation {
  const at = (path: string) => resolve(cwd, path);
  const stateDir =
    flags.stateDir === STATE_DIRECTORY ? join('.perturb/plugins', name) : flags.stateDir;
  const program = realpathSync(process.argv[1] as string);
  return {
    name,
    directory: at(flags.pluginsDir),
    force: flags.force === true,
    command: [
      ...[process.execPath, program, 'serve', 'mutators'],
      ...['--manifest', at(flags.manifest), '--state-dir', at(stateDir)],
      ...['--shutdown-timeout', `${flags.shutdownTimeout}ms`],
      ...switches.flatMap(([flag, name]) => (flags[flag] ? [name] : [])),
      ...paths.flatMap(([flag, name]) => flagWith(name, flags[flag] && at(flags[flag]))),
      ...values.flatMap(([flag, name]) => flagWith(name, flags[flag])),
    ],
  };
}

function flagWith(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [name, String(value)];
}
