import { at, itemAt } from '../../source/index.js';
import { buildOrder } from '../order.js';
import { onLine, type Problems, quoted } from '../problem.js';
import { type Column, type Session, ValueKind } from '../session.js';
import { type Arrangement, arrangeEvents } from './arrange.js';
import { lowerBound } from './column.js';
import type { EventTable, Reference } from './event-table.js';

export interface AssembleOptions {
  readonly name?: string | undefined;
  readonly source?: string | undefined;
  /** Interactions from this one on are optional: left out without a problem where they close a cycle. */
  readonly optionalFrom?: number;
  /** Whether the table is not needed any more, so that its columns can go one by one. */
  readonly release?: boolean;
}

/**
 * Makes a session of a table. What is wrong is added to `problems` and left out: events whose
 * place is unknown, interactions of events that do not exist, and interactions that close a
 * cycle.
 */
export function assemble(
  table: EventTable,
  problems: Problems,
  { name, source, optionalFrom = table.interactionCount, release = false }: AssembleOptions = {},
): Session {
  const arrangement = arrangeEvents(table, problems);
  const { probes, start, place } = arrangement;
  const size = at(start, probes.length);
  const { from, to, interactions } = resolve(table, arrangement, problems);
  const required = lowerBound(interactions, optionalFrom);
  const { order, dropped, cycle } = buildOrder(start, from, to, required);
  const contrary = dropped.filter((index) => index < required);
  const ring = cycle?.every((index) => index < required) ? cycle : [];
  for (const index of contrary) {
    const line = table.lineOfInteraction(at(interactions, index));
    const others = ring.includes(index)
      ? ring
          .filter((other) => other !== index)
          .map((other) => table.lineOfInteraction(at(interactions, other)))
      : [];
    problems.add('interaction', { ...onLine(line), message: cycleMessage(others) });
  }
  const columns = new Map<string, Column>();
  columns.set('probe', probeColumn(arrangement, size));
  for (const [key, growing] of table.columns) {
    const column = growing.build(size, place);
    if (column !== undefined) columns.set(key, column);
    if (release) table.columns.delete(key);
  }
  return {
    ...(name !== undefined && { name }),
    ...(source !== undefined && { source }),
    probes,
    start,
    size,
    columns,
    texts: table.texts.texts,
    order,
  };
}

function cycleMessage(others: readonly number[]): string {
  const lines = others.filter((line) => line > 0).slice(0, 5);
  const around =
    lines.length === 0
      ? ''
      : ` with ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${others.length > lines.length ? ' and more' : ''}`;
  return `the interaction closes a cycle${around}: an event would come before itself`;
}

function probeColumn({ start, probeByText }: Arrangement, size: number): Column {
  const numbers = new Float64Array(size);
  for (const [text, probe] of probeByText) numbers.fill(text, start[probe], start[probe + 1]);
  return { kinds: new Uint8Array(size).fill(ValueKind.string), numbers };
}

interface Resolved {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The number of each in the table. */
  readonly interactions: Int32Array;
}

function resolve(table: EventTable, arrangement: Arrangement, problems: Problems): Resolved {
  const count = table.interactionCount;
  const from = new Int32Array(count);
  const to = new Int32Array(count);
  const interactions = new Int32Array(count);
  let found = 0;
  for (let index = 0; index < count; index++) {
    const sender = find(table, arrangement, table.senderOf(index));
    const receiver = find(table, arrangement, table.receiverOf(index));
    if (sender < 0 || receiver < 0) {
      const which = sender < 0 ? 'sender' : 'receiver';
      const reference = sender < 0 ? table.senderOf(index) : table.receiverOf(index);
      const line = table.lineOfInteraction(index);
      const message = `the ${which}${inWords(table, reference)} of an interaction does not exist`;
      problems.add('interaction', { ...onLine(line), message });
      continue;
    }
    from[found] = sender;
    to[found] = receiver;
    interactions[found++] = index;
  }
  return {
    from: from.subarray(0, found),
    to: to.subarray(0, found),
    interactions: interactions.subarray(0, found),
  };
}

function inWords(table: EventTable, reference: Reference): string {
  if ('event' in reference) return '';
  if ('id' in reference) return ` ${quoted(table.ids.textOf(reference.id))}`;
  return ` [${quoted(table.texts.textOf(reference.probe))}, ${reference.seq}]`;
}

/** The number of an event in the session, or -1. */
function find(table: EventTable, arrangement: Arrangement, reference: Reference): number {
  const { place, start, probeByText, hasSeq, seq } = arrangement;
  if ('event' in reference) return place[reference.event] ?? -1;
  if ('id' in reference) return place[table.eventOf(reference.id)] ?? -1;
  const probe = probeByText.get(reference.probe);
  if (probe === undefined) return -1;
  const [first, end] = [at(start, probe), at(start, probe + 1)];
  const wanted = reference.seq;
  if (!hasSeq[probe]) {
    return wanted >= 0n && wanted < BigInt(end - first) ? first + Number(wanted) : -1;
  }
  let [low, high] = [first, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (itemAt(seq, middle) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < end && itemAt(seq, low) === wanted ? low : -1;
}
