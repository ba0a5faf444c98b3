import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ManifestMutator } from '../../mutators/index.js';
import type { Log, ServeOptions } from '../../server/index.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';
import { MANIFEST } from '../runtime/file-kind.js';
import { readDuration } from '../runtime/read-duration.js';

/** The flags of `serve mutators`. */
export interface ServeFlags {
  /** A launcher names it so; people give it as the argument. */
  readonly manifest?: string;
  readonly host?: string;
  readonly port?: number;
  readonly basePath?: string;
  readonly apiKeyFile?: string;
  readonly apiKeyEnv?: string;
  readonly allowUnauthenticated?: true;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly adminPort?: number;
  readonly stateDir: string;
  readonly shutdownTimeout: number;
  readonly forgetMissing?: true;
  readonly logFormat: Log['format'];
  readonly logLevel: Log['level'];
  readonly requireAuthToken?: true;
  readonly envPrefix?: string;
  readonly installPlugin?: string;
  readonly pluginsDir: string;
  readonly force?: true;
  readonly dryRun?: true;
}

/** The default of `--state-dir`. */
export const STATE_DIRECTORY = '.perturb/state';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Adds the flags of `ServeFlags` to a command. */
export function addServeFlags(command: Command): Command {
  return command
    .argument('[manifest]', 'the manifest that says which mutators to serve', MANIFEST)
    .addOption(new Option('-m, --manifest <file>', 'the same as the argument').hideHelp())
    .option('--host <host>', 'where to listen (default: 127.0.0.1)')
    .option('--port <port>', 'the port of the API; 0 for any free one (default: 8080)', port)
    .option('--base-path <prefix>', 'a prefix for the paths of the API, such as /your/route')
    .option(
      '--api-key-file <file>',
      'require a key of this file: one a line; read again when it changes',
    )
    .option('--api-key-env <name>', 'require the key in this environment variable')
    .option('--allow-unauthenticated', 'serve other machines without a key')
    .option('--tls-cert <file>', 'serve https with this certificate (PEM)')
    .option('--tls-key <file>', 'the private key of the certificate (PEM)')
    .option('--admin-port <port>', 'serve health and metrics on this port of the loopback', port)
    .option('--state-dir <directory>', 'where to record active mutations', STATE_DIRECTORY)
    .option('--forget-missing', 'forget active mutators that the manifest no longer has')
    .addOption(
      new Option('--shutdown-timeout <duration>', 'how long resets may take at the end')
        .argParser(readDuration)
        .default(30_000, '30s'),
    )
    .addOption(
      new Option('--log-format <name>', 'how to log').choices(['pretty', 'json']).default('pretty'),
    )
    .addOption(new Option('--log-level <name>', 'what to log').choices(LEVELS).default('info'))
    .option('--require-auth-token', "as a plugin, require the reflector's token as a key")
    .option('--env-prefix <name>', "the prefix of a reflector's variables (default: PLATFORM)")
    .option('--install-plugin <name>', 'write the executable that a reflector can start')
    .option('--plugins-dir <directory>', 'where to write it', 'reflector-plugins/mutators')
    .option('--force', 'with --install-plugin, replace a file that Perturb did not write')
    .option('--dry-run', 'load everything, say what would be served, and end');
}

/**
 * What the flags ask of a server for these mutators.
 *
 * @throws Failure (usage) when they contradict each other
 */
export function serveOptions(
  cwd: string,
  flags: ServeFlags & { readonly manifest: string },
  mutators: readonly ManifestMutator[],
): ServeOptions {
  const { tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new Failure(exitCodes.usage, '--tls-cert and --tls-key need each other');
  }
  const at = (path: string) => resolve(cwd, path);
  return {
    mutators,
    manifestDirectory: dirname(at(flags.manifest)),
    stateDirectory: at(flags.stateDir),
    ...(flags.host !== undefined && { host: flags.host }),
    ...(flags.port !== undefined && { port: flags.port }),
    ...(flags.basePath !== undefined && { basePath: flags.basePath }),
    ...(flags.apiKeyFile !== undefined && { apiKeyFile: at(flags.apiKeyFile) }),
    ...(flags.apiKeyEnv !== undefined && { apiKeyVariable: flags.apiKeyEnv }),
    allowUnauthenticated: flags.allowUnauthenticated === true,
    requireAuthToken: flags.requireAuthToken === true,
    ...(tlsCert !== undefined &&
      tlsKey !== undefined && { tls: { certFile: at(tlsCert), keyFile: at(tlsKey) } }),
    ...(flags.adminPort !== undefined && { adminPort: flags.adminPort }),
    ...(flags.envPrefix !== undefined && { envPrefix: flags.envPrefix }),
    forgetMissing: flags.forgetMissing === true,
    shutdownMs: flags.shutdownTimeout,
  };
}

function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= 65_535) return number;
  throw new InvalidArgumentError('It takes a port, from 0 to 65535.');
}
