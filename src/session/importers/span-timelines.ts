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
  /** The number of enclosing spans; 0 for those in a cycle of parents. */
  depth: number;
  /** Its group, once known. */
  group: SpanGroup | undefined;
  stretch: Stretch | undefined;
}

/** A span, or an event without one, within its trace at one instance, by one clock. */
export interface Stretch {
  readonly row: number;
  readonly start: bigint;
  /** Not before `start`; undefined if the span was never ended. */
  readonly end: bigint | undefined;
  /** The nearest enclosing span, by the parents that spans name, of the same trace and instance. */
  readonly parent: Stretch | undefined;
  /** The nearest enclosing span that ends earlier than this one. */
  readonly outlived: Stretch | undefined;
  /** The nearest enclosing span that ends no earlier than this one. */
  readonly outliving: Stretch | undefined;
  /** The number of enclosing spans. */
  readonly depth: number;
  /** The number of its timeline, from 0. */
  timeline: number;
  /** The nearest enclosing span on another timeline. */
  elsewhere: Stretch | undefined;
}

/** An order: the end of one stretch comes before the start or the end of another. */
export interface StretchOrder {
  readonly end: Stretch;
  readonly before: Stretch;
  readonly at: 'start' | 'end';
}

/**
 * Assigns timelines to the stretches of a trace at one instance. Those of a timeline follow each other or nest: one
 * is nested in an enclosing span that ends no earlier. Each goes to the timeline of the enclosing span if it fits
 * there, else to the first one where it fits. Indistinguishable ones are taken in order.
 *
 * O(n log n), plus the orders and, for each stretch that does not fit on the timeline of the enclosing span, the
 * timelines of the spans around that one.
 *
 * @returns the orders across timelines, without most of those that follow from others: an end comes before every
 * later start, and a nested end before that of its enclosing span. Of n overlapping stretches, there may be n^2 / 8
 * of them of which none follows from others, so they are made one by one
 */
export function placeOnTimelines(stretches: readonly Stretch[]): Iterable<StretchOrder> {
  if (stretches.length < 2) return [];
  const sorted = [...stretches].sort(
    (a, b) => compareIntegers(a.start, b.start) || a.depth - b.depth,
  );
  const ended = sorted.filter(({ end }) => end !== undefined);
  ended.sort((a, b) => compareIntegers(a.end as bigint, b.end as bigint));
  const open = new OpenTimelines();
  let next = 0;
  for (const stretch of sorted) {
    while (next < ended.length && endsBefore(ended[next] as Stretch, stretch.start)) {
      open.close((ended[next++] as Stretch).timeline, stretch.start);
    }
    open.place(stretch);
  }
  if (open.count < 2) return [];
  return ordersOf(sorted, ended);
}

function* ordersOf(sorted: readonly Stretch[], ended: readonly Stretch[]): Generator<StretchOrder> {
  yield* endsBeforeStarts(sorted, ended);
  yield* nestedEnds(sorted);
}

/** For each timeline, the stretches that have not ended, each nested in the one before it. */
class OpenTimelines {
  private readonly stacks: Stretch[][] = [];
  /** Timelines that became empty; some are no longer. */
  private readonly empty = new Heap();

  get count(): number {
    return this.stacks.length;
  }

  /** Closes the stretches of a timeline that ended before a time. */
  close(timeline: number, time: bigint): void {
    const stack = this.stacks[timeline] as Stretch[];
    let last = stack.at(-1);
    if (last === undefined) return;
    while (last !== undefined && endsBefore(last, time)) {
      stack.pop();
      last = stack.at(-1);
    }
    if (last === undefined) this.empty.add(timeline);
  }

  /** Assigns a timeline to a stretch. */
  place(stretch: Stretch): void {
    const { stacks } = this;
    const timeline = this.timelineFor(stretch);
    const stack = stacks[timeline] ?? [];
    if (timeline === stacks.length) stacks.push(stack);
    stack.push(stretch);
    stretch.timeline = timeline;
    const { parent } = stretch;
    stretch.elsewhere = parent?.timeline === timeline ? parent.elsewhere : parent;
  }

  private timelineFor(stretch: Stretch): number {
    const { stacks } = this;
    const own = stretch.parent?.timeline;
    if (own !== undefined && stacks[own]?.length === 0) return own;
    let first = this.firstEmpty();
    for (let outer = stretch.parent; outer !== undefined; ) {
      const { timeline } = outer;
      const isLast = stacks[timeline]?.at(-1) === outer;
      if (isLast && !endsBefore(outer, stretch.end)) {
        if (timeline === own) return own;
        first = Math.min(first, timeline);
      }
      // Enclosing spans on its own timeline are not the last ones there.
      outer = endsBefore(outer, stretch.end) ? outer.outliving : outer.elsewhere;
    }
    return first;
  }

  private firstEmpty(): number {
    const { stacks, empty } = this;
    let first = empty.min;
    while (first !== undefined && stacks[first]?.length !== 0) {
      empty.takeMin();
      first = empty.min;
    }
    return first ?? stacks.length;
  }
}

/** Yields, for each start, the latest ends before it: those with no complete stretch in between. */
function* endsBeforeStarts(
  sorted: readonly Stretch[],
  ended: readonly Stretch[],
): Generator<StretchOrder> {
  let latest: Stretch[] = [];
  let next = 0;
  for (const before of sorted) {
    const first = next;
    let start: bigint | undefined;
    while (next < ended.length && ((ended[next] as Stretch).end as bigint) < before.start) {
      const stretch = ended[next++] as Stretch;
      if (start === undefined || stretch.start > start) start = stretch.start;
      latest.push(stretch);
    }
    if (next > first) latest = latest.filter(({ end }) => (end as bigint) >= (start as bigint));
    for (const end of latest) {
      if (end.timeline !== before.timeline) yield { end, before, at: 'start' };
    }
  }
}

function* nestedEnds(sorted: readonly Stretch[]): Generator<StretchOrder> {
  for (const end of sorted) {
    for (const before of enclosing(end)) {
      if (before.timeline !== end.timeline) yield { end, before, at: 'end' };
    }
  }
}

/** Returns the enclosing spans that end no earlier, without those that end no earlier than a nearer one of them. */
export function enclosing({ end, parent }: Stretch): readonly Stretch[] {
  const result: Stretch[] = [];
  if (end === undefined) return result;
  let last: Stretch | undefined;
  for (let outer = parent; outer !== undefined; ) {
    if (endsBefore(outer, end)) outer = outer.outliving;
    else {
      if (last === undefined || endsBefore(outer, last.end)) {
        last = outer;
        if (outer.end !== undefined) result.push(outer);
      }
      outer = outer.outlived;
    }
  }
  return result;
}

/** Returns a stretch within another, if any, without a timeline. */
export function stretchOf(
  span: Pick<Stretch, 'row' | 'start' | 'end' | 'depth'>,
  parent: Stretch | undefined,
): Stretch {
  let [outlived, outliving] = [parent, parent];
  while (outlived !== undefined && !endsBefore(outlived, span.end)) outlived = outlived.outlived;
  while (outliving !== undefined && endsBefore(outliving, span.end))
    outliving = outliving.outliving;
  return { ...span, parent, outlived, outliving, timeline: 0, elsewhere: undefined };
}

/** True if it ends before another end; a span that was never ended is after any end. */
function endsBefore({ end }: Stretch, other: bigint | undefined): boolean {
  return end !== undefined && (other === undefined || end < other);
}

/** The events of a trace at one instance of a probe; or the instance's logs without a trace. */
export interface SpanGroup {
  /** Indices of texts, as those of timelines are; -1 for none. */
  readonly probe: number;
  readonly instance: number;
  readonly stretches: Stretch[];
  readonly timelines: number[];
}

/** The groups of the spans and logs of a trace, or of all, and the names of their timelines. */
export class SpanGroups {
  readonly #groups = new Map<number, SpanGroup>();

  /** @param trace the index of its name; -1 for none: an instance then has one timeline */
  constructor(
    private readonly traces: Traces,
    private readonly trace = -1,
  ) {}

  /** Returns the group of a row. */
  of(row: number): SpanGroup {
    const { probes, instanceIds } = this.traces;
    const [probe, instance] = [probes.at(row), instanceIds.at(row)];
    const key = probe * 2 ** 26 + instance;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { probe, instance, stretches: [], timelines: [] };
      this.#groups.set(key, group);
    }
    return group;
  }

  /** Assigns a timeline to each stretch of a trace, and yields the orders across timelines. */
  *place(): Generator<StretchOrder> {
    if (this.trace < 0) return;
    for (const { stretches } of this.#groups.values()) yield* placeOnTimelines(stretches);
  }

  /** Gives each stretch a timeline of its own. */
  layApart(): void {
    for (const { stretches } of this.#groups.values()) {
      for (const [number, stretch] of stretches.entries()) stretch.timeline = number;
    }
  }

  /** Returns the index of a timeline's name: its trace, after its instance if the probe has several. */
  timelineOf(group: SpanGroup, number: number): number {
    const existing = group.timelines[number];
    if (existing !== undefined) return existing;
    const { texts } = this.traces.table;
    const instance = this.#instanceOf(group);
    const parts = [instance, texts[this.trace] ?? '', number > 0 ? `#${number + 1}` : ''];
    const name = parts.filter((part) => part !== '').join(' ');
    const isTrace = number === 0 && instance === '';
    const timeline = isTrace ? this.trace : this.traces.table.numberOf(name);
    group.timelines[number] = timeline;
    return timeline;
  }

  /** Returns the clock of a group: its probe, with the instance if the probe has several. */
  clockOf(group: SpanGroup): string {
    const probe = this.traces.table.texts[group.probe] as string;
    const instance = this.#instanceOf(group);
    return instance === '' ? probe : `${probe} ${instance}`;
  }

  /** Returns its instance; '' if it has no name, or is the only one of its probe. */
  #instanceOf({ probe, instance }: SpanGroup): string {
    const { instances, table } = this.traces;
    const hasSeveral = (instances.get(probe)?.size ?? 0) > 1;
    return hasSeveral ? (table.texts[instance] as string) : '';
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
  /** Finds the span with an id; of one shared by two services, the half that received. */
  readonly find: (id: number) => TreeSpan | undefined;
}

/**
 * Returns the spans of a trace, each once, in an order independent of their positions in the file. In spans from
 * Zipkin tracers, a client and a server may share an id: the server's half is the child of the client's, and the
 * parent of the span's children. Older tracers do not mark a shared span.
 */
export function spansOf(traces: Traces, rows: Int32Array): SpansOfTrace {
  const { kinds, ids, ends, senders } = traces;
  const own: number[] = [];
  for (const row of rows) if (isSpan(kinds.at(row))) own.push(row);
  own.sort((a, b) => compareSpans(traces, a, b));
  const each = own.filter(
    (row, at) => at === 0 || compareSpans(traces, own[at - 1] as number, row) !== 0,
  );
  const spans: TreeSpan[] = [];
  let sender: TreeSpan | undefined;
  for (const row of each) {
    // Spans with one id follow each other, senders first.
    if (sender !== undefined && ids.at(sender.row) !== ids.at(row)) sender = undefined;
    const isSender = senders.at(row) === 1;
    const span: TreeSpan = {
      row,
      end: kinds.at(row) === RowKind.openSpan ? undefined : ends.at(row),
      isReceiver: !isSender && sender !== undefined,
      parent: isSender ? undefined : sender,
      depth: UNKNOWN,
      group: undefined,
      stretch: undefined,
    };
    if (isSender) sender ??= span;
    spans.push(span);
  }
  const find = findParents(traces, spans);
  for (const span of spans) setDepth(span);
  return { spans, find };
}

/** Compares the spans of a trace by their content; two of equal content are one. */
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
    compareAllMoments(traces, momentsOf(traces, a), momentsOf(traces, b))
  );
}

/** Returns the rows of the moments within a span, in an order independent of their positions. */
export function momentsOf(traces: Traces, row: number): readonly number[] {
  const { kinds, starts, size } = traces;
  const moments: number[] = [];
  for (let next = row + 1; next < size; next++) {
    const kind = kinds.at(next);
    if (kind === RowKind.within) moments.push(next);
    else if (kind !== RowKind.origin) break;
  }
  return moments.sort(
    (a, b) => compareIntegers(starts.at(a), starts.at(b)) || compareMoments(traces, a, b),
  );
}

function compareAllMoments(traces: Traces, a: readonly number[], b: readonly number[]): number {
  const { starts } = traces;
  for (const [at, row] of a.entries()) {
    const other = b[at];
    if (other === undefined) break;
    const order =
      compareIntegers(starts.at(row), starts.at(other)) || compareMoments(traces, row, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Assigns a parent to each span but the halves that received; returns a function that finds a span by id. */
function findParents({ ids, parents }: Traces, spans: readonly TreeSpan[]) {
  const all = new Map<number, TreeSpan>();
  for (const span of spans) {
    const id = ids.at(span.row);
    if (span.isReceiver ? all.get(id)?.isReceiver !== true : !all.has(id)) all.set(id, span);
  }
  for (const span of spans) {
    const [id, parent] = [ids.at(span.row), parents.at(span.row)];
    if (!span.isReceiver && parent !== id) span.parent = all.get(parent);
  }
  return (id: number) => all.get(id);
}

const UNKNOWN = -1;
const UNDER_WAY = -2;

function setDepth(span: TreeSpan): void {
  const inner: TreeSpan[] = [];
  let at: TreeSpan | undefined = span;
  while (at?.depth === UNKNOWN) {
    at.depth = UNDER_WAY;
    inner.push(at);
    at = at.parent;
  }
  let depth = at === undefined || at.depth === UNDER_WAY ? -1 : at.depth;
  for (const span of inner.reverse()) span.depth = ++depth;
}
