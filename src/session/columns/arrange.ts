import { compareCodePoints } from '../../source/index.js';
import { type Problem, type Problems, quoted } from '../problem.js';
import type { EventTable } from './event-table.js';

/** The events of a table by probe, each probe's in its order. */
export interface Arrangement {
  readonly probes: readonly string[];
  readonly start: Int32Array;
  /** For each event of the table its number in the session; -1 for one that is left out. */
  readonly place: Int32Array;
  /** For each event of the session its `seq`; absent where no event has one. */
  readonly seq?: Float64Array;
  /** For each event of the session, what its `seq` lacks in a double. */
  readonly difference?: Int16Array;
  /** For each probe whether its events have `seq`. */
  readonly hasSeq: readonly boolean[];
  /** By number of a probe's name among the texts, the number of the probe. */
  readonly probeByText: ReadonlyMap<number, number>;
}

/**
 * Puts the events of each probe in their order: by `seq`, else as they came. Probes are sorted
 * by name. Events with a repeated `seq`, and those without one at a probe where others have
 * one, are problems and left out.
 */
export function arrange(table: EventTable, problems: Problems): Arrangement {
  const { size } = table;
  const textOf = (text: number) => table.texts.texts[text] as string;
  const names = [...new Set(table.probes.view())].sort((a, b) =>
    compareCodePoints(textOf(a), textOf(b)),
  );
  const probeByText = new Map(names.map((text, probe) => [text, probe]));
  const { seq, difference, has } = readSeq(table);
  const order = groupByProbe(table, names, probeByText);
  const hasSeq = names.map(() => false);
  const start = new Int32Array(names.length + 1);
  const place = new Int32Array(size).fill(-1);
  let next = 0;
  for (const [probe, text] of names.entries()) {
    start[probe] = next;
    const own = order.events.subarray(order.start[probe], order.start[probe + 1]);
    const withSeq = has === undefined ? 0 : own.reduce((sum, event) => sum + (has[event] ?? 0), 0);
    if (withSeq === 0 || seq === undefined) {
      for (const event of own) place[event] = next++;
      continue;
    }
    hasSeq[probe] = true;
    const compare = (a: number, b: number) =>
      (seq[a] as number) - (seq[b] as number) ||
      (difference?.[a] ?? 0) - (difference?.[b] ?? 0) ||
      a - b;
    const sorted = own.filter((event) => has?.[event] === 1);
    if (withSeq < own.length) {
      for (const event of own) {
        if (has?.[event] !== 1) problems.add('event', withoutSeq(table, event, textOf(text)));
      }
    }
    if (!isAscending(sorted, compare)) sorted.sort(compare);
    let last = -1;
    for (const event of sorted) {
      const same =
        last >= 0 &&
        seq[last] === seq[event] &&
        (difference?.[last] ?? 0) === (difference?.[event] ?? 0);
      if (same) problems.add('event', repeatedSeq(table, last, event, textOf(text)));
      else {
        place[event] = next++;
        last = event;
      }
    }
  }
  start[names.length] = next;
  const probes = names.map(textOf);
  const base = { probes, start, place, hasSeq, probeByText };
  if (seq === undefined) return base;
  const placed = new Float64Array(next);
  const placedDifference = difference === undefined ? undefined : new Int16Array(next);
  for (let event = 0; event < size; event++) {
    const at = place[event] as number;
    if (at < 0) continue;
    placed[at] = seq[event] as number;
    if (placedDifference !== undefined) placedDifference[at] = difference?.[event] as number;
  }
  return {
    ...base,
    seq: placed,
    ...(placedDifference !== undefined && { difference: placedDifference }),
  };
}

/** The `seq` of each event of the table, which of them have one, and what doubles lack. */
function readSeq(table: EventTable): {
  readonly seq?: Float64Array;
  readonly has?: Uint8Array;
  readonly difference?: Int16Array;
} {
  if (table.seq.count === 0) return {};
  const seq = new Float64Array(table.size);
  const has = new Uint8Array(table.size);
  const difference = table.seq.isExact ? undefined : new Int16Array(table.size);
  table.seq.forEach((event, _kind, number, lack) => {
    seq[event] = number;
    has[event] = 1;
    if (difference !== undefined) difference[event] = lack;
  });
  return { seq, has, ...(difference !== undefined && { difference }) };
}

function groupByProbe(
  table: EventTable,
  names: readonly number[],
  probeByText: ReadonlyMap<number, number>,
): { readonly start: Int32Array; readonly events: Int32Array } {
  const probeOf = new Int32Array(maximum(names) + 1);
  for (const [text, probe] of probeByText) probeOf[text] = probe;
  const start = new Int32Array(names.length + 1);
  const texts = table.probes.view();
  for (const text of texts) (start[(probeOf[text] as number) + 1] as number)++;
  for (let probe = 0; probe < names.length; probe++) {
    start[probe + 1] = (start[probe + 1] as number) + (start[probe] as number);
  }
  const events = new Int32Array(table.size);
  const next = start.slice();
  for (let event = 0; event < texts.length; event++) {
    const probe = probeOf[texts[event] as number] as number;
    events[next[probe] as number] = event;
    (next[probe] as number)++;
  }
  return { start, events };
}

function maximum(numbers: readonly number[]): number {
  return numbers.reduce((most, one) => (one > most ? one : most), -1);
}

function isAscending(events: Int32Array, compare: (a: number, b: number) => number): boolean {
  for (let index = 1; index < events.length; index++) {
    if (compare(events[index - 1] as number, events[index] as number) > 0) return false;
  }
  return true;
}

function withoutSeq(table: EventTable, event: number, probe: string): Problem {
  return {
    ...at(table.lines.at(event)),
    message: `an event of ${quoted(probe)} has no "seq", which other events of that probe have: its place is unknown`,
  };
}

function repeatedSeq(table: EventTable, first: number, second: number, probe: string): Problem {
  const line = table.lines.at(first);
  const message =
    line === 0
      ? `two events of ${quoted(probe)} have the same "seq"`
      : `an event of ${quoted(probe)} has the same "seq" as line ${line}`;
  return { ...at(table.lines.at(second)), message };
}

/** The line of a problem, where there is one. */
export function at(line: number): { readonly line?: number } {
  return line === 0 ? {} : { line };
}
