import type { Command } from 'commander';
import { count, quote } from '../../diagnostics/index.js';
import { type LintOptions, loadObjective, type Objective, rules } from '../../objective/index.js';
import { readConfig, tellConfig } from '../config/read-config.js';
import { addSourceFlags, loadMutators, type SourceFlags } from '../config/sources.js';
import { checkEach } from '../files/check-files.js';
import { type Outcome, report } from '../files/report.js';
import { selectFiles } from '../files/select-files.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';
import { addFormatOption, type FormatFlags } from '../terminal/output-format.js';
import { type Accepted, type RegisterFlags, registerObjectives } from './register-objectives.js';
import { addPlaceFlags } from './store.js';

interface Flags extends RegisterFlags, SourceFlags, FormatFlags {
  readonly inlineIgnores: boolean;
  readonly stdinFilename?: string;
}

export function configure(command: Command): void {
  command.argument('<paths...>', 'files, directories, globs, or - for stdin');
  addPlaceFlags(addFormatOption(command))
    .option('--update', 'store changed content under an existing name, as its next revision')
    .option('--dry-run', 'check, and show what would be stored');
  addSourceFlags(command)
    .option('--no-inline-ignores', 'also report what comments silence')
    .option('--stdin-filename <path>', 'the name to show for stdin')
    .addHelpText(
      'after',
      `
Checks the files as "perturb objective lint" does. If there is no error, it
registers each objective by its name: all of them, or none.
Exit codes: 0 stored or unchanged, 1 rejected, 2 wrong usage or configuration,
4 the store or a source of mutators cannot be used.

Examples:
  perturb objective create wind.objective.toml
  perturb objective create objectives/ --mutators bench/mutators.toml
  perturb objective create wind.objective.toml --update
  perturb objective create wind.objective.toml --store postgres://lab@db.example/perturb
`,
    );
}

export async function run(
  context: Context,
  [paths]: readonly [readonly string[]],
  flags: Flags,
): Promise<ExitCode> {
  const { io, color } = context;
  const config = await readConfig(context, flags.config);
  const { files, problems, findings: idleGlobs } = await selectFiles(paths, config, io.cwd);
  if (idleGlobs.length > 0) await tellConfig(context, idleGlobs);
  const mutators = await loadMutators(io, flags, config);
  const options: LintOptions = {
    inlineIgnores: flags.inlineIgnores,
    levels: config.levels,
    ...(mutators.catalog && { catalog: mutators.catalog }),
  };
  const loaded: { path: string; bytes: Uint8Array; objective: Objective | undefined }[] = [];
  const checked = await checkEach(io, files, flags, (decoded, bytes) => {
    const { findings, objective } = loadObjective(decoded, options);
    loaded.push({ path: decoded.source.path, bytes, objective });
    return findings;
  });
  const outcome: Outcome = {
    findings: [...mutators.findings, ...checked.findings],
    fileCount: checked.fileCount,
    rules: [...rules, ...mutators.rules],
    unread: [...problems, ...checked.unread],
  };
  if (outcome.unread.length > 0 || count(outcome.findings).errors > 0) {
    return report(io, color, { format: [{ format: flags.format }] }, outcome);
  }
  const accepted = loaded.map(({ objective, ...file }) => {
    if (objective !== undefined) return { ...file, objective };
    throw new Failure(
      exitCodes.findings,
      `nothing was stored: a silenced finding hides a part of ${file.path}`,
      'Find it with perturb objective lint --no-inline-ignores, or in [lint.rules].',
    );
  });
  refuseSameNames(accepted);
  return registerObjectives(context, flags, config, accepted, outcome);
}

/** One run cannot hold two designs under one name: which one was meant? */
function refuseSameNames(accepted: readonly Accepted[]): void {
  const paths = new Map<string, string>();
  for (const { path, objective } of accepted) {
    const other = paths.get(objective.name);
    if (other !== undefined) {
      const message = `nothing was stored: ${other} and ${path} have the same name ${quote(objective.name)}`;
      throw new Failure(exitCodes.findings, message, 'Rename one of them.');
    }
    paths.set(objective.name, path);
  }
}
