import { at, compareCodePoints, itemAt } from '../../source/index.js';
import { onLine, type Problem, type Problems, quoted } from '../problem.js';
import type { Timelines } from '../session.js';
import type { EventTable } from './event-table.js';

/** The events of a table by probe and timeline, each timeline's in its order. */
export interface Arrangement {
  readonly probes: readonly string[];
  readonly start: Int32Array;
  readonly timelines: Timelines;
  /** Whether a timeline has a name. */
  readonly isNamed: boolean;
  /** For each event of the table its number in the session; -1 for one that is left out. */
  readonly place: Int32Array;
  /** For each event of the session its `seq`, 0 where it has none; empty where no event has one. */
  readonly seq: BigInt64Array;
  /** For each timeline whether its events have `seq`. */
  readonly hasSeq: readonly boolean[];
  /** For each probe the number of its name among the texts. */
  readonly names: readonly number[];
}

/**
 * Puts the events of each timeline in their order: by `seq`, else as they came. Probes are sorted
 * by name, and so are the timelines of each, the one without a name first. Events with a repeated
 * `seq`, and those without one on a timeline where others have one, are problems and left out.
 */
export function arrangeEvents(table: EventTable, problems: Problems): Arrangement {
  const { size } = table;
  const textOf = (text: number) => table.texts[text] ?? '';
  const groups = groupByTimeline(table).sort(
    (a, b) =>
      compareCodePoints(textOf(a.probe), textOf(b.probe)) ||
      Number(a.timeline >= 0) - Number(b.timeline >= 0) ||
      compareCodePoints(textOf(a.timeline), textOf(b.timeline)),
  );
  const { seq, has } = readSeq(table);
  const hasSeq: boolean[] = [];
  const names: number[] = [];
  const [start, probes]: [number[], number[]] = [[], []];
  const lines = new Int32Array(groups.length + 1);
  const place = new Int32Array(size).fill(-1);
  let next = 0;
  for (const [line, { probe, timeline, events }] of groups.entries()) {
    const owner = { probe: textOf(probe), timeline: table.texts[timeline] };
    if (names.at(-1) !== probe) {
      names.push(probe);
      start.push(next);
    }
    probes.push(names.length - 1);
    lines[line] = next;
    const withSeq = events.filter((event) => has[event] === 1);
    hasSeq.push(withSeq.length > 0);
    if (withSeq.length === 0) {
      for (const event of events) place[event] = next++;
      continue;
    }
    if (withSeq.length < events.length) {
      for (const event of events) {
        if (has[event] !== 1) problems.add('event', withoutSeq(table, event, owner));
      }
    }
    const compare = (a: number, b: number) =>
      compareIntegers(itemAt(seq, a), itemAt(seq, b)) || a - b;
    withSeq.sort(compare);
    let last = -1;
    for (const event of withSeq) {
      if (last >= 0 && seq[last] === seq[event]) {
        problems.add('event', repeatedSeq(table, last, event, owner));
      } else {
        place[event] = next++;
        last = event;
      }
    }
  }
  lines[groups.length] = next;
  const placed = new BigInt64Array(seq.length === 0 ? 0 : next);
  for (let event = 0; event < seq.length; event++) {
    if (at(place, event) >= 0) placed[at(place, event)] = itemAt(seq, event);
  }
  const name = Int32Array.from(groups, ({ timeline }) => timeline);
  return {
    probes: names.map(textOf),
    start: Int32Array.from([...start, next]),
    timelines: { start: lines, probe: Int32Array.from(probes), name },
    isNamed: name.some((one) => one >= 0),
    place,
    seq: placed,
    hasSeq,
    names,
  };
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

interface Group {
  /** The numbers of the names of probe and timeline; -1 for the timeline without a name. */
  readonly probe: number;
  readonly timeline: number;
  /** As they came. */
  readonly events: number[];
}

function groupByTimeline(table: EventTable): Group[] {
  const groups = new Map<number, Group>();
  const timelines = table.timelines.view();
  for (const [event, probe] of table.probes.view().entries()) {
    const timeline = at(timelines, event);
    const key = probe * 2 ** 26 + timeline + 1;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { probe, timeline, events: [event] });
    else group.events.push(event);
  }
  return [...groups.values()];
}

function lineOf({ lines }: EventTable, event: number): number {
  return at(lines.view(), event);
}

interface Owner {
  readonly probe: string;
  readonly timeline: string | undefined;
}

function inWords({ probe, timeline }: Owner): string {
  return timeline === undefined ? quoted(probe) : `${quoted(probe)}, timeline ${quoted(timeline)},`;
}

function withoutSeq(table: EventTable, event: number, owner: Owner): Problem {
  const which = owner.timeline === undefined ? 'probe' : 'timeline';
  return {
    ...onLine(lineOf(table, event)),
    message: `an event of ${inWords(owner)} has no "seq", which other events of that ${which} have: its place is unknown`,
  };
}

function repeatedSeq(table: EventTable, first: number, second: number, owner: Owner): Problem {
  const line = lineOf(table, first);
  const message =
    line === 0
      ? `two events of ${inWords(owner)} have the same "seq"`
      : `an event of ${inWords(owner)} has the same "seq" as line ${line}`;
  return { ...onLine(lineOf(table, second)), message };
}
