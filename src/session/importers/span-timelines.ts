import { compareCodePoints } from '../../source/index.js';
import type { SessionValue } from '../builder.js';

/** How spans become probes and timelines. */
export interface SpanOptions {
  /** Attributes that name the probe, the first one that a span has; `service.name` where it has none. */
  readonly probe?: readonly string[];
  /**
   * `trace`: cause and effect, and the clock within a trace at one instance, order events. `time`: an
   * instance's events are ordered by its clock.
   */
  readonly order?: (typeof SPAN_ORDERS)[number];
}

export const SPAN_ORDERS = ['trace', 'time'] as const;

/** A span, or an event without one, among those of its trace at one instance, by one clock. */
export interface Stretch {
  readonly start: bigint;
  /** Not before `start`; undefined where it was never ended. */
  readonly end: bigint | undefined;
  /** The nearest span around it, as spans name their parents, that is of the same trace and instance. */
  readonly around: Stretch | undefined;
  /** How many spans lie around it. */
  readonly depth: number;
  /** Where nothing else tells two apart. */
  readonly key: string;
  /** The number of its timeline, from 0. */
  timeline: number;
}

/** What comes before what: the end of one before the start or the end of another. */
export interface StretchOrder {
  readonly end: Stretch;
  readonly before: Stretch;
  readonly at: 'start' | 'end';
}

/**
 * Gives each of the stretches of a trace at one instance a timeline, so that those of a timeline
 * follow each other or nest: one is nested in a span that is around it and ends no earlier.
 *
 * O(stretches * timelines), besides sorting.
 *
 * @returns what is ordered across the timelines, without most of what follows from the rest: an end
 * comes before every start later than it, and a nested end before the end of what it is nested in
 */
export function placeOnTimelines(stretches: readonly Stretch[]): StretchOrder[] {
  const sorted = [...stretches].sort(
    (a, b) =>
      compareTimes(a.start, b.start) || a.depth - b.depth || compareCodePoints(a.key, b.key),
  );
  const open: Stretch[][] = [];
  for (const one of sorted) {
    const own = one.around?.timeline;
    const isFree = own !== undefined && fits(open[own] as Stretch[], one);
    const free = isFree ? own : open.findIndex((stack) => fits(stack, one));
    one.timeline = free < 0 ? open.length : free;
    if (free < 0) open.push([one]);
    else open[free]?.push(one);
  }
  if (open.length < 2) return [];
  return [...endsBeforeStarts(sorted), ...nestedEnds(sorted)];
}

/** Whether it follows, or is nested in, all that a timeline holds; what has ended is forgotten. */
function fits(stack: Stretch[], one: Stretch): boolean {
  for (let last = stack.at(-1); last !== undefined; last = stack.at(-1)) {
    if (last.end === undefined || last.end >= one.start) return isNested(one, last);
    stack.pop();
  }
  return true;
}

function isNested(one: Stretch, outer: Stretch): boolean {
  if (outer.end !== undefined && (one.end === undefined || one.end > outer.end)) return false;
  let around = one.around;
  while (around !== undefined && around !== outer) around = around.around;
  return around === outer;
}

/** For each start the latest ends before it: those that no other stretch follows before it. */
function endsBeforeStarts(sorted: readonly Stretch[]): StretchOrder[] {
  const ended = sorted.filter(({ end }) => end !== undefined);
  ended.sort((a, b) => compareTimes(a.end as bigint, b.end as bigint));
  const orders: StretchOrder[] = [];
  let latest: Stretch[] = [];
  let next = 0;
  for (const before of sorted) {
    const known = next;
    let start: bigint | undefined;
    while (next < ended.length && ((ended[next] as Stretch).end as bigint) < before.start) {
      const one = ended[next++] as Stretch;
      if (start === undefined || one.start > start) start = one.start;
      latest.push(one);
    }
    if (next > known) latest = latest.filter(({ end }) => (end as bigint) >= (start as bigint));
    for (const end of latest) {
      if (end.timeline !== before.timeline) orders.push({ end, before, at: 'start' });
    }
  }
  return orders;
}

function nestedEnds(sorted: readonly Stretch[]): StretchOrder[] {
  return sorted.flatMap((end): StretchOrder[] => {
    const own = end.end;
    let before = own === undefined ? undefined : end.around;
    while (before !== undefined && !(before.end !== undefined && before.end >= (own as bigint))) {
      before = before.around;
    }
    const isNew = before !== undefined && before.timeline !== end.timeline;
    return isNew ? [{ end, before: before as Stretch, at: 'end' }] : [];
  });
}

export function compareTimes(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The instances of each probe; '' for what names none. */
export type Instances = Map<string, Set<string>>;

/** What a trace did at one instance of a probe; or the instance's logs of no trace. */
export interface SpanGroup {
  readonly probe: string;
  readonly instance: string;
  readonly trace: string | undefined;
  readonly stretches: Stretch[];
}

/** The groups of the spans and logs of a trace, and how their timelines are called. */
export class SpanGroups {
  readonly #options: SpanOptions;
  readonly #instances: Instances;
  readonly #groups = new Map<string, SpanGroup>();

  constructor(options: SpanOptions, instances: Instances) {
    this.#options = options;
    this.#instances = instances;
  }

  /** A group; with the order of time, an instance has one. */
  of(probe: string, instance: string, trace: string | undefined): SpanGroup {
    const own = this.#options.order === 'time' ? undefined : trace;
    const key = JSON.stringify([probe, instance, own]);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = { probe, instance, trace: own, stretches: [] };
    this.#groups.set(key, group);
    return group;
  }

  /** Gives each stretch of a trace its timeline, and says what is ordered across them. */
  place(): StretchOrder[] {
    return [...this.#groups.values()].flatMap(({ trace, stretches }) =>
      trace === undefined ? [] : placeOnTimelines(stretches),
    );
  }

  /** The name of a timeline: its trace, behind its instance where the probe has several. */
  timelineOf({ probe, instance, trace }: SpanGroup, number: number): string | undefined {
    const hasSeveral = (this.#instances.get(probe)?.size ?? 0) > 1;
    const parts = [hasSeveral ? instance : '', trace ?? '', number > 0 ? `#${number + 1}` : ''];
    return parts.filter((part) => part !== '').join(' ') || undefined;
  }

  /** The clock of a group: its probe, with the instance where the probe has several. */
  clockOf({ probe, instance }: SpanGroup): string {
    const hasSeveral = (this.#instances.get(probe)?.size ?? 0) > 1;
    return hasSeveral && instance !== '' ? `${probe} ${instance}` : probe;
  }
}

type Attributes = ReadonlyMap<string, SessionValue>;

/** An attribute that is a text, of a span or of its resource. */
export function attributeText(
  { attributes, origin }: { readonly attributes: Attributes; readonly origin?: Attributes },
  name: string,
): string | undefined {
  for (const prefix of ['', 'resource.', 'process.']) {
    const value = attributes.get(prefix + name) ?? origin?.get(prefix + name);
    if (value !== undefined) return typeof value === 'string' && value !== '' ? value : undefined;
  }
  return undefined;
}
