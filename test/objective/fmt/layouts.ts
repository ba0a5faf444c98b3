import {
  type Expression,
  lex,
  parse,
  print,
  type Token,
  visit,
} from '../../../src/expression/index.js';
import { writeContent } from '../../../src/toml/index.js';
import type { Dice } from '../../dice.js';

/** An objective whose check is laid out at random, and the comments in it. */
export interface RandomLayout {
  readonly toml: string;
  readonly comments: readonly string[];
}

const HEAD = 'name = "x"\r\n[[measurement]]\nname = "y" # why\n';
const TAIL = ' # behind\n\n[stopping_conditions]\nattempts = 3\n';

/** Writes an expression as the check of an objective, in a string and a layout drawn from `dice`. */
export function layOutAtRandom(expression: Expression, dice: Dice): RandomLayout {
  const text = shuffled(expression, dice);
  const names = new Set<number>();
  const read = parse(text).expression;
  if (read !== undefined) visit(read, { name: ({ span }) => names.add(span.start) });
  const tokens = withNeedlessParentheses(lex(text).tokens, dice);
  const images = tokens.map((token) =>
    names.has(token.start) ? token.image : recased(token, dice),
  );
  const quotes = dice.pick(["'", '"', "'''", '"""'].filter((one) => canHold(images, one)));
  const lineEnd = dice.pick(['\n', '\r\n']);
  const comments: string[] = [];
  let body = '';
  const breakLine = quotes.length === 3 ? lineEnd : quotes === '"' ? '\\n' : undefined;
  const separate = (needed: boolean): void => {
    const parts = needed || dice.upTo(2) > 0 ? [' '] : [''];
    for (let more = dice.upTo(3) - 1; more > 0; more -= 1) {
      parts.push(dice.pick(['  ', quotes === '"' ? ' ' : '\t', ' ']));
      if (breakLine !== undefined && dice.upTo(2) === 0) parts.push(breakLine);
      if (breakLine !== undefined && dice.upTo(5) === 0) {
        const comment = dice.pick(['#', '# a', '# MATCH (x', "# it's", '# é 😀 "quoted"']);
        comments.push(comment);
        parts.push(writeContent(comment, quotes) as string, dice.pick(['', ' ']), breakLine);
      }
      if (quotes === '"""' && dice.upTo(5) === 0) parts.push(`\\${lineEnd}   `);
    }
    body += parts.join('');
  };
  separate(false);
  images.forEach((image, index) => {
    body += writeContent(image, quotes);
    const next = images[index + 1] ?? '(';
    separate(isSign(image) || isSign(next) || (isWord(image) && isWord(next)));
  });
  const opening = quotes.length === 3 && dice.upTo(1) === 0 ? lineEnd : '';
  const key = dice.pick(['check', '  check', '"check"', 'check  ']);
  return { toml: `${HEAD}${key} = ${quotes}${opening}${body}${quotes}${TAIL}`, comments };
}

/** Whether a string with these quotes can hold every token. */
function canHold(images: readonly string[], quotes: string): boolean {
  return images.every((image) => {
    const written = writeContent(image, quotes);
    return written !== undefined && !(quotes === "'''" && /^'|'$/.test(image));
  });
}

/** The canonical text, with the clauses behind MATCH in any order. */
function shuffled(expression: Expression, dice: Dice): string {
  const { when, filter, aggregate, ...rest } = expression;
  const match = print(rest);
  const clauses = [when && { when }, filter && { filter }, aggregate && { aggregate }]
    .filter((clause) => clause !== undefined)
    .map((clause) => print({ ...rest, ...clause }).slice(match.length));
  for (let index = clauses.length - 1; index > 0; index -= 1) {
    const other = dice.upTo(index);
    [clauses[index], clauses[other]] = [clauses[other] as string, clauses[index] as string];
  }
  return match + clauses.join('');
}

/** Doubles some parentheses of patterns and groups: calls keep theirs. */
function withNeedlessParentheses(tokens: readonly Token[], dice: Dice): Token[] {
  const result: Token[] = [];
  const doubled: boolean[] = [];
  tokens.forEach((token, index) => {
    if (token.type === '(') {
      const before = tokens[index - 1]?.type ?? '';
      const isCall = !['MATCH', ',', '(', 'AND', 'OR', 'FILTER'].includes(before);
      doubled.push(!isCall && dice.upTo(2) === 0);
      if (doubled.at(-1)) result.push(token);
    }
    result.push(token);
    if (token.type === ')' && doubled.pop()) result.push(token);
  });
  return result;
}

/** A keyword in any case; a string in either quotes. */
function recased({ type, image, value }: Token, dice: Dice): string {
  if (type === 'string' && typeof value === 'string' && /^[^'"\\]*$/.test(image.slice(1, -1))) {
    return dice.pick([image, `"${image.slice(1, -1)}"`]);
  }
  return type === image.toUpperCase()
    ? dice.pick([image, image.toLowerCase(), image.toUpperCase()])
    : image;
}

function isWord(image: string): boolean {
  return /[\w.=<>!-]/.test(image.at(-1) ?? '') && /[\w.=<>!-]/.test(image.charAt(0));
}

/** A sign of a sum stands between white space. */
function isSign(image: string): boolean {
  return image === '+' || image === '-';
}
