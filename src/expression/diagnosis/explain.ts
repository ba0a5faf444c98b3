import type { IToken } from 'chevrotain';
import { quote, suggestedFix, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { MAX_NESTING, spanOf } from '../grammar/nodes.js';
import type { ParseFailure } from '../grammar/parser.js';
import { is } from '../lexer/lexer.js';
import { isDuration, unitAdvice } from '../lexer/literals.js';
import type { ClauseKind } from '../tree/ast.js';
import {
  actualText,
  type Explainer,
  expectation,
  type Failure,
  partOf,
  unexpectedToken,
} from './failure.js';
import { LABELS, MISPLACED_PARTS, MISUSED_SIGNS, OTHER_MISTAKES } from './misplaced.js';
import * as operators from './mistaken-operators.js';
import * as words from './mistaken-words.js';
import { isForeignWord, PHRASES } from './phrases.js';
import { mistakenShapes } from './shapes.js';
import {
  depthsOf,
  endOf,
  neighbourOf,
  type Piece,
  replaceTokens,
  tokensText,
  valuesFrom,
} from './tokens.js';

/** Returns the violation for a piece of a clause that could not be parsed. */
export function explain(failure: ParseFailure, piece: Piece, clause: ClauseKind): Violation {
  const { index, expected } = failure;
  const part = partOf(failure);
  const actualToken = piece.tokens[index] ?? piece.next;
  const previous = piece.tokens[index - 1] ?? piece.previous;
  // `name` is not specific enough, because there are several kinds of names.
  const onlyExpected = expected === 'name' ? undefined : expected;
  const complete = part === 'end';
  return explainFailure({
    clause,
    piece,
    part,
    expected: onlyExpected,
    actual: actualToken,
    previous,
    complete,
  });
}

/** Returns the violation for a missing pattern, chain, measure or condition. */
export function explainMissingPart(clause: ClauseKind, piece: Piece): Violation {
  const { next: actual, previous } = piece;
  const part = FIRST_PART[clause];
  const expected = undefined;
  return explainFailure({ clause, piece, part, expected, actual, previous, complete: false });
}

/** Returns the violation for a parenthesis that exceeds the maximum nesting. */
export function explainDepth(parenthesis: IToken): Violation {
  return {
    message: `parentheses are nested more than ${MAX_NESTING} deep`,
    help: 'remove redundant parentheses, or split the condition',
    span: spanOf(parenthesis),
  };
}

/** Returns the violation for a MATCH that is repeated before another pattern. */
export function explainRepeatedMatch(keyword: IToken): Violation {
  const message = `unexpected ${quote(keyword.image)} before another pattern`;
  const span = spanOf(keyword);
  const fix = suggestedFix(span, '');
  return { message, help: 'write MATCH once, before the first pattern', span, fix };
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
    if (explanation !== undefined) return { span: spanOfFailure(failure), ...explanation };
  }
  const { previous } = failure;
  const { what: expectedText, help } = expectation(failure);
  const afterText = previous === undefined ? '' : ` after ${quote(previous.image)}`;
  const message = `expected ${expectedText}${afterText}, found ${actualText(failure)}`;
  return { message, help, span: spanOfFailure(failure), ...suggestionFor(failure) };
}

/** Suggests a missing AS before a label, missing parentheses after IN, or a missing unit. */
function suggestionFor({
  expected,
  actual,
  part,
  piece,
}: Failure): Pick<Violation, 'fix' | 'instead' | 'help'> {
  if (actual === undefined || actual === piece.next) return {};
  const { image } = actual;
  if (expected === 'AS' && is(actual, 'identifier')) return { instead: `AS ${image}` };
  if (expected === 'duration') return unitless(actual, piece);
  if (part !== 'list' || expected !== '(') return {};
  const values = valuesFrom(piece.tokens, piece.tokens.indexOf(actual));
  const lastValue = values.at(-1);
  if (lastValue === undefined) return {};
  const list = `(${values.map((value) => value.image).join(', ')})`;
  return replaceTokens(actual, lastValue, list, `write IN ${list}`);
}

/** Suggests a duration for `WITHIN 5`, `WITHIN 100 ms` or `WITHIN '5s'`. */
function unitless(actual: IToken, piece: Piece): ReturnType<typeof suggestionFor> {
  const nextToken = neighbourOf(piece, actual, 1);
  const { image, payload } = actual;
  if (is(actual, 'string')) {
    const text = String(payload);
    const duration = isDuration(text) ? text : unitAdvice(text)?.instead;
    return duration === undefined ? {} : replaceTokens(actual, actual, duration);
  }
  if (!is(actual, 'number')) return {};
  const duration = is(nextToken, 'identifier')
    ? unitAdvice(`${image} ${nextToken.image}`)?.instead
    : undefined;
  if (nextToken !== undefined && duration !== undefined)
    return replaceTokens(actual, nextToken, duration);
  const [firstUnit, ...alternatives] = ['s', 'ms', 'min'].map((unit) =>
    suggestedFix(spanOf(actual), image + unit),
  );
  const fix = firstUnit && { ...firstUnit, alternatives };
  return { help: `write it with a unit, such as ${image}s`, fix };
}

function spanOfFailure({ actual, previous }: Failure): Span {
  if (actual !== undefined) return spanOf(actual);
  const end = previous === undefined ? 0 : endOf(previous);
  return { start: end, end };
}

const phrase = mistakenShapes(PHRASES);

/** Explains words of other languages, including such a word after a parenthesized operand. */
const foreignWord: Explainer = (failure) => {
  const { actual, part, piece } = failure;
  const at = actual === undefined ? -1 : piece.tokens.indexOf(actual) + 1;
  const word = piece.tokens[is(piece.tokens[at], 'NOT') ? at + 1 : at];
  const isOperand = part === 'comparator' && is(actual, ')') && is(word, 'identifier');
  const intendedFailure =
    isOperand && isForeignWord(word.image) ? { ...failure, actual: word } : failure;
  return phrase(intendedFailure);
};

/** The explainers of specific mistakes, by precedence. If none applies, `expectation` supplies the message. */
const mistakes: readonly Explainer[] = [
  words.keywordAsName,
  mistakenShapes(MISPLACED_PARTS),
  foreignWord,
  mistakenShapes(OTHER_MISTAKES),
  words.misspeltKeyword,
  mistakenShapes(LABELS),
  words.trailingComma,
  words.strayParenthesis,
  words.commaInCondition,
  words.severalArguments,
  words.unclosedParenthesis,
  operators.callInCondition,
  operators.remainder,
  operators.keyWithMeasure,
  operators.listOfMeasures,
  mistakenShapes(MISUSED_SIGNS),
  operators.signWithoutSpace,
  operators.doubledQuote,
  operators.numberWithoutDigit,
  operators.chainedComparison,
  operators.missingOperator,
  operators.wrongJoin,
  operators.bareMeasure,
  words.valueAlone,
  words.operandAlone,
  words.bareWord,
];

/**
 * Explains a comparison or HAVING after BY keys: `count() BY a > 3`, `count() BY a HAVING count() >
 * 3`, `sum BY (a.x) (a.y) > 3`.
 */
export function explainComparisonAfterKeys(measures: Piece, byPiece: Piece): Violation | undefined {
  const { tokens } = byPiece;
  const depths = depthsOf(measures.tokens);
  const isTopLevel = (index: number) => depths[index] === 0;
  const comma = measures.tokens.findLastIndex((token, at) => is(token, ',') && isTopLevel(at));
  const lastMeasure = measures.tokens.slice(comma + 1);
  const isWhole = lastMeasure.some(
    (token, at) => is(token, 'comparator') && isTopLevel(comma + 1 + at),
  );
  const at = tokens.findIndex((token) => is(token, 'comparator', 'HAVING'));
  const [word, firstToken] = [tokens[at], lastMeasure[0]];
  if (word === undefined || firstToken === undefined) return undefined;
  const isHaving = is(word, 'HAVING');
  const tokensAfter = tokens.slice(isHaving ? at + 1 : at);
  if (isWhole || tokensAfter.length < 2 || lastMeasure.some((token) => is(token, 'BY')))
    return undefined;
  const help = 'the measures come before BY';
  const violation = unexpectedToken(word, help);
  const isPlain = !tokensAfter.some((token) => /^(?:and|or|for|,)$/i.test(token.image));
  if (!isPlain || at < 2) return violation;
  const closingParenthesis = is(tokens[1], '(') ? tokens.findIndex((token) => is(token, ')')) : -1;
  const [from, to] = closingParenthesis < 0 ? [1, at] : [2, closingParenthesis];
  const call = closingParenthesis < 0 ? [] : tokens.slice(closingParenthesis + 1, at);
  const keys = `${tokens[0]?.image} ${tokensText(tokens.slice(from, to))}`;
  const measure = isHaving ? tokensAfter : [...lastMeasure, ...call, ...tokensAfter];
  const text = `${tokensText(measure)} ${keys}`;
  const { fix } = replaceTokens(firstToken, tokens.at(-1) as IToken, text);
  return { ...violation, help: `${help}: ${text}`, fix };
}
