import { at, compareCodePoints, itemAt, lastAtMost } from '../../source/index.js';
import { defined } from '../../values/index.js';
import { buildOrder } from '../order.js';
import { onLine, type Problem, type Problems, quoted } from '../problem.js';
import { type Column, type Session, TIMELINE, type Timelines, ValueKind } from '../session.js';
import { Growing, joinColumns } from './column.js';
import type { EventTable, Reference } from './event-table.js';

/** The events of a table by probe and timeline, each timeline's in its order. */
interface Arrangement {
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
function arrangeEvents(table: EventTable, problems: Problems): Arrangement {
  const { size } = table;
  const textOf = (text: number) => table.texts[text] ?? '';
  const { events, groups } = groupByTimeline(table);
  const { seq, has } = readSeq(table);
  const hasSeq: boolean[] = [];
  const names: number[] = [];
  const [start, probes]: [number[], number[]] = [[], []];
  const lines = new Int32Array(groups.length + 1);
  const place = new Int32Array(size).fill(-1);
  let next = 0;
  for (const [line, { probe, timeline, first, end }] of groups.entries()) {
    const owner = { probe: textOf(probe), timeline: table.texts[timeline] };
    if (names.at(-1) !== probe) {
      names.push(probe);
      start.push(next);
    }
    probes.push(names.length - 1);
    lines[line] = next;
    const own = events.subarray(first, end);
    const withSeq = seq.length === 0 ? NO_EVENTS : own.filter((event) => has[event] === 1);
    hasSeq.push(withSeq.length > 0);
    if (withSeq.length === 0) {
      for (let index = first; index < end; index++) place[at(events, index)] = next++;
      continue;
    }
    if (withSeq.length < own.length) {
      for (const event of own) {
        if (has[event] !== 1) problems.add('event', withoutSeq(table, event, owner));
      }
    }
    const compare = (a: number, b: number) =>
      compareIntegers(itemAt(seq, a), itemAt(seq, b)) || a - b;
    if (withSeq.some((event, index) => index > 0 && compare(at(withSeq, index - 1), event) > 0)) {
      withSeq.sort(compare);
    }
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
  /** The range of its events among all. */
  readonly first: number;
  readonly end: number;
}

const NO_EVENTS = new Int32Array(0);

/** The timelines by the names of their probes and their own, and the events of one after the other, as they came. */
function groupByTimeline({ size, probes, timelines, texts }: EventTable) {
  const byProbe = new Map<number, Map<number, number>>();
  const groupOf = new Int32Array(size);
  const counts: number[] = [];
  for (let event = 0; event < size; event++) {
    const [probe, timeline] = [probes.at(event), timelines.at(event)];
    const own = byProbe.get(probe) ?? new Map<number, number>();
    if (own.size === 0) byProbe.set(probe, own);
    const group = own.get(timeline) ?? counts.length;
    if (group === counts.length) {
      own.set(timeline, group);
      counts.push(0);
    }
    groupOf[event] = group;
    counts[group] = (counts[group] as number) + 1;
  }
  const byName = <T>([a]: readonly [number, T], [b]: readonly [number, T]) =>
    Number(a >= 0) - Number(b >= 0) || compareCodePoints(texts[a] ?? '', texts[b] ?? '');
  const groups: Group[] = [];
  const next = new Int32Array(counts.length);
  let first = 0;
  // Within a probe most come in order, so that these two are faster to sort than both names at once.
  for (const [probe, own] of [...byProbe].sort(byName)) {
    for (const [timeline, group] of [...own].sort(byName)) {
      next[group] = first;
      const end = first + (counts[group] as number);
      groups.push({ probe, timeline, first, end });
      first = end;
    }
  }
  const events = new Int32Array(size);
  for (let event = 0; event < size; event++) {
    const group = at(groupOf, event);
    const index = at(next, group);
    events[index] = event;
    next[group] = index + 1;
  }
  return { events, groups };
}

function lineOf({ lines }: EventTable, event: number): number {
  return at(lines.view(), event);
}

interface Owner {
  readonly probe: string;
  readonly timeline: string | undefined;
}

function ownerText({ probe, timeline }: Owner): string {
  return timeline === undefined ? quoted(probe) : `${quoted(probe)}, timeline ${quoted(timeline)},`;
}

function withoutSeq(table: EventTable, event: number, owner: Owner): Problem {
  const which = owner.timeline === undefined ? 'probe' : 'timeline';
  return {
    ...onLine(lineOf(table, event)),
    message: `an event of ${ownerText(owner)} has no "seq", which other events of that ${which} have: its place is unknown`,
  };
}

function repeatedSeq(table: EventTable, first: number, second: number, owner: Owner): Problem {
  const line = lineOf(table, first);
  const message =
    line === 0
      ? `two events of ${ownerText(owner)} have the same "seq"`
      : `an event of ${ownerText(owner)} has the same "seq" as line ${line}`;
  return { ...onLine(lineOf(table, second)), message };
}

interface AssembleOptions {
  readonly name?: string | undefined;
  readonly source?: string | undefined;
  /** Interactions from this one on are optional: left out without a problem where they close a cycle, the last ones first. */
  readonly optionalFrom?: number;
  /** Called with each of these. */
  readonly onDropped?: (interaction: number) => void;
  /** What is said of others that close cycles, instead of the line of each. */
  readonly contrary?: (count: number) => string;
  /** Whether the table is not needed any more, so that its columns can go one by one. */
  readonly release?: boolean;
}

/**
 * Makes a session of a table. What is wrong is added to `problems` and left out: events whose
 * place is unknown, interactions of events that do not exist, interactions that close a cycle, and
 * values of an attribute that is called as the timelines are.
 */
export function assemble(
  table: EventTable,
  problems: Problems,
  {
    name,
    source,
    optionalFrom = table.interactions.length,
    onDropped,
    contrary: told,
    release = false,
  }: AssembleOptions = {},
): Session {
  const arrangement = arrangeEvents(table, problems);
  const { probes, start, timelines, isNamed, place } = arrangement;
  const size = at(start, probes.length);
  const { from, to, interactions } = resolve(table, arrangement, problems);
  const required = interactions.filter((index) => index < optionalFrom).length;
  const { order, dropped, cycle } = buildOrder(timelines.start, from, to, required);
  for (const index of dropped) if (index >= required) onDropped?.(interactions[index] as number);
  const contrary = dropped.filter((index) => index < required);
  const ring = cycle?.every((index) => index < required) ? cycle : [];
  const lineOf = (index: number) => table.interactions.line(interactions[index] as number);
  if (told !== undefined && contrary.length > 0) {
    problems.add('interaction', { count: contrary.length, message: told(contrary.length) });
  }
  for (const index of told === undefined ? contrary : []) {
    const line = lineOf(index);
    const others = ring.includes(index) ? ring.filter((other) => other !== index).map(lineOf) : [];
    problems.add('interaction', { ...onLine(line), message: cycleMessage(others) });
  }
  const columns = new Map<string, Column>();
  columns.set('probe', textColumn(start, arrangement.names));
  if (isNamed) {
    refuseTimelineValues(table, problems);
    columns.set(TIMELINE, textColumn(timelines.start, timelines.name));
  }
  const rows = table.rowsOfEvents(size, place);
  for (const key of new Set([...table.columns.keys(), ...table.sharedColumns.keys()])) {
    const [single, shared] = [table.columns.get(key), table.sharedColumns.get(key)];
    const column = columns.has(key) ? undefined : joinColumns(size, place, single, shared, rows);
    if (column !== undefined) columns.set(key, column);
    if (release) table.columns.delete(key);
    if (release) table.sharedColumns.delete(key);
  }
  return {
    ...defined({ name, source }),
    probes,
    start,
    timelines,
    size,
    columns,
    texts: table.texts,
    order,
  };
}

function cycleMessage(others: readonly number[]): string {
  const lines = others.filter((line) => line > 0).slice(0, 5);
  const around =
    lines.length === 0
      ? ''
      : ` with ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${others.length > lines.length ? ' and more' : ''}`;
  return `the interaction closes a cycle${around}: an event would come before itself`;
}

/** @param names for each range of events the number of its text; -1 for none */
function textColumn(start: Int32Array, names: ArrayLike<number>): Column {
  const size = at(start, start.length - 1);
  const [kinds, numbers] = [new Uint8Array(size), new Float64Array(size)];
  for (let range = 0; range + 1 < start.length; range++) {
    const text = names[range] as number;
    if (text < 0) continue;
    kinds.fill(ValueKind.string, start[range], start[range + 1]);
    numbers.fill(text, start[range], start[range + 1]);
  }
  return { kinds, numbers };
}

function refuseTimelineValues(table: EventTable, problems: Problems): void {
  table.columns.get(TIMELINE)?.forEach((event) => {
    const message = `an event has an attribute "${TIMELINE}", where that names the timelines of events: give the attribute another name`;
    problems.add('record', { ...onLine(at(table.lines.view(), event)), message });
  });
}

interface Resolved {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The number of each in the table. */
  readonly interactions: Int32Array;
}

function resolve(
  { interactions: all, eventById, texts }: EventTable,
  arrangement: Arrangement,
  problems: Problems,
): Resolved {
  const [from, to, interactions] = [new Growing(), new Growing(), new Growing()];
  let names: TimelinesByName | undefined;
  const byProbe = () => (names ??= nameTimelines(arrangement, texts));
  const find = finder(arrangement, byProbe, eventById);
  for (let index = 0; index < all.length; index++) {
    const [sender, receiver] = [find(all.from(index)), find(all.to(index))];
    if (sender < 0 || receiver < 0) {
      const which = sender < 0 ? 'sender' : 'receiver';
      const reference = sender < 0 ? all.from(index) : all.to(index);
      const isShort = typeof reference === 'object' && reference.length === 2;
      const own = isShort ? byProbe().get(reference[0]) : undefined;
      const help = own !== undefined && own.size > 1 && !own.has(undefined) ? SEVERAL : '';
      const message = `the ${which}${referenceText(reference)} of an interaction does not exist${help}`;
      problems.add('interaction', { ...onLine(all.line(index)), message });
      continue;
    }
    from.push(sender);
    to.push(receiver);
    interactions.push(index);
  }
  return { from: from.view(), to: to.view(), interactions: interactions.view() };
}

function referenceText(reference: Reference): string {
  if (typeof reference === 'number') return '';
  if (typeof reference === 'string') return ` ${quoted(reference)}`;
  const names = reference.slice(0, -1).map((name) => quoted(name as string));
  return ` [${[...names, reference.at(-1)].join(', ')}]`;
}

const SEVERAL =
  ': its probe has several timelines, and is named with one of them: ["PROBE", "TIMELINE", 1]';

/** By probe the number of each timeline by its name; that without one has none. */
type TimelinesByName = ReadonlyMap<string, ReadonlyMap<string | undefined, number>>;

function nameTimelines({ probes, timelines }: Arrangement, texts: readonly string[]) {
  const byProbe = new Map<string, Map<string | undefined, number>>(
    probes.map((probe) => [probe, new Map()]),
  );
  for (const [timeline, probe] of timelines.probe.entries()) {
    byProbe.get(probes[probe] as string)?.set(texts[at(timelines.name, timeline)], timeline);
  }
  return byProbe;
}

/** Finds the number of an event in the session, or -1. */
function finder(
  { place, timelines, hasSeq, seq }: Arrangement,
  byProbe: () => TimelinesByName,
  eventById: ReadonlyMap<string, number>,
): (reference: Reference) => number {
  return (reference) => {
    if (typeof reference === 'number') return place[reference] ?? -1;
    if (typeof reference === 'string') return place[eventById.get(reference) ?? -1] ?? -1;
    const wanted = reference.at(-1) as bigint;
    const own = byProbe().get(reference[0]);
    const named = reference.length === 3 ? reference[1] : undefined;
    const timeline =
      own?.get(named) ??
      (named === undefined && own?.size === 1 ? [...own.values()][0] : undefined);
    if (timeline === undefined) return -1;
    const [first, end] = [at(timelines.start, timeline), at(timelines.start, timeline + 1)];
    if (!hasSeq[timeline]) {
      return wanted >= 0n && wanted < BigInt(end - first) ? first + Number(wanted) : -1;
    }
    const found = lastAtMost(wanted, end - first, (index) => itemAt(seq, first + index));
    return found >= 0 && itemAt(seq, first + found) === wanted ? first + found : -1;
  };
}
