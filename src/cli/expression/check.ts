import type { CommandHandler } from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { configOption, formatOption, stdinFilenameOption } from '../runtime/options.js';
import { checkArgument, reportExpression } from './expression-source.js';

export const hints = {
  'commander.excessArguments':
    'Quote the expression, as in perturb expression check "MATCH (name = \'CRASH\') AS crash".',
};

export const help = `
Exit codes: 0 nothing at error level, 1 errors found, 2 invalid usage.

Examples:
  perturb expression check "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"
  perturb expression check crash.trace
  perturb expression check - --format json < crash.trace
`;

export const args = [
  argument('[expression]', 'the expression, its file, or - for stdin', '-'),
] as const;

export const options = [
  formatOption('report format; json includes the syntax tree'),
  configOption,
  option('--precondition', 'check the expression as a mutation_precondition'),
  stdinFilenameOption,
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (
  context,
  [argument],
  flags,
) => {
  const role = flags.precondition ? 'precondition' : 'check';
  const { expression, findings } = await checkArgument(context, argument, flags, role);
  return reportExpression(context, flags, findings, { expression });
};
