import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { configRules, NO_SETTINGS, readSettings, type Settings } from '../../config/index.js';
import type { Finding, RuleMeta } from '../../diagnostics/index.js';
import { readInput } from '../../durable/index.js';
import { rules } from '../../objective/index.js';
import { reporters } from '../../reporters/index.js';
import { decodeSource } from '../../source/index.js';
import { version } from '../../version.js';
import {
  type CommandContext,
  CommandFailure,
  exitCodes,
  fileErrorReason,
} from '../runtime/command.js';
import { contextFor } from '../runtime/io.js';

const NAME = 'perturb.toml';

/** A project's settings, and where they come from. */
export interface Config extends Settings {
  /** The directory that globs and paths in the settings count from. */
  readonly directory: string;
}

/** The settings, and what is wrong with their file. */
export interface LoadedConfig {
  readonly config: Config;
  readonly findings: readonly Finding[];
}

/**
 * Reads the `perturb.toml` of a project: the named file, or the nearest one
 * upwards from the working directory, or none.
 *
 * @param rules every rule that the file may set a level for
 * @throws Failure (usage) when the named file cannot be read
 */
export function loadConfig(
  cwd: string,
  named: string | undefined,
  rules: readonly RuleMeta[],
): LoadedConfig {
  const path = named === undefined ? findUpwards(cwd) : resolve(cwd, named);
  if (path === undefined) return { config: { ...NO_SETTINGS, directory: cwd }, findings: [] };
  const shown = named ?? relative(cwd, path);
  const { settings, findings } = readSettings(
    decodeSource(shown, read(path, shown, named !== undefined)),
    rules,
  );
  // A file that is not TOML has no settings, and so no place that they count from.
  const directory = settings.document === undefined ? cwd : dirname(path);
  return { config: { ...settings, directory }, findings };
}

function findUpwards(cwd: string): string | undefined {
  for (let at = cwd; ; at = dirname(at)) {
    if (existsSync(join(at, NAME))) return join(at, NAME);
    if (dirname(at) === at) return undefined;
  }
}

function read(path: string, shown: string, pipe: boolean): Uint8Array {
  try {
    return readInput(path, { pipe }).bytes;
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `cannot read ${shown}: ${fileErrorReason(error)}`);
  }
}

/**
 * The settings of the project: those of the nearest perturb.toml upwards, or of
 * `file`. Mistakes in it are shown on stderr.
 *
 * @throws Failure (usage) when it cannot be read or has mistakes
 */
export async function readConfig(
  context: CommandContext,
  file: string | undefined,
): Promise<Config> {
  const { config, findings } = loadConfig(context.io.cwd, file, rules);
  if (findings.length === 0) return config;
  await printConfigFindings(context, findings);
  throw new CommandFailure(exitCodes.usage, 'perturb.toml has mistakes');
}

/** Shows findings about perturb.toml on stderr, so that a report on stdout stays whole. */
export async function printConfigFindings(
  { io, color }: CommandContext,
  findings: readonly Finding[],
): Promise<void> {
  const content = { findings, fileCount: 1, rules: configRules, version };
  const text = await reporters.pretty(content, contextFor(io, io.stderr, color));
  io.stderr.write(text);
}

/** The nearest directory upwards that holds `.git`, or the directory itself. */
export function repositoryRoot(directory: string): string {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return directory;
  }
}
