import type { EventPlace } from '../evaluation/index.js';
import { integerAt, type Session, ValueKind } from '../session/index.js';

/** The event that evidence names; undefined where there is none. O(events of its probe). */
export function eventAt(session: Session, { probe, seq }: EventPlace): number | undefined {
  const number = session.probes.indexOf(probe);
  const from = session.start[number] ?? 0;
  const to = session.start[number + 1] ?? 0;
  for (let event = from; event < to; event++) {
    if (seqOf(session, event, from) === String(seq)) return event;
  }
  return undefined;
}

/**
 * What a person finds an event by: its `seq`, else its place among those of its probe.
 *
 * @param first the first event of the probe
 */
export function seqOf({ columns }: Session, event: number, first: number): string {
  const seqs = columns.get('seq');
  if (seqs === undefined || seqs.kinds[event] !== ValueKind.integer) return String(event - first);
  return String(integerAt(seqs, event));
}

/** A text attribute of an event, such as its `name`; empty where it has none. */
export function textAt({ columns, texts }: Session, event: number, name: string): string {
  const column = columns.get(name);
  if (column?.kinds[event] !== ValueKind.string) return '';
  return texts[column.numbers[event] as number] as string;
}

/** The number of the probe of an event. */
export function probeOf({ start, probes }: Session, event: number): number {
  let [low, high] = [0, probes.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((start[middle] as number) <= event) low = middle;
    else high = middle - 1;
  }
  return low;
}
