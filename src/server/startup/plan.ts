import { actuatorKindOf, variablesIn, verificationTexts } from '../../actuators/index.js';
import {
  createHostCheck,
  type ManifestMutator,
  type ManifestProcess,
} from '../../mutators/index.js';
import { defined } from '../../values/index.js';
import type { TlsIdentity } from '../api/http-server.js';
import { parseBasePath, refuseUnauthenticatedAddress, resolveAddress } from './address.js';
import { type LiveKeys, loadTls, openKeys } from './keys.js';
import { DEFAULT_PREFIX, readPluginConfig } from './plugin.js';
import { ServeError } from './serve-error.js';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8080;

/** A server's options. Paths are absolute, or relative to the working directory. */
export interface ServeOptions {
  /** The mutators of a manifest without findings. */
  readonly mutators: readonly ManifestMutator[];
  /** The processes that the mutators need. */
  readonly processes?: readonly ManifestProcess[];
  /** The manifest's directory, the base of its relative paths. */
  readonly manifestDirectory: string;
  readonly stateDirectory: string;
  readonly host?: string;
  /** The port; 0 for any free port (default: the port in the reflector's configuration, or 8080). */
  readonly port?: number;
  readonly basePath?: string;
  readonly apiKeyFile?: string;
  readonly apiKeyVariable?: string;
  readonly allowUnauthenticated: boolean;
  /** Additional host names to accept in Host headers. Used only if no key is required. */
  readonly allowedHosts?: readonly string[];
  /** True to require the reflector's token as a key. */
  readonly requireAuthToken: boolean;
  /** Paths of the server's PEM files. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** The prefix of the reflector's environment variables. */
  readonly envPrefix?: string;
  /** The pid of the reflector that started the program, as the launcher saw it. */
  readonly parentPid?: number;
  /** True to shut down when stdin closes or the parent exits, as under a reflector. */
  readonly untilStdinEnds?: boolean;
  readonly forgetMissing: boolean;
  /** True to accept a state directory that was moved or copied. */
  readonly adoptState: boolean;
  /** Time in milliseconds without a request after which the server resets a run's mutations (default: never). */
  readonly orphansMs?: number;
  /** Timeout for resets when the server ends. */
  readonly shutdownMs: number;
}

/**
 * A server that is ready to start. All inputs have been read, but the server does not listen yet and has not touched
 * the system.
 */
export interface ServerPlan {
  /** True if a reflector started the program. */
  readonly plugin: boolean;
  readonly address: string;
  readonly port: number;
  /** True if a reflector started the program and the reflector's configuration has a port. */
  readonly isPortNamed: boolean;
  readonly basePath: string;
  readonly keys?: LiveKeys;
  readonly tls?: TlsIdentity;
  /** Returns true if a Host header names this server. */
  readonly isOwnHost: (host: string | undefined) => boolean;
  /** Environment variables that contain keys and tokens. Commands and modules do not inherit them. */
  readonly secretVariables: readonly string[];
  /** The current secrets, for redaction. */
  readonly secrets: () => readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads all of a server's inputs. Rejects with a ServeError.
 *
 * @param onKeys called when the keys have changed, with the reason if the change is unusable
 */
export async function planServer(
  options: ServeOptions,
  env: Environment,
  onKeys: (problem?: ServeError) => void,
): Promise<ServerPlan> {
  const prefix = options.envPrefix ?? DEFAULT_PREFIX;
  const plugin = readPluginConfig(env, prefix);
  const token = plugin?.token;
  const basePath = parseBasePath(options.basePath ?? '');
  const tls = options.tls && loadTls(options.tls.certFile, options.tls.keyFile);
  const address = await resolveAddress(options.host ?? DEFAULT_HOST);
  const { apiKeyFile: file, apiKeyVariable: variable } = options;
  const keys = openKeys(
    {
      ...defined({ file, variable }),
      ...(options.requireAuthToken && { token: requireToken(token, prefix) }),
      env,
    },
    onKeys,
  );
  if (keys === undefined && !options.allowUnauthenticated) refuseUnauthenticatedAddress(address);
  const secretTexts = new Set(collectSecrets(options.mutators, env));
  if (token !== undefined) secretTexts.add(token);
  return {
    plugin: plugin !== undefined,
    address,
    port: options.port ?? plugin?.port ?? DEFAULT_PORT,
    isPortNamed: plugin?.port !== undefined,
    basePath,
    ...(keys && { keys }),
    ...(tls && { tls }),
    isOwnHost: createHostCheck({
      address,
      ...defined({ host: options.host, allowedHosts: options.allowedHosts }),
    }),
    // Includes the default prefix, because a platform may still set variables with that prefix.
    secretVariables: [
      ...[prefix, DEFAULT_PREFIX].map((prefix) => `${prefix}_AUTH_TOKEN`),
      ...(variable === undefined ? [] : [variable]),
    ],
    secrets: () => [...secretTexts, ...(keys?.secrets ?? [])],
  };
}

function requireToken(token: string | undefined, prefix: string): string {
  if (token !== undefined) return token;
  throw new ServeError(
    'bad-plugin-config',
    `--require-auth-token needs a token in ${prefix}_AUTH_TOKEN, and a path in ${prefix}_REFLECTOR_CONFIG`,
    'A reflector passes both to the plugins that it starts.',
  );
}

/** Returns the values of the environment variables that a manifest uses in actuators and verifications. */
function collectSecrets(mutators: readonly ManifestMutator[], env: Environment): string[] {
  return mutators
    .flatMap(({ actuator, verify }) => [
      ...actuatorKindOf(actuator).secrets(actuator),
      ...(verify ? verificationTexts(verify) : []),
    ])
    .flatMap(variablesIn)
    .flatMap((variable) => env[variable] ?? []);
}
