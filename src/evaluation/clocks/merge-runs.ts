import { at } from '../../source/index.js';

/**
 * Sorts a list in place by merging its ordered runs. The sort is stable.
 *
 * Takes O(items * log runs).
 */
export function mergeRuns(list: Int32Array, precedes: (a: number, b: number) => boolean): void {
  let starts = [0];
  for (let position = 1; position < list.length; position++) {
    if (precedes(at(list, position), at(list, position - 1))) starts.push(position);
  }
  while (starts.length > 1) {
    const leftStarts: number[] = [];
    for (let run = 0; run < starts.length; run += 2) {
      const [first, middle] = [starts[run] as number, starts[run + 1]];
      leftStarts.push(first);
      if (middle !== undefined)
        merge(list, first, middle, starts[run + 2] ?? list.length, precedes);
    }
    starts = leftStarts;
  }
}

/** Merges two adjacent runs. */
function merge(
  list: Int32Array,
  first: number,
  middle: number,
  end: number,
  precedes: (a: number, b: number) => boolean,
): void {
  const earlier = list.slice(first, middle);
  let [left, right] = [0, middle];
  for (let position = first; left < earlier.length; position++) {
    const isRight = right < end && precedes(at(list, right), at(earlier, left));
    list[position] = isRight ? at(list, right++) : at(earlier, left++);
  }
}
