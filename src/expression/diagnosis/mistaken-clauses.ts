import type { IToken } from 'chevrotain';
import { quote, suggestedFix, type Violation } from '../../diagnostics/index.js';
import { spanOf } from '../grammar/nodes.js';
import { is } from '../lexer/lexer.js';
import { EVERY, type Explanation, type Failure, type Mistaken, unexpected } from './failure.js';
import { endOf, type Piece, replacing, written } from './tokens.js';

/* Words of WHEN and of BY in the wrong order, or among others: each function knows one mistake. */

const AT_ONCE = /^(?:immediately|directly|strictly)$/i;

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
  if (word === undefined || time === undefined) return withinMeant(found, previous, piece);
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
    return found === word ? unexpected(word, `WITHIN ends an order: ${ENDS}`) : undefined;
  const [a, b] = [rest[0]?.image, rest[2]?.image];
  const help = `WITHIN follows arrows; compare times in FILTER: abs(${b}.time - ${a}.time) <= ${time.image}`;
  return unexpected(word, help);
};

const ENDS = 'a -> b WITHIN 5s';

/** `a -> b IN 5s`, `a -> b WITHIN < 5s`, `a -> b WITHIN c.timeout` */
function withinMeant(
  found: IToken,
  previous: IToken | undefined,
  { tokens }: Piece,
): Explanation | undefined {
  const next = tokens[tokens.indexOf(found) + 1];
  if (is(found, 'comparator') && is(previous, 'WITHIN') && is(next, 'duration')) {
    return instead(found, [previous, found, next], `WITHIN ${next.image}`);
  }
  if (is(next, 'duration') && (is(found, 'IN', 'FOR') || isWord(found, /^(?:inside|under)$/i))) {
    return instead(found, [found], 'WITHIN', `WITHIN ends an order: ${ENDS}`);
  }
  if (!is(previous, 'WITHIN') || !is(found, 'name') || !is(next, '.')) return undefined;
  const help = 'WITHIN takes a duration such as 5s; compare times with attributes in FILTER';
  return unexpected(found, help);
}

/** `WHEN a NEXT -> b`, `a NEXT b`, `NEXT a -> b`, `a -> b NEXT`, `a || NEXT b`, `a -> NEXT NEXT b` */
export const misplacedNext: Mistaken = ({ clause, found, previous, piece }) => {
  if (clause !== 'when' || found === undefined) return undefined;
  const { tokens } = piece;
  const at = tokens.indexOf(found);
  if (isWord(found, AT_ONCE)) return nextMeant(found, tokens.slice(at + 1));
  const word = is(found, 'NEXT') ? found : is(previous, 'NEXT') ? previous : undefined;
  if (word === undefined) return undefined;
  const index = tokens.indexOf(word);
  const help = 'NEXT follows an arrow: a -> NEXT b';
  const [before, after] = [tokens[index - 1], tokens[index + 1]];
  if (is(before, 'NEXT')) return instead(word, [before, word], 'NEXT', 'write NEXT once');
  if (is(before, '||', 'comparator')) return unexpected(word, help);
  const others = tokens.filter((token) => token !== word);
  if (is(after, '->')) return instead(word, [word, after], '-> NEXT', help);
  const isAround = index === 0 || index === tokens.length - 1;
  if (isAround && others.length === 3 && isChain(others)) {
    const [a, arrow, b] = others as [IToken, IToken, IToken];
    return instead(word, tokens, `${a.image} ${arrow.image} NEXT ${b.image}`);
  }
  if (is(after, 'name') && is(before, 'name')) return instead(word, [word], '-> NEXT', help);
  return is(found, 'NEXT') ? unexpected(word, help) : undefined;
};

/** `a IMMEDIATELY BEFORE b`, `a DIRECTLY FOLLOWED BY b` */
function nextMeant(word: IToken, after: readonly IToken[]): Explanation | undefined {
  const [first, second] = after;
  if (first === undefined) return undefined;
  if (isWord(first, /^(?:before|then)$/i) || is(first, '->')) {
    return instead(word, [word, first], '-> NEXT');
  }
  if (!isWord(first, /^followed$/i) || !is(second, 'BY')) return undefined;
  return instead(word, [word, first, second], '-> NEXT');
}

/** `count() > 0 FOR ALL a`, `FOR 95% BY a`, `count() > 0 EVERY 1s` */
export const groupsWithoutBy: Mistaken = ({ clause, found, piece, complete }) => {
  if (clause !== 'aggregate' || !complete || found === undefined) return undefined;
  const { tokens } = piece;
  const at = tokens.indexOf(found);
  if (at < 0 || is(tokens[0], 'BY')) return undefined;
  const [first, second, third] = tokens.slice(at + 1);
  if (is(first, 'duration') && isWord(found, /^(?:every|each|per|over|window|for)$/i)) {
    return unexpected(found, `to group by time, use BY window(label.time, ${first.image})`);
  }
  if (isWord(found, EVERY) && is(first, 'name')) return instead(found, [found], 'BY');
  if (isWord(found, /^groupby$/i) && is(first, 'name')) return instead(found, [found], 'BY');
  if (!is(found, 'FOR')) return undefined;
  if (first && isWord(first, EVERY) && is(second, 'name'))
    return instead(found, [found, first], 'BY');
  if (is(first, 'number') && is(second, '%') && is(third, 'BY')) {
    const keys = written(tokens.slice(at + 3));
    return instead(found, tokens.slice(at), `${keys} FOR ${first.image}%`);
  }
  return is(first, 'name') ? instead(found, [found], 'BY') : undefined;
};

/** `BY a.time WINDOW 1s`, `BY a EVERY 1s`, `BY a.time, 1s` */
function windowAfterTime(found: IToken, { tokens }: Piece): Explanation | undefined {
  const at = tokens.indexOf(found);
  const [before, next] = [tokens[at - 1], tokens[at + 1]];
  const isListed = is(found, 'duration') && is(before, ',');
  const time = isListed ? found : next;
  const isWindow = isListed || isWord(found, /^(?:window|every|each|per|over|interval|in)$/i);
  if (!isWindow || !is(time, 'duration')) return undefined;
  const end = isListed ? at - 1 : at;
  const start = tokens.findLastIndex((token, index) => index < end && is(token, 'BY', ',')) + 1;
  const path = tokens.slice(start, end);
  if (path.length === 0 || !path.every((token) => is(token, 'name', '.'))) return undefined;
  const key = path.length === 1 ? `${written(path)}.time` : written(path);
  const all = tokens.slice(start, tokens.indexOf(time) + 1);
  const text = `window(${key}, ${time.image})`;
  return instead(found, all, text, `to group by time, use ${text}`);
}

/** `BY EACH a`, `BY (a)`, `BY a, FOR 95%`, `BY window(1s, a.time)` */
export const mistakenKeys: Mistaken = ({ clause, found, previous, piece }) => {
  const { tokens } = piece;
  const [by, first, ...others] = tokens;
  if (clause !== 'aggregate' || !is(by, 'BY') || found === undefined) return undefined;
  const at = tokens.indexOf(found);
  const window = windowAfterTime(found, piece);
  if (window !== undefined) return window;
  if (first && isWord(first, EVERY) && is(found, 'name') && others[0] === found) {
    return instead(first, [by, first], 'BY', 'delete it: BY makes a group for each');
  }
  if (found === first && is(found, '(')) {
    const close = tokens.findIndex((token) => is(token, ')'));
    const keys = tokens.slice(2, close);
    const isList = keys.length > 0 && keys.every((token) => is(token, 'name', '.', ','));
    const help = 'keys are written without parentheses';
    if (isList) return instead(found, tokens.slice(1, close + 1), written(keys), help);
  }
  if (is(found, 'number') && is(previous, 'FOR') && is(tokens[at - 2], ',')) {
    const comma = tokens[at - 2] as IToken;
    const help = 'FOR follows the keys without a comma';
    const fix = suggestedFix({ start: comma.startOffset, end: previous.startOffset }, ' ', help);
    return { message: 'unexpected ","', help, span: spanOf(comma), fix };
  }
  const opened = is(previous, '(') ? tokens[at - 2] : previous;
  if (!is(opened, 'WINDOW') || is(found, ',')) return undefined;
  const usage = 'a window has a time and a duration: window(label.time, 1s)';
  const [comma, ...path] = tokens.slice(at + 1, -1);
  if (is(found, 'duration') && is(comma, ',') && is(tokens.at(-1), ')')) {
    const text = `${written(path)}, ${found.image}`;
    return { ...unexpected(found, usage), fix: replacing(found, path.at(-1) ?? comma, text).fix };
  }
  return unexpected(found, usage);
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
