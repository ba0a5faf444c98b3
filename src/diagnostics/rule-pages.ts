import type { RuleMeta } from './rule.js';

/**
 * Returns a rule's docs page in Markdown: summary, reason, action, examples, and how to silence it.
 *
 * @param given the mutators that the examples of catalog rules are checked against, and the session
 * for those about recordings
 */
export function rulePage(
  rule: RuleMeta,
  { manifest, session }: { readonly manifest: string; readonly session: string },
): string {
  const group = roomOf(rule);
  const language = isOfExpression(rule) ? '' : 'toml';
  const against =
    group === 'catalog'
      ? section('manifest', 'these mutators', manifest, 'toml')
      : group === 'recorded'
        ? section('session', 'this session, passed with `--sessions`', session, '')
        : '';
  return `# ${rule.id}

${sentence(rule.summary)}

| severity | fix |
|---|---|
| ${severityOf(rule)} | ${rule.fixable ?? 'no'} |

**Why it matters.** ${rule.why}

**What to do.** ${rule.action}

## Fails

${fenced(rule.examples.fails, language)}

## Passes

${fenced(rule.examples.passes, language)}

${against}## Silencing it

${silencing(rule)}`;
}

/** Returns an index of the rule pages by group, in Markdown. */
export function ruleIndex(rules: readonly RuleMeta[]): string {
  const groups = new Set(rules.map(roomOf));
  const sections = [...groups].map((group) => {
    const rows = rules
      .filter((rule) => roomOf(rule) === group)
      .map((rule) => {
        const { id, fixable, summary } = rule;
        const severity = severityOf(rule);
        const cells = [`[${id}](${id}.md)`, severity, fixable ?? '', sentence(summary)];
        return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
      });
    return `## ${group}\n\n| rule | severity | fix | reports |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Rules

<!-- Written by \`npm run golden\` from the rules themselves. -->

\`perturb rules\` lists the rules, and \`perturb rules explain ID\` shows a rule's page.

${sections.join('\n')}`;
}

function severityOf({ severity, off }: RuleMeta): string {
  return off ? 'off' : severity;
}

function roomOf({ id }: RuleMeta): string {
  return id.slice(0, id.indexOf('/'));
}

/**
 * Returns a summary as a sentence: with a capital letter, unless it begins with a file name, and a
 * full stop.
 */
function sentence(summary: string): string {
  const isName = /^\w+\.\w/.test(summary);
  const first = isName ? summary[0] : summary[0]?.toUpperCase();
  return `${first}${summary.slice(1)}${/[.!?]$/.test(summary) ? '' : '.'}`;
}

function isOfExpression(rule: RuleMeta): boolean {
  return roomOf(rule) === 'expression' || roomOf(rule) === 'recorded';
}

function section(title: string, context: string, code: string, language: string): string {
  return `## The ${title}

Both are checked against ${context}:

${fenced(code, language)}

`;
}

function fenced(code: string, language: string): string {
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``;
}

/**
 * Returns the instructions for silencing a rule, or the reason why it cannot be silenced, in
 * Markdown.
 */
function silencing(rule: RuleMeta): string {
  const { id, severity } = rule;
  if (id.startsWith('manifest/')) {
    return severity === 'error'
      ? 'It cannot be silenced: a manifest is used only when it has no errors.\n'
      : 'It cannot be silenced.\n';
  }
  if (rule.mandatory) return 'It cannot be silenced or given another severity.\n';
  if (rule.off) {
    return `It is off unless a project turns it on in \`perturb.toml\`:

\`\`\`toml
[lint.rules]
"${id}" = "warn"    # or "error"
\`\`\`
`;
  }
  const other = severity === 'error' ? 'warn' : 'error';
  const project = `For a project, in \`perturb.toml\`:

\`\`\`toml
[lint.rules]
"${id}" = "off"    # or "${other}"
\`\`\`
`;
  // A comment cannot undo what another comment does to findings.
  if (id.startsWith('ignore/')) return project;
  const within = isOfExpression(rule) ? ', within the expression too' : '';
  return `For one line, in a comment at its end or on the line above${within}:

\`\`\`toml
# perturb: ignore ${id}
\`\`\`

With \`ignore-file\` in place of \`ignore\`, for the whole file.

${project}`;
}
