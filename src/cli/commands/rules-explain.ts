import type { Command } from 'commander';
import { suggestRule } from '../../diagnostics/index.js';
import { allRules } from '../all-rules.js';
import type { Context } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { rulePage } from '../rule-page.js';

export const completions = { id: allRules.map(({ id }) => id) };

export function configure(command: Command): void {
  command
    .argument('<id>', 'the id of the rule, as in a finding')
    .addHelpText('after', '\nExample:\n  perturb rules explain expression/unknown-label\n');
}

export function run({ io }: Context, [id]: readonly [string]): ExitCode {
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
  io.stdout.write(rulePage(rule));
  return exitCodes.ok;
}
