import { wrap } from '../basics/index.js';
import { configRules } from '../config/index.js';
import { quote, type RuleMeta, rulePage, suggestRule } from '../diagnostics/index.js';
import { EXAMPLE_SESSION } from '../expression/index.js';
import { manifestRules } from '../mutators/index.js';
import { EXAMPLE_MANIFEST, rules } from '../objective/index.js';
import { defineCommand, usageFailure } from './runtime/command.js';
import { argument } from './runtime/declare.js';
import { printResult, wantsColor } from './runtime/io.js';
import { formatOption } from './runtime/options.js';

/** All rules by group. */
export const allRules: readonly RuleMeta[] = [...rules, ...manifestRules, ...configRules];

export const listRules = defineCommand({
  help: '\nExamples:\n  perturb rules\n  perturb rules --format json\n',
  options: [formatOption()],
  run(context, _args, flags) {
    const { isTTY, columns } = context.io.stdout;
    return printResult(context, flags, { rules: allRules.map(ruleJson) }, () =>
      rulesText(allRules, isTTY ? columns : undefined),
    );
  },
});

export const explainRule = defineCommand({
  help: `
Examples:
  perturb rules explain expression/unknown-label
  perturb rules explain unknown-label
  perturb rules explain expression/unknown-label --format json
`,
  args: [argument('<rule>', 'the id of the rule, with or without its group')],
  options: [formatOption()],
  async run(context, [id], flags) {
    const { io } = context;
    const named = allRules.filter((one) => one.id === id || one.id.endsWith(`/${id}`));
    const [rule] = named;
    if (rule === undefined || named.length > 1) {
      const ids = allRules.map((one) => one.id);
      // For a group, the help lists the group's rules.
      const { help } = suggestRule(id.replace(/\*$/, ''), ids);
      throw usageFailure(`there is no rule ${quote(id)}`, `${help}\nperturb rules lists them all.`);
    }
    const page = rulePage(rule, { manifest: EXAMPLE_MANIFEST, session: EXAMPLE_SESSION });
    const { renderMarkdown } = await import('../reporters/terminal/index.js');
    const color = wantsColor(io.stdout, io.env, context.color);
    const members = { rule: { ...ruleJson(rule), examples: rule.examples } };
    return printResult(context, flags, members, (look) =>
      io.stdout.isTTY ? renderMarkdown(page, look, color) : page,
    );
  },
});

const GAP = '  ';

/** Formats one line per rule. On a narrow terminal, puts each summary below its rule. */
function rulesText(rules: readonly RuleMeta[], columns = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...rules.map(({ id }) => id.length));
  const rows = rules.map(({ id, severity, summary, fixable }) => ({
    head: `${id.padEnd(width)}${GAP}${severity.padEnd('warning'.length)}`,
    what: `${summary}${fixable === 'safe' ? ' (fixable)' : ''}`,
  }));
  const fits = rows.every(({ head, what }) => `${head}${GAP}${what}`.length <= columns);
  const lines = rows.flatMap(({ head, what }) =>
    fits
      ? [`${head}${GAP}${what}`]
      : [head.trimEnd(), ...wrap(what, columns - GAP.length).map((line) => GAP + line)],
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** Converts a rule to JSON. */
function ruleJson({ id, severity, summary, why, action, fixable, mandatory }: RuleMeta) {
  const flags = { fixable: fixable === 'safe', fix: fixable, mandatory: mandatory === true };
  return { id, severity, summary, why, action, ...flags };
}
