import type { MultiformatMessageString, ReportingDescriptor } from 'sarif';
import type { RuleMeta } from '../../diagnostics/index.js';
import { rulePageUrl } from '../../version.js';

/** What a rule says about itself. */
export function toDescriptor(rule: RuleMeta): ReportingDescriptor {
  const { id, severity, summary, why, action } = rule;
  return {
    id,
    shortDescription: both(summary),
    fullDescription: both(`${summary}\n\n${why}`),
    defaultConfiguration: { level: severity },
    helpUri: rulePageUrl(id),
    help: { text: `${why}\n\n${action}`, markdown: toMarkdown(rule) },
  };
}

/** The texts of rules are plain sentences that use no Markdown but backquotes. */
function both(text: string): MultiformatMessageString {
  return { text, markdown: text };
}

function toMarkdown({ why, action, examples }: RuleMeta): string {
  return [why, action, 'Fails:', fence(examples.fails), 'Passes:', fence(examples.passes)].join(
    '\n\n',
  );
}

function fence(code: string): string {
  return `\`\`\`\n${code.trimEnd()}\n\`\`\``;
}
