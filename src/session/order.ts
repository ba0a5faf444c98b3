import { at, itemAt } from '../source/index.js';
import { defined, nanosecondsText } from '../values/index.js';
import { findLowerBound, groupItems } from './columns/column.js';
import type { EventTable } from './columns/event-table.js';
import type { Problems } from './problem.js';
import type { Order } from './session.js';

/** An order of events, and the interactions omitted from the order. */
export interface BuiltOrder {
  readonly order: Order;
  /** The interactions omitted because they close a cycle, ascending. */
  readonly omitted: readonly number[];
  /** The first cycle's interactions. Each ends on the timeline on which the next interaction starts. */
  readonly cycle?: readonly number[];
}

/**
 * Builds the order defined by interactions. Interaction i leads from event `from[i]` to event `to[i]`. Events are
 * sorted by timeline; `start` contains each timeline's first event, then the number of events.
 *
 * An interaction within a timeline adds no edge if it agrees with the timeline's order. Each cycle is broken by
 * omitting an interaction: the cycle's last optional interaction (from `optionalFrom` on), or otherwise the interaction
 * that closes the cycle.
 *
 * Takes time proportional to events and interactions. With cycles, takes another pass over all timelines for each
 * omitted optional interaction.
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
  /** The interaction that each edge represents. */
  readonly interactions: Int32Array;
  /** Interactions within a timeline that contradict the timeline's order. */
  readonly backward: readonly number[];
}

/**
 * Groups interactions by receiving event, except the interactions in `omitted`. Uses plain loops, because the callbacks
 * of typed arrays take several times as long.
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
  // `interactions` contains one interaction per edge; `firstIndexes` contains the first edge to each event.
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
  // For each event, the last receive on its timeline up to and including the event.
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
  const receiveStart = start.map((event) => findLowerBound(receives, event));
  return {
    order: {
      ...{ receives, receiveTimeline, receiveStart },
      ...{ edgeStart, edgeFrom, edgeTimeline, edgeReceive },
    },
    interactions,
    backward,
  };
}

/** Returns the range that contains each event. `start` contains each range's first event, then the number of events. */
export function ownersOf(start: Int32Array): Int32Array {
  const owners = new Int32Array(at(start, start.length - 1));
  for (let range = 0; range + 1 < start.length; range++) {
    owners.fill(range, start[range], start[range + 1]);
  }
  return owners;
}

/**
 * Sorts receives topologically, depth first. Processes a timeline's receives in order, so at most one receive per
 * timeline is in progress. An edge closes a cycle if and only if it requires a timeline's receive in progress, or a
 * later receive of that timeline.
 */
function sort({ order, interactions }: Rows, optionalFrom: number) {
  const { receiveStart, edgeStart, edgeTimeline, edgeReceive } = order;
  const timelines = receiveStart.length - 1;
  const topological = new Int32Array(order.receives.length);
  let sortedCount = 0;
  const cursors = receiveStart.slice(0, timelines);
  const edgeAt = edgeStart.slice(0, order.receives.length);
  const depthOf = new Int32Array(timelines).fill(-1);
  // The timelines in progress, and the last receive required of each.
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
      // From the top of the stack down, each edge ends on the timeline on which the next edge starts.
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

/** One second, in nanoseconds. Smaller backward steps are common if several threads write. */
const SECOND = 1e9;

/** Minimum share of backward steps in time to report. A smaller share may be due to a clock or several threads. */
const MANY_SHARE = 1 / 4;

/**
 * Adds notes on files whose event times contradict the order of lines or files.
 *
 * @param lineOf the timeline of each event
 * @param seqs the number of events with a `seq` on each timeline; if there are any, `seq` determines the order
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
  // `back` and `forward` count events that are earlier or later than the previous event on their timeline. `after` is
  // the last earlier file with events of the same timeline. Events from spans are added after all files, and are
  // ordered separately.
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
