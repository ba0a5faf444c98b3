import { compareCodePoints } from '../../source/index.js';
import { defined } from '../../values/index.js';
import { type SessionValue, setValue } from '../builder.js';
import { assemble } from '../columns/assemble.js';
import { EventTable } from '../columns/event-table.js';
import type { Problems } from '../problem.js';
import type { Session } from '../session.js';
import { ImportedAttributes } from './json-access.js';
import {
  attributeText,
  compareTimes,
  type SpanGroup,
  SpanGroups,
  type SpanOptions,
  type Stretch,
} from './span-timelines.js';

/** What traces are made of, whatever format they come in. */
export interface TraceSpan {
  readonly service: string;
  readonly trace: string;
  readonly id: string;
  readonly name: string;
  /** Nanoseconds. */
  readonly start: bigint;
  /** Undefined where the span was never ended. */
  readonly end: bigint | undefined;
  readonly parent: SpanKey | undefined;
  /** Spans that this one follows without being a part of them. */
  readonly links: readonly SpanKey[];
  /** Of both its events. */
  readonly attributes: ImportedAttributes;
  /** What happened within it. */
  readonly moments: readonly Moment[];
  /** Set by `orderSpans`, which tells the halves of a span that two services share. */
  readonly half?: 'receiver';
}

export interface SpanKey {
  readonly trace: string;
  readonly id: string;
}

/** Something that happened at one moment: an event of a span, a log record. */
export interface Moment {
  readonly service: string;
  readonly name: string;
  readonly time: bigint;
  readonly attributes: ImportedAttributes;
}

/** What a file of traces holds. */
export class Traces {
  readonly spans: TraceSpan[] = [];
  /** Those of no span, and logs. */
  readonly moments: Moment[] = [];
  /** Reports of a span that do not say when it was, and what is wrong if no other report does. */
  readonly untimed: (SpanKey & { readonly file: string | undefined; readonly message: string })[] =
    [];
  readonly problems: Problems;
  readonly options: SpanOptions;

  constructor(problems: Problems, options: SpanOptions = {}) {
    this.problems = problems;
    this.options = options;
  }
}

/** What the events of a span, and those within it, say of it. */
export function spanAttributes({ trace, id }: SpanKey, name: string): ImportedAttributes {
  return new ImportedAttributes().add('trace.id', trace).add('span.id', id).add('span.name', name);
}

const START = 0;
const MOMENT = 1;
const END = 2;

/** A span or a moment in its place. */
interface Placed {
  readonly what: TraceSpan | Moment;
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
 * as exporters send one again, counts once, and so does one of which another report lacks the time. Logs without a trace are on the timeline of their instance.
 *
 * @param table to which its events are added
 */
export function orderSpans(traces: Traces, table = new EventTable()): Session {
  const keys = new Map(shareSpans(traces.spans).map((span) => [span, keyOf(span)]));
  const spans = [...new Map([...keys].map(([span, key]) => [key, span]))]
    // So that nothing depends on where a span stands in its file.
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([, span]) => span);
  traces.problems.merged += traces.spans.length - spans.length;
  const find = finder(spans, 'receiver');
  for (const { file, message, ...key } of traces.untimed) {
    if (find(key) !== undefined) traces.problems.merged++;
    else traces.problems.add('record', { ...defined({ file }), message });
  }
  const findSender = finder(spans.filter(({ half }) => half === undefined));
  const parents = new Map<TraceSpan, TraceSpan | undefined>(
    spans.map((span) => [span, parentOf(span, find, findSender)]),
  );
  const depths = depthsOf(spans, parents);
  const groups = new SpanGroups(traces.options);
  const isByTime = traces.options.order === 'time';
  const placed = new Map<TraceSpan, Placed>();
  const entries: Entry[] = [];

  /** Puts a moment on the timeline of its span, or on its own where it is later than that. */
  const placeMoment = (moment: Moment, span: Placed | undefined): void => {
    const key = keyOfMoment(moment);
    const group = span?.group ?? groups.of(moment, attributeText(moment, 'trace.id'));
    const around = isByTime ? undefined : span?.stretch;
    const time = around === undefined ? moment.time : later(moment.time, around.start);
    const isWithin = around !== undefined && (around.end === undefined || time <= around.end);
    const own = { start: time, end: time, around: undefined, depth: 0, key, timeline: 0 };
    const stretch = isWithin ? around : own;
    if (!isWithin) group.stretches.push(stretch);
    entries.push({ what: moment, group, stretch, phase: MOMENT, time, rank: 0, key });
  };

  const depthOf = (span: TraceSpan) => depths.get(span) as number;
  for (const span of spans.toSorted((a, b) => depthOf(a) - depthOf(b))) {
    const group = groups.of(span, span.trace);
    let outer = parents.get(span);
    while (outer !== undefined && placed.get(outer)?.group !== group) {
      const next = parents.get(outer);
      outer = next !== undefined && depthOf(next) < depthOf(outer) ? next : undefined;
    }
    const around = isByTime || outer === undefined ? undefined : placed.get(outer)?.stretch;
    const start = around === undefined ? span.start : later(span.start, around.start);
    const end = span.end === undefined ? undefined : later(span.end, start);
    const [depth, key] = [depthOf(span), keys.get(span) as string];
    const own = { what: span, group, stretch: { start, end, around, depth, key, timeline: 0 } };
    group.stretches.push(own.stretch);
    placed.set(span, own);
    entries.push({ ...own, phase: START, time: start, rank: depth, key });
    if (end !== undefined) entries.push({ ...own, phase: END, time: end, rank: -depth, key });
    for (const moment of span.moments) placeMoment(moment, own);
  }
  for (const moment of traces.moments) {
    const [trace, id] = [attributeText(moment, 'trace.id'), attributeText(moment, 'span.id')];
    const span = trace === undefined || id === undefined ? undefined : find({ trace, id });
    const own = span === undefined ? undefined : placed.get(span);
    placeMoment(moment, own?.group === groups.of(moment, trace) ? own : undefined);
  }

  const within = groups.place();
  entries.sort(compare);
  const firsts = new Map<Stretch, number>();
  const lasts = new Map<Stretch, number>();
  for (const entry of entries) {
    const { stretch, phase } = entry;
    const event = addEvent(table, entry, groups.timelineOf(entry.group, stretch.timeline));
    if (!firsts.has(stretch)) firsts.set(stretch, event);
    // A moment is the last event of a stretch that is its own.
    if (phase === END || (phase === MOMENT && firsts.get(stretch) === event)) {
      lasts.set(stretch, event);
    }
  }
  const order = (from: number | undefined, to: number | undefined) => {
    if (from !== undefined && to !== undefined) table.addInteraction(from, to, 0);
  };
  for (const span of spans) {
    const before = [parents.get(span), ...span.links.map((link) => find(link))];
    const own = placed.get(span) as Placed;
    for (const other of new Set(before)) {
      if (other === undefined || isOnTimelineOf(placed.get(other) as Placed, own)) continue;
      order(firsts.get((placed.get(other) as Placed).stretch), firsts.get(own.stretch));
    }
  }
  const optionalFrom = table.interactions.length;
  for (const { end, before, at } of within) {
    order(lasts.get(end), (at === 'start' ? firsts : lasts).get(before));
  }
  const returnsFrom = table.interactions.length;
  const returns: [Placed, Placed][] = [];
  for (const span of spans) {
    const parent = parents.get(span);
    if (parent?.end === undefined || span.end === undefined || span.end > parent.end) continue;
    const [from, to] = [placed.get(span) as Placed, placed.get(parent) as Placed];
    if (from.group === to.group) continue;
    order(lasts.get(from.stretch), lasts.get(to.stretch));
    returns.push([from, to]);
  }
  const onDropped = (interaction: number) => {
    const [from, to] = returns[interaction - returnsFrom] ?? [];
    if (from === undefined || to === undefined) return;
    const [child, parent] = [from.what as TraceSpan, to.what as TraceSpan];
    const offset = (parent.end as bigint) - (child.end as bigint) + 1n;
    traces.problems.disagree(groups.clockOf(from.group), groups.clockOf(to.group), offset);
  };
  return assemble(table, traces.problems, { optionalFrom, onDropped, release: true });
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function isOnTimelineOf(a: Placed, b: Placed): boolean {
  return a.group === b.group && a.stretch.timeline === b.stretch.timeline;
}

function compare(a: Entry, b: Entry): number {
  return (
    compareTimes(a.time, b.time) ||
    a.phase - b.phase ||
    a.rank - b.rank ||
    compareCodePoints(a.key, b.key)
  );
}

function keyOf(span: TraceSpan): string {
  const { service, trace, id, half = '', name, start, end = '', attributes, moments } = span;
  const within = moments.map((moment) => `${moment.time} ${keyOfMoment(moment)}`).sort();
  return [trace, id, half, name, start, end, service, print(attributes), ...within].join('\0');
}

function keyOfMoment({ name, attributes }: Moment): string {
  return [name, print(attributes)].join('\0');
}

function print(attributes: ReadonlyMap<string, SessionValue>): string {
  const values = [...attributes].map(([name, value]) => {
    const text = typeof value === 'object' ? `${value.type} ${String(value.value)}` : String(value);
    return `${name}=${typeof value} ${text}`;
  });
  return values.sort().join('\0');
}

/**
 * Spans as tracers of Zipkin report them, where a client and a server share an id: the half of the
 * server is the child of the client's, and the parent of the span's children. Older tracers do not say
 * that a span is shared.
 */
function shareSpans(spans: readonly TraceSpan[]): readonly TraceSpan[] {
  const isSender = ({ attributes }: TraceSpan) =>
    ['client', 'producer'].includes(String(attributes.get('span.kind')));
  const shared = new Set(spans.filter(isSender).map(({ trace, id }) => `${trace}\0${id}`));
  return spans.map((span) => {
    const { trace, id } = span;
    if (isSender(span) || !shared.has(`${trace}\0${id}`)) return span;
    return { ...span, half: 'receiver', parent: { trace, id } };
  });
}

type Find = (key: { readonly trace: string; readonly id: string }) => TraceSpan | undefined;

/** Finds a span by its key; of one that two services share, the half that received. */
function finder(spans: readonly TraceSpan[], half?: TraceSpan['half']): Find {
  const byKey = new Map<string, TraceSpan>();
  for (const span of spans) {
    const key = `${span.trace}\0${span.id}`;
    if (!byKey.has(key) || (half !== undefined && span.half === half)) byKey.set(key, span);
  }
  return ({ trace, id }) => byKey.get(`${trace}\0${id}`);
}

/** The parent of a span; that of the half that received is the half that sent. */
function parentOf(span: TraceSpan, find: Find, findSender: Find): TraceSpan | undefined {
  if (span.parent === undefined) return undefined;
  const parent = (span.half === 'receiver' ? findSender : find)(span.parent);
  return parent === span ? undefined : parent;
}

/** How many spans lie around each; those in a cycle of parents have none. */
function depthsOf(
  spans: readonly TraceSpan[],
  parents: ReadonlyMap<TraceSpan, TraceSpan | undefined>,
): ReadonlyMap<TraceSpan, number> {
  const depths = new Map<TraceSpan, number>();
  for (const span of spans) {
    const way: TraceSpan[] = [];
    const seen = new Set<TraceSpan>();
    let at: TraceSpan | undefined = span;
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
  table: EventTable,
  { what, group, phase }: Entry,
  timeline: string | undefined,
): number {
  const event = table.addEvent(group.probe, what.name, 0, timeline);
  const isSpan = 'id' in what;
  const time = !isSpan ? what.time : phase === START ? what.start : (what.end as bigint);
  table.time.addInteger(event, time);
  const set = (name: string, value: SessionValue) => setValue(table, name, event, value);
  if (isSpan) {
    set(phase === START ? 'span.start' : 'span.end', true);
    if (phase === END) set('span.duration', time - what.start);
  }
  for (const [name, value] of what.attributes) set(name, value);
  return event;
}
