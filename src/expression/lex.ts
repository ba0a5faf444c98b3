import type { Violation } from '../diagnostics/index.js';
import type { Span } from '../source/index.js';
import { readNumber } from './number.js';
import { readQuotedName, readString } from './quoted.js';
import { keywordOf, type Token, type TokenType } from './tokens.js';
import { dashRun, smartQuoted, unknownCharacters, wrongOperator } from './wrong-characters.js';

/*
 * What is long is read by sticky patterns of one repeated class: the engine runs
 * them natively from the first files on. A pattern that repeats a group would
 * overflow its backtracking stack on a token of some megabytes.
 */
const WORD_RUN = /\w+/y;
const NUMBER_RUN = /[\w.]+/y;
const LINE_RUN = /[^\r\n]+/y;

/** Where the characters end that a sticky pattern takes from `start` on. */
function endOfRun(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

export interface Lexed {
  /** Every character outside white space and comments is in one of them. */
  readonly tokens: readonly Token[];
  readonly comments: readonly Span[];
  /** Some token has a problem. */
  readonly flawed: boolean;
}

/** Cuts any text into tokens. What is no token becomes one that has its problem. */
export function lex(text: string): Lexed {
  const tokens: Token[] = [];
  const comments: Span[] = [];
  let flawed = false;
  let unknown = false;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === BLANK || (code < BLANK && isSpace(code))) {
      at += 1;
      continue;
    }
    if (code === HASH) {
      const end = endOfRun(LINE_RUN, text, at);
      comments.push({ start: at, end });
      at = end;
      continue;
    }
    const read = readToken(text, at, code);
    const token = read ?? readUnknown(text, at);
    unknown ||= read === undefined;
    flawed ||= token.problem !== undefined;
    tokens.push(token);
    at = token.end;
  }
  return { tokens: unknown ? joinWords(text, tokens) : tokens, comments, flawed };
}

/** The comments of a text: from `#` to the end of the line. */
export function comments(text: string): readonly Span[] {
  return lex(text).comments;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BLANK = 0x20;
const EXCLAMATION = 0x21;
const DOUBLE_QUOTE = 0x22;
const HASH = 0x23;
const QUOTE = 0x27;
const OPEN = 0x28;
const CLOSE = 0x29;
const PLUS = 0x2b;
const COMMA = 0x2c;
const DASH = 0x2d;
const DOT = 0x2e;
const LESS = 0x3c;
const EQUAL = 0x3d;
const GREATER = 0x3e;
const AT = 0x40;
const UNDERSCORE = 0x5f;
const BACKQUOTE = 0x60;

function isSpace(code: number): boolean {
  return code === BLANK || code === LINE_FEED || code === TAB || code === RETURN;
}

function make(
  type: TokenType,
  text: string,
  start: number,
  end: number,
  value?: Token['value'],
  problem?: Violation,
): Token {
  return { type, start, end, image: text.slice(start, end), value, problem };
}

/** A token that is always written alike. */
function fixed(type: TokenType, image: string, start: number): Token {
  return { type, start, end: start + image.length, image, value: undefined, problem: undefined };
}

/** The token at `start`, where there is this code; undefined where none begins. */
function readToken(text: string, start: number, code: number): Token | undefined {
  const lower = code | 0x20;
  if ((lower >= 0x61 && lower <= 0x7a) || code === UNDERSCORE) return readWord(text, start);
  if (isDigit(code)) return readNumberToken(text, start);
  switch (code) {
    case OPEN:
      return fixed('(', '(', start);
    case CLOSE:
      return fixed(')', ')', start);
    case COMMA:
      return fixed(',', ',', start);
    case DOT:
      return fixed('.', '.', start);
    case AT:
      return fixed('@', '@', start);
    case QUOTE:
    case DOUBLE_QUOTE: {
      const { end, value, problem } = readString(text, start);
      return make('string', text, start, end, value, problem);
    }
    case BACKQUOTE: {
      const { end, value, problem } = readQuotedName(text, start);
      return make('quoted identifier', text, start, end, value, problem);
    }
    case DASH: {
      const next = text.charCodeAt(start + 1);
      if (next === GREATER) return fixed('->', '->', start);
      return isDigit(next) ? readNumberToken(text, start) : readMistake(text, start);
    }
    case EQUAL:
    case LESS:
    case GREATER:
    case EXCLAMATION:
      return readComparator(text, start, code);
    default:
      return readMistake(text, start);
  }
}

/** A letter or underscore, then letters, digits and underscores, with inner hyphens. */
function readWord(text: string, start: number): Token {
  let end = endOfRun(WORD_RUN, text, start);
  while (text.charCodeAt(end) === DASH) {
    let next = end + 1;
    while (text.charCodeAt(next) === DASH) next += 1;
    const further = endOfRun(WORD_RUN, text, next);
    if (further === next) break;
    end = further;
  }
  const image = text.slice(start, end);
  const type = keywordOf(image) ?? 'identifier';
  return { type, start, end, image, value: undefined, problem: undefined };
}

/** All that was meant as one number, such as `5`, `-1.5e3` or the malformed `5abc` and `1.2.3`. */
function readNumberToken(text: string, start: number): Token {
  let end = endOfRun(NUMBER_RUN, text, start + 1);
  while (isExponentMark(text.charCodeAt(end - 1)) && isSign(text.charCodeAt(end))) {
    end = endOfRun(NUMBER_RUN, text, end + 1);
  }
  const image = text.slice(start, end);
  const { value, problem } = readNumber(image, start);
  return { type: 'number', start, end, image, value, problem };
}

/** `=`, `!=`, `<`, `<=`, `>` or `>=`, or an operator of another language. */
function readComparator(text: string, start: number, code: number): Token | undefined {
  const next = text.charCodeAt(start + 1);
  if (next === EQUAL && code !== EQUAL) {
    const tripled = code === EXCLAMATION && text.charCodeAt(start + 2) === EQUAL;
    if (!tripled) return make('comparator', text, start, start + 2);
  }
  const alone = next !== EQUAL && next !== LESS && next !== GREATER && next !== DASH;
  const mistake = alone && code !== EXCLAMATION ? undefined : readMistake(text, start);
  return mistake ?? make('comparator', text, start, start + 1);
}

/** What is no token, but was clearly meant as one that exists: `==`, `&&`, a typographic quote. */
function readMistake(text: string, start: number): Token | undefined {
  const problem = smartQuoted(text, start) ?? wrongOperator(text, start) ?? dashRun(text, start);
  return problem && make('mistake', text, start, problem.span.end, undefined, problem);
}

/** The characters from `start` on that begin no token. */
function readUnknown(text: string, start: number): Token {
  let end = start + 1;
  while (end < text.length && !isKnown(text, end)) end += 1;
  return make('mistake', text, start, end, undefined, unknownCharacters(text, start, end));
}

function isKnown(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isSpace(code) || code === HASH || readToken(text, at, code) !== undefined;
}

const WORD = /^[\p{L}\p{M}\p{N}_-]+$/u;
const ASCII = /^[ -~]*$/;

/** Makes one mistake of a word such as `größe`, of which only parts are tokens. */
function joinWords(text: string, tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const first = tokens[at] as Token;
    let last = first;
    let next = at + 1;
    let foreign = isForeign(first);
    for (; isPart(last) && next < tokens.length; next += 1) {
      const token = tokens[next] as Token;
      if (!isPart(token) || token.start !== last.end) break;
      foreign ||= isForeign(token);
      last = token;
    }
    if (foreign && last !== first) {
      const problem = unknownCharacters(text, first.start, last.end);
      joined.push(make('mistake', text, first.start, last.end, undefined, problem));
    } else {
      for (let part = at; part < next; part += 1) joined.push(tokens[part] as Token);
    }
    at = next;
  }
  return joined;
}

function isForeign({ type, image }: Token): boolean {
  return type === 'mistake' && !ASCII.test(image) && WORD.test(image);
}

function isPart(token: Token): boolean {
  return token.type === 'identifier' || token.type === 'number' || isForeign(token);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isExponentMark(code: number): boolean {
  return (code | 0x20) === 0x65;
}

function isSign(code: number): boolean {
  return code === DASH || code === PLUS;
}
