import { type Command, Option } from 'commander';
import { allRules } from '../all-rules.js';
import type { Context } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';

export function configure(command: Command): void {
  command
    .addOption(
      new Option('-f, --format <name>', 'how to print')
        .choices(['pretty', 'json'])
        .default('pretty'),
    )
    .addHelpText('after', '\nExamples:\n  perturb rules\n  perturb rules --format json\n');
}

export function run(
  { io }: Context,
  _args: readonly unknown[],
  { format }: { readonly format: 'pretty' | 'json' },
): ExitCode {
  if (format === 'json') {
    const listed = allRules.map(({ id, severity, summary, why, action, fixable, mandatory }) => ({
      id,
      severity,
      summary,
      why,
      action,
      fixable: fixable === true,
      mandatory: mandatory === true,
    }));
    io.stdout.write(`${JSON.stringify({ version: 1, rules: listed }, null, 2)}\n`);
    return exitCodes.ok;
  }
  const width = Math.max(...allRules.map(({ id }) => id.length));
  for (const { id, severity, summary, fixable } of allRules) {
    const fix = fixable ? ' (fixable)' : '';
    io.stdout.write(
      `${id.padEnd(width)}  ${severity.padEnd('warning'.length)}  ${summary}${fix}\n`,
    );
  }
  return exitCodes.ok;
}
