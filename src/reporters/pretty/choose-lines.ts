import type { LineIndex } from '../../source/index.js';
import type { LineRange } from './annotation.js';

/** A longer range of marked lines is shown by its first and last few. */
const LONGEST_RANGE = 6;
const FIRST_OF_LONG = 3;
const LAST_OF_LONG = 2;

/**
 * The lines to show for marked ranges, ascending: the ranges themselves, one
 * line around the main range unless it is blank, and no gap of a single line.
 */
export function chooseLines(
  lines: LineIndex,
  main: LineRange | undefined,
  ranges: readonly LineRange[],
): number[] {
  const chosen = new Set(ranges.flatMap(endsOf));
  if (main !== undefined) {
    for (const near of [main.first - 1, main.last + 1]) {
      if (near >= 1 && near <= lines.lineCount && lines.line(near).trim() !== '') chosen.add(near);
    }
  }
  const ascending = [...chosen].sort((a, b) => a - b);
  return ascending.flatMap((line, index) =>
    ascending[index + 1] === line + 2 ? [line, line + 1] : [line],
  );
}

function endsOf({ first, last }: LineRange): number[] {
  const count = last - first + 1;
  const numbers = (from: number, length: number) => Array.from({ length }, (_, i) => from + i);
  if (count <= LONGEST_RANGE) return numbers(first, count);
  return [...numbers(first, FIRST_OF_LONG), ...numbers(last - LAST_OF_LONG + 1, LAST_OF_LONG)];
}
