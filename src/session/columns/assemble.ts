import { quote } from '../../diagnostics/index.js';
import { at, compareCodePoints, itemAt, lastAtMost } from '../../source/index.js';
import { buildOrder, noteContraryTimes } from '../order.js';
import { lineText, type Problem, type Problems, type RecordPlace } from '../problem.js';
import {
  type Column,
  type ReadingFacts,
  type Session,
  TIMELINE,
  type Timelines,
  ValueKind,
} from '../session.js';
import { byGroup, columnOf, compareIntegers, firstFrom, joinColumns } from './column.js';
import type { EventTable, Reference } from './event-table.js';

/** The events of a table by probe and timeline, each timeline's in its order. */
interface Arrangement {
  readonly probes: readonly string[];
  readonly start: Int32Array;
  readonly timelines: Timelines;
  /** For each event of the table, its number in the session; -1 for an omitted one. */
  readonly place: Int32Array;
  /** For each event of the table, its `seq`, or 0 if it has none; empty if no event has one. */
  readonly seq: BigInt64Array;
  /** For each timeline, the number of its events that have a `seq`. */
  readonly seqs: Int32Array;
  /** For each probe, the index of its name among the texts. */
  readonly names: readonly number[];
}

/**
 * Orders the events of each timeline by `seq`, or else by arrival. Probes are sorted by name, and so are the
 * timelines of each, the unnamed one first. Events with a repeated `seq`, and those without one on a timeline where
 * others have one, are omitted with a problem.
 */
function arrangeEvents(table: EventTable, problems: Problems): Arrangement {
  const { size } = table;
  const textOf = (text: number) => table.texts[text] ?? '';
  const { events, first, probe: probeOf, timeline: name, lineOf } = groupByTimeline(table);
  const seq = new BigInt64Array(table.seq.count === 0 ? 0 : size);
  const rounded = new Float64Array(seq.length).fill(Number.NaN);
  table.seq.forEach((event, _kind, number, integer) => {
    seq[event] = integer ?? BigInt(number);
    rounded[event] = number;
  });
  const has = (event: number) => seq.length > 0 && !Number.isNaN(rounded[event]);
  const compare = (a: number, b: number) =>
    itemAt(rounded, a) - itemAt(rounded, b) ||
    compareIntegers(itemAt(seq, a), itemAt(seq, b)) ||
    a - b;
  const names: number[] = [];
  const [start, probes]: [number[], number[]] = [[], []];
  const lines = new Int32Array(name.length + 1);
  const seqs = new Int32Array(name.length);
  const place = new Int32Array(size).fill(-1);
  let next = 0;
  for (let line = 0; line < name.length; line++) {
    const probe = at(probeOf, line);
    if (names.at(-1) !== probe) {
      names.push(probe);
      start.push(next);
    }
    probes.push(names.length - 1);
    lines[line] = next;
    const own = events.subarray(first[line], first[line + 1]);
    // Most arrive in order. If the rounded numbers rise, so do the integers.
    const withSeq = isRising(own, rounded) ? own : own.filter(has);
    seqs[line] = withSeq.length;
    if (withSeq.length === 0 || withSeq === own) {
      for (let index = 0; index < own.length; index++) place[at(own, index)] = next++;
      continue;
    }
    const owner = { probe: textOf(probe), timeline: table.texts[at(name, line)] };
    for (const event of withSeq.length < own.length ? own : []) {
      if (!has(event)) problems.add('event', withoutSeq(table, event, owner));
    }
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
  lines[name.length] = next;
  if (table.files.length > 0) noteContraryTimes(table, lineOf, seqs, problems);
  return {
    probes: names.map(textOf),
    start: Int32Array.from([...start, next]),
    timelines: { start: lines, probe: Int32Array.from(probes), name },
    place,
    seq,
    seqs,
    names,
  };
}

function isRising(events: Int32Array, numbers: Float64Array): boolean {
  for (let index = 0, last = Number.NEGATIVE_INFINITY; index < events.length; index++) {
    const number = itemAt(numbers, at(events, index));
    if (!(number > last)) return false;
    last = number;
  }
  return true;
}

/**
 * Groups events by timeline, sorted by the names of probe and timeline, in order of arrival. Uses parallel arrays,
 * because traces may have hundreds of thousands of timelines: the indices of both names (-1 for an unnamed
 * timeline), and the start of each timeline's events, with one more entry at the end; for each event, its timeline.
 */
function groupByTimeline({ size, probes, timelines, texts, files, turned }: EventTable) {
  const byProbe = new Map<number, Map<number, number>>();
  const lineOf = new Int32Array(size);
  let count = 0;
  for (let event = 0; event < size; event++) {
    const [probe, timeline] = [probes.at(event), timelines.at(event)];
    const own = byProbe.get(probe) ?? new Map<number, number>();
    if (own.size === 0) byProbe.set(probe, own);
    const group = own.get(timeline) ?? count;
    if (group === count) own.set(timeline, count++);
    lineOf[event] = group;
  }
  const byName = (a: number, b: number) =>
    Number(a >= 0) - Number(b >= 0) || compareCodePoints(texts[a] ?? '', texts[b] ?? '');
  const [probe, timeline] = [new Int32Array(count), new Int32Array(count)];
  const sorted = new Int32Array(count);
  let line = 0;
  // Within a probe most timelines arrive in order, so two sorts are faster than one by both names.
  for (const one of [...byProbe.keys()].sort(byName)) {
    const own = byProbe.get(one) as ReadonlyMap<number, number>;
    for (const name of [...own.keys()].sort(byName)) {
      sorted[own.get(name) as number] = line;
      probe[line] = one;
      timeline[line++] = name;
    }
  }
  for (let event = 0; event < size; event++) lineOf[event] = at(sorted, at(lineOf, event));
  const { start: first, members: events } = byGroup(lineOf, count);
  for (const file of turned) {
    for (let line = 0; line < count; line++) {
      const own = events.subarray(first[line], first[line + 1]);
      const end = firstFrom(own, files[file + 1] ?? size);
      own.subarray(firstFrom(own, files[file] as number), end).reverse();
    }
  }
  return { events, first, probe, timeline, lineOf };
}

interface Owner {
  readonly probe: string;
  readonly timeline: string | undefined;
}

function ownerText({ probe, timeline }: Owner): string {
  return timeline === undefined ? quote(probe) : `${quote(probe)}, timeline ${quote(timeline)},`;
}

function withoutSeq(table: EventTable, event: number, owner: Owner): Problem {
  const which = owner.timeline === undefined ? 'probe' : 'timeline';
  return {
    ...table.placeOf(event),
    message: `an event of ${ownerText(owner)} has no "seq", which other events of that ${which} have: its place is unknown`,
  };
}

function repeatedSeq(table: EventTable, first: number, second: number, owner: Owner): Problem {
  const [before, place] = [table.placeOf(first), table.placeOf(second)];
  const message =
    before.line === undefined
      ? `two events of ${ownerText(owner)} have the same "seq"`
      : `an event of ${ownerText(owner)} has the same "seq" as ${lineText(before, place.file)}`;
  return { ...place, message };
}

/** Events in order; interactions are numbered as in the table. */
export interface OrderedEvents extends Pick<Session, 'order'> {
  readonly arrangement: Arrangement;
  /** The interactions whose events exist, with these events' numbers in the session. */
  readonly resolved: Resolved;
  /** Interactions that close cycles, which `order` omits; ascending. */
  readonly dropped: readonly number[];
  /** The interactions of the first cycle, if none is optional. */
  readonly ring: readonly number[];
}

/**
 * Orders the events of a table. Omits, with a problem, events of unknown position, and interactions of events that
 * do not exist.
 *
 * @param optionalFrom interactions from this one on are omitted from a cycle first, the last one before others
 */
export function orderEvents(
  table: EventTable,
  problems: Problems,
  optionalFrom: number = table.interactions.length,
): OrderedEvents {
  const arrangement = arrangeEvents(table, problems);
  const resolved = resolve(table, arrangement, problems);
  const { from, to, interactions } = resolved;
  const required = firstFrom(interactions, optionalFrom);
  const { order, dropped, cycle } = buildOrder(arrangement.timelines.start, from, to, required);
  const numberOf = (index: number) => at(interactions, index);
  const ring = cycle?.every((index) => index < required) ? cycle : [];
  return { arrangement, resolved, order, dropped: dropped.map(numberOf), ring: ring.map(numberOf) };
}

interface AssembleOptions {
  readonly events?: OrderedEvents;
  /** From this one on, interactions that close cycles are omitted without a problem. */
  readonly mayDropFrom?: number;
  /** True if the table is final: its columns can be laid out later. */
  readonly release?: boolean;
}

/**
 * Makes a session from a table. Omits, with a problem, the same as `orderEvents`, interactions that close a cycle,
 * and values of an attribute whose name the timelines use.
 */
export function assemble(
  table: EventTable,
  problems: Problems,
  {
    events = orderEvents(table, problems),
    mayDropFrom = table.interactions.length,
    release = false,
  }: AssembleOptions = {},
): Session {
  const { arrangement, order, dropped, ring } = events;
  const { probes, start, timelines, place } = arrangement;
  const size = at(start, probes.length);
  const placeOf = (index: number) => table.placeOfInteraction(index);
  for (const index of dropped) {
    if (index >= mayDropFrom) break;
    const others = ring.includes(index) ? ring.filter((other) => other !== index).map(placeOf) : [];
    const place = placeOf(index);
    problems.add('interaction', { ...place, message: cycleMessage(others, place.file) });
  }
  const columns = new Map<string, Column>();
  columns.set(
    'probe',
    columnOf(() => layTexts(start, arrangement.names), release),
  );
  if (timelines.name.some((name) => name >= 0)) {
    refuseTimelineValues(table, problems);
    columns.set(
      TIMELINE,
      columnOf(() => layTexts(timelines.start, timelines.name), release),
    );
  }
  const rows = table.rowsOfEvents(size, place);
  for (const key of new Set([...table.columns.keys(), ...table.sharedColumns.keys()])) {
    const [single, shared] = [table.columns.get(key), table.sharedColumns.get(key)];
    const column = columns.has(key)
      ? undefined
      : joinColumns(size, place, single, shared, rows, release);
    if (column !== undefined) columns.set(key, column);
  }
  const reading = readingOf(table, size, place);
  return {
    ...{ probes, start, timelines, size, columns, order },
    texts: table.texts,
    ...(reading && { reading }),
  };
}

/** Returns facts about the reading of a table's files; undefined without files. */
function readingOf(table: EventTable, size: number, place: Int32Array): ReadingFacts | undefined {
  const { files, turned, isCausal } = table;
  if (files.length === 0) return undefined;
  if (table.recorders.length === 0) return { isCausal };
  const [recorders, places] = [new Int32Array(size).fill(-1), new Int32Array(size)];
  for (const [file, first] of files.entries()) {
    const end = files[file + 1] ?? place.length;
    for (let event = first; event < end; event++) {
      const own = at(place, event);
      if (own >= 0) places[own] = turned.has(file) ? first + end - 1 - event : event;
    }
  }
  for (const [recorder, [first, end]] of table.recorders.entries()) {
    for (const own of place.subarray(first, end)) if (own >= 0) recorders[own] = recorder;
  }
  return { isCausal, recorders, places };
}

function cycleMessage(others: readonly RecordPlace[], ownFile: string | undefined): string {
  const known = others.filter(({ line }) => line !== undefined);
  const lines = known.slice(0, 5);
  const texts = lines.every(({ file }) => file === ownFile)
    ? `${lines.length === 1 ? 'line' : 'lines'} ${lines.map(({ line }) => line).join(', ')}`
    : lines.map((place) => lineText(place, ownFile)).join(', ');
  const more = others.length > lines.length ? ' and more' : '';
  const around = lines.length === 0 ? '' : ` with ${texts}${more}`;
  return `the interaction closes a cycle${around}: an event would come before itself`;
}

/** @param names for each range of events, the index of its text; -1 for none */
function layTexts(start: Int32Array, names: ArrayLike<number>): Column {
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
    const message = `an event has an attribute "${TIMELINE}", a name already taken by the timelines of events: give the attribute another name`;
    problems.add('record', { ...table.placeOf(event), message });
  });
}

interface Resolved {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The number of each interaction in the table. */
  readonly interactions: Int32Array;
}

function resolve(table: EventTable, arrangement: Arrangement, problems: Problems): Resolved {
  const { interactions: all, texts } = table;
  const [from, to] = [new Int32Array(all.length), new Int32Array(all.length)];
  const interactions = new Int32Array(all.length);
  let count = 0;
  let names: TimelinesByName | undefined;
  const byProbe = () => (names ??= nameTimelines(arrangement, texts));
  const find = finder(table, arrangement, byProbe);
  for (let index = 0; index < all.length; index++) {
    const file = all.files.at(index);
    const [sender, receiver] = [find(all.from(index), file), find(all.to(index), file)];
    if (sender < 0 || receiver < 0) {
      const which = sender < 0 ? 'sender' : 'receiver';
      const reference = sender < 0 ? all.from(index) : all.to(index);
      const isShort = typeof reference === 'object' && reference.length === 2;
      const own = isShort ? byProbe().get(reference[0]) : undefined;
      const help = own !== undefined && own.size > 1 && !own.has(undefined) ? SEVERAL : '';
      const message = `the ${which}${referenceText(reference)} of an interaction does not exist${help}`;
      problems.add('interaction', { ...table.placeOfInteraction(index), message });
      continue;
    }
    from[count] = sender;
    to[count] = receiver;
    interactions[count++] = index;
  }
  return {
    from: from.subarray(0, count),
    to: to.subarray(0, count),
    interactions: interactions.subarray(0, count),
  };
}

function referenceText(reference: Reference): string {
  if (typeof reference === 'number') return '';
  if (typeof reference === 'string') return ` ${quote(reference)}`;
  const names = reference.slice(0, -1).map((name) => quote(name as string));
  return ` [${[...names, reference.at(-1)].join(', ')}]`;
}

const SEVERAL = ': its probe has several timelines: name one of them too: ["PROBE", "TIMELINE", 1]';

/** By probe, the number of each timeline by its name; an unnamed one is under undefined. */
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

/** Returns the table's number of each event of a session. */
export function eventsByPlace(place: Int32Array): Int32Array {
  const events = new Int32Array(place.length);
  for (const [event, index] of place.entries()) if (index >= 0) events[index] = event;
  return events;
}

/**
 * Returns a function that finds an event by a reference in an interaction of a file, and returns its number in the
 * session, or -1.
 */
function finder(
  { eventById, files }: EventTable,
  { place, timelines, seqs, seq }: Arrangement,
  byProbe: () => TimelinesByName,
): (reference: Reference, file: number) => number {
  let eventAt: Int32Array | undefined;
  /** Among the events of its file, followed by those of no file; among all if the file has none there. */
  const indexOf = (wanted: number, all: Int32Array, file: number) => {
    const from = firstFrom(all, files[file] ?? 0);
    const own = firstFrom(all, files[file + 1] ?? place.length) - from;
    if (wanted < own || own === 0) return (own === 0 ? 0 : from) + wanted;
    return firstFrom(all, files.at(-1) ?? place.length) + wanted - own;
  };
  return (reference, file) => {
    if (typeof reference === 'number') return place[reference] ?? -1;
    if (typeof reference === 'string') return place[eventById.get(reference) ?? -1] ?? -1;
    const wanted = reference.at(-1) as bigint;
    const own = byProbe().get(reference[0]);
    const named = reference.length === 3 ? reference[1] : undefined;
    const timeline =
      own?.get(named) ??
      (named === undefined && own?.size === 1 ? [...own.values()][0] : undefined);
    if (timeline === undefined) return -1;
    eventAt ??= eventsByPlace(place);
    const all = eventAt.subarray(timelines.start[timeline], timelines.start[timeline + 1]);
    let found = -1;
    if (at(seqs, timeline) > 0) {
      found = lastAtMost(wanted, all.length, (index) => itemAt(seq, at(all, index)));
      if (found >= 0 && itemAt(seq, at(all, found)) !== wanted) found = -1;
    } else if (wanted >= 0n && wanted < BigInt(all.length)) {
      found = indexOf(Number(wanted), all, file);
    }
    return found >= 0 && found < all.length ? at(timelines.start, timeline) + found : -1;
  };
}
