import type { IToken } from 'chevrotain';
import { quote, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { DEEPEST, spanOf } from '../grammar/nodes.js';
import type { ParseFailure } from '../grammar/parser.js';
import { AnyName } from '../lexer/lexer.js';
import type { ClauseKind } from '../tree/ast.js';
import { expectation, type Failure, foundText, type Mistaken, partOf } from './failure.js';
import { foreignWord, misplacedNot, misplacedWord } from './foreign-words.js';
import * as operators from './mistaken-operators.js';
import * as words from './mistaken-words.js';
import type { Piece } from './tokens.js';
import { endOf } from './tokens.js';

/** The violation for a piece of a clause that could not be read. */
export function explain(failure: ParseFailure, piece: Piece, clause: ClauseKind): Violation {
  const { index, expected } = failure;
  const part = partOf(failure);
  const found = piece.tokens[index] ?? piece.next;
  const previous = piece.tokens[index - 1] ?? piece.before;
  // There are several kinds of names.
  const only = expected === AnyName ? undefined : expected;
  const complete = part === 'end';
  return explainFailure({ clause, piece, part, expected: only, found, previous, complete });
}

/** The violation for a pattern, chain, measure or condition that is missing. */
export function explainNothing(clause: ClauseKind, piece: Piece): Violation {
  const { next: found, before: previous } = piece;
  const part = FIRST_PART[clause];
  const expected = undefined;
  return explainFailure({ clause, piece, part, expected, found, previous, complete: false });
}

/** The violation for a parenthesis that nests too deep. */
export function explainDepth(parenthesis: IToken): Violation {
  return {
    message: `parentheses nest more than ${DEEPEST} deep`,
    help: 'remove those that are not needed, or split the condition',
    span: spanOf(parenthesis),
  };
}

/** The violation for a MATCH that is written again before a further pattern. */
export function explainRepeated(keyword: IToken): Violation {
  const message = `unexpected ${quote(keyword.image)} before a further pattern`;
  return { message, help: 'write MATCH once, before the first pattern', span: spanOf(keyword) };
}

const FIRST_PART = {
  match: 'pattern',
  when: 'causal',
  filter: 'condition',
  aggregate: 'term',
} as const;

function explainFailure(failure: Failure): Violation {
  for (const mistake of mistakes) {
    const explanation = mistake(failure);
    if (explanation !== undefined) return { span: placeOf(failure), ...explanation };
  }
  const { previous } = failure;
  const { what, help } = expectation(failure);
  const after = previous === undefined ? '' : ` after ${quote(previous.image)}`;
  const message = `expected ${what}${after}, found ${foundText(failure)}`;
  return { message, help, span: placeOf(failure) };
}

function placeOf({ found, previous }: Failure): Span {
  if (found !== undefined) return spanOf(found);
  const end = previous === undefined ? 0 : endOf(previous);
  return { start: end, end };
}

/** The mistakes that have a better message than what was expected; the first that applies is reported. */
const mistakes: readonly Mistaken[] = [
  words.keywordAsName,
  foreignWord,
  misplacedNot,
  misplacedWord,
  words.misspeltKeyword,
  words.quotedLabel,
  words.labelOfSeveralWords,
  words.strayClose,
  words.commaInCondition,
  words.severalArguments,
  words.unclosed,
  operators.arrowAfterParenthesis,
  operators.callInCondition,
  operators.callInCall,
  operators.countOfAll,
  operators.concurrentInChain,
  operators.arrowAfterWithin,
  operators.remainder,
  operators.keyWithMeasure,
  operators.date,
  operators.listOfValues,
  operators.partedSign,
  operators.partedComparator,
  operators.arrowOutsideWhen,
  operators.comparisonInWhen,
  operators.misplacedSign,
  operators.signWithoutSpace,
  operators.doubledQuote,
  operators.dottedProbe,
  operators.comparedEvent,
  operators.quotedAttribute,
  operators.numberWithoutDigit,
  operators.chainedComparison,
  operators.missingOperator,
  operators.wrongJoin,
  operators.bareMeasure,
  words.valueAlone,
  words.operandAlone,
  words.bareWord,
];
