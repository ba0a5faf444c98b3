import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { isHostName, loadManifest, type Manifest } from '../mutators/index.js';
import { reporters } from '../reporters/index.js';
import type {
  PluginInstallation,
  ServeOptions,
  ServerExit,
  ServerLogOptions,
} from '../server/index.js';
import { decodeSource } from '../source/index.js';
import { defined } from '../values/index.js';
import { version } from '../version.js';
import { MANIFEST } from './files/discover.js';
import {
  type CommandHandler,
  type ExitCode,
  exitCodes,
  type Io,
  usageFailure,
} from './runtime/command.js';
import { argument, type FlagsOf, option, repeatedOption } from './runtime/declare.js';
import { contextFor, readNamedFile, wantsColor } from './runtime/io.js';
import { durationOption, flagOf, parseWholeNumber } from './runtime/options.js';

type ServeFlags = FlagsOf<typeof options>;

const STATE_DIRECTORY = '.perturb/state';

/** Maximum age of a run's lease, in milliseconds. A live run renews its lease every ten seconds. */
const ORPHANS_MS = 60_000;

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Returns the server settings for the flags.
 *
 * @throws CommandFailure (usage) for conflicting flags
 */
function serveOptions(
  cwd: string,
  flags: ServeFlags & { readonly manifest: string },
  { mutators, processes }: Manifest,
): ServeOptions {
  const { host, port, basePath, envPrefix, parentPid, tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw usageFailure('--tls-cert and --tls-key must be used together');
  }
  const at = (path: string) => resolve(cwd, path);
  return {
    ...{ mutators, processes },
    manifestDirectory: dirname(at(flags.manifest)),
    stateDirectory: at(flags.stateDir),
    ...defined({ host, port, basePath, envPrefix, parentPid, apiKeyVariable: flags.apiKeyEnv }),
    allowedHosts: flags.allowedHost,
    ...(flags.apiKeyFile !== undefined && { apiKeyFile: at(flags.apiKeyFile) }),
    ...(tlsCert !== undefined &&
      tlsKey !== undefined && { tls: { certFile: at(tlsCert), keyFile: at(tlsKey) } }),
    allowUnauthenticated: flags.allowUnauthenticated === true,
    requireAuthToken: flags.requireAuthToken === true,
    forgetMissing: flags.forgetMissing === true,
    adoptState: flags.adoptState === true,
    ...(flags.orphans === 'reset' && { orphansMs: ORPHANS_MS }),
    untilStdinEnds: flags.untilStdinEnds === true,
    shutdownMs: flags.shutdownTimeout,
  };
}

function readPort(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= 65_535) return number;
  throw new InvalidArgumentError('Expected a port, from 0 to 65535.');
}

function readHost(text: string): string {
  if (isHostName(text)) return text;
  throw new InvalidArgumentError('Expected a host name or an address, without a port.');
}

type Server = typeof import('../server/index.js');

export const help = `
If a reflector starts the server, the server uses the port in the reflector's
configuration.
On SIGINT, SIGTERM or SIGHUP, or when that reflector ends or closes its stdin, the
server resets active mutations and stops; a second signal stops it at once.

Exit codes: 0 stopped, with everything reset; 1 a mutator may still be active, or
the manifest has errors; 2 invalid usage; 3 a bug; 4 the port or the state
directory is unavailable.

Examples:
  perturb serve mutators
  perturb serve mutators bench/mutators.toml --host 0.0.0.0 --api-key-file keys.txt
  perturb serve mutators bench/mutators.toml --install-plugin drone
`;

export const args = [
  argument('[manifest]', 'manifest with the mutators to serve', MANIFEST),
] as const;

export const options = [
  option('-m, --manifest <file>', 'the same as the argument'),
  option('--host <host>', 'the address to listen on (default: 127.0.0.1)'),
  option('--port <port>', 'API port; 0 picks a free port (default: 8080)', {
    read: readPort,
  }),
  option('--base-path <prefix>', "prefix for the API's paths, such as /your/route"),
  option(
    '--api-key-file <file>',
    'require one of the keys in this file (one per line, reread on change)',
  ),
  option('--api-key-env <name>', 'require the key in this environment variable'),
  option('--allow-unauthenticated', 'serve other machines without a key'),
  repeatedOption(
    '--allowed-host <name>',
    'without a key, accept requests for this host too; may be repeated',
    "the server's own names",
    readHost,
  ),
  option('--tls-cert <file>', 'serve https with this certificate (PEM)'),
  option('--tls-key <file>', "the certificate's private key (PEM)"),
  option('--state-dir <directory>', 'directory for the records of active mutations', {
    byDefault: STATE_DIRECTORY,
  }),
  option('--forget-missing', 'forget active mutators that the manifest no longer has'),
  option('--adopt-state', 'accept a state directory that was moved or copied'),
  option('--orphans <what>', 'action for mutations of a run that has been silent for a minute', {
    choices: ['reset', 'keep'],
    byDefault: 'reset',
  }),
  durationOption('--shutdown-timeout <duration>', 'timeout for resets at shutdown', '30s'),
  option('--log-format <name>', 'log format', {
    choices: ['pretty', 'json'],
    byDefault: 'pretty',
  }),
  option('--log-level <name>', 'log level', { choices: LEVELS, byDefault: 'info' }),
  option('--require-auth-token', "as a plugin, require the reflector's token as a key"),
  option('--env-prefix <name>', "the prefix of a reflector's variables (default: PLATFORM)"),
  option('--install-plugin <name>', 'write the executable that a reflector can start'),
  option('--plugins-dir <directory>', 'directory for the executable of --install-plugin', {
    byDefault: 'reflector-plugins/mutators',
  }),
  // Set by the executable that --install-plugin writes.
  option('--parent-pid <pid>', '', { read: parseWholeNumber }).hideHelp(),
  // Set by a run that starts its own server.
  option('--until-stdin-ends', '').hideHelp(),
  option('--force', 'with --install-plugin, replace a file that Perturb did not write'),
  option('--dry-run', 'check everything, print the mutators to serve, and exit'),
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (
  { io, color },
  [argument],
  given,
) => {
  const flags = { ...given, manifest: given.manifest ?? argument };
  const manifest = await readManifest(io, color, flags.manifest);
  if (manifest === undefined) return exitCodes.findings;
  const server = await import('../server/index.js');
  const options = serveOptions(io.cwd, flags, manifest);
  if (flags.dryRun) {
    io.stdout.write(await server.describeDryRun(options, io.env));
    return exitCodes.ok;
  }
  if (flags.installPlugin !== undefined) {
    const path = await server.installPlugin(launcherFor(io.cwd, flags, flags.installPlugin));
    io.stdout.write(`Wrote ${path}: reflector run --mutator ${flags.installPlugin}\n`);
    return exitCodes.ok;
  }
  const log: ServerLogOptions = {
    format: flags.logFormat,
    level: flags.logLevel,
    color: wantsColor(io.stderr, io.env, color),
  };
  return await serve(io, server, options, log);
};

async function serve(
  io: Io,
  server: Server,
  options: ServeOptions,
  log: ServerLogOptions,
): Promise<ExitCode> {
  // The log's reader may exit first, but active mutations must still be reset.
  process.stderr.on('error', () => {});
  const ended = await server.serveMutators(options, log, {
    env: io.env,
    process,
    write: server.createTextWriter(process.stderr),
    exit: (early) => process.exit(codeOf(early)),
  });
  // A user's module may have left a timer or a socket open.
  setTimeout(() => process.exit(), 1_000).unref();
  if (ended.error !== undefined) throw ended.error;
  return codeOf(ended);
}

function codeOf({ residual }: ServerExit): ExitCode {
  return residual.length > 0 ? exitCodes.findings : exitCodes.ok;
}

/** Reads a manifest, and reports its findings. Returns undefined if there are errors. */
async function readManifest(
  io: Io,
  color: boolean | undefined,
  path: string,
): Promise<Manifest | undefined> {
  const help = 'Name the manifest, as in perturb serve mutators bench/mutators.toml.';
  const { manifest, findings } = loadManifest(decodeSource(path, readNamedFile(io, path, help)));
  if (findings.length > 0) {
    const content = { findings, fileCount: 1, rules: [], version };
    io.stderr.write(await reporters.pretty(content, contextFor(io, io.stderr, color)));
  }
  return manifest;
}

/** The flags that a launcher repeats if the user set them. */
const REPEATED = [
  ...(['allowUnauthenticated', 'forgetMissing', 'requireAuthToken'] as const),
  ...(['apiKeyFile', 'tlsCert', 'tlsKey', 'host', 'port', 'basePath', 'apiKeyEnv'] as const),
  ...(['allowedHost', 'logFormat', 'logLevel', 'envPrefix', 'orphans'] as const),
];
const PATHS: ReadonlySet<string> = new Set(['apiKeyFile', 'tlsCert', 'tlsKey']);

/**
 * Returns the launcher that starts this server from any working directory. By default, each
 * launcher has its own state directory, because servers cannot share a state directory.
 */
function launcherFor(
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
    parentFlag: flagOf('parentPid'),
    command: [
      ...[process.execPath, program, 'serve', 'mutators'],
      ...['--manifest', at(flags.manifest), '--state-dir', at(stateDir)],
      ...['--shutdown-timeout', `${flags.shutdownTimeout}ms`],
      ...REPEATED.flatMap((key) =>
        [flags[key] ?? []].flat().flatMap((value) => {
          if (value === true) return [flagOf(key)];
          return [flagOf(key), PATHS.has(key) ? at(String(value)) : String(value)];
        }),
      ),
    ],
  };
}
