import type { IToken } from 'chevrotain';
import { quote } from '../../diagnostics/index.js';
import { spanOf } from '../grammar/nodes.js';
import { is, type TokenName } from '../lexer/lexer.js';
import { type Explainer, type Explanation, unexpectedToken } from './failure.js';
import { endOf, type Piece, replaceTokens, tokensText, valuesFrom } from './tokens.js';

/** A mistake recognized by the tokens around the failure. */
interface Shape {
  /**
   * The clauses in which the tokens are a mistake, and the part that was being parsed. By default,
   * any clause or part.
   */
  readonly in?: string | undefined;
  /**
   * The token pattern, separated by white space. An element is a word or sign (case-insensitive,
   * alternatives separated by `|`), a token name such as `<name>`, or one of `REPEATED_READERS`.
   * Brackets surround the tokens to replace. `^` marks the token to report. `~` marks the token
   * that could not be parsed. Without `~`, any token may be the unparsable token.
   */
  readonly like: string;
  /** The message about the reported token or the replaced tokens (default: unexpected token). */
  readonly message?: string;
  /** The help, with `$0` for the replacement and `$2` for the text of the second element. */
  readonly help?: string | undefined;
  /** The replacement, with `$2` for the text of the second element. */
  readonly write?: string | ((matched: readonly IToken[]) => string | undefined) | undefined;
}

/**
 * Advice by token pattern: a help text, a replacement with an optional help text, or a shape's
 * other properties.
 */
type Advice = Readonly<
  Record<string, string | readonly [Shape['write'], help?: string] | Omit<Shape, 'in' | 'like'>>
>;

/** Shapes for the same clauses and parts. Compiled for the first failure. */
export interface Table {
  readonly where: string;
  readonly advice: Advice;
}

/** Makes a table of shapes for the same clauses and parts. */
export function shapes(where: string, advice: Advice): readonly Table[] {
  return [{ where, advice }];
}

function shapesIn({ where, advice }: Table): readonly Shape[] {
  return Object.entries(advice).map(([like, entry]) => {
    if (typeof entry === 'string') return { in: where, like, help: entry };
    if (!Array.isArray(entry)) return { in: where, like, ...entry };
    const [write, help] = entry;
    return { in: where, like, write, help };
  });
}

/** Returns the same advice for several shapes. */
export function sameAdvice(likes: readonly string[], advice: Advice[string]): Advice {
  return Object.fromEntries(likes.map((like) => [like, advice]));
}

/**
 * Returns the number of tokens at an index that an element matches; undefined if the element does
 * not match.
 */
type Reader = (tokens: readonly IToken[], at: number, piece: Piece) => number | undefined;

interface Element {
  readonly read: Reader;
  readonly isFound: boolean;
  readonly isReported: boolean;
  readonly isReplaced: boolean;
}

function runOf(...names: readonly TokenName[]): Reader {
  return (tokens, at) => {
    let end = at;
    while (is(tokens[end], ...names)) end += 1;
    return end - at || undefined;
  };
}

function pathAt(tokens: readonly IToken[], at: number): number | undefined {
  let end = at;
  while (is(tokens[end], 'name') && is(tokens[end + 1], '.')) end += 2;
  return is(tokens[end], 'name') && !is(tokens[end], 'NOT') ? end + 1 - at : undefined;
}

/** Matches operands or terms, separated by signs. */
function operandAt(tokens: readonly IToken[], at: number): number | undefined {
  let end = at;
  for (;;) {
    const length = factorAt(tokens, end);
    if (length === undefined) return end === at ? undefined : end - 1 - at;
    end += length;
    if (!is(tokens[end], 'sign', 'factor sign')) return end - at;
    end += 1;
  }
}

/** Matches a value, a path, an attribute at a probe, a call, or parentheses. */
function factorAt(tokens: readonly IToken[], at: number): number | undefined {
  if (is(tokens[at], 'literal')) return 1;
  const path = pathAt(tokens, at) ?? 0;
  if (is(tokens[at + path], '@')) return path + 2;
  if (!is(tokens[at + path], '(')) return path || undefined;
  let depth = 0;
  for (let end = at + path; end < tokens.length; end += 1) {
    if (is(tokens[end], '(')) depth += 1;
    else if (is(tokens[end], ')')) depth -= 1;
    if (depth === 0) return end + 1 - at;
  }
  return undefined;
}

/** The named elements, most of which match several tokens. */
const REPEATED_READERS: Readonly<Record<string, Reader>> = {
  begin: (_, at) => (at === 0 ? 0 : undefined),
  end: (_, at, piece) => (at === piece.tokens.length ? 0 : undefined),
  any: (tokens, at) => (at < tokens.length ? 1 : undefined),
  rest: (_, at, piece) => piece.tokens.length - at,
  path: pathAt,
  keys: runOf('name', '.', ','),
  operand: operandAt,
  values: (tokens, at) => 2 * valuesFrom(tokens, at).length - 1,
};

function readerOf(element: string): Reader {
  const wordName = /^<(.+)>$/.exec(element)?.[1]?.replaceAll('_', ' ');
  if (wordName === undefined) {
    const images = element === '||' ? [element] : element.toLowerCase().split('|');
    return (tokens, at) => (images.includes(tokens[at]?.image.toLowerCase() ?? '') ? 1 : undefined);
  }
  const names = wordName.split('|') as TokenName[];
  return REPEATED_READERS[wordName] ?? ((tokens, at) => (is(tokens[at], ...names) ? 1 : undefined));
}

function elementsOf(like: string): readonly Element[] {
  let isReplaced = false;
  return like.split(' ').map((part) => {
    isReplaced ||= part.startsWith('[');
    const [, marks = '', element = part] = /^\[?([~^]*)(.+?)\]?$/.exec(part) ?? [];
    const [isFound, isReported] = [marks.includes('~'), marks.includes('^')];
    const elementShape = { read: readerOf(element), isFound, isReported, isReplaced };
    if (part.endsWith(']')) isReplaced = false;
    return elementShape;
  });
}

/** Returns the tokens that each element matches, from an index on; undefined if an element does not match. */
function matchAt(
  elements: readonly Element[],
  tokens: readonly IToken[],
  start: number,
  piece: Piece,
): readonly (readonly IToken[])[] | undefined {
  const matches: (readonly IToken[])[] = [];
  let at = start;
  for (const { read } of elements) {
    const length = read(tokens, at, piece);
    if (length === undefined || length < 0) return undefined;
    matches.push(tokens.slice(at, at + length));
    at += length;
  }
  return matches;
}

const CLAUSES = /\b(?:match|when|filter|aggregate)\b/;
const PARTS = /\b(?!(?:match|when|filter|aggregate)\b)\w+/;

/** True if a shape applies to a clause or a part. A shape that names no clause or part applies to all. */
function isNamed({ in: where = '' }: Shape, name: string, kind: RegExp): boolean {
  return !kind.test(where) || where.split(' ').includes(name);
}

/** Maximum number of tokens to inspect before the unparsable token. */
const FARTHEST = 50;

/** Explains failures by the first matching shape. */
export function mistakenShapes(tables: readonly Table[]): Explainer {
  let compiledShapes: readonly (readonly [Shape, readonly Element[]])[] | undefined;
  return ({ clause, part, piece, actual }) => {
    compiledShapes ??= tables
      .flatMap(shapesIn)
      .map((shape) => [shape, elementsOf(shape.like)] as const);
    const actualIndex = actual === undefined ? -1 : piece.tokens.indexOf(actual);
    const index = actualIndex < 0 ? piece.tokens.length : actualIndex;
    const tokens = piece.next === undefined ? piece.tokens : [...piece.tokens, piece.next];
    for (const [shape, elements] of compiledShapes) {
      if (!isNamed(shape, clause, CLAUSES) || !isNamed(shape, part, PARTS)) continue;
      for (let start = Math.max(0, index - FARTHEST); start <= index; start += 1) {
        const match = matchAt(elements, tokens, start, piece);
        const end = start + (match?.flat().length ?? 0);
        // A piece excludes the token that ended the piece.
        const reachesActual = end > index || (end === index && shape.like.endsWith('<end>'));
        const marked = match?.[elements.findIndex(({ isFound }) => isFound)]?.[0];
        const fits = reachesActual && (marked === undefined || marked === actual);
        const explanation = match && fits ? explainMatch(shape, elements, match) : undefined;
        if (explanation !== undefined) return explanation;
      }
    }
    return undefined;
  };
}

function explainMatch(
  { message, help, write }: Shape,
  elements: readonly Element[],
  match: readonly (readonly IToken[])[],
): Explanation | undefined {
  const texts = match.map(tokensText);
  const replacedTokens = match.filter((_, at) => elements[at]?.isReplaced).flat();
  const [first = match.flat()[0], last = first] = [replacedTokens[0], replacedTokens.at(-1)];
  const marked = match[elements.findIndex(({ isReported }) => isReported)]?.[0];
  const reportedToken = marked ?? first;
  if (first === undefined || last === undefined || reportedToken === undefined) return undefined;
  const textAt = (nth: string) => texts[Number(nth) - 1] ?? '';
  const fillTemplate = (template: string) =>
    template
      .replace(/"\$(\d)"/g, (_, nth: string) => quote(textAt(nth)))
      .replace(/\$(\d)/g, (_, nth: string) => textAt(nth));
  const matchSpan = { start: first.startOffset, end: endOf(last) };
  const explanation =
    message === undefined
      ? unexpectedToken(reportedToken)
      : { message: fillTemplate(message), span: marked ? spanOf(marked) : matchSpan };
  if (write === undefined) return { ...explanation, help: help && fillTemplate(help) };
  const text = typeof write === 'string' ? fillTemplate(write) : write(match.flat());
  if (text === undefined) return undefined;
  const trimmedText = text.trim();
  const replacement = replaceTokens(
    first,
    last,
    text,
    trimmedText === text ? undefined : `write ${trimmedText}`,
  );
  return {
    ...explanation,
    ...replacement,
    ...(help && { help: fillTemplate(help.replaceAll('$0', text)) }),
  };
}
