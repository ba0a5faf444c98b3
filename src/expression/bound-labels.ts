import type { IToken } from 'chevrotain';
import type { Name } from './ast.js';
import type { Cut } from './clauses.js';
import { problemOf, spanOf } from './lex.js';
import { AsWord, Comma, Identifier, keywords, QuotedName } from './tokens.js';

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
      if (token.tokenType === AsWord) {
        const label = nameOf(tokens[index + 1]);
        if (label !== undefined) labels.push(label);
        inStretch += label === undefined ? 0 : 1;
      }
      if (token.tokenType === Comma) {
        labelsComplete &&= inStretch > 0;
        inStretch = 0;
      }
    });
    labelsComplete &&= inStretch > 0;
  }
  return { labels, labelsComplete: labelsComplete && matches.length > 0 };
}

function nameOf(token: IToken | undefined): Name | undefined {
  if (token === undefined || problemOf(token) !== undefined) return undefined;
  const span = spanOf(token);
  const { tokenType, image, payload } = token;
  if (tokenType === QuotedName) return { kind: 'name', span, text: payload.value };
  if (tokenType !== Identifier && !keywords.includes(tokenType)) return undefined;
  return { kind: 'name', span, text: image };
}
