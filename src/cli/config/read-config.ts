import { configRules } from '../../config/index.js';
import type { Finding } from '../../diagnostics/index.js';
import { rules } from '../../objective/index.js';
import { reporters } from '../../reporters/index.js';
import { version } from '../../version.js';
import type { Context } from '../runtime/command.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';
import { type Config, loadConfig } from './config.js';
import { contextFor } from './reporter-context.js';

/**
 * The settings of the project: those of the nearest perturb.toml upwards, or of
 * `file`. Mistakes in it are shown on stderr.
 *
 * @throws Failure (usage) when it cannot be read or has mistakes
 */
export async function readConfig(context: Context, file: string | undefined): Promise<Config> {
  const { config, findings } = loadConfig(context.io.cwd, file, rules);
  if (findings.length === 0) return config;
  await tellConfig(context, findings);
  throw new Failure(exitCodes.usage, 'perturb.toml has mistakes');
}

/** Shows findings about perturb.toml on stderr, so that a report on stdout stays whole. */
export async function tellConfig(
  { io, color }: Context,
  findings: readonly Finding[],
): Promise<void> {
  const content = { findings, fileCount: 1, rules: configRules, version };
  const text = await reporters.pretty(content, contextFor(io, io.stderr, color));
  io.stderr.write(text);
}
