import { compareCodePoints } from '../../source/index.js';
import { assemble } from '../columns/assemble.js';
import { Growing } from '../columns/column.js';
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
  /** The number of its id among the texts. */
  readonly id: number;
  readonly start: bigint;
  readonly end: bigint | undefined;
  /** Whether it is the server's half of a span that two services share. */
  readonly isReceiver: boolean;
  /** Where nothing else tells two apart. */
  readonly key: string;
  readonly moments: readonly number[];
}

/** A span or a moment in its place. */
interface Placed {
  readonly row: number;
  readonly group: SpanGroup;
  /** That of its span, or its own. */
  readonly stretch: Stretch;
}

interface Entry extends Placed {
  readonly phase: typeof START | typeof MOMENT | typeof END;
  readonly time: bigint;
  /** Among entries of one time: outer spans start first and end last. */
  readonly rank: number;
  /** Where nothing else tells two entries apart. */
  readonly key: string;
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
  if (traces.options.order === 'time') {
    orderTrace(traces, Int32Array.from([...traces.byTrace()].flatMap((rows) => [...rows])), found);
  } else for (const rows of traces.byTrace()) orderTrace(traces, rows, found);
  found.addLinks();
  const optionalFrom = table.interactions.length;
  addAll(table, found.within);
  const returnsFrom = table.interactions.length;
  addAll(table, found.returns);
  const onDropped = (interaction: number) => {
    const index = interaction - returnsFrom;
    if (index < 0) return;
    const [child, parent] = [found.spans.at(2 * index), found.spans.at(2 * index + 1)];
    const offset = traces.ends.at(parent) - traces.ends.at(child) + 1n;
    problems.disagree(found.clockOf(child), found.clockOf(parent), offset);
  };
  return assemble(table, problems, { optionalFrom, onDropped, release: true });
}

/** What is found out trace by trace, and is of use to all of them. */
class Found {
  private readonly traces: Traces;
  /** Pairs of events: the first comes before the second, unless that contradicts the rest. */
  readonly within = new Growing(Int32Array);
  readonly returns = new Growing(Int32Array);
  /** The rows of child and parent of each return. */
  readonly spans = new Growing(Int32Array);
  /** The first events of the spans that others are linked to. */
  readonly linked = new Map<number, number | undefined>();
  private readonly links: { readonly event: number; readonly keys: readonly number[] }[] = [];

  constructor(traces: Traces) {
    this.traces = traces;
    for (const keys of traces.links.values()) {
      for (const { trace, id } of keys) this.linked.set(this.keyOf(trace, id), undefined);
    }
  }

  /** Adds a span with its first event. */
  addSpan({ row, isReceiver }: Span, event: number): void {
    const key = keyOf(this.traces.traces.at(row), this.traces.ids.at(row));
    const isFirst = this.linked.has(key) && (isReceiver || this.linked.get(key) === undefined);
    if (isFirst) this.linked.set(key, event);
    const links = this.traces.links.get(row);
    if (links === undefined) return;
    this.links.push({ event, keys: links.map(({ trace, id }) => this.keyOf(trace, id)) });
  }

  addLinks(): void {
    const { table } = this.traces;
    for (const { event, keys } of this.links) {
      for (const key of new Set(keys)) addOrder(table, this.linked.get(key), event);
    }
  }

  clockOf(row: number): string {
    const { texts } = this.traces.table;
    const probe = texts[this.traces.probes.at(row)] as string;
    const instance = texts[this.traces.instanceIds.at(row)] as string;
    const groups = new SpanGroups(this.traces.options, this.traces.instances);
    return groups.clockOf(groups.of(probe, instance, undefined));
  }

  private keyOf(trace: string, id: string): number {
    const { table } = this.traces;
    return keyOf(table.numberOf(trace), table.numberOf(id));
  }
}

/** A number for each span of a trace; both are numbers of texts, of which there are fewer than 2^26. */
function keyOf(trace: number, id: number): number {
  return trace * 2 ** 26 + id;
}

/** Orders an event before another, unless they are on one timeline, which does so. */
function addOrder(table: EventTable, from: number | undefined, to: number | undefined): void {
  if (from === undefined || to === undefined) return;
  const { probes, timelines } = table;
  const isOnOne = probes.at(from) === probes.at(to) && timelines.at(from) === timelines.at(to);
  if (!isOnOne) table.addInteraction(from, to, 0);
}

function addAll(table: EventTable, pairs: Growing<Int32Array>): void {
  for (let at = 0; at < pairs.length; at += 2) {
    table.addInteraction(pairs.at(at), pairs.at(at + 1), 0);
  }
}

/** About the bytes that a row takes while its trace is ordered. */
const EACH = 1_000;

/** Adds the events of a trace, and what orders them across its timelines. */
function orderTrace(traces: Traces, rows: Int32Array, found: Found): void {
  traces.expectMemory(rows.length * EACH, 'one trace');
  const { table, options, kinds } = traces;
  const textOf = (number: number) => table.texts[number] as string;
  const spans = spansOf(traces, rows);
  const find = finder(traces, spans);
  const findSender = finder(
    traces,
    spans.filter(({ isReceiver }) => !isReceiver),
  );
  const parents = new Map<Span, Span | undefined>();
  for (const span of spans) {
    const id = span.isReceiver ? span.id : traces.parents.at(span.row);
    const parent = (span.isReceiver ? findSender : find)(traces.traces.at(span.row), id);
    parents.set(span, parent === span ? undefined : parent);
  }
  const depths = depthsOf(spans, parents);
  const depthOf = (span: Span) => depths.get(span) as number;
  const groups = new SpanGroups(options, traces.instances);
  const groupOf = (row: number) => {
    const trace = traces.traces.at(row);
    const [probe, instance] = [traces.probes.at(row), traces.instanceIds.at(row)];
    return groups.of(textOf(probe), textOf(instance), table.texts[trace]);
  };
  const isByTime = options.order === 'time';
  const placed = new Map<Span, Placed>();
  const entries: Entry[] = [];

  /** Puts a moment on the timeline of its span, or on its own where it is later than that. */
  const placeMoment = (row: number, span: Placed | undefined): void => {
    const key = keyOfMoment(traces, row);
    const group = span?.group ?? groupOf(row);
    const around = isByTime ? undefined : span?.stretch;
    const own = traces.starts.at(row);
    const time = around === undefined ? own : later(own, around.start);
    const isWithin = around !== undefined && (around.end === undefined || time <= around.end);
    const alone = { start: time, end: time, around: undefined, depth: 0, key, timeline: 0 };
    const stretch = isWithin ? around : alone;
    if (!isWithin) group.stretches.push(stretch);
    entries.push({ row, group, stretch, phase: MOMENT, time, rank: 0, key });
  };

  for (const span of spans.toSorted((a, b) => depthOf(a) - depthOf(b))) {
    const group = groupOf(span.row);
    let outer = parents.get(span);
    while (outer !== undefined && placed.get(outer)?.group !== group) {
      const next = parents.get(outer);
      outer = next !== undefined && depthOf(next) < depthOf(outer) ? next : undefined;
    }
    const around = isByTime || outer === undefined ? undefined : placed.get(outer)?.stretch;
    const start = around === undefined ? span.start : later(span.start, around.start);
    const end = span.end === undefined ? undefined : later(span.end, start);
    const { row, key } = span;
    const depth = depthOf(span);
    const own = { row, group, stretch: { start, end, around, depth, key, timeline: 0 } };
    group.stretches.push(own.stretch);
    placed.set(span, own);
    entries.push({ ...own, phase: START, time: start, rank: depth, key });
    if (end !== undefined) entries.push({ ...own, phase: END, time: end, rank: -depth, key });
    for (const moment of span.moments) placeMoment(moment, own);
  }
  for (const row of rows) {
    if (kinds.at(row) !== RowKind.log) continue;
    const span = find(traces.traces.at(row), traces.ids.at(row));
    const own = span === undefined ? undefined : placed.get(span);
    placeMoment(row, own?.group === groupOf(row) ? own : undefined);
  }

  const within = groups.place();
  entries.sort(compare);
  const firsts = new Map<Stretch, number>();
  const lasts = new Map<Stretch, number>();
  for (const entry of entries) {
    const { stretch, phase } = entry;
    const event = addEvent(traces, entry, groups.timelineOf(entry.group, stretch.timeline));
    if (!firsts.has(stretch)) firsts.set(stretch, event);
    // A moment is the last event of a stretch that is its own.
    if (phase === END || (phase === MOMENT && firsts.get(stretch) === event)) {
      lasts.set(stretch, event);
    }
  }
  const stretchOf = (span: Span) => (placed.get(span) as Placed).stretch;
  for (const span of spans) {
    const [parent, first] = [parents.get(span), firsts.get(stretchOf(span)) as number];
    if (parent !== undefined) addOrder(table, firsts.get(stretchOf(parent)), first);
    found.addSpan(span, first);
  }
  const note = (pairs: Growing<Int32Array>, from: number | undefined, to: number | undefined) => {
    const isOrdered = from !== undefined && to !== undefined;
    if (isOrdered) for (const event of [from, to]) pairs.push(event);
    return isOrdered;
  };
  for (const { end, before, at } of within) {
    note(found.within, lasts.get(end), (at === 'start' ? firsts : lasts).get(before));
  }
  for (const span of spans) {
    const parent = parents.get(span);
    if (parent?.end === undefined || span.end === undefined || span.end > parent.end) continue;
    if (placed.get(span)?.group === placed.get(parent)?.group) continue;
    if (note(found.returns, lasts.get(stretchOf(span)), lasts.get(stretchOf(parent)))) {
      for (const { row } of [span, parent]) found.spans.push(row);
    }
  }
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function compare(a: Entry, b: Entry): number {
  return (
    compareTimes(a.time, b.time) ||
    a.phase - b.phase ||
    a.rank - b.rank ||
    compareCodePoints(a.key, b.key)
  );
}

/**
 * The spans of a trace, each once, in an order that does not depend on where they stand in their
 * file. Spans may be as tracers of Zipkin report them, where a client and a server share an id: the
 * half of the server is the child of the client's, and the parent of the span's children. Older
 * tracers do not say that a span is shared.
 */
function spansOf(traces: Traces, rows: Int32Array): readonly Span[] {
  const { kinds, ids, names, services, starts, ends, digests, spanKinds, table } = traces;
  const textOf = (number: number) => table.texts[number] ?? '';
  const isSender = (row: number) => ['client', 'producer'].includes(textOf(spanKinds.at(row)));
  const own = rows.filter(
    (row) => kinds.at(row) === RowKind.span || kinds.at(row) === RowKind.openSpan,
  );
  const keyOfRow = (row: number) => keyOf(traces.traces.at(row), ids.at(row));
  const shared = new Set(Array.from(own.filter(isSender), keyOfRow));
  const byKey = new Map<string, Span>();
  for (const row of own) {
    const moments: number[] = [];
    for (let next = row + 1; next < traces.size; next++) {
      const kind = kinds.at(next);
      if (kind === RowKind.within) moments.push(next);
      else if (kind !== RowKind.origin) break;
    }
    const [id, start] = [ids.at(row), starts.at(row)];
    const end = kinds.at(row) === RowKind.openSpan ? undefined : ends.at(row);
    const isReceiver = !isSender(row) && shared.has(keyOfRow(row));
    const key = [
      ...[textOf(traces.traces.at(row)), textOf(id), isReceiver ? 'receiver' : ''],
      ...[textOf(names.at(row)), start, end ?? '', textOf(services.at(row)), digests.at(row)],
      ...moments.map((moment) => `${starts.at(moment)} ${keyOfMoment(traces, moment)}`).sort(),
    ].join('\0');
    if (!byKey.has(key)) byKey.set(key, { row, id, start, end, isReceiver, key, moments });
  }
  traces.problems.merged += own.length - byKey.size;
  return [...byKey.values()].sort((a, b) => compareCodePoints(a.key, b.key));
}

function keyOfMoment({ table, names, digests }: Traces, row: number): string {
  return `${table.texts[names.at(row)]}\0${digests.at(row)}`;
}

/** Finds a span by its key; of one that two services share, the half that received. */
function finder(traces: Traces, spans: readonly Span[]) {
  const byKey = new Map<number, Span>();
  for (const span of spans) {
    const key = keyOf(traces.traces.at(span.row), span.id);
    if (span.isReceiver ? byKey.get(key)?.isReceiver !== true : !byKey.has(key))
      byKey.set(key, span);
  }
  return (trace: number, id: number) => byKey.get(keyOf(trace, id));
}

/** How many spans lie around each; those in a cycle of parents have none. */
function depthsOf(
  spans: readonly Span[],
  parents: ReadonlyMap<Span, Span | undefined>,
): ReadonlyMap<Span, number> {
  const depths = new Map<Span, number>();
  for (const span of spans) {
    const way: Span[] = [];
    const seen = new Set<Span>();
    let at: Span | undefined = span;
    while (at !== undefined && !depths.has(at) && !seen.has(at)) {
      way.push(at);
      seen.add(at);
      at = parents.get(at);
    }
    let depth = at === undefined ? -1 : (depths.get(at) ?? -1);
    for (const one of way.reverse()) depths.set(one, ++depth);
  }
  return depths;
}

function addEvent(
  traces: Traces,
  { row, group, phase }: Entry,
  timeline: string | undefined,
): number {
  const { table, names, starts, ends, origins } = traces;
  const event = table.addEvent(group.probe, table.texts[names.at(row)] as string, 0, timeline);
  const time = phase === END ? ends.at(row) : starts.at(row);
  table.time.addInteger(event, time);
  table.share(row, origins.at(row));
  if (phase === START) table.column('span.start').add(event, ValueKind.boolean, 1);
  if (phase === END) {
    table.column('span.end').add(event, ValueKind.boolean, 1);
    table.column('span.duration').addInteger(event, time - starts.at(row));
  }
  return event;
}
