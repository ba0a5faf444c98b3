import { count } from '../diagnostics/index.js';
import { rules } from '../objective/index.js';
import { reporters } from '../reporters/index.js';
import { version } from '../version.js';
import { type Config, loadConfig } from './config.js';
import { exitCodes } from './exit-codes.js';
import { Failure } from './failure.js';

/**
 * The settings of the project, for a command that does not report findings.
 *
 * @param named the perturb.toml to use; otherwise the nearest one upwards
 * @throws Failure (usage) when it can't be read or has mistakes
 */
export function projectConfig(cwd: string, named: string | undefined): Config {
  const { config, diagnostics } = loadConfig(cwd, named, rules);
  if (count(diagnostics).errors === 0) return config;
  const lines = reporters.compact({ diagnostics, fileCount: 1, rules: [], version });
  throw new Failure(exitCodes.usage, 'perturb.toml has mistakes', lines.trimEnd());
}
