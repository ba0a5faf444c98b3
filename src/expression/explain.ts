import { EOF, type IRecognitionException, type IToken } from 'chevrotain';
import { type Finding, quote } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';
import type { ClauseKind } from './ast.js';
import type { Piece } from './clauses.js';
import { expectation } from './expectation.js';
import { endOf, spanOf } from './lex.js';
import { mistakes } from './mistakes.js';
import { DEEPEST } from './nesting.js';
import { foundText, type Stop } from './stop.js';

/** The finding for the parser's error in a piece of a clause. */
export function explain(error: IRecognitionException, piece: Piece, clause: ClauseKind): Finding {
  const atEnd = error.token.tokenType === EOF;
  const index = atEnd ? piece.tokens.length : piece.tokens.indexOf(error.token);
  return explainStop({
    clause,
    piece,
    rules: error.context.ruleStack,
    expected: error.message,
    found: piece.tokens[index] ?? piece.next,
    previous: piece.tokens[index - 1] ?? piece.before,
    complete: error.name === 'NotAllInputParsedException',
  });
}

/** The finding for a pattern, chain, measure or condition of which nothing is there. */
export function explainNothing(clause: ClauseKind, piece: Piece): Finding {
  const rules = [FIRST_RULE[clause]];
  const { next: found, before: previous } = piece;
  return explainStop({ clause, piece, rules, expected: '', found, previous, complete: false });
}

/** The finding for a parenthesis that nests too deep. */
export function explainDepth(parenthesis: IToken): Finding {
  return {
    message: `parentheses nest more than ${DEEPEST} deep`,
    help: 'leave out those that are not needed, or split the condition',
    span: spanOf(parenthesis),
  };
}

const FIRST_RULE = {
  match: 'pattern',
  when: 'causal',
  filter: 'primary',
  aggregate: 'term',
} as const;

function explainStop(stop: Stop): Finding {
  for (const mistake of mistakes) {
    const told = mistake(stop);
    if (told !== undefined) return { span: placeOf(stop), ...told };
  }
  const { previous } = stop;
  const { what, help } = expectation(stop);
  const after = previous === undefined ? '' : ` after ${quote(previous.image)}`;
  const message = `expected ${what}${after}, found ${foundText(stop)}`;
  return { message, ...(help !== undefined && { help }), span: placeOf(stop) };
}

function placeOf({ found, previous }: Stop): Span {
  if (found !== undefined) return spanOf(found);
  const end = previous === undefined ? 0 : endOf(previous);
  return { start: end, end };
}
