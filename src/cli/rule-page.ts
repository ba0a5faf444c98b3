import type { RuleMeta } from '../diagnostics/index.js';

/** The docs page of a rule, in Markdown: what, why, what to do, examples, how to silence. */
export function rulePage(rule: RuleMeta): string {
  const language = rule.id.startsWith('expression/') ? '' : 'toml';
  return `# ${rule.id}

${sentence(rule.summary)}

| severity | fix |
|---|---|
| ${rule.severity} | ${rule.fixable ? 'yes' : 'no'} |

**Why it matters.** ${rule.why}

**What to do.** ${rule.action}

## Fails

${fenced(rule.examples.fails, language)}

## Passes

${fenced(rule.examples.passes, language)}
`;
}

/** A summary with a capital letter and a full stop. */
function sentence(summary: string): string {
  return `${summary[0]?.toUpperCase()}${summary.slice(1)}.`;
}

function fenced(code: string, language: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
}
