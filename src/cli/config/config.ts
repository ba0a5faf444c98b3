import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import {
  NO_SETTINGS,
  readSettings,
  type Server,
  type Settings,
  userConfigPath,
  withUserKeys,
} from '../../config/index.js';
import { count, type Finding, type RuleMeta } from '../../diagnostics/index.js';
import { isOwnedByAnotherUser, readInput } from '../../durable/index.js';
import { rules } from '../../objective/index.js';
import { reporters } from '../../reporters/index.js';
import { decodeSource } from '../../source/index.js';
import { version } from '../../version.js';
import { type CommandContext, fileFailure, type Io, usageFailure } from '../runtime/command.js';
import { contextFor } from '../runtime/io.js';

export const CONFIG_NAME = 'perturb.toml';

export interface Config extends Settings {
  /** The base directory for the settings' globs and paths. */
  readonly directory: string;
  /** The servers available by name on the command line: the project's and the user's own. */
  readonly namedServers: ReadonlyMap<string, Server>;
}

/**
 * Reads a project's `perturb.toml`: the named file, otherwise the nearest file in `from` or above,
 * if any. The user's own file adds named servers and keys.
 *
 * @param rules the rules with configurable levels
 * @param from the directory where the search starts
 * @throws CommandFailure (usage) if a file cannot be read, or if an unnamed file belongs to another
 *   user
 */
export function loadConfig(
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
  named: string | undefined,
  rules: readonly RuleMeta[],
  from = cwd,
): { readonly config: Config; readonly findings: readonly Finding[] } {
  const ownPath = userConfigPath(env);
  const hasOwn = ownPath !== undefined && existsSync(ownPath);
  const own = hasOwn
    ? readSettings(decodeSource(ownPath, read(ownPath, ownPath, false)), rules, true)
    : { settings: NO_SETTINGS, findings: [] };
  const path = named === undefined ? findUpwards(from, CONFIG_NAME) : resolve(cwd, named);
  const isOwn = path !== undefined && path === ownPath;
  const shown = named ?? (path === undefined ? '' : relative(cwd, path));
  const { settings, findings } =
    path === undefined || isOwn
      ? { settings: isOwn ? own.settings : NO_SETTINGS, findings: [] }
      : readSettings(decodeSource(shown, read(path, shown, named !== undefined)), rules);
  const servers = withUserKeys(settings.servers, own.settings.servers);
  // A file with invalid TOML has no settings, so no path is relative to the file.
  const directory = path === undefined || settings.document === undefined ? from : dirname(path);
  const namedServers = new Map([...own.settings.servers, ...servers]);
  return {
    config: { ...settings, servers, namedServers, directory },
    findings: [...own.findings, ...findings],
  };
}

/**
 * Returns the path of the nearest file or directory called `name`, in the directory or above it;
 * undefined if there is none.
 */
export function findUpwards(directory: string, name: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const path = join(at, name);
    if (existsSync(path)) return path;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * Reads a configuration file.
 *
 * @param isNamed true if the user named the file, and so trusts it
 */
function read(path: string, shown: string, isNamed: boolean): Uint8Array {
  try {
    const { bytes, stats } = readInput(path, { pipe: isNamed });
    if (isNamed || !isOwnedByAnotherUser(path, stats)) return bytes;
    const help = `If you trust it, pass --config ${shown}.`;
    throw usageFailure(`${shown} belongs to another user`, help);
  } catch (error) {
    throw fileFailure('read', shown, error);
  }
}

/**
 * Returns the project's settings from `file`, otherwise from the nearest perturb.toml. Prints
 * findings to stderr.
 *
 * @param from the directory where the search starts; by default, the working directory
 * @throws CommandFailure (usage) if the file cannot be read or has errors
 */
export async function readConfig(
  context: CommandContext,
  file: string | undefined,
  from?: string,
): Promise<Config> {
  const { config, findings } = loadConfig(context.io, file, rules, from);
  await printFindings(context, findings);
  if (count(findings).errors === 0) return config;
  throw usageFailure('perturb.toml has errors');
}

/** Prints findings to stderr, because stdout is for the command's output. */
export async function printFindings(
  { io, color }: CommandContext,
  findings: readonly Finding[],
): Promise<void> {
  if (findings.length === 0) return;
  const content = { findings, fileCount: 1, rules: [], version };
  const text = await reporters.pretty(content, contextFor(io, io.stderr, color));
  io.stderr.write(text);
}

/**
 * Returns the nearest directory that contains `.git`: the directory itself or an ancestor. Outside
 * a repository, returns the directory itself.
 */
export function repositoryRoot(directory: string): string {
  const found = findUpwards(directory, '.git');
  return found === undefined ? directory : dirname(found);
}
