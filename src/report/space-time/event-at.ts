import type { EventPlace } from '../../evaluation/index.js';
import { Kind, type Session } from '../../session/index.js';

/** The event that evidence names: by its `seq` where it has one, else by its place at its probe. */
export function eventAt(session: Session, { probe, seq }: EventPlace): number | undefined {
  const at = session.probes.indexOf(probe);
  if (at < 0) return undefined;
  const [from, to] = [session.start[at] as number, session.start[at + 1] as number];
  const column = session.columns.get('seq');
  for (let event = from; event < to; event += 1) {
    const has = column !== undefined && column.kinds[event] !== Kind.missing;
    const own = has ? String(column.exact?.get(event) ?? column.numbers[event]) : `${event - from}`;
    if (own === String(seq)) return event;
  }
  return undefined;
}

/** The probe of an event, as its number. */
export function probeOf({ start }: Session, event: number): number {
  let [low, high] = [0, start.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((start[middle] as number) <= event) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A text attribute of an event; empty where it has none. */
export function textAt({ columns, texts }: Session, event: number, name: string): string {
  const column = columns.get(name);
  if (column?.kinds[event] !== Kind.string) return '';
  return texts[column.numbers[event] as number] ?? '';
}

/** The events that lead to an event from other probes. */
export function sendersOf({ order }: Session, event: number): readonly number[] {
  let [low, high] = [0, order.receives.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((order.receives[middle] as number) < event) low = middle + 1;
    else high = middle;
  }
  if (order.receives[low] !== event) return [];
  const [from, to] = [order.edgeStart[low] as number, order.edgeStart[low + 1] as number];
  return Array.from(order.edgeFrom.subarray(from, to));
}
