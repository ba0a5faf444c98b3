import { readFileSync } from 'node:fs';
import { quote } from '../../diagnostics/index.js';
import { decodeSource } from '../../source/index.js';
import { isTable, readToml, type TomlTable } from '../../toml/index.js';
import { ServeError, unreadable } from './serve-error.js';

/** How a reflector names its variables, unless it is told. */
export const DEFAULT_PREFIX = 'PLATFORM';

/** What a reflector tells a plugin that it starts. */
export interface PluginConfig {
  /** The port on which it expects the API, where its configuration says one. */
  readonly port?: number;
  /** Its token, if it gave one. A secret. */
  readonly token?: string;
}

const TABLE = 'mutation';
const KEY = 'mutator-http-api-port';

/** Where its configuration names the port of the API. */
export const PORT_KEY = `${TABLE}.${KEY}`;

/**
 * Reads what a reflector tells by `<prefix>_REFLECTOR_CONFIG`, the path of its
 * configuration file, and `<prefix>_AUTH_TOKEN`.
 *
 * @returns undefined when no reflector started the program
 * @throws ServeError when the file cannot be read or names what is no port
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
  const where = `${quote(path)}, the reflector's configuration,`;
  if (port === undefined) return undefined;
  if (typeof port !== 'bigint' || port < 1n || port > 65_535n) {
    throw new ServeError(
      'bad-plugin-config',
      `${where} has a ${PORT_KEY} that is not a port: expected an integer from 1 to 65535`,
    );
  }
  return Number(port);
}

function readRoot(path: string): TomlTable {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw unreadable('bad-plugin-config', path, error);
  }
  const decoded = decodeSource(path, bytes);
  const { document, findings } = readToml(decoded);
  const [finding] = findings;
  if (document !== undefined && finding === undefined) return document.root;
  const { line, column } = decoded.source.lines.position(finding?.span.start ?? 0);
  throw new ServeError(
    'bad-plugin-config',
    `${path}:${line}:${column}: ${finding?.message ?? 'this is not TOML'}`,
    "It is the reflector's configuration, which names the port of the API.",
  );
}
