import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Finding, type RuleMeta, suggest, suggestRule } from '../../diagnostics/index.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';

/** The flags that choose among findings by their rules. */
export interface ChoiceFlags {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** Adds the flags of `ChoiceFlags` to a command. */
export function addChoiceFlags(command: Command): Command {
  const add = (rule: string, before: readonly string[]) => {
    if (/^[\w-]+\/(?:[\w-]+|\*)$/.test(rule)) return [...before, rule];
    throw new InvalidArgumentError('It takes the id of a rule, or a group as in expression/*.');
  };
  return command
    .addOption(
      new Option('--only <rule>', 'report only this rule, or group/*; may be repeated')
        .argParser(add)
        .default([], 'all rules'),
    )
    .addOption(
      new Option('--skip <rule>', 'leave out this rule, or group/*; may be repeated')
        .argParser(add)
        .default([], 'none'),
    );
}

/**
 * Whether a finding was asked for. Findings that cannot be turned off, such as
 * a file that is not TOML, always are.
 *
 * @param rules all that there are
 * @throws Failure (usage) for a rule that does not exist, or cannot be left out
 */
export function chooserOf(
  { only, skip }: ChoiceFlags,
  rules: readonly RuleMeta[],
): (finding: Finding) => boolean {
  const ids = rules.map(({ id }) => id);
  const mandatory = new Set(rules.filter((rule) => rule.mandatory).map(({ id }) => id));
  for (const rule of [...only, ...skip]) {
    if (ids.some((id) => isOf(id, rule))) continue;
    const isGroup = rule.endsWith('/*');
    const groups = new Set(ids.map((id) => id.replace(/\/.*/, '/*')));
    throw new Failure(
      exitCodes.usage,
      `there is no ${isGroup ? 'group' : 'rule'} "${rule}"`,
      isGroup ? suggest(rule, [...groups]) : suggestRule(rule, ids),
    );
  }
  const fixed = skip.find((rule) => mandatory.has(rule));
  if (fixed !== undefined) throw new Failure(exitCodes.usage, `rule "${fixed}" cannot be left out`);
  return ({ rule }) =>
    mandatory.has(rule) ||
    ((only.length === 0 || only.some((one) => isOf(rule, one))) &&
      !skip.some((one) => isOf(rule, one)));
}

function isOf(id: string, rule: string): boolean {
  return rule.endsWith('/*') ? id.startsWith(rule.slice(0, -1)) : id === rule;
}
