import { quote } from '../../diagnostics/index.js';
import {
  assemble,
  eventsByPosition,
  type OrderedEvents,
  orderEvents,
} from '../columns/assemble.js';
import { compareIntegers, type GrowingColumn } from '../columns/column.js';
import type { Reference } from '../columns/event-table.js';
import { GrowingList } from '../columns/growing.js';
import { Problems } from '../problem.js';
import { type Session, ValueKind } from '../session.js';
import {
  compareMoments,
  enclosingSpans,
  findMomentRows,
  makeInterval,
  type SpanGroup,
  SpanGroups,
  spansOf,
  type TimeInterval,
  type TreeSpan,
} from './span-timelines.js';
import { isSpan, RowKind, type Traces } from './traces.js';

const START = 0;
const MOMENT = 1;
const END = 2;

/** The start or end of a span, or a moment or log, with its time. */
interface Entry {
  readonly row: number;
  readonly group: SpanGroup;
  /** The span's interval, or a separate interval for an entry outside of spans. */
  readonly interval: TimeInterval;
  /** START, MOMENT or END. */
  readonly phase: number;
  readonly time: bigint;
  /** The order of entries with the same time and phase. Outer spans start first and end last. */
  readonly rank: number;
}

/** A session built from traces. */
interface OrderedSpans {
  readonly session: Session;
  /** For each event of the table, its index in the session; -1 if omitted. */
  readonly positions: Int32Array;
}

/**
 * Orders the events of traces. Each span is two events at its service, named after the span: an event with `span.start
 * = true` and an event with `span.end = true`. A span's own events, and logs that name the span, are on the span's
 * timeline, not before its start.
 *
 * A timeline belongs to one trace on one service instance. The timeline's spans are consecutive or nested; overlapping
 * spans are on further timelines. Within a trace on one instance, an end comes before every later start. At the same
 * time, starts come first and ends last, with outer spans around inner spans. In addition:
 *
 * - The start of a parent comes before the start of its child, and the start of a linked span before the start of the
 * span with the link, regardless of clocks.
 * - The end of a child comes before the end of its parent, unless the child's end is later or the order closes a cycle,
 * because the clocks of services differ. Omitting such an order is a disagreement of clocks.
 *
 * If these starts contradict the timelines, for example because a host's clock was set back, each span of the trace is
 * on a separate timeline. The order by clocks then holds unless it closes a cycle, and the omitted orders are counted
 * for each host. Only a cycle of calls and links is a problem. With the order `time`, an instance has one timeline in
 * its clock's order, and starts that contradict the timeline are omitted and counted.
 *
 * A parent or a linked span outside the files orders nothing. A duplicate span, which an exporter has resent, counts
 * once. Logs without a trace are on their instance's timeline.
 *
 * Processes one trace at a time, so only one trace at a time needs additional memory.
 */
export function orderSpans(traces: Traces): OrderedSpans {
  const { table, problems, options } = traces;
  const traceEvents = new TraceEvents(traces);
  const isByTime = options.order === 'time';
  if (isByTime) orderByTime(traces, traceEvents);
  else orderByTrace(traces, traceEvents);
  traceEvents.addLinks();
  let { events, firsts } = traceEvents.orderEvents(problems);
  const contraryStarts = () =>
    events.omitted.filter((index) => index >= firsts.starts && index < firsts.clocks);
  const traceOf = (row: number) => traces.traces.at(row);
  // Contradictions within a trace first, then also those through several traces tied by links or other files.
  for (const isTied of isByTime ? [] : [false, true]) {
    const contraries = contraryStarts();
    if (contraries.length === 0) break;
    const connectedRows = [...traceEvents.updateReferences(events), ...traces.links.keys()];
    const rows = isTied ? connectedRows : contraries.map((index) => traceEvents.rowsOf(index)[1]);
    separateTraces(traces, traceEvents, new Set(rows.map(traceOf)));
    ({ events, firsts } = traceEvents.orderEvents(new Problems()));
  }
  const groups = new SpanGroups(traces);
  const clockOf = (row: number) => groups.clockOf(groups.groupOf(row));
  const rings = isByTime ? [] : contraryStarts();
  const ring = rings[0] === undefined ? undefined : traceEvents.rowsOf(rings[0])[1];
  if (ring !== undefined) {
    const { texts } = table;
    const spanText = `${quote(texts[traces.ids.at(ring)] ?? '')} of the trace ${quote(texts[traceOf(ring)] ?? '')}`;
    const hint =
      traceEvents.earlierInteractions > 0 ? ', perhaps through an interaction in another file' : '';
    const message =
      rings.length === 1
        ? `the calls and links of the span ${spanText} form a cycle${hint}, so the span would start before itself`
        : `the calls and links of ${rings.length} spans, such as ${spanText}, form cycles${hint}, so the spans would start before themselves`;
    problems.add('interaction', { count: rings.length, message });
  }
  for (const index of events.omitted) {
    if (index < (isByTime ? firsts.starts : firsts.clocks)) continue;
    const [beforePoint, afterPoint] = traceEvents.rowsOf(index);
    if (index < firsts.returns) problems.setBack(clockOf(afterPoint));
    else {
      const offset = traces.ends.at(afterPoint) - traces.ends.at(beforePoint) + 1n;
      problems.disagree(clockOf(beforePoint), clockOf(afterPoint), offset);
    }
  }
  const mayDropFrom = firsts.starts;
  const session = assemble(table, problems, { events, mayDropFrom, release: true });
  return { session, positions: events.arrangement.positions };
}

/** Returns the point of a row's start. An order between two points is an order between their events. */
const startOf = (row: number) => 2 * row;
const endOf = (row: number) => 2 * row + 1;
const pointOf = ({ row, phase }: Entry) => (phase === END ? endOf(row) : startOf(row));

/** True if nesting orders two starts or two ends, because one span encloses the other span. */
function isNested(earlier: Entry, { interval, phase }: Entry): boolean {
  if (earlier.phase === START && phase === START) return earlier.interval === interval.parent;
  return (
    earlier.phase === END && phase === END && enclosingSpans(earlier.interval).includes(interval)
  );
}

/** The results of processing traces one by one: the events, and ordered pairs of points. */
class TraceEvents {
  readonly starts = new GrowingList();
  /** Pairs ordered by one instance's clock. These pairs and `returns` hold unless they contradict other pairs. */
  readonly clocks = new GrowingList();
  readonly returns = new GrowingList();
  /** The rows of linked spans, by span key. */
  private readonly linkTargets = new Map<number, number | undefined>();
  /** Spans with links, and their parents. */
  private readonly linkingSpans: (readonly [row: number, parent: number | undefined])[] = [];
  /** The event at each point; -1 for none. */
  private readonly events: Int32Array;
  private readonly spanStart: GrowingColumn;
  private readonly spanEnd: GrowingColumn;
  private readonly spanDuration: GrowingColumn;
  /** The number of interactions from files, which precede all interactions from traces. */
  readonly earlierInteractions: number;

  constructor(private readonly traces: Traces) {
    this.spanStart = traces.table.column('span.start');
    this.spanEnd = traces.table.column('span.end');
    this.spanDuration = traces.table.column('span.duration');
    this.earlierInteractions = traces.table.interactions.length;
    this.events = new Int32Array(2 * traces.size).fill(-1);
    for (const keys of traces.links.values()) {
      for (const { trace, id } of keys) this.linkTargets.set(this.keyOf(trace, id), undefined);
    }
  }

  add(pairs: GrowingList, beforePoint: number, afterPoint: number): void {
    pairs.push(beforePoint);
    pairs.push(afterPoint);
  }

  addSpans(rows: Int32Array, spans: readonly TreeSpan[]): void {
    const { traces, linkTargets, starts } = this;
    let reports = 0;
    for (const row of rows) if (isSpan(traces.kinds.at(row))) reports++;
    traces.problems.merged += reports - spans.length;
    for (const { row, isReceiver, parent } of spans) {
      const parentId = traces.parents.at(row);
      if (parent !== undefined) this.add(starts, startOf(parent.row), startOf(row));
      else if (parentId >= 0 && parentId !== traces.ids.at(row)) traces.problems.orphans++;
      const key = linkTargets.size === 0 ? -1 : keyOf(traces.traces.at(row), traces.ids.at(row));
      if (linkTargets.has(key) && (isReceiver || linkTargets.get(key) === undefined))
        linkTargets.set(key, row);
      if (traces.links.has(row)) this.linkingSpans.push([row, parent?.row]);
    }
    for (const { row, end, group, parent } of spans) {
      const isReturn =
        parent?.end !== undefined &&
        end !== undefined &&
        end <= parent.end &&
        group !== parent.group;
      if (isReturn) this.add(this.returns, endOf(row), endOf(parent.row));
    }
  }

  addEvent(row: number, phase: number, { probe }: SpanGroup, timeline: number): void {
    const { traces, events } = this;
    const { table, names, starts, ends } = traces;
    const event = table.addIndexedEvent(probe, names.at(row), 0, timeline);
    const time = phase === END ? ends.at(row) : starts.at(row);
    table.time.addInteger(event, time);
    table.share(row);
    if (phase !== END) events[startOf(row)] = event;
    if (phase !== START) events[endOf(row)] = event;
    if (phase === START) this.spanStart.add(event, ValueKind.boolean, 1);
    if (phase === END) {
      this.spanEnd.add(event, ValueKind.boolean, 1);
      this.spanDuration.addInteger(event, time - starts.at(row));
    }
  }

  /**
   * Moves each span of an added trace to a separate timeline. Orders the spans by their instances' clocks instead,
   * unless an order by clock contradicts other pairs. Idempotent.
   */
  separate(entries: readonly Entry[], groups: SpanGroups): void {
    const { clocks } = this;
    const { probes, timelines } = this.traces.table;
    groups.separate();
    const lastEntries = new Map<number, Entry>();
    for (const entry of entries) {
      const { row, group, interval, phase } = entry;
      const event = this.eventAt(pointOf(entry));
      const timeline = keyOf(probes.at(event), timelines.at(event));
      const previous = lastEntries.get(timeline);
      lastEntries.set(timeline, entry);
      for (const { row: enclosingSpan } of phase === END ? enclosingSpans(interval) : []) {
        const sharedTimeline =
          timelines.at(this.eventAt(endOf(enclosingSpan))) === timelines.at(event);
        if (sharedTimeline) this.add(clocks, endOf(row), endOf(enclosingSpan));
      }
      if (previous !== undefined && previous.interval !== interval && !isNested(previous, entry)) {
        this.add(clocks, pointOf(previous), pointOf(entry));
      }
      timelines.set(event, groups.timelineOf(group, interval.timeline));
    }
  }

  /**
   * Replaces the references in files' interactions with event indexes, which stay valid when events move to other
   * timelines.
   *
   * @returns the rows of these interactions' spans and logs
   */
  updateReferences({
    arrangement: { positions },
    resolvedInteractions: { from, to, interactions },
  }: OrderedEvents): readonly number[] {
    if (this.earlierInteractions === 0) return [];
    const { interactions: tableInteractions } = this.traces.table;
    const rows = new Set<number>();
    const eventAt = eventsByPosition(positions);
    for (const [index, interaction] of interactions.entries()) {
      if (interaction >= this.earlierInteractions) break;
      const [sender, receiver] = [from[index] as number, to[index] as number];
      tableInteractions.settle(interaction, eventAt[sender] as number, eventAt[receiver] as number);
      for (const row of this.rowsOf(interaction)) rows.add(row);
    }
    return [...rows].filter((row) => row >= 0 && this.traces.traces.at(row) >= 0);
  }

  /**
   * Adds the pairs as interactions, and orders the table's events. Also returns the first interaction of each kind of
   * pair.
   */
  orderEvents(problems: Problems) {
    const { table, options } = this.traces;
    const { interactions } = table;
    interactions.truncate(this.earlierInteractions);
    const starts = this.order(this.starts);
    const clocks = this.order(this.clocks);
    const returns = this.order(this.returns);
    // If files contain interactions, starts are optional too, so that names do not decide which interaction to omit.
    const optionalFrom = options.order === 'time' || this.earlierInteractions > 0 ? starts : clocks;
    const events = orderEvents(table, problems, optionalFrom);
    return { events, firsts: { starts, clocks, returns } };
  }

  /**
   * Adds an interaction for each pair of points whose order does not follow from their timeline. Returns the index of
   * the first added interaction.
   */
  private order(pairs: GrowingList): number {
    const { table, starts, options } = this.traces;
    const { probes, timelines, interactions } = table;
    const isByTime = options.order === 'time';
    const firstInteraction = interactions.length;
    for (let at = 0; at < pairs.length; at += 2) {
      const [beforePoint, afterPoint] = [pairs.at(at), pairs.at(at + 1)];
      const [from, to] = [this.eventAt(beforePoint), this.eventAt(afterPoint)];
      const isSameTimeline =
        probes.at(from) === probes.at(to) && timelines.at(from) === timelines.at(to);
      const isTie = isByTime && starts.at(beforePoint >> 1) === starts.at(afterPoint >> 1);
      if (!isSameTimeline || (from > to && !isTie)) table.addInteraction(from, to, 0);
    }
    return firstInteraction;
  }

  private eventAt(point: number): number {
    return this.events[point] as number;
  }

  /** Returns the rows of an interaction's events. */
  rowsOf(interaction: number): readonly [number, number] {
    const { table } = this.traces;
    const { interactions } = table;
    const rowOf = (event: Reference) => table.rowOf(event as number);
    return [rowOf(interactions.from(interaction)), rowOf(interactions.to(interaction))];
  }

  addLinks(): void {
    const { traces, linkTargets, starts } = this;
    for (const [row, parent] of this.linkingSpans) {
      const keys = traces.links.get(row) ?? [];
      const linkedSpans = new Set(
        keys.map(({ trace, id }) => linkTargets.get(this.keyOf(trace, id))),
      );
      for (const target of linkedSpans) {
        const isAddition = target !== undefined && target !== row && target !== parent;
        if (isAddition) this.add(starts, startOf(target), startOf(row));
      }
    }
  }

  private keyOf(trace: string, id: string): number {
    const { table } = this.traces;
    return keyOf(table.numberOf(trace), table.numberOf(id));
  }
}

/** Adds the events of each trace, on timelines of the trace's instances. */
function orderByTrace(traces: Traces, traceEvents: TraceEvents): void {
  for (const rows of traces.rowsByTrace()) {
    const groups = new SpanGroups(traces, traces.traces.at(rows[0] as number));
    const { spans, entries } = orderTrace(traces, rows, groups);
    traceEvents.addSpans(rows, spans);
    for (const { end, later: following, at } of groups.assignTimelines()) {
      const laterPoint = at === 'end' ? endOf(following.row) : startOf(following.row);
      traceEvents.add(traceEvents.clocks, endOf(end.row), laterPoint);
    }
    for (const { row, group, phase, interval } of entries) {
      traceEvents.addEvent(row, phase, group, groups.timelineOf(group, interval.timeline));
    }
  }
}

/** Moves each span of the given traces to a separate timeline. */
function separateTraces(
  traces: Traces,
  traceEvents: TraceEvents,
  traceNames: ReadonlySet<number>,
): void {
  for (const rows of traces.rowsByTrace()) {
    const trace = traces.traces.at(rows[0] as number);
    if (!traceNames.has(trace)) continue;
    const groups = new SpanGroups(traces, trace);
    traceEvents.separate(orderTrace(traces, rows, groups).entries, groups);
  }
}

/** Adds the events of each instance in its clock's order. */
function orderByTime(traces: Traces, traceEvents: TraceEvents): void {
  const groups = new SpanGroups(traces);
  const allEntries: Entry[] = [];
  for (const rows of traces.rowsByTrace()) {
    const { spans, entries } = orderTrace(traces, rows, groups);
    traceEvents.addSpans(rows, spans);
    for (const entry of entries) allEntries.push(entry);
  }
  allEntries.sort((a, b) => compareEntries(traces, a, b));
  for (const { row, phase, group } of allEntries) {
    traceEvents.addEvent(row, phase, group, groups.timelineOf(group, 0));
  }
}

/** Approximate number of bytes per row for ordering a trace. */
const BYTES_PER_ROW = 1_000;

/** Sorts a trace's entries by time, and adds the intervals of each group. */
function orderTrace(
  traces: Traces,
  rows: Int32Array,
  groups: SpanGroups,
): { readonly spans: readonly TreeSpan[]; readonly entries: readonly Entry[] } {
  traces.expectMemory(rows.length * BYTES_PER_ROW, 'one trace');
  const isByTime = traces.options.order === 'time';
  const { spans, find } = spansOf(traces, rows);
  const entries: Entry[] = [];
  const ownEntries: Entry[] = [];

  /**
   * Adds a moment or log to its span's interval. A moment after the span's end, or without a span, gets a separate
   * interval.
   */
  const placeMoment = (row: number, span: TreeSpan | undefined): void => {
    const group = span?.group ?? groups.groupOf(row);
    const parent = isByTime ? undefined : span?.interval;
    const ownStart = traces.starts.at(row);
    const time = parent === undefined ? ownStart : latest(ownStart, parent.start);
    const isWithin = parent !== undefined && (parent.end === undefined || time <= parent.end);
    const interval = isWithin
      ? parent
      : makeInterval({ row, start: time, end: time, depth: 0 }, undefined);
    const entry = { row, group, interval, phase: MOMENT, time, rank: 0 } as const;
    entries.push(entry);
    if (!isWithin) ownEntries.push(entry);
  };

  for (const span of spans.toSorted((a, b) => a.depth - b.depth)) {
    const { row, depth } = span;
    const group = groups.groupOf(row);
    let ancestor = span.parent;
    while (ancestor !== undefined && ancestor.group !== group) {
      const grandparent: TreeSpan | undefined = ancestor.parent;
      ancestor =
        grandparent !== undefined && grandparent.depth < ancestor.depth ? grandparent : undefined;
    }
    const enclosingInterval = isByTime ? undefined : ancestor?.interval;
    const ownStart = traces.starts.at(row);
    const start =
      enclosingInterval === undefined ? ownStart : latest(ownStart, enclosingInterval.start);
    const end = span.end === undefined ? undefined : latest(span.end, start);
    const interval = makeInterval({ row, start, end, depth }, enclosingInterval);
    span.group = group;
    span.interval = interval;
    group.intervals.push(interval);
    entries.push({ row, group, interval, phase: START, time: start, rank: depth });
    if (end !== undefined)
      entries.push({ row, group, interval, phase: END, time: end, rank: -depth });
    for (const moment of findMomentRows(traces, row)) placeMoment(moment, span);
  }
  for (const row of rows) {
    if (traces.kinds.at(row) !== RowKind.log) continue;
    const span = find(traces.ids.at(row));
    placeMoment(row, span?.group === groups.groupOf(row) ? span : undefined);
  }
  entries.sort((a, b) => compareEntries(traces, a, b));
  ownEntries.sort((a, b) => compareEntries(traces, a, b));
  for (const { group, interval } of ownEntries) group.intervals.push(interval);
  return { spans, entries };
}

function latest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Compares entries by time. The sort is stable, so indistinguishable spans keep the order of `compareSpans`. */
function compareEntries(traces: Traces, a: Entry, b: Entry): number {
  return (
    compareIntegers(a.time, b.time) ||
    a.phase - b.phase ||
    a.rank - b.rank ||
    (a.phase === MOMENT ? compareMoments(traces, a.row, b.row) : 0)
  );
}

/** Returns a unique number for a trace's span. Both arguments are text indices, which are less than 2^26. */
function keyOf(trace: number, id: number): number {
  return trace * 2 ** 26 + id;
}
