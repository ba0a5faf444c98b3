import type { IToken } from 'chevrotain';
import type { Span } from '../../source/index.js';
import type { Condition, Literal, Name } from '../tree/ast.js';

/** The characters of a token. */
export function spanOf({ startOffset, image }: IToken): Span {
  return { start: startOffset, end: startOffset + image.length };
}

/** A name that is written as it is. */
export function bareName(token: IToken): Name {
  return { kind: 'name', span: spanOf(token), text: token.image };
}

/** A name in backquotes, which know no escapes. */
export function quotedName(token: IToken): Name {
  return { kind: 'name', span: spanOf(token), text: token.image.slice(1, -1) };
}

/** A name in the quotes of a string. */
export function stringName(token: IToken): Name {
  return { kind: 'name', span: spanOf(token), text: token.payload as string };
}

/** A string, or a number, which is an integer when it is exact. */
export function literal(token: IToken): Literal {
  const span = spanOf(token);
  const value = token.payload as string | bigint | number;
  if (typeof value === 'string') return { kind: 'string', span, value };
  if (typeof value === 'bigint') return { kind: 'integer', span, value };
  return { kind: 'float', span, value };
}

/** A time in nanoseconds. */
export function duration(token: IToken): Literal {
  return { kind: 'duration', span: spanOf(token), value: token.payload as bigint };
}

/** `TRUE` or `FALSE`. */
export function boolean(token: IToken, value: boolean): Literal {
  return { kind: 'boolean', span: spanOf(token), value };
}

/** Several conditions joined by one operator; those in parentheses that have the same are opened. */
export function logical(kind: 'and' | 'or', parts: readonly Condition[], span: Span): Condition {
  const operands: Condition[] = [];
  for (const part of parts) {
    if (part.kind === kind) append(operands, part.operands);
    else operands.push(part);
  }
  return { kind, span, operands };
}

/** Not `push(...more)`: a long argument list overflows the stack. */
export function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item);
}
