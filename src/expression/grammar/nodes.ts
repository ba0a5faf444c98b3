import type { IToken } from 'chevrotain';
import type { Span } from '../../source/index.js';
import { FUNCTIONS } from '../functions/index.js';
import { Close, Open } from '../lexer/lexer.js';
import { exactDecimal, type Value } from '../lexer/literals.js';
import type { Arithmetic, Literal, Name, StepNode } from '../tree/ast.js';

/** Returns a token's span. */
export function spanOf({ startOffset, image }: IToken): Span {
  return { start: startOffset, end: startOffset + image.length };
}

/** Returns a name without its quotes, if it has any. */
export function nameOf(token: IToken): Name {
  const text = (token.payload as string | undefined) ?? token.image;
  return { kind: 'name', span: spanOf(token), text };
}

/**
 * Returns the name of a function: in lower case if the language has it, because case does not matter, as in keywords.
 */
export function functionOf(token: IToken): Name {
  const name = nameOf(token);
  const text = name.text.toLowerCase();
  return FUNCTIONS.has(text) ? { ...name, text } : name;
}

/** Returns a string, a number, a duration, or TRUE or FALSE, which have no payload. */
export function literalOf(token: IToken): Literal {
  const span = spanOf(token);
  const value = token.payload as Value | undefined;
  if (typeof value === 'string') return { kind: 'string', span, value };
  if (typeof value === 'bigint') return { kind: 'integer', span, value };
  if (typeof value === 'number') {
    const exactText = exactDecimal(value, token.image);
    return { kind: 'float', span, value, ...(exactText !== undefined && { written: exactText }) };
  }
  if (value !== undefined) return { kind: 'duration', span, value: value.nanoseconds };
  return { kind: 'boolean', span, value: /^t/i.test(token.image) };
}

/** Joins parts by one operator. Parts in parentheses with the same operator are flattened. */
export function logical<Part extends { readonly kind: string }>(
  kind: string,
  parts: readonly Part[],
  span: Span,
): Part {
  const operands: Part[] = [];
  for (const part of parts) {
    if (part.kind === kind) append(operands, (part as unknown as JoinedParts<Part>).operands);
    else operands.push(part);
  }
  return { kind, span, operands } as unknown as Part;
}

interface JoinedParts<Part> {
  readonly operands: readonly Part[];
}

/** Makes a sum or a product. A part of the same kind is flattened if that changes nothing. */
export function arithmetic<Part extends { readonly kind: string }>(
  kind: 'sum' | 'product',
  parts: readonly Part[],
  signs: readonly IToken[],
  span: Span,
): Arithmetic<'sum' | 'product', Part> {
  const plainSign = kind === 'sum' ? '+' : '*';
  const sameKind = (part: Part | undefined) =>
    part?.kind === kind ? (part as unknown as Arithmetic<'sum' | 'product', Part>) : undefined;
  const [onlyPart] = parts as readonly [Part];
  const steps = [...(sameKind(onlyPart)?.rest ?? [])];
  parts.forEach((operand, at) => {
    if (at === 0) return;
    const token = signs[at] as IToken;
    const sign = token.image as StepNode<Part>['sign'];
    const nestedParts = sign === plainSign ? sameKind(operand) : undefined;
    steps.push({ sign, signSpan: spanOf(token), operand: nestedParts?.first ?? operand });
    append(steps, nestedParts?.rest ?? []);
  });
  return { kind, span, first: sameKind(onlyPart)?.first ?? onlyPart, rest: steps };
}

/** Not `push(...more)`, because a long argument list overflows the stack. */
export function append<T>(list: T[], additions: readonly T[]): void {
  for (const item of additions) list.push(item);
}

/** Maximum nesting of parentheses: far more than anyone writes, far less than the stack allows. */
export const DEEPEST = 200;

/** Returns the parenthesis that nests too deep. */
export function nestedTooDeep(tokens: readonly IToken[]): IToken | undefined {
  if (tokens.length <= DEEPEST) return undefined;
  let depth = 0;
  for (const token of tokens) {
    if (token.tokenType === Close) depth = Math.max(0, depth - 1);
    else if (token.tokenType === Open && ++depth > DEEPEST) return token;
  }
  return undefined;
}

/** Returns the innermost parenthesis that is still open after `tokens`. */
export function openBefore(tokens: readonly IToken[]): IToken | undefined {
  const openTokens: IToken[] = [];
  for (const token of tokens) {
    if (token.tokenType === Open) openTokens.push(token);
    else if (token.tokenType === Close) openTokens.pop();
  }
  return openTokens.at(-1);
}

/** Returns, for each parenthesis, the index of the token after its `)`, if there is one. */
export function closings(tokens: readonly IToken[]): ReadonlyMap<IToken, number> {
  const closers = new Map<IToken, number>();
  const openTokens: IToken[] = [];
  tokens.forEach((token, index) => {
    if (token.tokenType === Open) openTokens.push(token);
    else if (token.tokenType === Close) {
      const opening = openTokens.pop();
      if (opening !== undefined) closers.set(opening, index + 1);
    }
  });
  return closers;
}
