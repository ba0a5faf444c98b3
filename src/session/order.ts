import { at, itemAt } from '../source/index.js';
import { defined, nanosecondsText } from '../values/index.js';
import { firstFrom, groupItems } from './columns/column.js';
import type { EventTable } from './columns/event-table.js';
import type { Problems } from './problem.js';
import type { Order } from './session.js';

/** An order, and the interactions that could not be part of it. */
export interface BuiltOrder {
  readonly order: Order;
  /** The interactions that close a cycle, ascending; `order` omits them. */
  readonly omitted: readonly number[];
  /** The interactions of the first cycle, each leading to the timeline that the next one leaves. */
  readonly cycle?: readonly number[];
}

/**
 * Builds the order of interactions: interaction i leads from event `from[i]` to event `to[i]`, both numbered
 * timeline by timeline by `start`. Interactions inside a timeline that agree with its own order leave no edge. Each
 * cycle is broken by dropping one of its interactions: the last of its optional ones (those from `optionalFrom` on)
 * if it has any; else the one that closes it.
 *
 * Takes time proportional to events and interactions; with cycles, also a pass over all timelines for each optional
 * interaction that is dropped.
 */
export function buildOrder(
  start: Int32Array,
  from: Int32Array,
  to: Int32Array,
  optionalFrom: number = from.length,
): BuiltOrder {
  const rows = lay(start, from, to);
  const sorting = sort(rows, optionalFrom);
  const omitted = [...rows.backward, ...sorting.dropped].sort((a, b) => a - b);
  const cycle = rows.backward[0] === undefined ? sorting.cycle : [rows.backward[0]];
  if (cycle === undefined) {
    return { order: { ...rows.order, topological: sorting.topological }, omitted };
  }
  const finalRows = lay(start, from, to, omitted);
  const order = { ...finalRows.order, topological: sort(finalRows, optionalFrom).topological };
  return { order, omitted, cycle };
}

interface Rows {
  readonly order: Omit<Order, 'topological'>;
  /** The interaction of each edge. */
  readonly interactions: Int32Array;
  /** Interactions inside a timeline that contradict its order. */
  readonly backward: readonly number[];
}

/**
 * Arranges interactions by the events that receive them, without the dropped ones. Plain loops: the callbacks of
 * typed arrays take several times as long.
 */
function lay(
  start: Int32Array,
  from: Int32Array,
  to: Int32Array,
  omitted: readonly number[] = [],
): Rows {
  const timelineOf = ownersOf(start);
  const size = timelineOf.length;
  const out = new Set(omitted);
  const backward: number[] = [];
  const receiverOf = new Int32Array(from.length).fill(-1);
  for (let index = 0; index < from.length; index++) {
    const [sender, receiver] = [at(from, index), at(to, index)];
    if (out.has(index)) continue;
    if (at(timelineOf, sender) !== at(timelineOf, receiver)) receiverOf[index] = receiver;
    else if (sender >= receiver) backward.push(index);
  }
  // An edge for each of these interactions; for each event, the first one that leads to it.
  const { start: firstIndexes, members: interactions } = groupItems(receiverOf, size);
  let count = 0;
  for (let event = 0; event < size; event++)
    if (at(firstIndexes, event + 1) > at(firstIndexes, event)) count++;
  const edges = interactions.length;
  const [edgeTimeline, edgeReceive] = [new Int32Array(edges), new Int32Array(edges)];
  const edgeFrom = new Int32Array(edges);
  const receives = new Int32Array(count);
  const receiveTimeline = new Int32Array(count);
  const edgeStart = new Int32Array(count + 1);
  // For each event the last receive at or before it on its timeline.
  const lastReceive = new Int32Array(size);
  for (let event = 0, receive = 0; event < size; event++) {
    const timeline = at(timelineOf, event);
    if (at(firstIndexes, event + 1) > at(firstIndexes, event)) {
      receives[receive] = event;
      receiveTimeline[receive] = timeline;
      edgeStart[receive] = at(firstIndexes, event);
      lastReceive[event] = receive++;
    } else {
      const isInside = event > 0 && at(timelineOf, event - 1) === timeline;
      lastReceive[event] = isInside ? at(lastReceive, event - 1) : -1;
    }
  }
  edgeStart[count] = edges;
  for (let edge = 0; edge < edges; edge++) {
    const sender = at(from, at(interactions, edge));
    edgeFrom[edge] = sender;
    edgeTimeline[edge] = at(timelineOf, sender);
    edgeReceive[edge] = at(lastReceive, sender);
  }
  const receiveStart = start.map((event) => firstFrom(receives, event));
  return {
    order: {
      ...{ receives, receiveTimeline, receiveStart },
      ...{ edgeStart, edgeFrom, edgeTimeline, edgeReceive },
    },
    interactions,
    backward,
  };
}

/** Returns the range of each event; `start` holds the start of each range. */
export function ownersOf(start: Int32Array): Int32Array {
  const owners = new Int32Array(at(start, start.length - 1));
  for (let range = 0; range + 1 < start.length; range++) {
    owners.fill(range, start[range], start[range + 1]);
  }
  return owners;
}

/**
 * Sorts receives after their dependencies, depth first. The receives of a timeline are processed in order: at most
 * one of each timeline is in progress, and an edge closes a cycle exactly when it requires that receive or a later
 * one of a timeline in progress.
 */
function sort({ order, interactions }: Rows, optionalFrom: number) {
  const { receiveStart, edgeStart, edgeTimeline, edgeReceive } = order;
  const timelines = receiveStart.length - 1;
  const topological = new Int32Array(order.receives.length);
  let sortedCount = 0;
  const cursors = receiveStart.slice(0, timelines);
  const edgeAt = edgeStart.slice(0, order.receives.length);
  const depthOf = new Int32Array(timelines).fill(-1);
  // The timelines in progress, and the required receive of each.
  const stack = new Int32Array(timelines);
  const targets = new Int32Array(timelines);
  let depth = 0;
  const isOmitted = new Uint8Array(interactions.length);
  const omitted: number[] = [];
  let cycle: readonly number[] | undefined;
  const push = (timeline: number, receive: number) => {
    stack[depth] = timeline;
    targets[depth] = receive;
    depthOf[timeline] = depth++;
  };
  const edgeUnderWay = (level: number) => at(edgeAt, at(cursors, at(stack, level)));
  for (let timeline = 0; timeline < timelines; timeline++) {
    const lastReceive = at(receiveStart, timeline + 1) - 1;
    if (at(cursors, timeline) <= lastReceive) push(timeline, lastReceive);
    while (depth > 0) {
      const current = at(stack, depth - 1);
      const receive = at(cursors, current);
      if (receive > at(targets, depth - 1)) {
        depthOf[current] = -1;
        depth--;
        continue;
      }
      const edge = at(edgeAt, receive);
      if (edge === edgeStart[receive + 1]) {
        topological[sortedCount++] = receive;
        cursors[current] = receive + 1;
        continue;
      }
      const blocker = at(edgeReceive, edge);
      const sender = at(edgeTimeline, edge);
      if (isOmitted[edge] === 1 || blocker < at(cursors, sender)) {
        edgeAt[receive] = edge + 1;
        continue;
      }
      const level = at(depthOf, sender);
      if (level < 0) {
        push(sender, blocker);
        continue;
      }
      let drop = depth - 1;
      let lastOptional = optionalFrom - 1;
      for (let frame = level; frame < depth; frame++) {
        const interaction = at(interactions, edgeUnderWay(frame));
        if (interaction > lastOptional) [drop, lastOptional] = [frame, interaction];
      }
      // From the top of the stack down, each leads to the timeline that the next one leaves.
      cycle ??= Array.from({ length: depth - level }, (_, step) =>
        at(interactions, edgeUnderWay(depth - 1 - step)),
      );
      const omittedEdge = edgeUnderWay(drop);
      isOmitted[omittedEdge] = 1;
      omitted.push(at(interactions, omittedEdge));
      while (depth > drop + 1) depthOf[at(stack, --depth)] = -1;
    }
  }
  return { topological, dropped: omitted, cycle };
}

/** One second, in nanoseconds. Less is usual where several threads write. */
const SECOND = 1e9;

/** A smaller share of events earlier than their predecessors may be due to a clock or several threads. */
const MANY_SHARE = 1 / 4;

/**
 * Adds notes where the order of events is implausible, because their times contradict the order of the lines of a
 * file, or that of the files.
 *
 * @param lineOf for each event, its timeline
 * @param seqs for each timeline, the number of its events that have a `seq`, which gives their order
 */
export function noteContraryTimes(
  table: EventTable,
  lineOf: Int32Array,
  seqs: Int32Array,
  problems: Problems,
): void {
  const { files, fileNames, reversedFiles: turned, time, recorders } = table;
  const previousTimes = new Float64Array(seqs.length);
  const lastFile = new Int32Array(seqs.length).fill(-1);
  // `back` and `forward` count events that are earlier or later than the one before them on their timeline; `after`
  // is the last file before this one with events of the same timeline. Events added after all files, from spans,
  // have an order of their own.
  const fileCounts = files.slice(0, -1).map(() => ({
    ...{ earliest: Number.POSITIVE_INFINITY, latest: Number.NEGATIVE_INFINITY },
    ...{ back: 0, forward: 0, after: -1 },
    ...{ long: 0, first: 0, by: 0 },
  }));
  let file = 0;
  time.forEach((event, _kind, moment) => {
    while (event >= (files[file + 1] as number)) file++;
    const counts = fileCounts[file];
    const line = at(lineOf, event);
    if (counts === undefined || at(seqs, line) > 0) return;
    if (at(lastFile, line) !== file) counts.after = Math.max(counts.after, at(lastFile, line));
    else if (moment < itemAt(previousTimes, line)) {
      counts.back++;
      const stepBack = itemAt(previousTimes, line) - moment;
      if (stepBack > SECOND && counts.long++ === 0) [counts.first, counts.by] = [event, stepBack];
    } else if (moment > itemAt(previousTimes, line)) counts.forward++;
    previousTimes[line] = moment;
    lastFile[line] = file;
    counts.earliest = Math.min(counts.earliest, moment);
    counts.latest = Math.max(counts.latest, moment);
  });
  for (const [
    file,
    {
      back: backSteps,
      forward: forwardSteps,
      latest: latestEvent,
      after: followingEvent,
      long: longSteps,
      first,
      by: firstStep,
    },
  ] of fileCounts.entries()) {
    const note = (message: string, line?: number) =>
      problems.notes.push({ ...defined({ file: fileNames[file], line }), message });
    if (turned.has(file)) {
      note('its lines are newest first, so they are read from last to first');
    } else if (backSteps > 0 && backSteps >= MANY_SHARE * (backSteps + forwardSteps)) {
      const steps = `${backSteps} of ${backSteps + forwardSteps} steps from one event to the next`;
      note(
        `${steps} go back in time, but events keep the order of their lines: sort the lines by time, the oldest first, or give the events a seq`,
      );
    } else if (longSteps > 0 && recorders.some(([from, end]) => first >= from && first < end)) {
      const othersText =
        longSteps === 1 ? '' : `, the first of ${longSteps} steps back by more than a second`;
      note(
        `the time goes back by ${nanosecondsText(firstStep)}${othersText}`,
        table.locate(first).line,
      );
    }
    if (latestEvent < (fileCounts[followingEvent]?.earliest ?? latestEvent)) {
      note(
        `older than ${fileNames[followingEvent]}, whose events come first: name the oldest file first`,
      );
    }
  }
}
