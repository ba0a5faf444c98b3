import type { IToken } from 'chevrotain';
import { findNearestWord, listOf, quote, suggestedFix } from '../../diagnostics/index.js';
import { FUNCTIONS } from '../functions/index.js';
import { findOpenParenthesis, spanOf } from '../grammar/nodes.js';
import { is, type TokenName } from '../lexer/lexer.js';
import { printString } from '../tree/print.js';
import {
  actualText,
  type Explainer,
  type Explanation,
  type Failure,
  isInside,
  isOpenToTheEnd,
  type Part,
  unexpectedToken,
} from './failure.js';
import {
  endOf,
  isKeywordToken,
  neighbourOf,
  type Piece,
  replaceTokens,
  tokensText,
} from './tokens.js';

/* Misplaced words, parentheses and commas. Each function recognizes one mistake. */

const NAMED_PARTS = new Set<Part>(['label', 'attribute', 'probe']);
const CLAUSE_WORDS = ['MATCH', 'WHEN', 'FILTER', 'AGGREGATE', 'AS'] as const;

/** Explains a keyword in place of a name: `AS filter`, `WHEN match -> b`. */
export const keywordAsName: Explainer = (failure) => {
  const { actual, part } = failure;
  if (actual === undefined || !isInside(failure) || part === 'chain') return undefined;
  if (failure.complete || failure.expected !== undefined) return undefined;
  const anyWord = NAMED_PARTS.has(part) && isKeywordToken(actual);
  if (!anyWord && !is(actual, ...CLAUSE_WORDS)) return undefined;
  return {
    message: `${quote(actual.image)} is a keyword`,
    help: `for a name, use backquotes: \`${actual.image}\``,
    instead: `\`${actual.image}\``,
  };
};

/** Explains a misspelt keyword: `MATCH (...) AS a FILTR ...`. */
export const misspeltKeyword: Explainer = (failure) => {
  const { actual, expected, complete } = failure;
  if (!is(actual, 'identifier') || !(complete || expected === ')' || expected === 'AS')) {
    return undefined;
  }
  const candidates =
    expected === 'AS' ? ['AS'] : [...joinsAfter(failure), 'WHEN', 'FILTER', 'AGGREGATE'];
  const nearMatch = findNearestWord(actual.image, candidates);
  if (nearMatch === undefined) return undefined;
  return { ...unexpectedToken(actual, `did you mean ${quote(nearMatch)}?`), instead: nearMatch };
};

/** Returns the operators that can follow the parsed text. */
function joinsAfter({ clause, expected }: Failure): readonly string[] {
  if (clause === 'when') return ['AND'];
  const inCondition = clause === 'filter' || (clause === 'match' && expected === ')');
  return inCondition ? ['AND', 'OR'] : [];
}

/** Explains a word or a string in place of a condition: `(HEARTBEAT) AS h`, `name = 'a' OR 'b'`. */
export const bareWord: Explainer = (failure) => {
  const { actual, previous, part, clause, piece } = failure;
  const ends = is(actual, ')', 'AND', 'OR') || actual === piece.next;
  if (part !== 'comparator' || !ends || clause === 'aggregate') return undefined;
  if (!is(previous, 'identifier', 'string')) return undefined;
  const { image } = previous;
  const precedingToken = neighbourOf(piece, previous, -1) ?? piece.previous;
  const message = `expected a comparison operator after ${quote(image)}, found ${actualText(failure)}`;
  if (is(precedingToken, '@')) return { message, ...dottedEvent(previous, piece) };
  if (is(precedingToken, '.') || is(precedingToken, 'sign')) return undefined;
  if (is(precedingToken, 'AND', 'OR')) {
    return { message, help: `${precedingToken.image.toUpperCase()} joins complete comparisons` };
  }
  const at = /^(['"])([\w-]+) ?@ ?([A-Za-z_]\w*)\1$/.exec(image);
  if (at !== null) {
    const { help, fix } = replaceTokens(previous, previous, `'${at[2]}' @ ${at[3]}`);
    return { message, help: `${help}: the probe goes outside the quotes`, fix };
  }
  const word = is(previous, 'string') ? image : printString(image);
  const attribute = clause === 'filter' ? 'label.name' : 'name';
  const comparison = `${attribute} = ${word}`;
  if (clause === 'filter') return { message, help: `to test for an event, use ${comparison}` };
  const help = `to match an event, write ${comparison}`;
  if (previous.tokenType.name === 'identifier' && image === image.toLowerCase()) {
    const fix = suggestedFix(spanOf(previous), `${image} = TRUE`);
    const alternatives = [suggestedFix(spanOf(previous), comparison)];
    const bothHelp = `${fix.title} for a boolean, or ${comparison} for an event`;
    return { message, help: bothHelp, fix: { ...fix, alternatives } };
  }
  return { message, help, fix: suggestedFix(spanOf(previous), comparison) };
};

/** Advises on `(a.b @ P)`. A dotted name before `@` is an event only in quotes, and otherwise an attribute. */
function dottedEvent(probe: IToken, { tokens }: Piece): Pick<Explanation, 'help' | 'fix'> {
  const at = tokens.indexOf(probe) - 1;
  let start = at - 1;
  while (is(tokens[start - 1], '.')) start -= 2;
  const path = tokens.slice(Math.max(start, 0), at);
  const [first] = path;
  if (first === undefined || path.length < 3) return {};
  const located = `${printString(path.map(({ image }) => image).join(''))} @ ${probe.image}`;
  return { ...replaceTokens(first, probe, located), help: `to match an event, write ${located}` };
}

/** Explains a comma at the end of a clause: `(a = 1) AS x, WHEN`, `count() > 1,`. */
export const trailingComma: Explainer = (failure) => {
  const { actual, previous, piece, clause } = failure;
  if (!is(previous, ',') || piece.tokens.length > 0) return undefined;
  const ends = actual === undefined || (isKeywordToken(actual) && !is(actual, 'TRUE', 'FALSE'));
  if (!ends || (clause !== 'match' && clause !== 'aggregate')) return undefined;
  const noun = clause === 'match' ? 'a pattern' : 'a measure';
  return {
    message: `expected ${noun} after ",", found ${actualText(failure)}`,
    help: `delete the comma, or add ${noun} after it`,
    fix: suggestedFix(spanOf(previous), '', 'delete the comma'),
  };
};

/** Explains an unmatched closing parenthesis, or empty parentheses: `(a = 1)) AS x`. */
export const strayParenthesis: Explainer = ({ actual, piece, expected }) => {
  if (!is(actual, ')') || expected === ')') return undefined;
  const precedingTokens = piece.tokens.slice(0, piece.tokens.indexOf(actual));
  const openToken = findOpenParenthesis(precedingTokens);
  if (openToken === undefined) {
    return { message: '")" has no matching "("', ...replaceTokens(actual, actual, '') };
  }
  if (precedingTokens.at(-1) !== openToken) return undefined;
  const related = [{ message: 'opened here', span: spanOf(openToken) }];
  return { message: 'the parentheses are empty', related };
};

/** Explains an unclosed parenthesis: `(a = 1 AS x`. */
export const unclosedParenthesis: Explainer = (failure) => {
  const { actual, piece, expected, previous, part } = failure;
  const inCall =
    is(actual, 'comparator') &&
    (part === 'call' || (part === 'operand' && isOpenToTheEnd(piece, actual)));
  const ends = actual === undefined || actual === piece.next || inCall || is(actual, 'AS', ',');
  if (expected !== ')' || !ends) return undefined;
  const index = actual === undefined ? -1 : piece.tokens.indexOf(actual);
  const openToken = findOpenParenthesis(index === -1 ? piece.tokens : piece.tokens.slice(0, index));
  if (openToken === undefined) return undefined;
  const afterText = previous === undefined ? '' : ` after ${quote(previous.image)}`;
  const closerText = is(previous, ')') ? 'another ")"' : `")"${afterText}`;
  const end = previous === undefined ? 0 : endOf(previous);
  return {
    message: `expected ${closerText}, found ${actualText(failure)}`,
    help: 'close the parenthesis',
    fix: previous && suggestedFix({ start: end, end }, ')', 'close the parenthesis'),
    related: [{ message: 'opened here', span: spanOf(openToken) }],
  };
};

/** Explains invalid arguments of a function: `max(a.x, b.y)`, `max(a.x > 3)`, `count(DISTINCT a.x)`. */
export const severalArguments: Explainer = ({ actual, previous, part, expected, piece }) => {
  if (part !== 'call' || actual === undefined) return undefined;
  const name = piece.tokens[0];
  const comma = is(previous, ',') ? previous : actual;
  const fits = is(previous, ',') || expected === ')';
  if (!fits || !is(comma, ',', 'comparator')) return undefined;
  if (findOpenParenthesis(piece.tokens) !== undefined) return undefined;
  const isShare = /^(?:ratio|rate|fraction|proportion|percentage)$/i.test(name?.image ?? '');
  if (
    is(name, 'identifier') &&
    is(comma, 'comparator') &&
    (isShare || /^count/i.test(name.image))
  ) {
    const fix = suggestedFix(spanOf(name), 'share');
    return {
      message: `unexpected ${quote(comma.image)} in ${name.image}()`,
      help: 'share(condition) is the fraction of the matches that satisfy the condition; to count only some events, select them in FILTER',
      span: spanOf(comma),
      ...(isShare && { fix }),
    };
  }
  if (is(name, 'identifier') && !FUNCTIONS.has(name.image.toLowerCase())) {
    const help = `expected one of ${listOf([...FUNCTIONS.keys()])}`;
    return { message: `unknown function ${quote(name.image)}`, help, span: spanOf(name) };
  }
  const help =
    'a function accepts one label.attribute; percentile also accepts a number, and count() accepts nothing';
  return { message: `expected ")", found ${quote(comma.image)}`, help, span: spanOf(comma) };
};

/** Explains a comma between conditions: `(a = 1, b = 2) AS x`. */
export const commaInCondition: Explainer = (failure) => {
  const { actual, piece, expected, clause, complete, part } = failure;
  if (!is(actual, ',') || part === 'call') return undefined;
  const decimal = decimalComma(failure);
  if (decimal !== undefined) return decimal;
  const openToken = findOpenParenthesis(piece.tokens.slice(0, piece.tokens.indexOf(actual)));
  const word = openToken && neighbourOf(piece, openToken, -1);
  if (is(word, 'SHARE', 'ABS', 'EXISTS')) {
    const noun = is(word, 'SHARE') ? 'condition' : is(word, 'ABS') ? 'number' : 'attribute';
    return { message: 'unexpected ","', help: `${word.image}() accepts one ${noun}` };
  }
  const isBalanced = findOpenParenthesis(piece.tokens) === undefined;
  const joins = clause === 'filter' || clause === 'when' ? complete || isBalanced : isBalanced;
  if (!(joins && (complete || expected === ')'))) return undefined;
  const help = clause === 'when' ? 'join orders with AND' : 'join conditions with AND or OR';
  const nextToken = neighbourOf(piece, actual, 1);
  const space = nextToken !== undefined && endOf(actual) === nextToken.startOffset ? ' ' : '';
  const joinWith = (word: string) =>
    suggestedFix(spanOf(actual), ` ${word}${space}`, `write ${word}`);
  const alternatives = clause === 'when' ? [] : [joinWith('OR')];
  return { ...unexpectedToken(actual, help), fix: { ...joinWith('AND'), alternatives } };
};

/** Explains a decimal comma: `x = 1,5`. */
function decimalComma({ actual, previous, piece }: Failure): Explanation | undefined {
  const nextToken = actual && neighbourOf(piece, actual, 1);
  if (actual === undefined || !is(previous, 'number') || !is(nextToken, 'number')) return undefined;
  if (endOf(previous) !== actual.startOffset || endOf(actual) !== nextToken.startOffset)
    return undefined;
  const { help, fix } = replaceTokens(previous, nextToken, `${previous.image}.${nextToken.image}`);
  return { ...unexpectedToken(actual, `use a decimal point: ${help}`), fix };
}

/* Comparisons with a missing part. Each function recognizes one mistake. */

const OPERAND = ['name', '.', 'sign', 'factor sign', '@', 'literal'] as const;

function needsComparator({ actual, part, clause, piece }: Failure): boolean {
  if (part !== 'comparator' || (clause !== 'match' && clause !== 'filter')) return false;
  return is(actual, ')', 'AND', 'OR') || actual === piece.next;
}

/** Returns the consecutive tokens of the given types directly before an index. */
function runBefore(tokens: readonly IToken[], end: number, ...types: readonly TokenName[]) {
  let start = end;
  while (start > 0 && is(tokens[start - 1], ...types)) start -= 1;
  return tokens.slice(start, end);
}

/** Explains a value without a comparator: `name = 'A' OR 'B'`, `x != 1 AND 2`. */
export const valueAlone: Explainer = (failure) => {
  const { previous, piece } = failure;
  if (!needsComparator(failure) || !is(previous, 'literal')) return undefined;
  const { tokens } = piece;
  const at = tokens.indexOf(previous);
  const join = tokens[at - 1];
  const firstToken = tokens[at - 2];
  const sign = tokens[at - 3];
  if (!is(join, 'AND', 'OR') || !is(firstToken, 'literal') || !is(sign, 'comparator'))
    return undefined;
  const path = runBefore(tokens, at - 3, 'name', '.');
  if (path.length === 0 || (sign.image !== '=' && sign.image !== '!=')) return undefined;
  const values: IToken[] = [firstToken, previous];
  for (let nextIndex = at + 1; is(tokens[nextIndex], 'AND', 'OR'); nextIndex += 2) {
    const value = tokens[nextIndex + 1];
    if (!is(value, 'literal') || is(tokens[nextIndex + 2], 'comparator')) break;
    values.push(value);
  }
  const attribute = tokensText(path);
  const list =
    sign.image === '='
      ? `${attribute} IN (${values.map(({ image }) => image).join(', ')})`
      : values.map(({ image }) => `${attribute} != ${image}`).join(' AND ');
  const message = `${previous.image} alone is not a condition`;
  const advice = replaceTokens(path[0] ?? firstToken, values.at(-1) ?? previous, list);
  return { message, ...advice, span: spanOf(previous) };
};

/** Explains an operand without a comparator: `FILTER (b.time - a.time)`, `(payload.size) AS a`. */
export const operandAlone: Explainer = (failure) => {
  const { previous, piece } = failure;
  if (!needsComparator(failure) || previous === undefined) return undefined;
  const end = piece.tokens.indexOf(previous) + 1;
  const run = runBefore(piece.tokens, end, ...OPERAND);
  const operand = run.slice(run.findLastIndex((token) => is(token, 'NOT')) + 1);
  const isAttribute = operand.some((token) => is(token, 'name'));
  const isEvent = operand.some((token) => is(token, '@'));
  if (operand.length < 3 || !isAttribute || isEvent) return undefined;
  const text = tokensText(operand);
  const message = `expected a comparison operator after ${quote(text)}, found ${actualText(failure)}`;
  const [first] = operand;
  const isFlag = !/^(?:time|start|end|name|probe|severity)$/i.test(previous.image);
  if (first && isFlag && operand.every((token) => is(token, 'name', '.'))) {
    const { fix } = replaceTokens(first, previous, `${text} = TRUE`);
    return { message, help: `write ${text} = TRUE for a boolean, or compare it with a value`, fix };
  }
  const isTime = /time/.test(text) && operand.some((token) => is(token, 'sign'));
  return { message, help: `compare it with a value, as in ${text} < ${isTime ? '5s' : '5'}` };
};
