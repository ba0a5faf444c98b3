import { listOf, quote } from '../../diagnostics/index.js';
import { FUNCTIONS } from '../functions/index.js';
import { openBefore, spanOf } from '../grammar/nodes.js';
import { AS, Close, Comma, ComparisonSign, Identifier } from '../lexer/lexer.js';
import { foundText, type Mistaken } from './failure.js';
import { is } from './tokens.js';

/* Parentheses, and commas inside them: each function knows one mistake. */

/** `(a = 1)) AS x` */
export const strayClose: Mistaken = ({ found, piece, expected }) => {
  if (!is(found, Close) || expected === Close) return undefined;
  const before = piece.tokens.slice(0, piece.tokens.indexOf(found));
  const open = openBefore(before);
  if (open === undefined) return { message: '")" closes no parenthesis', help: 'delete it' };
  if (before.at(-1) !== open) return undefined;
  const related = [{ message: 'opened here', span: spanOf(open) }];
  return { message: 'the parentheses are empty', related };
};

/** `(a = 1 AS x` */
export const unclosed: Mistaken = (failure) => {
  const { found, piece, expected, previous, part } = failure;
  const inCall = part === 'call' && is(found, ComparisonSign);
  const ends = found === undefined || found === piece.next || inCall || is(found, AS, Comma);
  if (expected !== Close || !ends) return undefined;
  const index = found === undefined ? -1 : piece.tokens.indexOf(found);
  const open = openBefore(index === -1 ? piece.tokens : piece.tokens.slice(0, index));
  if (open === undefined) return undefined;
  const after = previous === undefined ? '' : ` after ${quote(previous.image)}`;
  return {
    message: `expected ")"${after}, found ${foundText(failure)}`,
    help: 'close the parenthesis',
    related: [{ message: 'opened here', span: spanOf(open) }],
  };
};

/** `max(a.x, b.y)`, `max(a.x > 3)` */
export const severalArguments: Mistaken = ({ found, part, expected, piece }) => {
  if (part !== 'call' || expected !== Close || !is(found, Comma, ComparisonSign)) {
    return undefined;
  }
  if (openBefore(piece.tokens) !== undefined) return undefined;
  const name = piece.tokens[0];
  if (is(name, Identifier) && !FUNCTIONS.has(name.image.toLowerCase())) {
    const help = `expected one of ${listOf([...FUNCTIONS.keys()])}`;
    return { message: `there is no function ${quote(name.image)}`, help, span: spanOf(name) };
  }
  const help = 'a function takes one label.attribute, and count() nothing';
  return { message: `expected ")", found ${quote(found.image)}`, help };
};

/** `(a = 1, b = 2) AS x` */
export const commaInCondition: Mistaken = ({ found, piece, expected, clause, complete, part }) => {
  if (!is(found, Comma) || part === 'call') return undefined;
  const closed = openBefore(piece.tokens) === undefined;
  const joins = clause === 'filter' || clause === 'when' ? complete || closed : closed;
  if (!(joins && (complete || expected === Close))) return undefined;
  const help = clause === 'when' ? 'join orders with AND' : 'join conditions with AND or OR';
  return { message: 'unexpected ","', help };
};
