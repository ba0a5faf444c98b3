import type { IToken } from 'chevrotain';
import type { Span } from '../../source/index.js';
import { FUNCTIONS } from '../functions/index.js';
import { CloseParenthesis, OpenParenthesis } from '../lexer/lexer.js';
import { exactDecimal, type Value } from '../lexer/literals.js';
import type { Arithmetic, Literal, Name, StepNode } from '../tree/ast.js';

/** Returns a token's span. */
export function spanOf({ startOffset, image }: IToken): Span {
  return { start: startOffset, end: startOffset + image.length };
}

/** Converts a token to a name, without quotes. */
export function nameOf(token: IToken): Name {
  const text = (token.payload as string | undefined) ?? token.image;
  return { kind: 'name', span: spanOf(token), text };
}

/**
 * Converts a token to a function's name, in lower case if the language has the function. Such names
 * are case-insensitive.
 */
export function functionOf(token: IToken): Name {
  const name = nameOf(token);
  const text = name.text.toLowerCase();
  return FUNCTIONS.has(text) ? { ...name, text } : name;
}

/** Converts a token to a literal. TRUE and FALSE have no payload. */
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

/** Joins parts by one operator. Flattens parts that have the same operator. */
export function logicalNode<Part extends { readonly kind: string }>(
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

/** Makes a sum or a product. Flattens a part of the same kind if the value stays the same. */
export function arithmeticNode<Part extends { readonly kind: string }>(
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

/** Appends items to a list. Unlike `push(...additions)`, cannot overflow the stack. */
export function append<T>(list: T[], additions: readonly T[]): void {
  for (const item of additions) list.push(item);
}

/** Maximum nesting depth of parentheses. The stack allows many more. */
export const MAX_NESTING = 200;

/** Returns the first parenthesis that exceeds the maximum nesting depth. */
export function findTooDeepParenthesis(tokens: readonly IToken[]): IToken | undefined {
  if (tokens.length <= MAX_NESTING) return undefined;
  let depth = 0;
  for (const token of tokens) {
    if (token.tokenType === CloseParenthesis) depth = Math.max(0, depth - 1);
    else if (token.tokenType === OpenParenthesis && ++depth > MAX_NESTING) return token;
  }
  return undefined;
}

/** Returns the innermost unclosed parenthesis in `tokens`. */
export function findOpenParenthesis(tokens: readonly IToken[]): IToken | undefined {
  const openTokens: IToken[] = [];
  for (const token of tokens) {
    if (token.tokenType === OpenParenthesis) openTokens.push(token);
    else if (token.tokenType === CloseParenthesis) openTokens.pop();
  }
  return openTokens.at(-1);
}

/** Maps each closed parenthesis to the index of the token after its `)`. */
export function closingPositions(tokens: readonly IToken[]): ReadonlyMap<IToken, number> {
  const closers = new Map<IToken, number>();
  const openTokens: IToken[] = [];
  tokens.forEach((token, index) => {
    if (token.tokenType === OpenParenthesis) openTokens.push(token);
    else if (token.tokenType === CloseParenthesis) {
      const opening = openTokens.pop();
      if (opening !== undefined) closers.set(opening, index + 1);
    }
  });
  return closers;
}
