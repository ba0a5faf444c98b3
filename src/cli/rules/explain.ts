import type { Command } from 'commander';
import { rulePage, suggestRule } from '../../diagnostics/index.js';
import { EXAMPLE_MANIFEST } from '../../objective/index.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';
import { wantsColor } from '../runtime/io.js';
import { addFormatOption, type FormatFlags, lookOf } from '../terminal/output-format.js';
import { allRules } from './all-rules.js';
import { ruleJson } from './rule-json.js';

export const completions = { id: allRules.map(({ id }) => id) };

export function configure(command: Command): void {
  addFormatOption(command.argument('<id>', 'the id of the rule, as in a finding')).addHelpText(
    'after',
    `
Examples:
  perturb rules explain expression/unknown-label
  perturb rules explain expression/unknown-label --format json
`,
  );
}

export async function run(
  context: Context,
  [id]: readonly [string],
  { format }: FormatFlags,
): Promise<ExitCode> {
  const { io } = context;
  const rule = allRules.find((one) => one.id === id);
  if (rule === undefined) {
    const ids = allRules.map((one) => one.id);
    const help = suggestRule(id, ids);
    throw new Failure(
      exitCodes.usage,
      `there is no rule ${JSON.stringify(id)}`,
      `${help}\nperturb rules lists them all.`,
    );
  }
  if (format === 'json') {
    const explained = { ...ruleJson(rule), examples: rule.examples };
    io.stdout.write(`${JSON.stringify({ version: 1, rule: explained }, null, 2)}\n`);
    return exitCodes.ok;
  }
  const page = rulePage(rule, EXAMPLE_MANIFEST);
  if (io.stdout.isTTY !== true) io.stdout.write(page);
  else {
    const { renderMarkdown } = await import('../terminal/markdown.js');
    const color = wantsColor(io.stdout, io.env, context.color);
    io.stdout.write(renderMarkdown(page, lookOf(context), color));
  }
  return exitCodes.ok;
}
