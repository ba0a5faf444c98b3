import type { Name } from './ast.js';
import type { Cut } from './clauses.js';
import type { Token } from './tokens.js';
import { isKeyword, spanOf } from './tokens.js';

/**
 * The labels of MATCH by their look, `AS x`, whatever else is broken there.
 * They are complete when every stretch between commas has one.
 */
export function boundLabels(cut: Cut): {
  readonly labels: readonly Name[];
  readonly labelsComplete: boolean;
} {
  const labels: Name[] = [];
  let labelsComplete = true;
  const matches = cut.clauses.filter(({ kind }) => kind === 'match');
  for (const { tokens } of matches) {
    let inStretch = 0;
    tokens.forEach((token, index) => {
      if (token.type === 'AS') {
        const label = nameOf(tokens[index + 1]);
        if (label !== undefined) labels.push(label);
        inStretch += label === undefined ? 0 : 1;
      }
      if (token.type === ',') {
        labelsComplete &&= inStretch > 0;
        inStretch = 0;
      }
    });
    labelsComplete &&= inStretch > 0;
  }
  return { labels, labelsComplete: labelsComplete && matches.length > 0 };
}

function nameOf(token: Token | undefined): Name | undefined {
  if (token === undefined || token.problem !== undefined) return undefined;
  const span = spanOf(token);
  const { type, image, value } = token;
  if (type === 'quoted identifier') return { kind: 'name', span, text: value as string };
  return type === 'identifier' || isKeyword(token)
    ? { kind: 'name', span, text: image }
    : undefined;
}
