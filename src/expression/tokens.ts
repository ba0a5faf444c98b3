import { createToken, Lexer, type TokenType } from 'chevrotain';
import { scanIdentifier, scanMistake, scanNumber, scanQuotedName, scanString } from './scan.js';
import { MISTAKE_STARTS } from './wrong-characters.js';

/*
 * The tokens, in the order in which they are tried. A label is what the grammar
 * calls the token. The hints spare chevrotain the analysis of each pattern,
 * which every start would pay for.
 */

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const DIGITS = [...'0123456789'];

export const Identifier = createToken({
  name: 'Identifier',
  label: 'identifier',
  pattern: scanIdentifier,
  start_chars_hint: [...LETTERS, '_'],
  line_breaks: false,
});

function keyword(name: string): TokenType {
  return createToken({
    name,
    label: name.toUpperCase(),
    pattern: new RegExp(name, 'i'),
    longer_alt: Identifier,
    start_chars_hint: [name.charAt(0).toUpperCase(), name.charAt(0).toLowerCase()],
    line_breaks: false,
  });
}

export const MatchWord = keyword('Match');
export const AsWord = keyword('As');
export const WhenWord = keyword('When');
export const FilterWord = keyword('Filter');
export const AggregateWord = keyword('Aggregate');
export const AndWord = keyword('And');
export const OrWord = keyword('Or');
export const TrueWord = keyword('True');
export const FalseWord = keyword('False');

export const keywords: readonly TokenType[] = [
  MatchWord,
  AsWord,
  WhenWord,
  FilterWord,
  AggregateWord,
  AndWord,
  OrWord,
  TrueWord,
  FalseWord,
];

export const QuotedName = createToken({
  name: 'QuotedName',
  label: 'quoted identifier',
  pattern: scanQuotedName,
  start_chars_hint: ['`'],
  line_breaks: false,
});
export const StringToken = createToken({
  name: 'String',
  label: 'string',
  pattern: scanString,
  start_chars_hint: ["'", '"'],
  line_breaks: false,
});
export const NumberToken = createToken({
  name: 'Number',
  label: 'number',
  pattern: scanNumber,
  start_chars_hint: ['-', ...DIGITS],
  line_breaks: false,
});

/** Never reaches the parser: a part with such a token is reported without being parsed. */
export const Mistake = createToken({
  name: 'Mistake',
  pattern: scanMistake,
  start_chars_hint: [...MISTAKE_STARTS],
  line_breaks: false,
});

export const Arrow = createToken({ name: 'Arrow', label: '->', pattern: '->' });
export const ComparatorToken = createToken({
  name: 'Comparator',
  label: 'comparator',
  pattern: /!=|<=|>=|[=<>]/,
  start_chars_hint: ['!', '<', '>', '='],
  line_breaks: false,
});
export const Open = createToken({ name: 'Open', label: '(', pattern: '(' });
export const Close = createToken({ name: 'Close', label: ')', pattern: ')' });
export const Comma = createToken({ name: 'Comma', label: ',', pattern: ',' });
export const Dot = createToken({ name: 'Dot', label: '.', pattern: '.' });
export const At = createToken({ name: 'At', label: '@', pattern: '@' });

const Space = createToken({
  name: 'Space',
  pattern: /[ \t\r\n]+/,
  group: Lexer.SKIPPED,
  start_chars_hint: [' ', '\t', '\r', '\n'],
  line_breaks: true,
});
export const COMMENTS = 'comments';
const Comment = createToken({
  name: 'Comment',
  pattern: /#[^\r\n]*/,
  group: COMMENTS,
  start_chars_hint: ['#'],
  line_breaks: false,
});

/** What the parser knows. */
export const grammarTokens: readonly TokenType[] = [
  ...keywords,
  Identifier,
  QuotedName,
  StringToken,
  NumberToken,
  Arrow,
  ComparatorToken,
  Open,
  Close,
  Comma,
  Dot,
  At,
];

/** What the lexer knows. */
export const lexerTokens: readonly TokenType[] = [Space, Comment, Mistake, ...grammarTokens];
