import { compareCodePoints } from '../../source/index.js';
import { compareIntegers } from '../columns/column.js';
import type { EventTable } from '../columns/event-table.js';
import { Heap } from './heap.js';
import { isSpan, RowKind, type Traces } from './traces.js';

/** A span of the current trace. */
export interface TreeSpan {
  readonly row: number;
  readonly end: bigint | undefined;
  /** True for the server's half of a span shared by two services. */
  readonly isReceiver: boolean;
  parent: TreeSpan | undefined;
  /** The number of enclosing spans; 0 for spans in a cycle of parents. */
  depth: number;
  /** The span's group, once known. */
  group: SpanGroup | undefined;
  interval: TimeInterval | undefined;
}

/** The extent in time of a span, or of an event outside of spans, on one instance's clock. */
export interface TimeInterval {
  readonly row: number;
  readonly start: bigint;
  /** The end, not before `start`; undefined if the span never ended. */
  readonly end: bigint | undefined;
  /** The nearest ancestor of the same trace and instance. */
  readonly parent: TimeInterval | undefined;
  /** The nearest enclosing span that ends earlier than this interval. */
  readonly endingEarlier: TimeInterval | undefined;
  /** The nearest enclosing span that ends no earlier than this interval. */
  readonly endingLater: TimeInterval | undefined;
  /** The number of enclosing spans. */
  readonly depth: number;
  /** The zero-based index of the interval's timeline. */
  timeline: number;
  /** The nearest enclosing span on another timeline. */
  onOtherTimeline: TimeInterval | undefined;
}

/** An order of two intervals: the end of `end` comes before the start or the end of `later`. */
export interface IntervalOrder {
  readonly end: TimeInterval;
  readonly later: TimeInterval;
  readonly at: 'start' | 'end';
}

/**
 * Assigns timelines to a trace's intervals on one instance. A timeline's intervals are consecutive or nested. An
 * interval may be nested in an enclosing span that ends no earlier. Assigns an interval to its enclosing span's
 * timeline if the interval fits there, or otherwise to the first timeline on which it fits. Assigns indistinguishable
 * intervals in order.
 *
 * Takes O(n log n) time, plus the orders. An interval that does not fit on its enclosing span's timeline also takes time
 * for the timelines of the spans around the enclosing span.
 *
 * @returns the orders across timelines, without most redundant orders: an end comes before every later start, and a
 *   nested end before the end of its enclosing span. Yields the orders one by one, because n overlapping intervals may
 *   have n^2 / 8 orders without a redundant order
 */
export function placeOnTimelines(intervals: readonly TimeInterval[]): Iterable<IntervalOrder> {
  if (intervals.length < 2) return [];
  const byStart = [...intervals].sort(
    (a, b) => compareIntegers(a.start, b.start) || a.depth - b.depth,
  );
  const byEnd = byStart.filter(({ end }) => end !== undefined);
  byEnd.sort((a, b) => compareIntegers(a.end as bigint, b.end as bigint));
  const openTimelines = new OpenTimelines();
  let endIndex = 0;
  for (const interval of byStart) {
    while (
      endIndex < byEnd.length &&
      endsEarlier(byEnd[endIndex] as TimeInterval, interval.start)
    ) {
      openTimelines.close((byEnd[endIndex++] as TimeInterval).timeline, interval.start);
    }
    openTimelines.assign(interval);
  }
  if (openTimelines.count < 2) return [];
  return intervalOrders(byStart, byEnd);
}

function* intervalOrders(
  byStart: readonly TimeInterval[],
  byEnd: readonly TimeInterval[],
): Generator<IntervalOrder> {
  yield* endsBeforeStarts(byStart, byEnd);
  yield* nestedEnds(byStart);
}

/** The open intervals of each timeline. Each interval is nested in the previous open interval. */
class OpenTimelines {
  private readonly stacks: TimeInterval[][] = [];
  /** Timelines that became empty; some may be in use again. */
  private readonly emptyTimelines = new Heap();

  get count(): number {
    return this.stacks.length;
  }

  /** Closes a timeline's intervals that ended before a time. */
  close(timeline: number, time: bigint): void {
    const stack = this.stacks[timeline] as TimeInterval[];
    let top = stack.at(-1);
    if (top === undefined) return;
    while (top !== undefined && endsEarlier(top, time)) {
      stack.pop();
      top = stack.at(-1);
    }
    if (top === undefined) this.emptyTimelines.add(timeline);
  }

  /** Assigns a timeline to an interval. */
  assign(interval: TimeInterval): void {
    const { stacks } = this;
    const timeline = this.timelineFor(interval);
    const stack = stacks[timeline] ?? [];
    if (timeline === stacks.length) stacks.push(stack);
    stack.push(interval);
    interval.timeline = timeline;
    const { parent } = interval;
    interval.onOtherTimeline = parent?.timeline === timeline ? parent.onOtherTimeline : parent;
  }

  private timelineFor(interval: TimeInterval): number {
    const { stacks } = this;
    const parentTimeline = interval.parent?.timeline;
    if (parentTimeline !== undefined && stacks[parentTimeline]?.length === 0) return parentTimeline;
    let candidate = this.firstEmptyTimeline();
    for (let ancestor = interval.parent; ancestor !== undefined; ) {
      const { timeline } = ancestor;
      const isTop = stacks[timeline]?.at(-1) === ancestor;
      if (isTop && !endsEarlier(ancestor, interval.end)) {
        if (timeline === parentTimeline) return parentTimeline;
        candidate = Math.min(candidate, timeline);
      }
      // Skips the ancestor's enclosing spans on the same timeline, because the ancestor is nested in them.
      ancestor = endsEarlier(ancestor, interval.end)
        ? ancestor.endingLater
        : ancestor.onOtherTimeline;
    }
    return candidate;
  }

  private firstEmptyTimeline(): number {
    const { stacks, emptyTimelines } = this;
    let emptyTimeline = emptyTimelines.min;
    while (emptyTimeline !== undefined && stacks[emptyTimeline]?.length !== 0) {
      emptyTimelines.takeMin();
      emptyTimeline = emptyTimelines.min;
    }
    return emptyTimeline ?? stacks.length;
  }
}

/**
 * Yields an order for each start and each of the latest ends before it. No complete interval lies between a latest end
 * and the start.
 */
function* endsBeforeStarts(
  byStart: readonly TimeInterval[],
  byEnd: readonly TimeInterval[],
): Generator<IntervalOrder> {
  let latestEnds: TimeInterval[] = [];
  let endIndex = 0;
  for (const later of byStart) {
    const previousIndex = endIndex;
    let start: bigint | undefined;
    while (
      endIndex < byEnd.length &&
      ((byEnd[endIndex] as TimeInterval).end as bigint) < later.start
    ) {
      const interval = byEnd[endIndex++] as TimeInterval;
      if (start === undefined || interval.start > start) start = interval.start;
      latestEnds.push(interval);
    }
    if (endIndex > previousIndex)
      latestEnds = latestEnds.filter(({ end }) => (end as bigint) >= (start as bigint));
    for (const end of latestEnds) {
      if (end.timeline !== later.timeline) yield { end, later, at: 'start' };
    }
  }
}

function* nestedEnds(byStart: readonly TimeInterval[]): Generator<IntervalOrder> {
  for (const end of byStart) {
    for (const later of enclosingSpans(end)) {
      if (later.timeline !== end.timeline) yield { end, later, at: 'end' };
    }
  }
}

/**
 * Returns the enclosing spans that end no earlier than an interval, nearest first. Omits a span that ends no earlier than
 * a nearer span in the result.
 */
export function enclosingSpans({ end, parent }: TimeInterval): readonly TimeInterval[] {
  const result: TimeInterval[] = [];
  if (end === undefined) return result;
  let nearest: TimeInterval | undefined;
  for (let ancestor = parent; ancestor !== undefined; ) {
    if (endsEarlier(ancestor, end)) ancestor = ancestor.endingLater;
    else {
      if (nearest === undefined || endsEarlier(ancestor, nearest.end)) {
        nearest = ancestor;
        if (ancestor.end !== undefined) result.push(ancestor);
      }
      ancestor = ancestor.endingEarlier;
    }
  }
  return result;
}

/** Creates an interval, within a parent if given. Its timeline is not assigned yet. */
export function makeInterval(
  span: Pick<TimeInterval, 'row' | 'start' | 'end' | 'depth'>,
  parent: TimeInterval | undefined,
): TimeInterval {
  let [endingEarlier, endingLater] = [parent, parent];
  while (endingEarlier !== undefined && !endsEarlier(endingEarlier, span.end))
    endingEarlier = endingEarlier.endingEarlier;
  while (endingLater !== undefined && endsEarlier(endingLater, span.end))
    endingLater = endingLater.endingLater;
  const { row, start, end, depth } = span;
  // A spread of the span would cost far more memory and time for each interval.
  return {
    row,
    start,
    end,
    depth,
    parent,
    endingEarlier,
    endingLater,
    timeline: 0,
    onOtherTimeline: undefined,
  };
}

/** True if an interval ends before a limit. A span that never ended counts as ending last. */
function endsEarlier({ end }: TimeInterval, limit: bigint | undefined): boolean {
  return end !== undefined && (limit === undefined || end < limit);
}

/** A trace's events on one instance of a probe, or the instance's logs without a trace. */
export interface SpanGroup {
  /** Text indices, as in `timelines`; -1 for none. */
  readonly probe: number;
  readonly instance: number;
  readonly intervals: TimeInterval[];
  readonly timelines: number[];
}

/** The groups of spans and logs, in one trace or all traces, with the names of their timelines. */
export class SpanGroups {
  readonly #groups = new Map<number, SpanGroup>();

  /** @param trace the trace's text index; -1 for all traces, with one timeline per instance */
  constructor(
    private readonly traces: Traces,
    private readonly trace = -1,
  ) {}

  /** Returns a row's group. Creates the group if necessary. */
  groupOf(row: number): SpanGroup {
    const { probes, instanceIds } = this.traces;
    const [probe, instance] = [probes.at(row), instanceIds.at(row)];
    const key = probe * 2 ** 26 + instance;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { probe, instance, intervals: [], timelines: [] };
      this.#groups.set(key, group);
    }
    return group;
  }

  /** Assigns a timeline to each interval of a trace, and yields the orders across timelines. */
  *assignTimelines(): Generator<IntervalOrder> {
    if (this.trace < 0) return;
    for (const { intervals } of this.#groups.values()) yield* placeOnTimelines(intervals);
  }

  /** Assigns a separate timeline to each interval. */
  separate(): void {
    for (const { intervals } of this.#groups.values()) {
      for (const [number, interval] of intervals.entries()) interval.timeline = number;
    }
  }

  /** Returns the text index of a timeline's name: the trace, after the instance if the probe has several instances. */
  timelineOf(group: SpanGroup, number: number): number {
    const timelineName = group.timelines[number];
    if (timelineName !== undefined) return timelineName;
    const { texts } = this.traces.table;
    const instance = this.#instanceOf(group);
    const parts = [instance, texts[this.trace] ?? '', number > 0 ? `#${number + 1}` : ''];
    const name = parts.filter((part) => part !== '').join(' ');
    const isTrace = number === 0 && instance === '';
    const timeline = isTrace ? this.trace : this.traces.table.numberOf(name);
    group.timelines[number] = timeline;
    return timeline;
  }

  /** Returns a group's clock: the probe, with the instance if the probe has several instances. */
  clockOf(group: SpanGroup): string {
    const probe = this.traces.table.texts[group.probe] as string;
    const instance = this.#instanceOf(group);
    return instance === '' ? probe : `${probe} ${instance}`;
  }

  /** Returns a group's instance; '' if the instance is unnamed, or is the probe's only instance. */
  #instanceOf({ probe, instance }: SpanGroup): string {
    const { instances, table } = this.traces;
    const hasSeveralInstances = (instances.get(probe)?.size ?? 0) > 1;
    return hasSeveralInstances ? (table.texts[instance] as string) : '';
  }
}

export function compareMoments({ table, names, digests }: Traces, a: number, b: number): number {
  return compareTexts(table, names.at(a), names.at(b)) || digests.at(a) - digests.at(b);
}

function compareTexts({ texts }: EventTable, a: number, b: number): number {
  return a === b ? 0 : compareCodePoints(texts[a] ?? '', texts[b] ?? '');
}

interface SpansOfTrace {
  readonly spans: readonly TreeSpan[];
  /** Finds a span by id; for a span shared by two services, finds the receiving half. */
  readonly find: (id: number) => TreeSpan | undefined;
}

/**
 * Returns a trace's distinct spans, in an order independent of their positions in the file. With Zipkin tracers, a
 * client and a server may share a span's id. The server's half is then a child of the client's half, and the parent of
 * the span's children. Older tracers do not mark shared spans.
 */
export function spansOf(traces: Traces, rows: Int32Array): SpansOfTrace {
  const { kinds, ids, ends, senders } = traces;
  const spanRows: number[] = [];
  for (const row of rows) if (isSpan(kinds.at(row))) spanRows.push(row);
  spanRows.sort((a, b) => compareSpans(traces, a, b));
  const distinctRows = spanRows.filter(
    (row, at) => at === 0 || compareSpans(traces, spanRows[at - 1] as number, row) !== 0,
  );
  const spans: TreeSpan[] = [];
  let sender: TreeSpan | undefined;
  for (const row of distinctRows) {
    // Spans with the same id are adjacent, senders first.
    if (sender !== undefined && ids.at(sender.row) !== ids.at(row)) sender = undefined;
    const isSender = senders.at(row) === 1;
    const span: TreeSpan = {
      row,
      end: kinds.at(row) === RowKind.openSpan ? undefined : ends.at(row),
      isReceiver: !isSender && sender !== undefined,
      parent: isSender ? undefined : sender,
      depth: UNKNOWN_DEPTH,
      group: undefined,
      interval: undefined,
    };
    if (isSender) sender ??= span;
    spans.push(span);
  }
  const find = findParents(traces, spans);
  for (const span of spans) setDepth(span);
  return { spans, find };
}

/** Compares a trace's spans by content. Spans with equal content are duplicates. */
function compareSpans(traces: Traces, a: number, b: number): number {
  const { table, kinds, ids, names, services, starts, ends, digests, senders } = traces;
  return (
    compareTexts(table, ids.at(a), ids.at(b)) ||
    senders.at(b) - senders.at(a) ||
    compareTexts(table, names.at(a), names.at(b)) ||
    compareIntegers(starts.at(a), starts.at(b)) ||
    kinds.at(a) - kinds.at(b) ||
    compareIntegers(ends.at(a), ends.at(b)) ||
    compareTexts(table, services.at(a), services.at(b)) ||
    digests.at(a) - digests.at(b) ||
    compareAllMoments(traces, findMomentRows(traces, a), findMomentRows(traces, b))
  );
}

/** Returns the rows of a span's moments, in an order independent of their positions. */
export function findMomentRows(traces: Traces, row: number): readonly number[] {
  const { kinds, starts, size } = traces;
  const moments: number[] = [];
  for (let nextRow = row + 1; nextRow < size; nextRow++) {
    const kind = kinds.at(nextRow);
    if (kind === RowKind.within) moments.push(nextRow);
    else if (kind !== RowKind.origin) break;
  }
  return moments.sort(
    (a, b) => compareIntegers(starts.at(a), starts.at(b)) || compareMoments(traces, a, b),
  );
}

function compareAllMoments(traces: Traces, a: readonly number[], b: readonly number[]): number {
  const { starts } = traces;
  for (const [at, row] of a.entries()) {
    const otherRow = b[at];
    if (otherRow === undefined) break;
    const order =
      compareIntegers(starts.at(row), starts.at(otherRow)) || compareMoments(traces, row, otherRow);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Assigns a parent to each span except receiving halves; returns a function that finds a span by id. */
function findParents({ ids, parents }: Traces, spans: readonly TreeSpan[]) {
  const spansById = new Map<number, TreeSpan>();
  for (const span of spans) {
    const id = ids.at(span.row);
    if (span.isReceiver ? spansById.get(id)?.isReceiver !== true : !spansById.has(id))
      spansById.set(id, span);
  }
  for (const span of spans) {
    const [id, parent] = [ids.at(span.row), parents.at(span.row)];
    if (!span.isReceiver && parent !== id) span.parent = spansById.get(parent);
  }
  return (id: number) => spansById.get(id);
}

const UNKNOWN_DEPTH = -1;
const DEPTH_PENDING = -2;

function setDepth(span: TreeSpan): void {
  const path: TreeSpan[] = [];
  let at: TreeSpan | undefined = span;
  while (at?.depth === UNKNOWN_DEPTH) {
    at.depth = DEPTH_PENDING;
    path.push(at);
    at = at.parent;
  }
  let depth = at === undefined || at.depth === DEPTH_PENDING ? -1 : at.depth;
  for (const span of path.reverse()) span.depth = ++depth;
}
