import type { Finding } from '../../diagnostics/index.js';
import { type Look, renderTable } from '../terminal/table.js';

/** How many findings each rule has, and in how many files; the most first. */
export function statisticsTable(findings: readonly Finding[], look: Look): string {
  const byRule = groupByRule(findings);
  const rows = [...byRule]
    .sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
    .map(([rule, ofRule]) => [
      String(ofRule.length),
      String(new Set(ofRule.map(({ file }) => file.path)).size),
      rule,
    ]);
  return rows.length === 0 ? '' : `\n${renderTable(['FINDINGS', 'FILES', 'RULE'], rows, look)}`;
}

function groupByRule(findings: readonly Finding[]): Map<string, Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const others = groups.get(finding.rule);
    if (others === undefined) groups.set(finding.rule, [finding]);
    else others.push(finding);
  }
  return groups;
}
