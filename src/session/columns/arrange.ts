import { at, compareCodePoints, itemAt } from '../../source/index.js';
import { onLine, type Problem, type Problems, quoted } from '../problem.js';
import type { EventTable } from './event-table.js';

/** The events of a table by probe, each probe's in its order. */
export interface Arrangement {
  readonly probes: readonly string[];
  readonly start: Int32Array;
  /** For each event of the table its number in the session; -1 for one that is left out. */
  readonly place: Int32Array;
  /** For each event of the session its `seq`, 0 where it has none; empty where no event has one. */
  readonly seq: BigInt64Array;
  /** For each probe whether its events have `seq`. */
  readonly hasSeq: readonly boolean[];
  /** For each probe the number of its name among the texts. */
  readonly names: readonly number[];
}

/**
 * Puts the events of each probe in their order: by `seq`, else as they came. Probes are sorted
 * by name. Events with a repeated `seq`, and those without one at a probe where others have
 * one, are problems and left out.
 */
export function arrangeEvents(table: EventTable, problems: Problems): Arrangement {
  const { size } = table;
  const textOf = (text: number) => table.texts[text] as string;
  const names = [...new Set(table.probes.view())].sort((a, b) =>
    compareCodePoints(textOf(a), textOf(b)),
  );
  const { seq, has } = readSeq(table);
  const byProbe = groupByProbe(table);
  const hasSeq = names.map(() => false);
  const start = new Int32Array(names.length + 1);
  const place = new Int32Array(size).fill(-1);
  let next = 0;
  for (const [probe, text] of names.entries()) {
    start[probe] = next;
    const own = byProbe.get(text) ?? [];
    const withSeq = own.filter((event) => has[event] === 1);
    if (withSeq.length === 0) {
      for (const event of own) place[event] = next++;
      continue;
    }
    hasSeq[probe] = true;
    if (withSeq.length < own.length) {
      for (const event of own) {
        if (has[event] !== 1) problems.add('event', withoutSeq(table, event, textOf(text)));
      }
    }
    const compare = (a: number, b: number) =>
      compareIntegers(itemAt(seq, a), itemAt(seq, b)) || a - b;
    withSeq.sort(compare);
    let last = -1;
    for (const event of withSeq) {
      if (last >= 0 && seq[last] === seq[event]) {
        problems.add('event', repeatedSeq(table, last, event, textOf(text)));
      } else {
        place[event] = next++;
        last = event;
      }
    }
  }
  start[names.length] = next;
  const placed = new BigInt64Array(seq.length === 0 ? 0 : next);
  for (let event = 0; event < seq.length; event++) {
    if (at(place, event) >= 0) placed[at(place, event)] = itemAt(seq, event);
  }
  return { probes: names.map(textOf), start, place, seq: placed, hasSeq, names };
}

/** The `seq` of each event of the table, and which of them have one; nothing where none has. */
function readSeq(table: EventTable): { readonly seq: BigInt64Array; readonly has: Uint8Array } {
  const size = table.seq.count === 0 ? 0 : table.size;
  const seq = new BigInt64Array(size);
  const has = new Uint8Array(size);
  table.seq.forEach((event, _kind, number, integer) => {
    seq[event] = integer ?? BigInt(number);
    has[event] = 1;
  });
  return { seq, has };
}

function compareIntegers(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The events by the number of their probe's name, as they came. */
function groupByProbe(table: EventTable): ReadonlyMap<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const [event, probe] of table.probes.view().entries()) {
    const group = groups.get(probe);
    if (group === undefined) groups.set(probe, [event]);
    else group.push(event);
  }
  return groups;
}

function lineOf({ lines }: EventTable, event: number): number {
  return at(lines.view(), event);
}

function withoutSeq(table: EventTable, event: number, probe: string): Problem {
  return {
    ...onLine(lineOf(table, event)),
    message: `an event of ${quoted(probe)} has no "seq", which other events of that probe have: its place is unknown`,
  };
}

function repeatedSeq(table: EventTable, first: number, second: number, probe: string): Problem {
  const line = lineOf(table, first);
  const message =
    line === 0
      ? `two events of ${quoted(probe)} have the same "seq"`
      : `an event of ${quoted(probe)} has the same "seq" as line ${line}`;
  return { ...onLine(lineOf(table, second)), message };
}
