import { type Expression, lex, printString, type Token } from '../../expression/index.js';
import type { EmbeddedSource, Span } from '../../source/index.js';
import { delimiterAt, writeContent } from '../../toml/index.js';
import { CALL_KEYWORDS, type LayoutInput, layOut } from './layout.js';
import { attachComments, functionsOf, namesOf, needlessParentheses } from './tokens.js';

/** Maximum width of a line, including its indentation. */
const MAX_WIDTH = 100;
/** Maximum length of a line with a single-line expression. */
const LONGEST_LINE = 80;

/** A TOML string with a trace expression. */
export interface ExpressionString {
  readonly source: EmbeddedSource;
  /** The string in the file, quotes included. */
  readonly span: Span;
  readonly expression: Expression;
  /** True if the line contains only the string and its key, so the string may become a multi-line string. */
  readonly mayGrow: boolean;
}

/**
 * Returns an expression's formatted string, including quotes, to replace `span`. Returns the original string if it is
 * already formatted.
 */
export function formatExpression(string: ExpressionString): string {
  const { source, span, mayGrow } = string;
  const stringText = source.file.text.slice(span.start, span.end);
  const quotes = delimiterAt(stringText, 0);
  if (quotes.length === 3 && /[\r\n]/.test(stringText))
    return spreadOut(string, stringText, quotes);
  const input = inputOf(string, quotes);
  const [line = '', ...moreLines] = layOut(input, {
    spread: false,
    width: Number.POSITIVE_INFINITY,
  });
  // Checks the length of the resulting line, so formatting is idempotent.
  const fits = moreLines.length === 0 && line.length <= LONGEST_LINE;
  if (!fits && mayGrow) return spreadOut(string, stringText, quotes.charAt(0).repeat(3));
  return moreLines.length === 0 ? quotes + line + quotes : stringText;
}

/** Returns the multi-line string, with the common indentation of its lines. */
function spreadOut(string: ExpressionString, stringText: string, quotes: string): string {
  const { base, closing } = indentationOf(stringText);
  const width = MAX_WIDTH - base.length;
  const lines = layOut(inputOf(string, quotes), { spread: true, width });
  // The line ending of the string's first line or, for a single-line string, of the file's first line.
  const [lineEnd = '\n'] = /\r?\n/.exec(stringText + string.source.file.text) ?? [];
  const body = lines.map((line) => (line === '' ? '' : base + line));
  return [quotes, ...body, closing + quotes].join(lineEnd);
}

/** Returns the indentation for a multi-line string's lines and closing quotes. */
function indentationOf(stringText: string): { readonly base: string; readonly closing: string } {
  const [opening = '', ...lines] = stringText.slice(0, -3).split(/\r?\n/);
  const closing = lines.at(-1)?.trim() === '' ? lines.at(-1) : undefined;
  const startsAfterQuotes = !/^\\?[ \t]*$/.test(opening.slice(3));
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => (/^[ \t]*/.exec(line) as RegExpExecArray)[0]);
  const base = startsAfterQuotes ? '' : indents.reduce(commonStart, indents[0] ?? '');
  return { base, closing: closing ?? base };
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

/** @param quotes the resulting string's quotes */
function inputOf({ source, expression }: ExpressionString, quotes: string): LayoutInput {
  const { tokens: all, comments } = lex(source.text);
  const needless = needlessParentheses(expression, all);
  const names = namesOf(expression);
  const functions = functionsOf(expression);
  const tokens = all.filter((token) => !needless.has(token));
  const textOf = ({ start, end }: Span): string => source.text.slice(start, end);
  /**
   * Returns a span's new text. Keeps the original text if the quotes cannot contain the new text, and keeps escape
   * sequences if the text is unchanged.
   */
  const write = (span: Span, text: string): string => {
    const fileSpan = source.toFile(span);
    const contentText = source.file.text.slice(fileSpan.start, fileSpan.end);
    const expressionText = textOf(span);
    const isOneLine = !/[\r\n]/.test(contentText);
    if (text === expressionText && isOneLine) return contentText;
    const replacement = isOneLine ? contentText : writeContent(expressionText, quotes);
    return writeContent(text, quotes) ?? replacement ?? contentText;
  };
  return {
    expression,
    names,
    tokens,
    attached: attachComments(source.text, tokens, [...needless], comments),
    writeToken: (token) => write(token, functions.get(token.start) ?? canonical(token, names)),
    writeComment: (comment) => write(comment, textOf(comment).trimEnd()),
  };
}

/**
 * Returns a token's canonical text: keywords in capitals, function names in lower case, names unchanged, strings in
 * single quotes unless the string contains a single quote.
 */
function canonical({ type, image, value, start }: Token, names: ReadonlySet<number>): string {
  if (image.startsWith('"') && typeof value === 'string' && !value.includes("'")) {
    return printString(value);
  }
  if (names.has(start) || type !== image.toUpperCase()) return image;
  return CALL_KEYWORDS.has(type) ? type.toLowerCase() : type;
}
