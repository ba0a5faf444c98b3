import { at } from '../../source/index.js';
/** Events to choose from: a list, ascending, or all from one to before another. */
export type Candidates = Int32Array | { readonly from: number; readonly to: number };

/** The candidates as a list. */
export function eventsOf(candidates: Candidates): Int32Array {
  if (candidates instanceof Int32Array) return candidates;
  const { from, to } = candidates;
  const events = new Int32Array(Math.max(0, to - from));
  for (let place = 0; place < events.length; place++) events[place] = from + place;
  return events;
}

/** The candidates from an event to before another. */
export function within(candidates: Candidates, [from, to]: readonly [number, number]): Candidates {
  if (candidates instanceof Int32Array) {
    return candidates.subarray(firstAtLeast(candidates, from), firstAtLeast(candidates, to));
  }
  return { from: Math.max(from, candidates.from), to: Math.min(to, candidates.to) };
}

/** The candidates that pass a test, which gets the event and its position. */
export function keep(
  candidates: Candidates,
  test: (event: number, place: number) => boolean,
): Int32Array {
  const list = new EventList();
  if (candidates instanceof Int32Array) {
    for (let place = 0; place < candidates.length; place++) {
      const event = at(candidates, place);
      if (test(event, place)) list.push(event);
    }
  } else {
    const { from, to } = candidates;
    for (let event = from; event < to; event++) if (test(event, event - from)) list.push(event);
  }
  return list.done();
}

/** The events of both lists, ascending. */
export function union(a: Int32Array, b: Int32Array): Int32Array {
  const both = new Int32Array(a.length + b.length);
  let [i, j, size] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const x = i < a.length ? at(a, i) : Number.POSITIVE_INFINITY;
    const y = j < b.length ? at(b, j) : Number.POSITIVE_INFINITY;
    if (x <= y) i++;
    if (y <= x) j++;
    both[size++] = Math.min(x, y);
  }
  return both.slice(0, size);
}

/** The first position from `low` to before `high` with `value` or more, or `high`. */
export function firstAtLeast(
  sorted: Int32Array,
  value: number,
  low = 0,
  high = sorted.length,
): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (at(sorted, middle) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** A list of events that grows. */
export class EventList {
  #events = new Int32Array(1024);
  #size = 0;

  push(event: number): void {
    if (this.#size === this.#events.length) {
      const larger = new Int32Array(this.#size * 2);
      larger.set(this.#events);
      this.#events = larger;
    }
    this.#events[this.#size++] = event;
  }

  done(): Int32Array {
    return this.#events.slice(0, this.#size);
  }
}
