import type { IToken } from 'chevrotain';
import { AS, Comma, Identifier, QuotedName } from '../grammar/grammar.js';
import { nameOf } from '../grammar/nodes.js';
import type { Name } from '../tree/ast.js';
import type { Cut } from './clauses.js';
import { is, isKeywordToken } from './tokens.js';

/**
 * The labels of MATCH, recognised by `AS x` alone, whatever else is broken there.
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
      if (token.tokenType === AS) {
        const label = labelAt(tokens[index + 1]);
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

function labelAt(token: IToken | undefined): Name | undefined {
  if (token === undefined) return undefined;
  return is(token, Identifier, QuotedName) || isKeywordToken(token) ? nameOf(token) : undefined;
}
