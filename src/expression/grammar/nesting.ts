import type { IToken } from 'chevrotain';
import { Close, Open } from './grammar.js';

/** How deep parentheses may nest: far more than anyone writes, far less than the stack bears. */
export const DEEPEST = 200;

/** The parenthesis that nests too deep. */
export function nestedTooDeep(tokens: readonly IToken[]): IToken | undefined {
  if (tokens.length <= DEEPEST) return undefined;
  let depth = 0;
  for (const token of tokens) {
    if (token.tokenType === Close) depth = Math.max(0, depth - 1);
    else if (token.tokenType === Open && ++depth > DEEPEST) return token;
  }
  return undefined;
}

/** The innermost parenthesis that is still open after `tokens`. */
export function openBefore(tokens: readonly IToken[]): IToken | undefined {
  const open: IToken[] = [];
  for (const token of tokens) {
    if (token.tokenType === Open) open.push(token);
    else if (token.tokenType === Close) open.pop();
  }
  return open.at(-1);
}
