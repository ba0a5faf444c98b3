import type { Command } from 'commander';
import type { RuleMeta } from '../../diagnostics/index.js';
import { wrap } from '../../reporters/index.js';
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
  const columns = io.stdout.isTTY ? io.stdout.columns : undefined;
  io.stdout.write(rulesText(allRules, columns));
  return exitCodes.ok;
}

const GAP = '  ';

/** A line for each rule; on a terminal that is too narrow for these, its summary below it. */
export function rulesText(rules: readonly RuleMeta[], columns = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...rules.map(({ id }) => id.length));
  const rows = rules.map(({ id, severity, summary, fixable }) => ({
    head: `${id.padEnd(width)}${GAP}${severity.padEnd('warning'.length)}`,
    what: `${summary}${fixable ? ' (fixable)' : ''}`,
  }));
  const fits = rows.every(({ head, what }) => `${head}${GAP}${what}`.length <= columns);
  const lines = rows.flatMap(({ head, what }) =>
    fits
      ? [`${head}${GAP}${what}`]
      : [head.trimEnd(), ...wrap(what, columns - GAP.length, lengthOf).map((line) => GAP + line)],
  );
  return lines.map((line) => `${line}\n`).join('');
}

function lengthOf(text: string): number {
  return text.length;
}
