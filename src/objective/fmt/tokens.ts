import type { Span } from '../../source/index.js';

/** The index of the first token that begins at an offset or after it. Logarithmic. */
export function indexFrom(tokens: readonly Span[], offset: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle] as Span).start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
