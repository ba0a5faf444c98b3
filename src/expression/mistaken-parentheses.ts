import { quote } from '../diagnostics/index.js';
import { openBefore } from './nesting.js';
import { foundText, is, type Stop, type Told } from './stop.js';
import { spanOf } from './tokens.js';

/* Parentheses, and commas inside them: each function knows one mistake. */

/** `(a = 1)) AS x` */
export function strayClose({ found, piece, expected }: Stop): Told | undefined {
  if (!is(found, ')') || expected === ')') return undefined;
  const before = piece.tokens.slice(0, piece.tokens.indexOf(found));
  const open = openBefore(before);
  if (open === undefined) return { message: '")" closes no parenthesis', help: 'delete it' };
  if (before.at(-1) !== open) return undefined;
  const related = [{ message: 'opened here', span: spanOf(open) }];
  return { message: 'nothing stands in the parentheses', related };
}

/** `(a = 1 AS x` */
export function unclosed(stop: Stop): Told | undefined {
  const { found, piece, expected, previous, part } = stop;
  const inCall = part === 'call' && is(found, 'comparator');
  const ends = found === undefined || found === piece.next || inCall || is(found, 'AS', ',');
  if (expected !== ')' || !ends) return undefined;
  const index = found === undefined ? -1 : piece.tokens.indexOf(found);
  const open = openBefore(index === -1 ? piece.tokens : piece.tokens.slice(0, index));
  if (open === undefined) return undefined;
  const after = previous === undefined ? '' : ` after ${quote(previous.image)}`;
  return {
    message: `expected ")"${after}, found ${foundText(stop)}`,
    help: 'close the parenthesis',
    related: [{ message: 'opened here', span: spanOf(open) }],
  };
}

/** `max(a.x, b.y)`, `max(a.x > 3)` */
export function severalArguments({ found, part, expected, piece }: Stop): Told | undefined {
  if (part !== 'call' || expected !== ')' || !is(found, ',', 'comparator')) {
    return undefined;
  }
  if (openBefore(piece.tokens) !== undefined) return undefined;
  const help = 'a function takes one label.attribute, and count() nothing';
  return { message: `expected ")", found ${quote(found.image)}`, help };
}

/** `(a = 1, b = 2) AS x` */
export function commaInCondition({
  found,
  piece,
  expected,
  clause,
  complete,
  part,
}: Stop): Told | undefined {
  if (!is(found, ',') || part === 'call') return undefined;
  const closed = openBefore(piece.tokens) === undefined;
  const joins = clause === 'filter' || clause === 'when' ? complete || closed : closed;
  if (!(joins && (complete || expected === ')'))) return undefined;
  const help = clause === 'when' ? 'join orders with AND' : 'join conditions with AND or OR';
  return { message: 'unexpected ","', help };
}
