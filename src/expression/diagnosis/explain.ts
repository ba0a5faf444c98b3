import type { IToken } from 'chevrotain';
import { quote, suggestedFix, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { DEEPEST, spanOf } from '../grammar/nodes.js';
import type { ParseFailure } from '../grammar/parser.js';
import { is } from '../lexer/lexer.js';
import { isDuration, unitMeant } from '../lexer/literals.js';
import type { ClauseKind } from '../tree/ast.js';
import {
  expectation,
  type Failure,
  foundText,
  type Mistaken,
  partOf,
  unexpected,
} from './failure.js';
import { LABELS, MISPLACED, OUT_OF_PLACE, SIGNS } from './misplaced.js';
import * as operators from './mistaken-operators.js';
import * as words from './mistaken-words.js';
import { isForeignWord, PHRASES } from './phrases.js';
import { mistakenShapes } from './shapes.js';
import { beside, depthsOf, endOf, type Piece, replacing, valuesFrom, written } from './tokens.js';

/** Returns the violation of a piece of a clause that could not be parsed. */
export function explain(failure: ParseFailure, piece: Piece, clause: ClauseKind): Violation {
  const { index, expected } = failure;
  const part = partOf(failure);
  const found = piece.tokens[index] ?? piece.next;
  const previous = piece.tokens[index - 1] ?? piece.before;
  // There are several kinds of names.
  const only = expected === 'name' ? undefined : expected;
  const complete = part === 'end';
  return explainFailure({ clause, piece, part, expected: only, found, previous, complete });
}

/** Returns the violation of a missing pattern, chain, measure or condition. */
export function explainNothing(clause: ClauseKind, piece: Piece): Violation {
  const { next: found, before: previous } = piece;
  const part = FIRST_PART[clause];
  const expected = undefined;
  return explainFailure({ clause, piece, part, expected, found, previous, complete: false });
}

/** Returns the violation of a parenthesis that nests too deep. */
export function explainDepth(parenthesis: IToken): Violation {
  return {
    message: `parentheses are nested more than ${DEEPEST} deep`,
    help: 'remove those that are not needed, or split the condition',
    span: spanOf(parenthesis),
  };
}

/** Returns the violation of a MATCH that is repeated before another pattern. */
export function explainRepeated(keyword: IToken): Violation {
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
    if (explanation !== undefined) return { span: placeOf(failure), ...explanation };
  }
  const { previous } = failure;
  const { what, help } = expectation(failure);
  const after = previous === undefined ? '' : ` after ${quote(previous.image)}`;
  const message = `expected ${what}${after}, found ${foundText(failure)}`;
  return { message, help, span: placeOf(failure), ...meantBy(failure) };
}

/** Returns suggestions that are certain enough: an AS before a label, the parentheses of IN, a unit. */
function meantBy({
  expected,
  found,
  part,
  piece,
}: Failure): Pick<Violation, 'fix' | 'instead' | 'help'> {
  if (found === undefined || found === piece.next) return {};
  const { image } = found;
  if (expected === 'AS' && is(found, 'identifier')) return { instead: `AS ${image}` };
  if (expected === 'duration') return unitless(found, piece);
  if (part !== 'list' || expected !== '(') return {};
  const values = valuesFrom(piece.tokens, piece.tokens.indexOf(found));
  const last = values.at(-1);
  if (last === undefined) return {};
  const list = `(${values.map((value) => value.image).join(', ')})`;
  return replacing(found, last, list, `write IN ${list}`);
}

/** `WITHIN 5`, `WITHIN 100 ms`, `WITHIN '5s'` */
function unitless(found: IToken, piece: Piece): ReturnType<typeof meantBy> {
  const next = beside(piece, found, 1);
  const { image, payload } = found;
  if (is(found, 'string')) {
    const text = String(payload);
    const meant = isDuration(text) ? text : unitMeant(text)?.instead;
    return meant === undefined ? {} : replacing(found, found, meant);
  }
  if (!is(found, 'number')) return {};
  const meant = is(next, 'identifier') ? unitMeant(`${image} ${next.image}`)?.instead : undefined;
  if (next !== undefined && meant !== undefined) return replacing(found, next, meant);
  const [first, ...others] = ['s', 'ms', 'min'].map((unit) =>
    suggestedFix(spanOf(found), image + unit),
  );
  const fix = first && { ...first, alternatives: others };
  return { help: `write it with a unit, such as ${image}s`, fix };
}

function placeOf({ found, previous }: Failure): Span {
  if (found !== undefined) return spanOf(found);
  const end = previous === undefined ? 0 : endOf(previous);
  return { start: end, end };
}

const phrase = mistakenShapes(PHRASES);

/** Words of other languages. Only they show that a parenthesis before them encloses an operand. */
const foreignWord: Mistaken = (failure) => {
  const { found, part, piece } = failure;
  const at = found === undefined ? -1 : piece.tokens.indexOf(found) + 1;
  const word = piece.tokens[is(piece.tokens[at], 'NOT') ? at + 1 : at];
  const isOperand = part === 'comparator' && is(found, ')') && is(word, 'identifier');
  const meant = isOperand && isForeignWord(word.image) ? { ...failure, found: word } : failure;
  return phrase(meant);
};

/** Mistakes whose message is better than the expectation; the first that applies is reported. */
const mistakes: readonly Mistaken[] = [
  words.keywordAsName,
  mistakenShapes(MISPLACED),
  foreignWord,
  mistakenShapes(OUT_OF_PLACE),
  words.misspeltKeyword,
  mistakenShapes(LABELS),
  words.trailingComma,
  words.strayClose,
  words.commaInCondition,
  words.severalArguments,
  words.unclosed,
  operators.callInCondition,
  operators.remainder,
  operators.keyWithMeasure,
  operators.listOfMeasures,
  mistakenShapes(SIGNS),
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

/** `count() BY a > 3`, `count() BY a HAVING count() > 3`, `sum BY (a.x) (a.y) > 3` */
export function comparisonBehindKeys(measures: Piece, by: Piece): Violation | undefined {
  const { tokens } = by;
  const depths = depthsOf(measures.tokens);
  const isOutside = (index: number) => depths[index] === 0;
  const comma = measures.tokens.findLastIndex((token, at) => is(token, ',') && isOutside(at));
  const last = measures.tokens.slice(comma + 1);
  const isWhole = last.some((token, at) => is(token, 'comparator') && isOutside(comma + 1 + at));
  const at = tokens.findIndex((token) => is(token, 'comparator', 'HAVING'));
  const [word, first] = [tokens[at], last[0]];
  if (word === undefined || first === undefined) return undefined;
  const isHaving = is(word, 'HAVING');
  const after = tokens.slice(isHaving ? at + 1 : at);
  if (isWhole || after.length < 2 || last.some((token) => is(token, 'BY'))) return undefined;
  const help = 'what each group must satisfy comes before BY';
  const found = unexpected(word, help);
  const isPlain = !after.some((token) => /^(?:and|or|for|,)$/i.test(token.image));
  if (!isPlain || at < 2) return found;
  const inParentheses = is(tokens[1], '(') ? tokens.findIndex((token) => is(token, ')')) : -1;
  const [from, to] = inParentheses < 0 ? [1, at] : [2, inParentheses];
  const call = inParentheses < 0 ? [] : tokens.slice(inParentheses + 1, at);
  const keys = `${tokens[0]?.image} ${written(tokens.slice(from, to))}`;
  const measure = isHaving ? after : [...last, ...call, ...after];
  const text = `${written(measure)} ${keys}`;
  const { fix } = replacing(first, tokens.at(-1) as IToken, text);
  return { ...found, help: `${help}: ${text}`, fix };
}
