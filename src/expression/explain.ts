import { quote, type Violation } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';
import type { ClauseKind } from './ast.js';
import type { Piece } from './clauses.js';
import { expectation } from './expectation.js';
import { mistakes } from './mistakes.js';
import { DEEPEST } from './nesting.js';
import { foundText, type Stop } from './stop.js';
import type { Stopped } from './token-reader.js';
import { spanOf, type Token } from './tokens.js';

/** The finding for the place where the parser stopped in a piece of a clause. */
export function explain(stopped: Stopped, piece: Piece, clause: ClauseKind): Violation {
  const { index, part, expected } = stopped;
  return explainStop({
    clause,
    piece,
    part,
    expected,
    found: piece.tokens[index] ?? piece.next,
    previous: piece.tokens[index - 1] ?? piece.before,
    complete: part === 'end',
  });
}

/** The finding for a pattern, chain, measure or condition of which nothing is there. */
export function explainNothing(clause: ClauseKind, piece: Piece): Violation {
  const { next: found, before: previous } = piece;
  const part = FIRST_PART[clause];
  const expected = undefined;
  return explainStop({ clause, piece, part, expected, found, previous, complete: false });
}

/** The finding for a parenthesis that nests too deep. */
export function explainDepth(parenthesis: Token): Violation {
  return {
    message: `parentheses nest more than ${DEEPEST} deep`,
    help: 'leave out those that are not needed, or split the condition',
    span: spanOf(parenthesis),
  };
}

const FIRST_PART = {
  match: 'pattern',
  when: 'causal',
  filter: 'condition',
  aggregate: 'term',
} as const;

function explainStop(stop: Stop): Violation {
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
  const end = previous === undefined ? 0 : previous.end;
  return { start: end, end };
}
