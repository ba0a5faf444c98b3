import { at } from '../../source/index.js';

/**
 * Sorts a list in place by merging its ordered runs; equal items keep their order.
 *
 * O(items * log runs)
 */
export function mergeRuns(list: Int32Array, isBefore: (a: number, b: number) => boolean): void {
  let starts = [0];
  for (let place = 1; place < list.length; place++) {
    if (isBefore(at(list, place), at(list, place - 1))) starts.push(place);
  }
  while (starts.length > 1) {
    const left: number[] = [];
    for (let run = 0; run < starts.length; run += 2) {
      const [first, middle] = [starts[run] as number, starts[run + 1]];
      left.push(first);
      if (middle !== undefined)
        merge(list, first, middle, starts[run + 2] ?? list.length, isBefore);
    }
    starts = left;
  }
}

/** Merges two neighbouring runs. */
function merge(
  list: Int32Array,
  first: number,
  middle: number,
  end: number,
  isBefore: (a: number, b: number) => boolean,
): void {
  const earlier = list.slice(first, middle);
  let [left, right] = [0, middle];
  for (let place = first; left < earlier.length; place++) {
    const isRight = right < end && isBefore(at(list, right), at(earlier, left));
    list[place] = isRight ? at(list, right++) : at(earlier, left++);
  }
}
