import type { Token } from './tokens.js';

/** How deep parentheses may nest: far more than anyone writes, far less than the stack bears. */
export const DEEPEST = 200;

/** The parenthesis that nests too deep. */
export function tooDeep(tokens: readonly Token[]): Token | undefined {
  if (tokens.length <= DEEPEST) return undefined;
  let depth = 0;
  for (const token of tokens) {
    if (token.type === ')') depth = Math.max(0, depth - 1);
    else if (token.type === '(' && ++depth > DEEPEST) return token;
  }
  return undefined;
}

/** The innermost parenthesis that is still open after `tokens`. */
export function openBefore(tokens: readonly Token[]): Token | undefined {
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.type === '(') open.push(token);
    else if (token.type === ')') open.pop();
  }
  return open.at(-1);
}
