import { compareCodePoints } from '../../source/index.js';
import { type SessionValue, setValue } from '../builder.js';
import { assemble } from '../columns/assemble.js';
import { EventTable } from '../columns/event-table.js';
import type { Problems } from '../problem.js';
import type { Session } from '../session.js';
import { ImportedAttributes } from './json-access.js';

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
  /**
   * Distinguishes the halves of a span that two services share. `receiver` is the later half,
   * and the parent of the span's children.
   */
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
  /** Those of no span. */
  readonly moments: Moment[] = [];
  readonly problems: Problems;

  constructor(problems: Problems) {
    this.problems = problems;
  }
}

/** What the events of a span, and those within it, say of it. */
export function spanAttributes({ trace, id }: SpanKey, name: string): ImportedAttributes {
  return new ImportedAttributes().add('trace.id', trace).add('span.id', id).add('span.name', name);
}

const START = 0;
const MOMENT = 1;
const END = 2;

interface Entry {
  readonly what: TraceSpan | Moment;
  readonly phase: typeof START | typeof MOMENT | typeof END;
  readonly time: bigint;
  /** Among entries of one time: outer spans start first and end last. */
  readonly rank: number;
  /** Where nothing else tells two entries apart. */
  readonly key: string;
}

/**
 * The session of traces. Each span is two events at its service, named after it: one with
 * `span.start = true` and one with `span.end = true`. Within a service events are ordered by
 * time; at one time starts come first and ends last, outer spans around inner ones. Across
 * services,
 *
 * - the start of a parent comes before the start of its child, and that of a linked span before
 *   that of the span with the link;
 * - the end of a child comes before the end of its parent where it ends no later, and where no
 *   cycle comes of it: clocks of services differ.
 *
 * A parent or a linked span that the file does not hold orders nothing. A span that occurs twice,
 * as exporters send one again, counts once.
 */
export function orderSpans(traces: Traces): Session {
  const keys = new Map(traces.spans.map((span) => [span, keyOf(span)]));
  const spans = [...new Map([...keys].map(([span, key]) => [key, span]))]
    // So that nothing depends on where a span stands in its file.
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([, span]) => span);
  traces.problems.merged += traces.spans.length - spans.length;
  const find = finder(spans, 'receiver');
  const findSender = finder(spans.filter(({ half }) => half === undefined));
  const parents = new Map<TraceSpan, TraceSpan | undefined>(
    spans.map((span) => [span, parentOf(span, find, findSender)]),
  );
  const depths = depthsOf(spans, parents);
  const entries: Entry[] = [];
  for (const span of spans) {
    const depth = depths.get(span) as number;
    const key = keys.get(span) as string;
    entries.push({ what: span, phase: START, time: span.start, rank: depth, key });
    if (span.end !== undefined) {
      entries.push({ what: span, phase: END, time: span.end, rank: -depth, key });
    }
  }
  for (const moment of [...traces.moments, ...spans.flatMap(({ moments }) => moments)]) {
    const key = keyOfMoment(moment);
    entries.push({ what: moment, phase: MOMENT, time: moment.time, rank: 0, key });
  }
  entries.sort(compare);
  const table = new EventTable();
  const starts = new Map<TraceSpan | Moment, number>();
  const ends = new Map<TraceSpan | Moment, number>();
  for (const { what, phase, time } of entries) {
    const event = addEvent(table, what, phase, time);
    (phase === END ? ends : starts).set(what, event);
  }
  const order = (from: number | undefined, to: number | undefined) => {
    if (from !== undefined && to !== undefined) table.addInteraction(from, to, 0);
  };
  for (const span of spans) {
    const before = [parents.get(span), ...span.links.map((link) => find(link))];
    for (const other of new Set(before)) {
      if (other !== undefined && other.service !== span.service) {
        order(starts.get(other), starts.get(span));
      }
    }
  }
  const optionalFrom = table.interactions.length;
  for (const span of spans) {
    const parent = parents.get(span);
    if (parent === undefined || parent.service === span.service) continue;
    if (span.end === undefined || parent.end === undefined || span.end > parent.end) continue;
    order(ends.get(span), ends.get(parent));
  }
  return assemble(table, traces.problems, { optionalFrom, release: true });
}

function compare(a: Entry, b: Entry): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return a.phase - b.phase || a.rank - b.rank || compareCodePoints(a.key, b.key);
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
  what: TraceSpan | Moment,
  phase: Entry['phase'],
  time: bigint,
): number {
  const event = table.addEvent(what.service, what.name, 0);
  table.time.addInteger(event, time);
  const set = (name: string, value: SessionValue) => setValue(table, name, event, value);
  if ('id' in what) {
    set(phase === START ? 'span.start' : 'span.end', true);
    if (phase === END) set('span.duration', time - what.start);
  }
  for (const [name, value] of what.attributes) set(name, value);
  return event;
}
