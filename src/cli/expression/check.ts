import type { Configure, Run } from '../runtime/command.js';
import {
  addFormatOption,
  addStdinFilename,
  configOption,
  type FormatFlags,
} from '../runtime/options.js';
import { checkArgument, reportExpression } from './expression-source.js';

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
  const role = flags.precondition ? 'precondition' : 'check';
  const { expression, findings } = await checkArgument(context, argument, flags, role);
  return reportExpression(context, flags, findings, { expression });
};
