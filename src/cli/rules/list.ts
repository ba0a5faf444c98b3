import type { Command } from 'commander';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { addFormatOption, type FormatFlags } from '../terminal/output-format.js';
import { allRules } from './all-rules.js';
import { ruleJson } from './rule-json.js';

export function configure(command: Command): void {
  addFormatOption(command).addHelpText(
    'after',
    '\nExamples:\n  perturb rules\n  perturb rules --format json\n',
  );
}

export function run({ io }: Context, _args: readonly unknown[], { format }: FormatFlags): ExitCode {
  if (format === 'json') {
    io.stdout.write(`${JSON.stringify({ version: 1, rules: allRules.map(ruleJson) }, null, 2)}\n`);
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
