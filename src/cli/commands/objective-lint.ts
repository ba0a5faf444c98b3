import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { arrange, count, type Diagnostic } from '../../diagnostics/index.js';
import { lint, rules } from '../../objective/index.js';
import { type ReporterName, reporters } from '../../reporters/index.js';
import { decodeSource } from '../../source/index.js';
import { version } from '../../version.js';
import type { Context } from '../command.js';
import { discover } from '../discover.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { reasonOf } from '../failure.js';
import { readStdin, wantsColor } from '../io.js';
import { startProgress } from '../progress.js';
import { repositoryRoot } from '../repository.js';

interface Flags {
  readonly format: ReporterName;
  readonly maxWarnings?: number;
  readonly quiet?: true;
  readonly stdinFilename?: string;
}

export function configure(command: Command): void {
  command
    .argument('[paths...]', 'files, directories, globs, or - for stdin', ['.'])
    .addOption(
      new Option('-f, --format <name>', 'how to report')
        .choices(Object.keys(reporters))
        .default('pretty'),
    )
    .option('--max-warnings <n>', 'fail when there are more warnings', wholeNumber)
    .option('-q, --quiet', 'report errors only')
    .option('--stdin-filename <path>', 'the name to show for stdin')
    .addHelpText(
      'after',
      `
A directory is searched for *.objective.toml, without what git ignores.
Exit codes: 0 nothing at error level, 1 errors found, 2 wrong usage.

Examples:
  perturb objective lint wind.objective.toml
  perturb objective lint objectives/ --max-warnings 0
  perturb objective lint 'bench/**/*.toml' --format json
  cat wind.toml | perturb objective lint - --stdin-filename wind.toml
`,
    );
}

export async function run(
  { io, color }: Context,
  [paths]: readonly [readonly string[]],
  flags: Flags,
): Promise<ExitCode> {
  const { files, problems } = await discover(paths, io.cwd);
  const unread = [...problems];
  const diagnostics: Diagnostic[] = [];
  let fileCount = 0;
  const progress = startProgress(io.stderr, files.length, 'files checked');
  for (const path of files) {
    let bytes: Uint8Array;
    try {
      bytes = path === '-' ? await readStdin(io) : readFileSync(resolve(io.cwd, path));
    } catch (error) {
      unread.push(`can't read ${path}: ${reasonOf(error)}`);
      continue;
    }
    const shown = path === '-' ? (flags.stdinFilename ?? path) : path;
    for (const diagnostic of lint(decodeSource(shown, bytes))) diagnostics.push(diagnostic);
    fileCount += 1;
    progress.step();
  }
  progress.end();
  const { errors, warnings } = count(diagnostics);
  if (fileCount > 0) {
    const told = flags.quiet
      ? diagnostics.filter((diagnostic) => diagnostic.severity === 'error')
      : diagnostics;
    io.stdout.write(
      await reporters[flags.format](
        { diagnostics: arrange(told), fileCount, rules, version },
        {
          color: wantsColor(io.stdout, io.env, color),
          ...(io.stdout.columns !== undefined && { width: io.stdout.columns }),
          directory: io.cwd,
          root: repositoryRoot(io.cwd),
        },
      ),
    );
  }
  for (const problem of unread) io.stderr.write(`perturb: ${problem}\n`);
  const tooMany = flags.maxWarnings !== undefined && warnings > flags.maxWarnings;
  if (tooMany) {
    const noun = warnings === 1 ? 'warning' : 'warnings';
    io.stderr.write(
      `perturb: ${warnings} ${noun}, and --max-warnings allows ${flags.maxWarnings}\n`,
    );
  }
  if (unread.length > 0) return exitCodes.usage;
  return errors > 0 || tooMany ? exitCodes.findings : exitCodes.ok;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(text);
}
