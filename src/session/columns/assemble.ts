import { quote } from '../../diagnostics/index.js';
import { at, compareCodePoints, itemAt, lastIndexAtMost } from '../../source/index.js';
import { buildOrder, noteContraryTimes } from '../order.js';
import { lineText, type Problem, type Problems, type RecordPosition } from '../problem.js';
import {
  type Column,
  type ReadingFacts,
  type Session,
  TIMELINE,
  type Timelines,
  ValueKind,
} from '../session.js';
import { columnFrom, compareIntegers, findLowerBound, groupItems, joinColumns } from './column.js';
import type { EventTable, Reference } from './event-table.js';

/** A table's events by probe and timeline, in each timeline's order. */
interface Arrangement {
  readonly probes: readonly string[];
  readonly start: Int32Array;
  readonly timelines: Timelines;
  /** For each event of the table, its index in the session; -1 if omitted. */
  readonly positions: Int32Array;
  /** For each event of the table, its `seq`; 0 if none. Empty if no event has a `seq`. */
  readonly seq: BigInt64Array;
  /** For each timeline, the number of events with a `seq`. */
  readonly seqs: Int32Array;
  /** The text index of each probe's name. */
  readonly names: readonly number[];
}

/**
 * Orders each timeline's events by `seq`, or by arrival if no event of the timeline has a `seq`. Sorts probes by name,
 * and a probe's timelines by name, the unnamed timeline first. Omits and reports events with a duplicate `seq`, and
 * events without a `seq` on a timeline where other events have a `seq`.
 */
function arrangeEvents(table: EventTable, problems: Problems): Arrangement {
  const { size } = table;
  const textOf = (text: number) => table.texts[text] ?? '';
  const {
    events: ordered,
    first: starts,
    probe: probeOf,
    timeline: timelineNames,
    lineOf,
  } = groupByTimeline(table);
  const seq = new BigInt64Array(table.seq.count === 0 ? 0 : size);
  const roundedSeq = new Float64Array(seq.length).fill(Number.NaN);
  table.seq.forEach((event, _kind, number, integer) => {
    seq[event] = integer ?? BigInt(number);
    roundedSeq[event] = number;
  });
  const hasSeq = (event: number) => seq.length > 0 && !Number.isNaN(roundedSeq[event]);
  const compare = (a: number, b: number) =>
    itemAt(roundedSeq, a) - itemAt(roundedSeq, b) ||
    compareIntegers(itemAt(seq, a), itemAt(seq, b)) ||
    a - b;
  const names: number[] = [];
  const [start, probes]: [number[], number[]] = [[], []];
  const timelineStarts = new Int32Array(timelineNames.length + 1);
  const seqs = new Int32Array(timelineNames.length);
  const positions = new Int32Array(size).fill(-1);
  let position = 0;
  for (let line = 0; line < timelineNames.length; line++) {
    const probe = at(probeOf, line);
    if (names.at(-1) !== probe) {
      names.push(probe);
      start.push(position);
    }
    probes.push(names.length - 1);
    timelineStarts[line] = position;
    const lineEvents = ordered.subarray(starts[line], starts[line + 1]);
    // Most events arrive in order. If the rounded numbers rise, so do the integers.
    const sequenced = isRising(lineEvents, roundedSeq) ? lineEvents : lineEvents.filter(hasSeq);
    seqs[line] = sequenced.length;
    if (sequenced.length === 0 || sequenced === lineEvents) {
      for (let index = 0; index < lineEvents.length; index++)
        positions[at(lineEvents, index)] = position++;
      continue;
    }
    const owner = { probe: textOf(probe), timeline: table.texts[at(timelineNames, line)] };
    for (const event of sequenced.length < lineEvents.length ? lineEvents : []) {
      if (!hasSeq(event)) problems.add('event', missingSeq(table, event, owner));
    }
    sequenced.sort(compare);
    let previous = -1;
    for (const event of sequenced) {
      if (previous >= 0 && seq[previous] === seq[event]) {
        problems.add('event', repeatedSeq(table, previous, event, owner));
      } else {
        positions[event] = position++;
        previous = event;
      }
    }
  }
  timelineStarts[timelineNames.length] = position;
  if (table.files.length > 0) noteContraryTimes(table, lineOf, seqs, problems);
  return {
    probes: names.map(textOf),
    start: Int32Array.from([...start, position]),
    timelines: { start: timelineStarts, probe: Int32Array.from(probes), name: timelineNames },
    positions,
    seq,
    seqs,
    names,
  };
}

function isRising(events: Int32Array, numbers: Float64Array): boolean {
  for (let index = 0, previous = Number.NEGATIVE_INFINITY; index < events.length; index++) {
    const number = itemAt(numbers, at(events, index));
    if (!(number > previous)) return false;
    previous = number;
  }
  return true;
}

/**
 * Groups events by timeline, in order of arrival. Sorts timelines by probe name, then by timeline name. Returns
 * parallel arrays, because traces may have hundreds of thousands of timelines. `events` contains the events by
 * timeline, and `first` the index of each timeline's first event, then the number of events. `probe` and `timeline`
 * contain the text indices of each timeline's names (-1 for an unnamed timeline). `lineOf` contains each event's
 * timeline.
 */
function groupByTimeline({ size, probes, timelines, texts, files, reversedFiles }: EventTable) {
  const byProbe = new Map<number, Map<number, number>>();
  const lineOf = new Int32Array(size);
  let count = 0;
  for (let event = 0; event < size; event++) {
    const [probe, timeline] = [probes.at(event), timelines.at(event)];
    const timelineNumbers = byProbe.get(probe) ?? new Map<number, number>();
    if (timelineNumbers.size === 0) byProbe.set(probe, timelineNumbers);
    const group = timelineNumbers.get(timeline) ?? count;
    if (group === count) timelineNumbers.set(timeline, count++);
    lineOf[event] = group;
  }
  const compareNames = (a: number, b: number) =>
    Number(a >= 0) - Number(b >= 0) || compareCodePoints(texts[a] ?? '', texts[b] ?? '');
  const [probe, timeline] = [new Int32Array(count), new Int32Array(count)];
  const ranks = new Int32Array(count);
  let line = 0;
  // A probe's timelines mostly arrive in order, so two sorts are faster than one sort by both names.
  for (const probeText of [...byProbe.keys()].sort(compareNames)) {
    const timelineNumbers = byProbe.get(probeText) as ReadonlyMap<number, number>;
    for (const name of [...timelineNumbers.keys()].sort(compareNames)) {
      ranks[timelineNumbers.get(name) as number] = line;
      probe[line] = probeText;
      timeline[line++] = name;
    }
  }
  for (let event = 0; event < size; event++) lineOf[event] = at(ranks, at(lineOf, event));
  const { start: starts, members: events } = groupItems(lineOf, count);
  for (const file of reversedFiles) {
    for (let line = 0; line < count; line++) {
      const lineEvents = events.subarray(starts[line], starts[line + 1]);
      const end = findLowerBound(lineEvents, files[file + 1] ?? size);
      lineEvents.subarray(findLowerBound(lineEvents, files[file] as number), end).reverse();
    }
  }
  return { events, first: starts, probe, timeline, lineOf };
}

interface Owner {
  readonly probe: string;
  readonly timeline: string | undefined;
}

function ownerText({ probe, timeline }: Owner): string {
  return timeline === undefined ? quote(probe) : `${quote(probe)}, timeline ${quote(timeline)},`;
}

function missingSeq(table: EventTable, event: number, owner: Owner): Problem {
  const level = owner.timeline === undefined ? 'probe' : 'timeline';
  return {
    ...table.locate(event),
    message: `an event of ${ownerText(owner)} has no "seq", unlike other events of that ${level}, so its position is unknown`,
  };
}

function repeatedSeq(table: EventTable, first: number, second: number, owner: Owner): Problem {
  const [firstLocation, location] = [table.locate(first), table.locate(second)];
  const message =
    firstLocation.line === undefined
      ? `two events of ${ownerText(owner)} have the same "seq"`
      : `an event of ${ownerText(owner)} has the same "seq" as ${lineText(firstLocation, location.file)}`;
  return { ...location, message };
}

/** A table's events in order. Interactions have the same indexes as in the table. */
export interface OrderedEvents extends Pick<Session, 'order'> {
  readonly arrangement: Arrangement;
  /** The interactions between existing events, with the events' indexes in the session. */
  readonly resolvedInteractions: ResolvedInteractions;
  /** The interactions that `order` omits because they close cycles, ascending. */
  readonly omitted: readonly number[];
  /** The first cycle's interactions; empty if any of them is optional. */
  readonly ring: readonly number[];
}

/**
 * Orders a table's events. Omits and reports events of unknown position, and interactions of missing events.
 *
 * @param optionalFrom the first optional interaction. A cycle is broken at its last optional interaction, if any
 */
export function orderEvents(
  table: EventTable,
  problems: Problems,
  optionalFrom: number = table.interactions.length,
): OrderedEvents {
  const arrangement = arrangeEvents(table, problems);
  const resolvedInteractions = resolveInteractions(table, arrangement, problems);
  const { from, to, interactions } = resolvedInteractions;
  const requiredCount = findLowerBound(interactions, optionalFrom);
  const { order, omitted, cycle } = buildOrder(
    arrangement.timelines.start,
    from,
    to,
    requiredCount,
  );
  const toTableIndex = (index: number) => at(interactions, index);
  const ring = cycle?.every((index) => index < requiredCount) ? cycle : [];
  return {
    arrangement,
    resolvedInteractions,
    order,
    omitted: omitted.map(toTableIndex),
    ring: ring.map(toTableIndex),
  };
}

interface AssembleOptions {
  readonly events?: OrderedEvents;
  /** The first interaction that may be omitted from a cycle without a problem. */
  readonly mayDropFrom?: number;
  /** True if the table is final, so columns can be laid out on first use. */
  readonly release?: boolean;
}

/**
 * Builds a session from a table. Omits and reports interactions that close a cycle, and values of an attribute
 * `timeline` if any timeline has a name. `orderEvents` has already omitted and reported other problems.
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
  const { arrangement, order, omitted, ring } = events;
  const { probes, start, timelines, positions } = arrangement;
  const size = at(start, probes.length);
  const locate = (index: number) => table.locateInteraction(index);
  for (const index of omitted) {
    if (index >= mayDropFrom) break;
    const otherLocations = ring.includes(index)
      ? ring.filter((otherIndex) => otherIndex !== index).map(locate)
      : [];
    const location = locate(index);
    problems.add('interaction', {
      ...location,
      message: cycleMessage(otherLocations, location.file),
    });
  }
  const columns = new Map<string, Column>();
  columns.set(
    'probe',
    columnFrom(() => layTexts(start, arrangement.names), release),
  );
  if (timelines.name.some((name) => name >= 0)) {
    refuseTimelineValues(table, problems);
    columns.set(
      TIMELINE,
      columnFrom(() => layTexts(timelines.start, timelines.name), release),
    );
  }
  const rows = table.rowsOfEvents(size, positions);
  for (const key of new Set([...table.columns.keys(), ...table.sharedColumns.keys()])) {
    const [eventColumn, rowColumn] = [table.columns.get(key), table.sharedColumns.get(key)];
    const column = columns.has(key)
      ? undefined
      : joinColumns(size, positions, eventColumn, rowColumn, rows, release);
    if (column !== undefined) columns.set(key, column);
  }
  const reading = readingFacts(table, size, positions);
  return {
    ...{ probes, start, timelines, size, columns, order },
    texts: table.texts,
    ...(reading && { reading }),
  };
}

/** Returns facts about a table's files; undefined for a table without files. */
function readingFacts(
  table: EventTable,
  size: number,
  positions: Int32Array,
): ReadingFacts | undefined {
  const { files, reversedFiles, isCausal } = table;
  if (files.length === 0) return undefined;
  if (table.recorders.length === 0) return { isCausal };
  const [recorders, indexes] = [new Int32Array(size).fill(-1), new Int32Array(size)];
  for (const [file, fileStart] of files.entries()) {
    const end = files[file + 1] ?? positions.length;
    for (let event = fileStart; event < end; event++) {
      const position = at(positions, event);
      if (position >= 0)
        indexes[position] = reversedFiles.has(file) ? fileStart + end - 1 - event : event;
    }
  }
  for (const [recorder, [first, end]] of table.recorders.entries()) {
    for (const position of positions.subarray(first, end))
      if (position >= 0) recorders[position] = recorder;
  }
  return { isCausal, recorders, readingPositions: indexes };
}

function cycleMessage(
  otherLocations: readonly RecordPosition[],
  ownFile: string | undefined,
): string {
  const located = otherLocations.filter(({ line }) => line !== undefined);
  const lines = located.slice(0, 5);
  const texts = lines.every(({ file }) => file === ownFile)
    ? `${lines.length === 1 ? 'line' : 'lines'} ${lines.map(({ line }) => line).join(', ')}`
    : lines.map((place) => lineText(place, ownFile)).join(', ');
  const ellipsis = otherLocations.length > lines.length ? ' and more' : '';
  const cycleText = lines.length === 0 ? '' : ` with ${texts}${ellipsis}`;
  return `the interaction closes a cycle${cycleText}, so an event would come before itself`;
}

/** Builds a column with one text for each range of events. @param names each range's text index; -1 for none */
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
    const message = `an event has an attribute "${TIMELINE}", which is reserved for timeline names: rename the attribute`;
    problems.add('record', { ...table.locate(event), message });
  });
}

interface ResolvedInteractions {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Each interaction's index in the table. */
  readonly interactions: Int32Array;
}

function resolveInteractions(
  table: EventTable,
  arrangement: Arrangement,
  problems: Problems,
): ResolvedInteractions {
  const { interactions: tableInteractions, texts } = table;
  const [from, to] = [
    new Int32Array(tableInteractions.length),
    new Int32Array(tableInteractions.length),
  ];
  const interactions = new Int32Array(tableInteractions.length);
  let count = 0;
  let names: TimelinesByName | undefined;
  const byProbe = () => (names ??= nameTimelines(arrangement, texts));
  const find = eventFinder(table, arrangement, byProbe);
  for (let index = 0; index < tableInteractions.length; index++) {
    const file = tableInteractions.files.at(index);
    const [sender, receiver] = [
      find(tableInteractions.from(index), file),
      find(tableInteractions.to(index), file),
    ];
    if (sender < 0 || receiver < 0) {
      const end = sender < 0 ? 'sender' : 'receiver';
      const reference = sender < 0 ? tableInteractions.from(index) : tableInteractions.to(index);
      const omitsTimeline = typeof reference === 'object' && reference.length === 2;
      const timelineNumbers = omitsTimeline ? byProbe().get(reference[0]) : undefined;
      const help =
        timelineNumbers !== undefined && timelineNumbers.size > 1 && !timelineNumbers.has(undefined)
          ? SEVERAL_TIMELINES
          : '';
      const message = `the ${end}${referenceText(reference)} of an interaction does not exist${help}`;
      problems.add('interaction', { ...table.locateInteraction(index), message });
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

const SEVERAL_TIMELINES =
  '; its probe has several timelines, so add the timeline: ["PROBE", "TIMELINE", 1]';

/** Timeline indexes by probe and timeline name. The key of an unnamed timeline is undefined. */
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

/** Returns the table's event for each event of the session. */
export function eventsByPosition(positions: Int32Array): Int32Array {
  const events = new Int32Array(positions.length);
  for (const [event, index] of positions.entries()) if (index >= 0) events[index] = event;
  return events;
}

/**
 * Returns a function that resolves an interaction's reference in a file. The function returns the event's index in the
 * session, or -1.
 */
function eventFinder(
  { eventById, files }: EventTable,
  { positions, timelines, seqs, seq }: Arrangement,
  byProbe: () => TimelinesByName,
): (reference: Reference, file: number) => number {
  let eventAt: Int32Array | undefined;
  /**
   * Converts an offset in a file to an index on a timeline. Offsets count the file's events on the timeline, then the
   * events without a file. If the file has no events on the timeline, offsets count all events.
   */
  const indexInFile = (offset: number, lineEvents: Int32Array, file: number) => {
    const from = findLowerBound(lineEvents, files[file] ?? 0);
    const fileSize = findLowerBound(lineEvents, files[file + 1] ?? positions.length) - from;
    if (offset < fileSize || fileSize === 0) return (fileSize === 0 ? 0 : from) + offset;
    return findLowerBound(lineEvents, files.at(-1) ?? positions.length) + offset - fileSize;
  };
  return (reference, file) => {
    if (typeof reference === 'number') return positions[reference] ?? -1;
    if (typeof reference === 'string') return positions[eventById.get(reference) ?? -1] ?? -1;
    const seqOrOffset = reference.at(-1) as bigint;
    const timelineNumbers = byProbe().get(reference[0]);
    const timelineName = reference.length === 3 ? reference[1] : undefined;
    const timeline =
      timelineNumbers?.get(timelineName) ??
      (timelineName === undefined && timelineNumbers?.size === 1
        ? [...timelineNumbers.values()][0]
        : undefined);
    if (timeline === undefined) return -1;
    eventAt ??= eventsByPosition(positions);
    const lineEvents = eventAt.subarray(timelines.start[timeline], timelines.start[timeline + 1]);
    let index = -1;
    if (at(seqs, timeline) > 0) {
      index = lastIndexAtMost(seqOrOffset, lineEvents.length, (index) =>
        itemAt(seq, at(lineEvents, index)),
      );
      if (index >= 0 && itemAt(seq, at(lineEvents, index)) !== seqOrOffset) index = -1;
    } else if (seqOrOffset >= 0n && seqOrOffset < BigInt(lineEvents.length)) {
      index = indexInFile(Number(seqOrOffset), lineEvents, file);
    }
    return index >= 0 && index < lineEvents.length ? at(timelines.start, timeline) + index : -1;
  };
}
