import {
  type CustomPatternMatcherReturn,
  createToken,
  type IToken,
  type ITokenConfig,
  Lexer,
  type TokenType,
  tokenMatcher,
} from 'chevrotain';
import type { Violation } from '../../diagnostics/index.js';
import {
  type LiteralReading,
  readDuration,
  readNumber,
  readQuotedName,
  readString,
  type Value,
} from './literals.js';
import {
  absoluteBarsViolation,
  blockCommentViolation,
  bracketedConditionViolation,
  bracketedTextViolation,
  dashViolation,
  operatorViolation,
  quantifierViolation,
  signSpacingViolation,
  smartQuoteViolation,
  unknownCharacterViolation,
} from './wrong-characters.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

/** The first characters of words and of numbers. */
const WORD_START = `${LETTERS}_`;
const NUMBER_START = `-${DIGITS}`;

/** A token type with its name in the grammar. */
type Named<Name extends string> = TokenType & { readonly name: Name };

function create<Name extends string>(config: ITokenConfig & { readonly name: Name }): Named<Name> {
  return createToken(config) as Named<Name>;
}

/** Makes a category of token types that the productions need not distinguish. */
function category<Name extends string>(name: Name): Named<Name> {
  return create({ name, pattern: Lexer.NA });
}

/**
 * Makes a token type whose tokens begin with one of these characters. Without the characters,
 * Chevrotain would analyse each pattern, which would slow every start.
 */
function token<Name extends string>(
  name: Name,
  starts: string,
  pattern: RegExp,
  options: Partial<Omit<ITokenConfig, 'name'>> = {},
): Named<Name> {
  return create({ name, pattern, start_chars_hint: [...starts], line_breaks: false, ...options });
}

/** Makes a token type with a fixed text. */
function sign<Image extends string>(image: Image): Named<Image> {
  return create({ name: image, pattern: image });
}

/** Makes a case-insensitive reserved word. An identifier may begin with the word. */
function keyword<Word extends string>(word: Word, categories: TokenType[] = []): Named<Word> {
  const starts = word.charAt(0) + word.charAt(0).toLowerCase();
  return token(word, starts, new RegExp(word, 'i'), { longer_alt: Identifier, categories });
}

/** Makes a token type whose tokens have a value as `payload`. */
function valued<Name extends string>(
  name: Name,
  starts: string,
  category: TokenType,
  read: (text: string, start: number) => LiteralReading | undefined,
): Named<Name> {
  const pattern = (text: string, start: number) => {
    const reading = read(text, start);
    if (reading === undefined || reading.violation !== undefined) return null;
    return matchPattern(text, start, reading.end, reading.value);
  };
  const start_chars_hint = [...starts];
  return create({ name, pattern, start_chars_hint, line_breaks: false, categories: category });
}

function matchPattern(
  text: string,
  start: number,
  end: number,
  payload: Value | Violation | undefined,
): CustomPatternMatcherReturn {
  const match: CustomPatternMatcherReturn = [text.slice(start, end)];
  match.payload = payload;
  return match;
}

/**
 * The first code units of a token that may begin with any character. Chevrotain groups code units
 * above 255 into ranges of 255. A test tries every code unit.
 */
const EVERYTHING: number[] = [];
for (let code = 0; code <= 256; code += 1) EVERYTHING.push(code);
for (let code = 510; code <= 0xffff; code += 255) EVERYTHING.push(code);

/*
 * The token types of the language. No pattern repeats a group, because a token of several megabytes
 * would then overflow the regular expression engine's backtracking stack.
 */

export const AnyName = category('name');
export const AnyLiteral = category('literal');

export const Identifier = token('identifier', WORD_START, /[A-Za-z_](?:[\w-]*\w)?/, {
  categories: AnyName,
});
export const QuotedName = valued('quoted identifier', '`', AnyName, readQuotedName);
export const QuotedString = valued('string', '\'"', AnyLiteral, readString);
export const Numeral = valued('number', NUMBER_START, AnyLiteral, readNumber);
export const DurationNumeral = valued('duration', NUMBER_START, AnyLiteral, readDuration);
/**
 * A comparator. Excludes the beginning of `==`, `=>`, `=<`, `=!`, `=~`, `<>`, `!==` and, unless a
 * digit follows, of `<-`.
 */
export const ComparisonSign = token(
  'comparator',
  '=!<>',
  /!=(?!=)|[<>]=|=(?![=<>!~])|<(?!>|-(?!\d))|>/,
);

/**
 * A plus or minus sign, with white space on both sides because names may contain hyphens. Excludes
 * the `-` of `- >`.
 */
export const Sign = token('sign', '+-', /(?<=[ \t\r\n])[+-](?![^ \t\r\n])(?![ \t]{1,7}>(?!=))/);
/** A multiplication or division sign. Excludes parts of comment signs of other languages. */
export const FactorSign = token('factor sign', '*/', /\*(?!\/)|\/(?![/*])/);

export const MATCH = keyword('MATCH');
export const AS = keyword('AS');
export const WHEN = keyword('WHEN');
export const FILTER = keyword('FILTER');
export const AGGREGATE = keyword('AGGREGATE');
export const AND = keyword('AND');
export const OR = keyword('OR');
export const TRUE = keyword('TRUE', [AnyLiteral]);
export const FALSE = keyword('FALSE', [AnyLiteral]);
export const keywords = [MATCH, AS, WHEN, FILTER, AGGREGATE, AND, OR, TRUE, FALSE];

/** Makes a word that is a keyword where the grammar allows it, and a name everywhere else. */
function word<Image extends string>(image: Image): Named<Image> {
  return keyword(image, [Identifier]);
}

export const NOT = word('NOT');
export const NEXT = word('NEXT');
export const WITHIN = word('WITHIN');
export const IN = word('IN');
export const GLOB = word('GLOB');
export const EXISTS = word('EXISTS');
export const ABS = word('ABS');
export const LOWER = word('LOWER');
export const SHARE = word('SHARE');
export const BASELINE = word('BASELINE');
export const BY = word('BY');
export const HAVING = word('HAVING');
export const FOR = word('FOR');
export const WINDOW = word('WINDOW');
/** The words that are not reserved. */
export const words = [
  ...[NOT, NEXT, WITHIN, IN, GLOB, EXISTS, ABS, LOWER, SHARE, BASELINE, BY, HAVING, FOR, WINDOW],
];

export const Arrow = sign('->');
export const ConcurrencySign = sign('||');
export const Percent = sign('%');
export const OpenParenthesis = sign('(');
export const CloseParenthesis = sign(')');
export const Comma = sign(',');
export const Dot = sign('.');
export const AtSign = sign('@');

const Space = token('white space', ' \t\r\n', /[ \t\r\n]+/, { group: Lexer.SKIPPED });
const COMMENTS = 'comments';
const Comment = token('comment', '#', /#[^\r\n]*/, { group: COMMENTS });

/** Text that begins no other token. No production accepts it. Its `payload` is the violation. */
export const Mistake = create({
  name: 'mistake',
  pattern(text: string, start: number) {
    const { end, violation } = readMistake(text, start);
    return matchPattern(text, start, end, violation);
  },
  start_chars_hint: EVERYTHING,
  line_breaks: false,
});

/**
 * The token types, in the order in which the lexer tries them. The order matters for tokens with
 * the same beginning.
 */
export const tokens = [
  ...[AnyName, AnyLiteral, Space, Comment, QuotedName, QuotedString, Arrow],
  ...[DurationNumeral, Numeral, Sign, FactorSign, ComparisonSign, ConcurrencySign, Percent],
  ...[
    OpenParenthesis,
    CloseParenthesis,
    Comma,
    Dot,
    AtSign,
    ...keywords,
    ...words,
    Identifier,
    Mistake,
  ],
];

/** The grammar's name for a token type or a category. */
export type TokenName = (typeof tokens)[number]['name'];

const BY_NAME = new Map<TokenName, TokenType>(tokens.map((type) => [type.name, type]));

/** Returns the type properties for a token created without source text. */
export function typeOf(name: TokenName): Pick<IToken, 'tokenType' | 'tokenTypeIdx'> {
  const tokenType = BY_NAME.get(name) as TokenType;
  return { tokenType, tokenTypeIdx: tokenType.tokenTypeIdx ?? 0 };
}

/** A token with a value. With `IToken` alone, TypeScript would narrow tokens of other types to `never`. */
type LexedToken = IToken & Pick<Required<IToken>, 'payload'>;

/** True if a token has one of these types or categories. */
export function is(token: IToken | undefined, ...names: readonly TokenName[]): token is LexedToken {
  return (
    token !== undefined && names.some((name) => tokenMatcher(token, BY_NAME.get(name) as TokenType))
  );
}

let lexer: Lexer | undefined;

/**
 * Tokenizes any text, and collects the comments. Text that begins no token becomes a `Mistake`.
 * Builds the lexer for the first text.
 */
export function tokenize(text: string): {
  readonly tokens: IToken[];
  readonly comments: readonly IToken[];
} {
  lexer ??= new Lexer(tokens, {
    positionTracking: 'onlyOffset',
    recoveryEnabled: false,
    skipValidations: true,
  });
  const { tokens: lexedTokens, groups } = lexer.tokenize(text);
  return { tokens: lexedTokens, comments: groups[COMMENTS] ?? [] };
}

/**
 * Reads the mistake at `start`, where no valid token begins: a broken string, name or number, an
 * operator of another language, or unknown characters.
 */
function readMistake(text: string, start: number) {
  const { end, violation } = readBroken(text, start) ?? {};
  if (end !== undefined && violation !== undefined) return { end, violation };
  const mistake =
    smartQuoteViolation(text, start) ??
    absoluteBarsViolation(text, start) ??
    quantifierViolation(text, start) ??
    operatorViolation(text, start) ??
    signSpacingViolation(text, start) ??
    dashViolation(text, start) ??
    bracketedConditionViolation(text, start) ??
    bracketedTextViolation(text, start) ??
    blockCommentViolation(text, start);
  if (mistake !== undefined) return { end: mistake.span.end, violation: mistake };
  const unknownEnd = endOfUnknown(text, start);
  return { end: unknownEnd, violation: unknownCharacterViolation(text, start, unknownEnd) };
}

function readBroken(text: string, start: number) {
  const firstCharacter = text.charAt(start);
  if (firstCharacter === "'" || firstCharacter === '"') return readString(text, start);
  if (firstCharacter === '`') return readQuotedName(text, start);
  return readDuration(text, start) ?? readNumber(text, start);
}

/** Returns the end of a run of unknown characters that begins at `start`. */
function endOfUnknown(text: string, start: number): number {
  for (let end = start + 1; ; end += 1) {
    UNKNOWN_RUN.lastIndex = end;
    if (UNKNOWN_RUN.test(text)) end = UNKNOWN_RUN.lastIndex;
    if (text.charAt(end) !== '~' || text.charAt(end + 1) === '=') return end;
  }
}

/**
 * Matches characters that are neither white space nor the first character of a token, a comment or
 * a specific mistake.
 */
const UNKNOWN_RUN =
  /[^ \t\r\n#()'"`.,@\-=<>!&|\w~\u2260\u2264\u2265\u2192\u21d2\u00ac\u2208\u2209\u2225\u2227\u2228\u227a\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019\u201a\u201b\u2039\u203a]+/y;
