import type { IToken } from 'chevrotain';
import { quote, suggestedFix, type Violation } from '../../diagnostics/index.js';
import { is } from '../lexer/lexer.js';
import { EVERY, type Explanation, type Failure, type Mistaken, unexpected } from './failure.js';
import { endOf, type Piece, replacing, written } from './tokens.js';

/* Words of WHEN and of BY in the wrong order, or among others: each function knows one mistake. */

function isWord(token: IToken | undefined, word: RegExp): boolean {
  return is(token, 'identifier') && word.test(token.image);
}

/** An unexpected word, with another text for some tokens as its fix. */
function instead(
  word: IToken,
  tokens: readonly IToken[],
  text: string,
  help = `write ${text}`,
): Explanation {
  const { fix } = replacing(tokens[0] ?? word, tokens.at(-1) ?? word, text);
  return { ...unexpected(word, help), fix };
}

/** `a`, `NEXT a`, `a -> NEXT b -> c`: whether the tokens are labels with arrows between them. */
function isChain(tokens: readonly IToken[]): boolean {
  const labels = tokens.filter((token, at) => !(is(token, 'NEXT') && is(tokens[at - 1], '->')));
  if (labels.length < 3 || labels.length % 2 === 0) return false;
  return labels.every((token, at) => is(token, at % 2 === 0 ? 'name' : '->'));
}

/** `WHEN a WITHIN 5s -> b`, `a -> WITHIN 5s b`, `(a -> b) WITHIN 5s`, `a || b WITHIN 5s`, `a -> b IN 5s` */
export const misplacedWithin: Mistaken = ({ clause, found, previous, piece }) => {
  if (clause !== 'when' || found === undefined) return undefined;
  const { tokens } = piece;
  const at = tokens.findIndex(
    (token, index) => is(token, 'WITHIN') && is(tokens[index + 1], 'duration'),
  );
  const word = tokens[at];
  const time = tokens[at + 1];
  if (word === undefined || time === undefined) return undefined;
  if (found !== word && found !== time && previous !== time) return undefined;
  // `a -> b WITHIN 5s -> c` may mean either of two orders.
  if (isChain(tokens.slice(0, at)) && at + 2 < tokens.length) return undefined;
  const rest = [...tokens.slice(0, at), ...tokens.slice(at + 2)];
  const inner = is(rest[0], '(') && is(rest.at(-1), ')') ? rest.slice(1, -1) : rest;
  if (isChain(inner) && (inner === rest || at === tokens.length - 2)) {
    const text = `${written(inner)} ${written([word, time])}`;
    return instead(word, tokens, text, `WITHIN ends an order: ${text}`);
  }
  const isPair = rest.length === 3 && is(rest[1], '||', 'comparator');
  if (!isPair)
    return found === word ? unexpected(word, 'WITHIN ends an order: a -> b WITHIN 5s') : undefined;
  const [a, b] = [rest[0]?.image, rest[2]?.image];
  const help = `WITHIN follows arrows; compare times in FILTER: abs(${b}.time - ${a}.time) <= ${time.image}`;
  return unexpected(word, help);
};

/** `FOR 95% OF a`, `FOR ALL`, `FOR AT LEAST 95%`, `FOR 0.95`, `FOR 95 PERCENT`, `FOR 95%, max(a.x) < 3` */
export const mistakenPercentage: Mistaken = (failure) => {
  const { clause, found, previous, piece, expected } = failure;
  const { tokens } = piece;
  if (clause !== 'aggregate' || !is(tokens[0], 'BY')) return undefined;
  if (is(previous, '%')) return afterPercentage(failure);
  const word = tokens.findLastIndex((token) => is(token, 'FOR'));
  if (is(tokens[word - 1], ',')) return undefined;
  const number = is(tokens[word + 1], 'number') ? tokens[word + 1] : undefined;
  if (number !== undefined && number === previous && expected === '%') {
    const isWhole = found === undefined || found === piece.next || isWord(found, /^percent$/i);
    if (!isWhole) return undefined;
    const part = Number(number.image);
    // Rounded, because 0.29 * 100 is 28.999999999999996.
    const percent = part <= 1 ? Number((part * 100).toPrecision(12)) : number.image;
    const text = `FOR ${percent}%`;
    const end = found !== undefined && found !== piece.next ? [number, found] : [number];
    const message = `expected "%" after ${quote(number.image)}`;
    return { ...instead(number, [tokens[word] as IToken, ...end], text), message };
  }
  if (!is(previous, 'FOR') || found === undefined || found === piece.next) return undefined;
  const all = 'every group must satisfy each measure unless FOR allows exceptions';
  if (isWord(found, EVERY)) {
    const key = tokens[word - 1]?.image ?? '';
    return instead(found, tokens.slice(word - 1), key, `delete it: ${all}`);
  }
  const at = tokens.findIndex((token, index) => index > word && is(token, 'number'));
  if (at < 0 || !is(tokens[at + 1], '%')) return undefined;
  return instead(found, tokens.slice(word, at + 2), `FOR ${tokens[at]?.image}%`);
};

function afterPercentage({ found, piece }: Failure): Explanation | undefined {
  const { tokens } = piece;
  if (found === undefined || found === piece.next) return undefined;
  const at = tokens.indexOf(found);
  if (isWord(found, /^of$/i)) {
    const span = { start: endOf(tokens[at - 1] as IToken), end: endOf(tokens.at(-1) as IToken) };
    const help = 'delete it: FOR applies to the groups that BY makes';
    return { ...unexpected(found, help), fix: suggestedFix(span, '') };
  }
  if (!is(found, ',', 'name', 'AND')) return undefined;
  return unexpected(found, 'FOR ends AGGREGATE: measures come before BY, keys before FOR');
}

/** `count() BY a > 3`, `count() BY a HAVING count() > 3`: a comparison that comes after the keys. */
export function comparisonBehindKeys(measures: Piece, by: Piece): Violation | undefined {
  const { tokens } = by;
  const comma = measures.tokens.findLastIndex((token) => is(token, ','));
  const last = measures.tokens.slice(comma + 1);
  const isWhole = last.some((token) => is(token, 'comparator'));
  const at = tokens.findIndex((token) => is(token, 'comparator') || isWord(token, /^having$/i));
  const word = tokens[at];
  const [first] = last;
  if (word === undefined || first === undefined) return undefined;
  const isHaving = !is(word, 'comparator');
  const after = tokens.slice(isHaving ? at + 1 : at);
  if ((isWhole && !isHaving) || after.length < 2 || last.some((token) => is(token, 'BY'))) {
    return undefined;
  }
  const measure = isHaving ? after : [...last, ...after];
  const help = 'what each group must satisfy comes before BY';
  const found = unexpected(word, help);
  const isPlain = !after.some((token) => /^(?:and|or|for|,)$/i.test(token.image));
  if (!isPlain || at < 2) return found;
  const text = `${isWhole ? `${written(last)}, ` : ''}${written(measure)} ${written(tokens.slice(0, at))}`;
  const { fix } = replacing(first, tokens.at(-1) as IToken, text);
  return { ...found, help: `${help}: ${text}`, fix };
}
