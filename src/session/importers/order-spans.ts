import { compareCodePoints } from '../../source/index.js';
import { assemble } from '../columns/assemble.js';
import { Growing, GrowingLong } from '../columns/column.js';
import type { EventTable } from '../columns/event-table.js';
import { type Session, ValueKind } from '../session.js';
import { compareTimes, type SpanGroup, SpanGroups, type Stretch } from './span-timelines.js';
import { RowKind, type Traces } from './traces.js';

const START = 0;
const MOMENT = 1;
const END = 2;

/** A span of the trace that is being ordered. */
interface Span {
  readonly row: number;
  readonly end: bigint | undefined;
  /** Whether it is the server's half of a span that two services share. */
  readonly isReceiver: boolean;
  parent: Span | undefined;
  /** How many spans lie around it; those in a cycle of parents have none. */
  depth: number;
  /** Where it is, once that is known. */
  group: SpanGroup | undefined;
  stretch: Stretch | undefined;
}

/** The start or the end of a span, or a moment, in its place. */
interface Entry {
  readonly row: number;
  readonly group: SpanGroup;
  /** That of its span, or its own. */
  readonly stretch: Stretch;
  /** START, MOMENT or END. */
  readonly phase: number;
  readonly time: bigint;
  /** Among entries of one time: outer spans start first and end last. */
  readonly rank: number;
}

/**
 * The session of traces. Each span is two events at its service, named after it: one with
 * `span.start = true` and one with `span.end = true`. What happened within a span, and logs that name
 * it, are events on its timeline, not before its start. A timeline is of one trace at one instance of a
 * service; its spans follow each other or nest, and others there are on timelines of their own. Of a
 * trace at one instance an end comes before every start later than it; at one time starts come first
 * and ends last, outer spans around inner ones. Besides,
 *
 * - the start of a parent comes before the start of its child, and that of a linked span before
 *   that of the span with the link, whatever the clocks say;
 * - the end of a child comes before the end of its parent where it ends no later, and where no
 *   cycle comes of it: clocks of services differ. What is left out is a disagreement of clocks.
 *
 * A parent or a linked span that the file does not hold orders nothing. A span that occurs twice,
 * as exporters send one again, counts once. Logs without a trace are on the timeline of their instance.
 *
 * Each trace is taken by itself, so that the memory of no more than one is needed beside what was read.
 */
export function orderSpans(traces: Traces): Session {
  const { table, problems } = traces;
  const found = new Found(traces);
  if (traces.options.order === 'time') orderByTime(traces, found);
  else {
    for (const rows of traces.byTrace()) {
      const groups = new SpanGroups(traces, traces.traces.at(rows[0] as number));
      const entries = orderTrace(traces, rows, groups, found);
      for (const { end, before, at } of groups.place()) {
        found.add(
          found.within,
          endOf(end.row),
          at === 'end' ? endOf(before.row) : startOf(before.row),
        );
      }
      for (const { row, group, phase, stretch } of entries) {
        found.addEvent(row, phase, group, groups.timelineOf(group, stretch.timeline));
      }
    }
  }
  found.addLinks(found.starts);
  found.order(found.starts);
  const optionalFrom = table.interactions.length;
  found.order(found.within);
  const returnsFrom = table.interactions.length;
  found.order(found.returns);
  const onDropped = (interaction: number) => {
    const index = 2 * (interaction - returnsFrom);
    if (index < 0) return;
    const [child, parent] = [found.returns.at(index) >> 1, found.returns.at(index + 1) >> 1];
    const offset = traces.ends.at(parent) - traces.ends.at(child) + 1n;
    const groups = new SpanGroups(traces);
    problems.disagree(groups.clockOf(groups.of(child)), groups.clockOf(groups.of(parent)), offset);
  };
  // The order of a timeline holds in any case.
  const contrary = (count: number) =>
    `${count === 1 ? 'the start of a span comes' : `${count} starts of spans come`} before that of what called ${count === 1 ? 'it' : 'them'}, as a host has ${count === 1 ? 'it' : 'them'} one after the other: its clock went back`;
  return assemble(table, problems, { optionalFrom, onDropped, contrary, release: true });
}

/** Points of a row, by which orders name the events that it becomes. */
const startOf = (row: number) => 2 * row;
const endOf = (row: number) => 2 * row + 1;

/** What is found out trace by trace: the events, and points of which the first comes before the second, in pairs. */
class Found {
  readonly starts = new Growing();
  /** These and the next are so unless they contradict the rest. */
  readonly within = new Growing();
  readonly returns = new Growing();
  /** The spans that others are linked to, by their keys. */
  private readonly linked = new Map<number, number | undefined>();
  /** Those that are linked to others. */
  private readonly linking: number[] = [];
  private readonly traces: Traces;
  /** By point the event there; -1 for none. */
  private readonly events: Int32Array;

  constructor(traces: Traces) {
    this.traces = traces;
    this.events = new Int32Array(2 * traces.size).fill(-1);
    for (const keys of traces.links.values()) {
      for (const { trace, id } of keys) this.linked.set(this.keyOf(trace, id), undefined);
    }
  }

  add(pairs: Growing, before: number, after: number): void {
    pairs.push(before);
    pairs.push(after);
  }

  addSpan({ row, isReceiver, parent }: Span): void {
    const { traces, linked } = this;
    if (parent !== undefined) this.add(this.starts, startOf(parent.row), startOf(row));
    const key = linked.size === 0 ? -1 : keyOf(traces.traces.at(row), traces.ids.at(row));
    if (linked.has(key) && (isReceiver || linked.get(key) === undefined)) linked.set(key, row);
    if (traces.links.has(row)) this.linking.push(row);
  }

  addEvent(row: number, phase: number, { probe }: SpanGroup, timeline: number): void {
    const { traces, events } = this;
    const { table, names, starts, ends, origins } = traces;
    const event = table.addNumbered(probe, names.at(row), 0, timeline);
    const time = phase === END ? ends.at(row) : starts.at(row);
    table.time.addInteger(event, time);
    table.share(row, origins.at(row));
    if (phase !== END) events[startOf(row)] = event;
    if (phase !== START) events[endOf(row)] = event;
    if (phase === START) table.column('span.start').add(event, ValueKind.boolean, 1);
    if (phase === END) {
      table.column('span.end').add(event, ValueKind.boolean, 1);
      table.column('span.duration').addInteger(event, time - starts.at(row));
    }
  }

  /** Orders the events at pairs of points, unless they are on one timeline, which does so. */
  order(pairs: Growing): void {
    const { events } = this;
    const { table } = this.traces;
    const { probes, timelines } = table;
    for (let at = 0; at < pairs.length; at += 2) {
      const [from, to] = [events[pairs.at(at)] as number, events[pairs.at(at + 1)] as number];
      const isOnOne = probes.at(from) === probes.at(to) && timelines.at(from) === timelines.at(to);
      if (!isOnOne) table.addInteraction(from, to, 0);
    }
  }

  addLinks(pairs: Growing): void {
    const { traces, linked } = this;
    for (const row of this.linking) {
      const keys = traces.links.get(row) ?? [];
      const before = new Set(keys.map(({ trace, id }) => linked.get(this.keyOf(trace, id))));
      for (const one of before) {
        if (one !== undefined) this.add(pairs, startOf(one), startOf(row));
      }
    }
  }

  private keyOf(trace: string, id: string): number {
    const { table } = this.traces;
    return keyOf(table.numberOf(trace), table.numberOf(id));
  }
}

/** Adds the events of each instance in the order of its clock; of what is to be sorted, as numbers. */
function orderByTime(traces: Traces, found: Found): void {
  const groups = new SpanGroups(traces);
  const [rows, phases, ranks] = [new Growing(), new Growing(), new Growing()];
  const times = new GrowingLong();
  for (const own of traces.byTrace()) {
    for (const { row, phase, rank, time } of orderTrace(traces, own, groups, found)) {
      rows.push(row);
      phases.push(phase);
      ranks.push(rank);
      times.push(time);
    }
  }
  const entryAt = (at: number) => ({
    ...{ row: rows.at(at), phase: phases.at(at), rank: ranks.at(at), time: times.at(at) },
  });
  const sorted = Int32Array.from({ length: rows.length }, (_, at) => at);
  sorted.sort((a, b) => compareEntries(traces, entryAt(a), entryAt(b)));
  for (const at of sorted) {
    const group = groups.of(rows.at(at));
    found.addEvent(rows.at(at), phases.at(at), group, groups.timelineOf(group, 0));
  }
}

/** About the bytes that a row takes while its trace is ordered. */
const EACH = 1_000;

/** Puts what happened in a trace in the order of its clocks, with the stretches of each group. */
function orderTrace(
  traces: Traces,
  rows: Int32Array,
  groups: SpanGroups,
  found: Found,
): readonly Entry[] {
  traces.expectMemory(rows.length * EACH, 'one trace');
  const isByTime = traces.options.order === 'time';
  const spans = spansOf(traces, rows);
  const find = findParents(traces, spans);
  for (const span of spans) setDepth(span);
  const entries: Entry[] = [];
  const alone: Entry[] = [];

  /** Puts a moment on the timeline of its span, or on its own where it is later than that. */
  const placeMoment = (row: number, span: Span | undefined): void => {
    const group = span?.group ?? groups.of(row);
    const around = isByTime ? undefined : span?.stretch;
    const own = traces.starts.at(row);
    const time = around === undefined ? own : later(own, around.start);
    const isWithin = around !== undefined && (around.end === undefined || time <= around.end);
    const stretch = isWithin
      ? around
      : { row, start: time, end: time, around: undefined, depth: 0, timeline: 0 };
    const entry = { row, group, stretch, phase: MOMENT, time, rank: 0 } as const;
    entries.push(entry);
    if (!isWithin) alone.push(entry);
  };

  for (const span of spans.toSorted((a, b) => a.depth - b.depth)) {
    const { row, depth } = span;
    const group = groups.of(row);
    let outer = span.parent;
    while (outer !== undefined && outer.group !== group) {
      const next: Span | undefined = outer.parent;
      outer = next !== undefined && next.depth < outer.depth ? next : undefined;
    }
    const around = isByTime ? undefined : outer?.stretch;
    const own = traces.starts.at(row);
    const start = around === undefined ? own : later(own, around.start);
    const end = span.end === undefined ? undefined : later(span.end, start);
    const stretch = { row, start, end, around, depth, timeline: 0 };
    span.group = group;
    span.stretch = stretch;
    group.stretches.push(stretch);
    entries.push({ row, group, stretch, phase: START, time: start, rank: depth });
    if (end !== undefined)
      entries.push({ row, group, stretch, phase: END, time: end, rank: -depth });
    for (const moment of momentsOf(traces, row)) placeMoment(moment, span);
  }
  for (const row of rows) {
    if (traces.kinds.at(row) !== RowKind.log) continue;
    const span = find(traces.ids.at(row));
    placeMoment(row, span?.group === groups.of(row) ? span : undefined);
  }
  entries.sort((a, b) => compareEntries(traces, a, b));
  alone.sort((a, b) => compareEntries(traces, a, b));
  for (const { group, stretch } of alone) group.stretches.push(stretch);

  for (const span of spans) found.addSpan(span);
  for (const { row, end, group, parent } of spans) {
    const isReturn =
      parent?.end !== undefined && end !== undefined && end <= parent.end && group !== parent.group;
    if (isReturn) found.add(found.returns, endOf(row), endOf(parent.row));
  }
  return entries;
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Spans that nothing tells apart stay in the order of `compareSpans`, which they have come in. */
function compareEntries(
  traces: Traces,
  a: Pick<Entry, 'row' | 'phase' | 'rank' | 'time'>,
  b: Pick<Entry, 'row' | 'phase' | 'rank' | 'time'>,
): number {
  return (
    compareTimes(a.time, b.time) ||
    a.phase - b.phase ||
    a.rank - b.rank ||
    (a.phase === MOMENT ? compareMoments(traces, a.row, b.row) : 0)
  );
}

function compareMoments({ table, names, digests }: Traces, a: number, b: number): number {
  return compareTexts(table, names.at(a), names.at(b)) || digests.at(a) - digests.at(b);
}

function compareTexts({ texts }: EventTable, a: number, b: number): number {
  return a === b ? 0 : compareCodePoints(texts[a] ?? '', texts[b] ?? '');
}

/**
 * The spans of a trace, each once, in an order that does not depend on where they stand in their
 * file. Spans may be as tracers of Zipkin report them, where a client and a server share an id: the
 * half of the server is the child of the client's, and the parent of the span's children. Older
 * tracers do not say that a span is shared.
 */
function spansOf(traces: Traces, rows: Int32Array): readonly Span[] {
  const { kinds, ids, ends, senders } = traces;
  const own = [...rows].filter(
    (row) => kinds.at(row) === RowKind.span || kinds.at(row) === RowKind.openSpan,
  );
  own.sort((a, b) => compareSpans(traces, a, b));
  const each = own.filter(
    (row, at) => at === 0 || compareSpans(traces, own[at - 1] as number, row) !== 0,
  );
  traces.problems.merged += own.length - each.length;
  const sent = new Set(each.filter((row) => senders.at(row) === 1).map((row) => ids.at(row)));
  return each.map((row) => ({
    row,
    end: kinds.at(row) === RowKind.openSpan ? undefined : ends.at(row),
    isReceiver: senders.at(row) === 0 && sent.has(ids.at(row)),
    parent: undefined,
    depth: UNKNOWN,
    group: undefined,
    stretch: undefined,
  }));
}

/** Orders the spans of a trace by what they say; two of which each says the same are one. */
function compareSpans(traces: Traces, a: number, b: number): number {
  const { table, kinds, ids, names, services, starts, ends, digests, senders } = traces;
  return (
    compareTexts(table, ids.at(a), ids.at(b)) ||
    senders.at(b) - senders.at(a) ||
    compareTexts(table, names.at(a), names.at(b)) ||
    compareTimes(starts.at(a), starts.at(b)) ||
    kinds.at(a) - kinds.at(b) ||
    compareTimes(ends.at(a), ends.at(b)) ||
    compareTexts(table, services.at(a), services.at(b)) ||
    digests.at(a) - digests.at(b) ||
    compareAllMoments(traces, momentsOf(traces, a), momentsOf(traces, b))
  );
}

/** The rows of what happened within a span, in an order that does not depend on where they stand. */
function momentsOf(traces: Traces, row: number): readonly number[] {
  const { kinds, starts, size } = traces;
  const moments: number[] = [];
  for (let next = row + 1; next < size; next++) {
    const kind = kinds.at(next);
    if (kind === RowKind.within) moments.push(next);
    else if (kind !== RowKind.origin) break;
  }
  return moments.sort(
    (a, b) => compareTimes(starts.at(a), starts.at(b)) || compareMoments(traces, a, b),
  );
}

function compareAllMoments(traces: Traces, a: readonly number[], b: readonly number[]): number {
  const { starts } = traces;
  for (const [at, one] of a.entries()) {
    const other = b[at];
    if (other === undefined) break;
    const order =
      compareTimes(starts.at(one), starts.at(other)) || compareMoments(traces, one, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Gives each span its parent; returns what finds a span by its id, of one that two services share the half that received. */
function findParents({ ids, parents }: Traces, spans: readonly Span[]) {
  const [all, senders] = [new Map<number, Span>(), new Map<number, Span>()];
  for (const span of spans) {
    const id = ids.at(span.row);
    if (span.isReceiver ? all.get(id)?.isReceiver !== true : !all.has(id)) all.set(id, span);
    if (!span.isReceiver && !senders.has(id)) senders.set(id, span);
  }
  for (const span of spans) {
    const id = ids.at(span.row);
    const parent = span.isReceiver ? senders.get(id) : all.get(parents.at(span.row));
    span.parent = parent === span ? undefined : parent;
  }
  return (id: number) => all.get(id);
}

const UNKNOWN = -1;
const UNDER_WAY = -2;

function setDepth(span: Span): void {
  const inner: Span[] = [];
  let at: Span | undefined = span;
  while (at?.depth === UNKNOWN) {
    at.depth = UNDER_WAY;
    inner.push(at);
    at = at.parent;
  }
  let depth = at === undefined || at.depth === UNDER_WAY ? -1 : at.depth;
  for (const one of inner.reverse()) one.depth = ++depth;
}

/** A number for each span of a trace; both are numbers of texts, of which there are fewer than 2^26. */
function keyOf(trace: number, id: number): number {
  return trace * 2 ** 26 + id;
}
