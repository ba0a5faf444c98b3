import type { RuleMeta } from '../rule.js';

/** How to silence a rule, or why that cannot be done, in Markdown. */
export function silencing(rule: RuleMeta): string {
  const { id, severity } = rule;
  if (id.startsWith('manifest/')) {
    return 'It cannot be silenced: a manifest is used only when it has no finding.\n';
  }
  if (rule.mandatory) return 'It cannot be silenced, nor given another severity.\n';
  const other = severity === 'error' ? 'warn' : 'error';
  const project = `For a project, in \`perturb.toml\`:

\`\`\`toml
[lint.rules]
"${id}" = "off"    # or "${other}"
\`\`\`
`;
  // What comments do to findings cannot be undone by another comment.
  if (id.startsWith('ignore/')) return project;
  const within = id.startsWith('expression/') ? ', within the expression too' : '';
  return `For one line, in a comment at its end or on the line above${within}:

\`\`\`toml
# perturb: ignore ${id}
\`\`\`

With \`ignore-file\` in place of \`ignore\`, for the whole file.

${project}`;
}
