import type { Traces } from './traces.js';

/** A span, or an event without one, among those of its trace at one instance, by one clock. */
export interface Stretch {
  readonly row: number;
  readonly start: bigint;
  /** Not before `start`; undefined where it was never ended. */
  readonly end: bigint | undefined;
  /** The nearest span around it, as spans name their parents, that is of the same trace and instance. */
  readonly around: Stretch | undefined;
  /** How many spans lie around it. */
  readonly depth: number;
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
 * follow each other or nest: one is nested in a span that is around it and ends no earlier. Those that
 * nothing tells apart are taken as they come.
 *
 * O(stretches * timelines), besides sorting.
 *
 * @returns what is ordered across the timelines, without most of what follows from the rest: an end
 * comes before every start later than it, and a nested end before the end of what it is nested in
 */
export function placeOnTimelines(stretches: readonly Stretch[]): StretchOrder[] {
  const sorted = [...stretches].sort((a, b) => compareTimes(a.start, b.start) || a.depth - b.depth);
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

/** What a trace did at one instance of a probe; or the instance's logs of no trace. */
export interface SpanGroup {
  /** Numbers of texts, as those of timelines are; -1 for the one without a name. */
  readonly probe: number;
  readonly instance: number;
  readonly stretches: Stretch[];
  readonly timelines: number[];
}

/** The groups of the spans and logs of a trace, or of all, and how their timelines are called. */
export class SpanGroups {
  readonly #traces: Traces;
  /** The number of its name; -1 for none, where an instance has one timeline. */
  readonly #trace: number;
  readonly #groups = new Map<number, SpanGroup>();

  constructor(traces: Traces, trace = -1) {
    this.#traces = traces;
    this.#trace = trace;
  }

  /** The group that a row belongs to. */
  of(row: number): SpanGroup {
    const { probes, instanceIds } = this.#traces;
    const [probe, instance] = [probes.at(row), instanceIds.at(row)];
    const key = probe * 2 ** 26 + instance;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { probe, instance, stretches: [], timelines: [] };
      this.#groups.set(key, group);
    }
    return group;
  }

  /** Gives each stretch of a trace its timeline, and says what is ordered across them. */
  place(): StretchOrder[] {
    if (this.#trace < 0) return [];
    return [...this.#groups.values()].flatMap(({ stretches }) => placeOnTimelines(stretches));
  }

  /** The number of the name of a timeline: its trace, behind its instance where the probe has several. */
  timelineOf(group: SpanGroup, number: number): number {
    const known = group.timelines[number];
    if (known !== undefined) return known;
    const { texts } = this.#traces.table;
    const trace = texts[this.#trace] ?? '';
    const parts = [this.#instanceOf(group), trace, number > 0 ? `#${number + 1}` : ''];
    const name = parts.filter((part) => part !== '').join(' ');
    const timeline = name === '' ? -1 : this.#traces.table.numberOf(name);
    group.timelines[number] = timeline;
    return timeline;
  }

  /** The clock of a group: its probe, with the instance where the probe has several. */
  clockOf(group: SpanGroup): string {
    const probe = this.#traces.table.texts[group.probe] as string;
    const instance = this.#instanceOf(group);
    return instance === '' ? probe : `${probe} ${instance}`;
  }

  /** Its instance; '' where it has no name, or is the only one of its probe. */
  #instanceOf({ probe, instance }: SpanGroup): string {
    const { instances, table } = this.#traces;
    const hasSeveral = (instances.get(probe)?.size ?? 0) > 1;
    return hasSeveral ? (table.texts[instance] as string) : '';
  }
}
