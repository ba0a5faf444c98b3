import { applyLevels, arrange, count } from '../../diagnostics/index.js';
import { check, expressionRules } from '../../expression/index.js';
import { jsonDocument, type Report, reporters, versioned } from '../../reporters/index.js';
import { version } from '../../version.js';
import { readConfig } from '../config/config.js';
import { type Configure, exitCodes, type Run } from '../runtime/command.js';
import { contextFor } from '../runtime/io.js';
import {
  addFormatOption,
  addStdinFilename,
  configOption,
  type FormatFlags,
} from '../runtime/options.js';
import { forFormat, sourceOf } from './expression-source.js';

interface Flags extends FormatFlags {
  readonly config?: string;
  readonly precondition?: true;
  readonly stdinFilename?: string;
}

export const hints = {
  'commander.excessArguments':
    'Quote the expression, as in perturb expression check "MATCH (name = \'CRASH\') AS crash".',
};

export const help = `
Exit codes: 0 nothing at error level, 1 errors found, 2 wrong usage.

Examples:
  perturb expression check "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"
  perturb expression check crash.trace
  perturb expression check - --format json < crash.trace
`;

export const configure: Configure = (command) => {
  command.argument('[expression]', 'the expression, a file that holds it, or - for stdin', '-');
  addFormatOption(command, 'how to report; json holds the syntax tree')
    .addOption(configOption())
    .option('--precondition', 'check it as a mutation_precondition');
  addStdinFilename(command);
};

export const run: Run<Flags, [string]> = async (context, [argument], flags) => {
  const { io, color } = context;
  const { levels } = await readConfig(context, flags.config);
  const file = await sourceOf(io, argument, flags);
  const role = flags.precondition ? 'precondition' : 'check';
  const checked = check(file.text, { role, place: () => file, levels });
  const { expression } = checked;
  const found = arrange(applyLevels(checked.findings, levels));
  const findings = forFormat(flags.format, found);
  const report: Report = {
    findings,
    fileCount: 1,
    noun: 'expression',
    rules: expressionRules,
    version,
  };
  io.stdout.write(
    flags.format === 'json'
      ? versioned({ ...jsonDocument(report), expression })
      : await reporters.pretty(report, contextFor(io, io.stdout, color)),
  );
  return count(findings).errors > 0 ? exitCodes.findings : exitCodes.ok;
};
