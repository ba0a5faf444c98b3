import type { Violation } from '../diagnostics/index.js';
import type { Token } from './tokens.js';

/** The problems of tokens that are none; of several in a row the first, for they are one mistake. */
export function flaws(tokens: readonly Token[]): Violation[] {
  const found: Violation[] = [];
  let inRow = false;
  for (const { problem } of tokens) {
    if (problem !== undefined && !inRow) found.push(problem);
    inRow = problem !== undefined;
  }
  return found;
}
