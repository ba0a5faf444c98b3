import { quote } from '../../diagnostics/index.js';
import { type Json, type JsonObject, pushTo } from '../../values/index.js';
import { setValue } from '../builder.js';
import { compareIntegers } from '../columns/column.js';
import type { EventTable } from '../columns/event-table.js';
import { JsonDocuments } from '../lines.js';
import type { Problems } from '../problem.js';
import {
  ImportedAttributes,
  itemsOf,
  jsonText,
  membersOf,
  microsecondsFrom,
} from './json-access.js';
import { wordOfJson } from './mapping.js';

interface Thread {
  readonly pid: string;
  readonly tid: string;
  readonly points: Point[];
  /** Starts and ends of slices recorded as two events. */
  readonly halves: Point[];
}

/** An event to add, on its thread. */
interface Point {
  readonly thread: Thread;
  readonly json: JsonObject;
  readonly part: 'start' | 'end' | 'moment';
  /** The time in nanoseconds. */
  readonly time: bigint;
  /** The order of points at the same time. */
  rank: (typeof RANK)[keyof typeof RANK];
  /** The order of points with the same time and rank. Longer slices start first and end last. */
  readonly tie: bigint;
  /** The order in the file. */
  fileOrder: number;
  name: string | undefined;
  /** For an end, the slice's duration and start event. */
  duration?: bigint;
  startJson?: JsonObject;
  /** The event's index in the table, once added. */
  event?: number;
}

/** Ranks of points at the same time. An end comes before a start, unless the end's slice has no duration. */
const RANK = { end: 0, arrival: 1, start: 2, moment: 3, endAtOnce: 4 } as const;

const FLOWS = ['s', 't', 'f'];
const ASYNC_STARTS = ['b', 'S'];
const ASYNC_ENDS = ['e', 'F'];
const ASYNC = [...ASYNC_STARTS, ...ASYNC_ENDS, 'n', 'T', 'p'];
const MOMENTS = ['i', 'I', 'R', 'C', ...ASYNC, ...FLOWS];
/** Phases of events that are not actions of the system: samples, objects, memory dumps, clocks, contexts and links. */
const IGNORED_PHASES = ['P', 'N', 'O', 'D', 'v', 'V', 'c', '(', ')', '='];

/**
 * Reads Chrome's trace event format from a stream: an array of events, or an object with such an array. The array may
 * lack its end, because its writer may be killed at any time.
 *
 * Each process is a probe, and each thread is a timeline in clock order. A slice (`B` and `E`, or `X`) becomes two
 * events, like a span. Instants, counters, flows and the parts of asynchronous operations become one event each.
 * Interactions lead from a flow's start through its steps to its end, and from each part of an asynchronous operation
 * to the next.
 */
export class ChromeReader extends JsonDocuments {
  private readonly threads = new Map<string, Thread>();
  private readonly processNames = new Map<string, string>();
  private readonly threadNames = new Map<string, string>();
  private readonly flows = new Map<string, Point[]>();
  private readonly operations = new Map<string, Point[]>();
  private eventCount = 0;

  /**
   * @param probe the probe of events that name no process
   * @param table receives the events
   */
  constructor(
    private readonly probe: string,
    private readonly table: EventTable,
    problems: Problems,
  ) {
    const readDocument = (document: Json) => {
      const { traceEvents } = membersOf(document);
      for (const event of itemsOf(traceEvents ?? document)) this.takeEvent(membersOf(event));
    };
    super(readDocument, problems, true);
  }

  /** Collects an event of the file. Events may be in any order. */
  private takeEvent(json: JsonObject): void {
    const phase = jsonText(json['ph']) ?? '';
    if (IGNORED_PHASES.includes(phase)) return;
    const [pid, tid] = [wordOfJson(json['pid']) ?? '', wordOfJson(json['tid']) ?? ''];
    const key = JSON.stringify([pid, tid]);
    if (phase === 'M') {
      const name = wordOfJson(membersOf(json['args'])['name']) || undefined;
      if (json['name'] === 'process_name' && name) this.processNames.set(pid, name);
      if (json['name'] === 'thread_name' && name) this.threadNames.set(key, name);
      return;
    }
    const time = microsecondsFrom(json['ts']);
    const isSlice = ['B', 'E', 'X'].includes(phase);
    if (time === undefined || !(isSlice || MOMENTS.includes(phase))) {
      const name = quote(jsonText(json['name']) ?? '');
      const reason =
        time === undefined ? 'lacks a "ts"' : `has the unsupported phase ${quote(phase)}`;
      this.problems.add('record', { message: `the event ${name} ${reason}, so it cannot be read` });
      return;
    }
    const thread = this.threads.get(key) ?? { pid, tid, points: [], halves: [] };
    this.threads.set(key, thread);
    const name = jsonText(json['name']);
    const fileOrder = this.eventCount++;
    const fields = { thread, json, name, time, fileOrder, tie: 0n };
    if (phase === 'X') {
      const duration = microsecondsFrom(json['dur']);
      this.addSlice(
        fields,
        duration === undefined ? undefined : { ...fields, time: time + duration },
      );
    } else if (isSlice) {
      thread.halves.push({ ...fields, part: phase === 'B' ? 'start' : 'end', rank: RANK.moment });
    } else {
      // A flow ends at the next slice, unless the event specifies the enclosing slice.
      const isArrival = phase === 'f' && json['bp'] !== 'e';
      const rank = isArrival ? RANK.arrival : RANK.moment;
      const point: Point = { ...fields, part: phasePart(phase), rank };
      thread.points.push(point);
      if (FLOWS.includes(phase)) pushTo(this.flows, flowKey(json), point);
      if (ASYNC.includes(phase)) pushTo(this.operations, operationKey(json), point);
    }
  }

  /** Adds the events to the table, and interactions across threads. */
  override finish(): void {
    super.finish();
    for (const thread of this.threads.values()) this.pairHalves(thread);
    for (const points of this.operations.values()) pairOperation(points.sort(comparePoints));
    for (const points of this.flows.values()) orderFlow(points.sort(comparePoints));
    const threadsByProbe = new Map<string, Thread[]>();
    for (const thread of this.threads.values()) {
      pushTo(threadsByProbe, this.probeOf(thread), thread);
    }
    for (const [probe, threads] of threadsByProbe) {
      const timelineNameOf = this.timelineNames(threads);
      for (const thread of threads) this.addThread(thread, probe, timelineNameOf(thread));
    }
    for (const points of this.operations.values()) {
      for (const [at, point] of points.entries()) this.order(points[at - 1], point);
    }
    for (const points of this.flows.values()) {
      let from: Point | undefined;
      for (const point of points) {
        const [isArrival, isDeparture] = directionsOf(point);
        if (isArrival) this.order(from, point);
        if (isDeparture) from = point;
        else if (point.json['ph'] === 'f') from = undefined;
      }
    }
  }

  private addSlice(start: SliceEnd, end: SliceEnd | undefined): void {
    const { thread, json, time, fileOrder } = start;
    const [isAtOnce, endTime] = [end?.time === time, end === undefined ? NEVER : end.time];
    const point: Point = { ...start, part: 'start', rank: RANK.start, tie: -endTime };
    thread.points.push(point);
    const isFlow = json['flow_in'] === true || json['flow_out'] === true;
    if (isFlow) pushTo(this.flows, flowKey(json), point);
    if (end === undefined) return;
    const rank = isAtOnce ? RANK.endAtOnce : RANK.end;
    const endFields = { name: end.name ?? start.name, duration: end.time - time, startJson: json };
    thread.points.push({
      ...end,
      ...endFields,
      part: 'end',
      rank,
      tie: -time,
      fileOrder: -fileOrder,
    });
  }

  /** Pairs starts and ends into slices. The last slice to start is the first to end. */
  private pairHalves({ halves, points }: Thread): void {
    const openStarts: Point[] = [];
    for (const sliceEnd of halves.sort(comparePoints)) {
      if (sliceEnd.part === 'start') openStarts.push(sliceEnd);
      else {
        const start = openStarts.pop();
        if (start !== undefined) this.addSlice(start, sliceEnd);
        // The slice began before the recording.
        else points.push({ ...sliceEnd, rank: RANK.end, tie: NEVER });
      }
    }
    for (const start of openStarts) this.addSlice(start, undefined);
  }

  private probeOf({ pid }: Thread): string {
    return this.processNames.get(pid) ?? (pid === '' ? this.probe : `process ${pid}`);
  }

  /**
   * Returns a function that names the timelines of a probe's threads. A timeline has the thread's name, and the
   * thread's id if the name is missing or not unique in the process. The process id comes first if the probe has
   * several processes.
   */
  private timelineNames(threads: readonly Thread[]): (thread: Thread) => string | undefined {
    const nameOf = ({ pid, tid }: Thread) => this.threadNames.get(JSON.stringify([pid, tid]));
    const keyOf = (thread: Thread) => JSON.stringify([thread.pid, nameOf(thread)]);
    const sharers = new Map<string, number>();
    for (const thread of threads) sharers.set(keyOf(thread), (sharers.get(keyOf(thread)) ?? 0) + 1);
    const hasSeveralProcesses = threads.some(({ pid }) => pid !== threads[0]?.pid);
    return (thread) => {
      const name = nameOf(thread);
      const isUnique = name !== undefined && sharers.get(keyOf(thread)) === 1;
      const parts = [hasSeveralProcesses ? thread.pid : '', name ?? '', isUnique ? '' : thread.tid];
      return parts.filter((part) => part !== '').join(' ') || undefined;
    };
  }

  private addThread({ points }: Thread, probe: string, timeline: string | undefined): void {
    for (const point of points.sort(comparePoints)) {
      const { table } = this;
      const event = table.addEvent(probe, point.name ?? 'event', 0, timeline);
      table.time.addInteger(event, point.time);
      for (const [name, value] of attributesOf(point)) setValue(table, name, event, value);
      if (point.part !== 'moment') setValue(table, `span.${point.part}`, event, true);
      if (point.duration !== undefined) {
        setValue(table, 'span.duration', event, point.duration);
      }
      point.event = event;
    }
  }

  private order(from: Point | undefined, to: Point): void {
    if (from?.event === undefined || to.event === undefined || from.thread === to.thread) return;
    // All interactions follow one total order of points, so there are no cycles.
    if (comparePoints(from, to) < 0) this.table.addInteraction(from.event, to.event, 0);
  }
}

type SliceEnd = Omit<Point, 'part' | 'rank'>;

const NEVER = 2n ** 64n;

function comparePoints(a: Point, b: Point): number {
  return (
    compareIntegers(a.time, b.time) ||
    a.rank - b.rank ||
    compareIntegers(a.tie, b.tie) ||
    a.fileOrder - b.fileOrder
  );
}

function phasePart(phase: string): Point['part'] {
  if (ASYNC_STARTS.includes(phase)) return 'start';
  return ASYNC_ENDS.includes(phase) ? 'end' : 'moment';
}

/** Returns the key that all events and slices of a flow share. */
function flowKey({ bind_id, cat, name, id }: JsonObject): string {
  const key = bind_id === undefined ? [cat, name, id] : [bind_id];
  return JSON.stringify(key.map((part) => wordOfJson(part)));
}

/** Returns the key that all parts of an asynchronous operation share. Includes the process for a process-local id. */
function operationKey({ cat, scope, id, id2, pid }: JsonObject): string {
  const { local: localId, global: globalId } = membersOf(id2);
  const parts = [cat, scope, id ?? globalId ?? localId, localId === undefined ? undefined : pid];
  return JSON.stringify(parts.map((part) => wordOfJson(part)));
}

/** Returns a flow's directions at a point: arrival, departure or both. */
function directionsOf({ json }: Point): readonly [arrives: boolean, departs: boolean] {
  const { ph, flow_in, flow_out } = json;
  return [
    ph === 't' || ph === 'f' || flow_in === true,
    ph === 's' || ph === 't' || flow_out === true,
  ];
}

/** Moves each arrival after its flow's first departure if both have the same time. */
function orderFlow(points: Point[]): void {
  let [earlyArrivals, isOpen]: [Point[], boolean] = [[], false];
  let hasMoved = false;
  const isStep = (point: Point | undefined) => point?.json['ph'] === 't';
  for (const [index, point] of points.entries()) {
    const { ph } = point.json;
    const [isArrival, isDeparture] = directionsOf(point);
    if (ph === 's') {
      const arrivals = earlyArrivals.filter(({ time }) => time === point.time);
      const ends = arrivals.filter((arrival) => !isStep(arrival));
      let lastStep = index;
      while (isStep(points[lastStep + 1]) && points[lastStep + 1]?.time === point.time) lastStep++;
      const steps = arrivals.filter(isStep);
      moveAfter(lastStep === index ? [...steps, ...ends] : steps, point);
      if (lastStep > index) moveAfter(ends, points[lastStep] as Point);
      hasMoved ||= arrivals.length > 0;
      earlyArrivals = [];
      isOpen = ends.length === 0;
    } else if (isArrival && !isOpen && FLOWS.includes(String(ph))) earlyArrivals.push(point);
    else isOpen = isDeparture || (isOpen && ph !== 'f');
  }
  if (hasMoved) points.sort(comparePoints);
}

/** Moves points directly after an anchor with the same time. */
function moveAfter(points: readonly Point[], anchor: Point): void {
  for (const [at, point] of points.entries()) {
    point.rank = RANK.moment;
    point.fileOrder = anchor.fileOrder + (at + 1) / (points.length + 1);
  }
}

/**
 * Pairs each end in an operation with the last open start of the same name, or of any name if the end has no name. Sets
 * the end's name and duration. Moves an end or a step after its start if both have the same time.
 */
function pairOperation(points: Point[]): void {
  const openStarts = new UnpairedPoints();
  let earlyEnds = new UnpairedPoints();
  /** Steps at the current time, collected while no start is open. */
  let steps: Point[] = [];
  let openCount = 0;
  let time: bigint | undefined;
  let hasMoved = false;
  for (const point of points) {
    if (time !== point.time) [earlyEnds, steps] = [new UnpairedPoints(), []];
    time = point.time;
    if (point.part === 'start') {
      const end = earlyEnds.takeNamed(point.name) ?? earlyEnds.takeNamed(undefined);
      const moved = end === undefined ? steps : [...steps, end];
      moveAfter(moved, point);
      hasMoved ||= moved.length > 0;
      steps = [];
      if (end === undefined) {
        openStarts.add(point);
        openCount++;
      } else closeEnd(end, point);
    } else if (point.part === 'end') {
      const start =
        point.name === undefined ? openStarts.takeLast() : openStarts.takeNamed(point.name);
      if (start === undefined) earlyEnds.add(point);
      else {
        closeEnd(point, start);
        openCount--;
      }
    } else if (openCount === 0) steps.push(point);
  }
  if (hasMoved) points.sort(comparePoints);
}

/** Starts without their ends, or ends without their starts. */
class UnpairedPoints {
  private readonly points: Point[] = [];
  private readonly byName = new Map<string | undefined, Point[]>();
  private readonly paired = new Set<Point>();

  add(point: Point): void {
    this.points.push(point);
    pushTo(this.byName, point.name, point);
  }

  takeLast(): Point | undefined {
    return this.takeFrom(this.points);
  }

  takeNamed(name: string | undefined): Point | undefined {
    return this.takeFrom(this.byName.get(name) ?? []);
  }

  /**
   * Removes the last point from a list. Skips points already removed from the other list, because each point is in two
   * lists.
   */
  private takeFrom(points: Point[]): Point | undefined {
    let point = points.pop();
    while (point !== undefined && this.paired.has(point)) point = points.pop();
    if (point !== undefined) this.paired.add(point);
    return point;
  }
}

function closeEnd(end: Point, start: Point): void {
  end.name ??= start.name;
  end.duration = end.time - start.time;
  end.startJson = start.json;
}

function attributesOf({ json, startJson, part, name, thread }: Point): ImportedAttributes {
  const { ph, cat, id, id2, bind_id } = { ...startJson, ...json };
  const { local: localId, global: globalId } = membersOf(id2);
  const isStep = FLOWS.includes(String(ph));
  const attributes = new ImportedAttributes()
    .add('span.name', part === 'moment' ? undefined : name)
    .add('span.id', isStep ? undefined : wordOfJson(id ?? globalId ?? localId))
    .add('flow.id', wordOfJson(isStep ? id : bind_id))
    .add('category', jsonText(cat))
    .add('process.id', thread.pid || undefined)
    .add('thread.id', thread.tid || undefined);
  const args = { ...membersOf(startJson?.['args']), ...membersOf(json['args']) };
  for (const [key, value] of Object.entries(args)) attributes.addJson(key, value);
  return attributes;
}
