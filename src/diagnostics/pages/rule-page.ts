import type { RuleMeta } from '../rule.js';
import { silencing } from './silencing.js';

/**
 * The docs page of a rule, in Markdown: what, why, what to do, examples, how to silence.
 *
 * @param manifest the mutators that the examples of the catalog rules are checked against
 */
export function rulePage(rule: RuleMeta, manifest: string): string {
  const language = groupOf(rule) === 'expression' ? '' : 'toml';
  const against = groupOf(rule) === 'catalog' ? manifestSection(manifest) : '';
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

${against}## Silencing it

${silencing(rule)}`;
}

/** The rules by group as an index of their pages, in Markdown. */
export function ruleIndex(rules: readonly RuleMeta[]): string {
  const groups = new Set(rules.map(groupOf));
  const sections = [...groups].map((group) => {
    const rows = rules
      .filter((rule) => groupOf(rule) === group)
      .map(({ id, severity, fixable, summary }) => {
        const cells = [`[${id}](${id}.md)`, severity, fixable ? 'yes' : '', sentence(summary)];
        return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
      });
    return `## ${group}\n\n| rule | severity | fix | reports |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Rules

<!-- Written by \`npm run golden\` from the rules themselves. -->

\`perturb rules\` lists them, and \`perturb rules explain ID\` shows the page of one.

${sections.join('\n')}`;
}

function groupOf({ id }: RuleMeta): string {
  return id.slice(0, id.indexOf('/'));
}

/** A summary with a capital letter, unless it begins with a file's name, and a full stop. */
function sentence(summary: string): string {
  const isName = /^\w+\.\w/.test(summary);
  const first = isName ? summary[0] : summary[0]?.toUpperCase();
  return `${first}${summary.slice(1)}${/[.!?]$/.test(summary) ? '' : '.'}`;
}

function manifestSection(manifest: string): string {
  return `## The manifest

Both are checked against these mutators:

${fenced(manifest, 'toml')}

`;
}

function fenced(code: string, language: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
}
