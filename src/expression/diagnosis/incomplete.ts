import type { IToken } from 'chevrotain';
import { quote } from '../../diagnostics/index.js';
import { spanOf } from '../grammar/nodes.js';
import {
  AND,
  At,
  Close,
  ComparisonSign,
  Dot,
  DurationNumeral,
  FALSE,
  FactorSign,
  Identifier,
  Numeral,
  OR,
  QuotedName,
  QuotedString,
  Sign,
  TRUE,
} from '../lexer/lexer.js';
import { type Failure, foundText, type Mistaken } from './failure.js';
import { endOf, is } from './tokens.js';

/* Comparisons of which a part is missing: each function knows one mistake. */

const LITERALS = [QuotedString, Numeral, DurationNumeral, TRUE, FALSE];
const OPERAND = [Identifier, QuotedName, Dot, Sign, FactorSign, At, ...LITERALS];

function needsComparator({ found, part, clause, piece }: Failure): boolean {
  if (part !== 'comparator' || (clause !== 'match' && clause !== 'filter')) return false;
  return is(found, Close, AND, OR) || found === piece.next;
}

/** The tokens before the one at a place that are of these types, in text order. */
function runBefore(tokens: readonly IToken[], end: number, isPart: (token: IToken) => boolean) {
  let start = end;
  while (start > 0 && isPart(tokens[start - 1] as IToken)) start -= 1;
  return tokens.slice(start, end);
}

/** As it was written, with one blank where there was white space. */
function written(tokens: readonly IToken[]): string {
  return tokens
    .map((token, at) => {
      const before = tokens[at - 1];
      return before && endOf(before) < token.startOffset ? ` ${token.image}` : token.image;
    })
    .join('');
}

/** `name = 'A' OR 'B'`, `x != 1 AND 2` */
export const valueAlone: Mistaken = (failure) => {
  const { previous, piece } = failure;
  if (!needsComparator(failure) || !is(previous, ...LITERALS)) return undefined;
  const { tokens } = piece;
  const at = tokens.indexOf(previous);
  const join = tokens[at - 1];
  const first = tokens[at - 2];
  const sign = tokens[at - 3];
  if (!is(join, AND, OR) || !is(first, ...LITERALS) || !is(sign, ComparisonSign)) return undefined;
  const path = runBefore(tokens, at - 3, (token) => is(token, Identifier, QuotedName, Dot));
  if (path.length === 0 || (sign.image !== '=' && sign.image !== '!=')) return undefined;
  const values = [first, previous];
  for (
    let next = at + 1;
    is(tokens[next], AND, OR) && is(tokens[next + 1], ...LITERALS);
    next += 2
  ) {
    if (is(tokens[next + 2], ComparisonSign)) break;
    values.push(tokens[next + 1] as IToken);
  }
  const attribute = written(path);
  const help =
    sign.image === '='
      ? `write ${attribute} IN (${values.map(({ image }) => image).join(', ')})`
      : `write ${values.map(({ image }) => `${attribute} != ${image}`).join(' AND ')}`;
  const message = `${previous.image} alone is no condition`;
  return { message, help, span: spanOf(previous) };
};

/** `FILTER (b.time - a.time)`, `(payload.size) AS a` */
export const operandAlone: Mistaken = (failure) => {
  const { previous, piece } = failure;
  if (!needsComparator(failure) || previous === undefined) return undefined;
  const end = piece.tokens.indexOf(previous) + 1;
  const operand = runBefore(piece.tokens, end, (token) => is(token, ...OPERAND));
  const isAttribute = operand.some((token) => is(token, Identifier, QuotedName));
  const isEvent = operand.some((token) => is(token, At));
  if (operand.length < 3 || !isAttribute || isEvent) return undefined;
  const text = written(operand);
  const message = `expected a comparator after ${quote(text)}, found ${foundText(failure)}`;
  const isTime = /time/.test(text) && operand.some((token) => is(token, Sign));
  return { message, help: `compare it with something, as in ${text} < ${isTime ? '5s' : '5'}` };
};
