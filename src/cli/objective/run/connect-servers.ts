import { quote } from '../../../diagnostics/index.js';
import {
  type Catalog,
  ClientError,
  createCatalog,
  type MutatorClient,
} from '../../../mutators/index.js';
import { visible } from '../../../reporters/index.js';
import type { Servers } from '../../../runner/index.js';
import { parseDuration } from '../../../values/index.js';
import type { Config } from '../../config/config.js';
import { connect, toFailure } from '../../config/server.js';
import { exitCodes } from '../../runtime/exit-codes.js';
import { Failure } from '../../runtime/failure.js';
import type { Io } from '../../runtime/io.js';
import type { RunFlags } from './flags.js';

/** The servers of a run, and what they have. */
export interface Connected {
  readonly servers: Servers;
  readonly catalog: Catalog;
}

/**
 * Connects to the servers that are named, and asks each what it has.
 *
 * @param names URLs, or names in perturb.toml
 * @throws Failure (usage) without any server; (unavailable) for one that cannot be used
 */
export async function connectServers(
  io: Io,
  flags: RunFlags,
  names: readonly string[],
): Promise<Connected> {
  if (names.length === 0) {
    throw new Failure(
      exitCodes.usage,
      'no mutator server is given or configured',
      'Give one with --server URL, or add a table [servers.NAME] with a url to perturb.toml.',
    );
  }
  const servers = new Map<string, MutatorClient>();
  for (const server of new Set(names)) {
    servers.set(server, await connect(io, { ...flags, server }));
  }
  const listed = await Promise.all([...servers].map(([name, client]) => list(io, name, client)));
  return { servers, catalog: createCatalog(listed.flat()) };
}

async function list(io: Io, name: string, client: MutatorClient) {
  try {
    const { mutators, warnings } = await client.list();
    for (const warning of warnings) {
      io.stderr.write(`perturb: warning: ${name}: ${visible(warning)}\n`);
    }
    return mutators.map((mutator) => ({ ...mutator, origin: name }));
  } catch (error) {
    throw error instanceof ClientError ? toFailure(error) : error;
  }
}

/** The servers that the flags name, or else perturb.toml. */
export function serverNames(flags: RunFlags, { run, servers }: Config): readonly string[] {
  if (flags.server.length > 0) return flags.server;
  return run.servers ?? [...servers.keys()];
}

/** A duration of perturb.toml in milliseconds. @throws Failure (usage) when it is not a duration */
export function durationSetting(key: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const parsed = parseDuration(text);
  if ('ms' in parsed) return parsed.ms;
  throw new Failure(
    exitCodes.usage,
    `perturb.toml: ${quote(key)} of [run] is not a duration: ${parsed.problem}`,
    parsed.help,
  );
}
