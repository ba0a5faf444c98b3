import { type Expression, lex, printString, type Token } from '../../expression/index.js';
import type { EmbeddedSource, Span } from '../../source/index.js';
import { delimiterAt, writeContent } from '../../toml/index.js';
import { CALLED, type LayoutInput, layOut } from './layout.js';
import { attachComments, functionsOf, namesOf, needlessParentheses } from './tokens.js';

/** How wide a line may be, including its indentation. */
const WIDEST = 100;
/** How long an expression may be to stay on one line. */
const LONGEST_LINE = 80;

/** A TOML string that holds an expression. */
export interface ExpressionString {
  readonly source: EmbeddedSource;
  /** The string in the file, quotes included. */
  readonly span: Span;
  readonly expression: Expression;
  /** The string has its line to itself and its key, so it may become a multi-line one. */
  readonly mayGrow: boolean;
}

/**
 * How an expression's string is written after formatting, quotes included: what `fmt` puts in
 * place of `span`. The same as before if there is nothing to change.
 */
export function formatExpression(string: ExpressionString): string {
  const { source, span, mayGrow } = string;
  const written = source.file.text.slice(span.start, span.end);
  const quotes = delimiterAt(written, 0);
  if (quotes.length === 3 && /[\r\n]/.test(written)) return spreadOut(string, written, quotes);
  const input = inputOf(string, quotes);
  const [line = '', ...more] = layOut(input, { spread: false, width: Number.POSITIVE_INFINITY });
  // What counts is the line as it will be, so that formatting it again changes nothing.
  const fits = more.length === 0 && line.length <= LONGEST_LINE;
  if (!fits && mayGrow) return spreadOut(string, written, quotes.charAt(0).repeat(3));
  return more.length === 0 ? quotes + line + quotes : written;
}

/** The string over several lines, with the indentation that its lines have in common. */
function spreadOut(string: ExpressionString, written: string, quotes: string): string {
  const { base, closing } = indentationOf(written);
  const width = WIDEST - base.length;
  const lines = layOut(inputOf(string, quotes), { spread: true, width });
  // That of the string's first line, or else of the file's.
  const [lineEnd = '\n'] = /\r?\n/.exec(written + string.source.file.text) ?? [];
  const body = lines.map((line) => (line === '' ? '' : base + line));
  return [quotes, ...body, closing + quotes].join(lineEnd);
}

/** How the lines of a multi-line string and its closing quotes are indented. */
function indentationOf(written: string): { readonly base: string; readonly closing: string } {
  const [opening = '', ...lines] = written.slice(0, -3).split(/\r?\n/);
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

/** @param quotes those that the string is to have */
function inputOf({ source, expression }: ExpressionString, quotes: string): LayoutInput {
  const { tokens: all, comments } = lex(source.text);
  const needless = needlessParentheses(expression, all);
  const names = namesOf(expression);
  const functions = functionsOf(expression);
  const tokens = all.filter((token) => !needless.has(token));
  const textOf = ({ start, end }: Span): string => source.text.slice(start, end);
  /** A text in place of a span. What these quotes cannot hold stays; so do escapes in a span that stays. */
  const write = (span: Span, text: string): string => {
    const place = source.toFile(span);
    const written = source.file.text.slice(place.start, place.end);
    const before = textOf(span);
    const isOneLine = !/[\r\n]/.test(written);
    if (text === before && isOneLine) return written;
    const other = isOneLine ? written : writeContent(before, quotes);
    return writeContent(text, quotes) ?? other ?? written;
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
 * A keyword in capitals, a word written like a function in small letters, names as they are; a
 * string in single quotes unless it holds a single quote.
 */
function canonical({ type, image, value, start }: Token, names: ReadonlySet<number>): string {
  if (image.startsWith('"') && typeof value === 'string' && !value.includes("'")) {
    return printString(value);
  }
  if (names.has(start) || type !== image.toUpperCase()) return image;
  return CALLED.has(type) ? type.toLowerCase() : type;
}
