import type { IToken } from 'chevrotain';
import type { Finding } from '../diagnostics/index.js';
import { problemOf } from './lex.js';

/** The problems of tokens that are none; of several in a row the first, for they are one mistake. */
export function flaws(tokens: readonly IToken[]): Finding[] {
  const found: Finding[] = [];
  let inRow = false;
  for (const token of tokens) {
    const problem = problemOf(token);
    if (problem !== undefined && !inRow) found.push(problem);
    inRow = problem !== undefined;
  }
  return found;
}
