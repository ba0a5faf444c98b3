import type { EventPlace } from '../../evaluation/index.js';
import { Kind, type Session } from '../../session/index.js';

/** The event that stands at a place of the evidence; -1 where there is none. */
export function findEvent(session: Session, { probe, seq }: EventPlace): number {
  const number = session.probes.indexOf(probe);
  const from = session.start[number] ?? 0;
  const to = session.start[number + 1] ?? 0;
  for (let event = from; event < to; event++) {
    if (seqOf(session, event, from) === String(seq)) return event;
  }
  return -1;
}

/** What a person finds an event by: its `seq`, else its place among those of its probe. */
export function seqOf({ columns }: Session, event: number, first: number): string {
  const seqs = columns.get('seq');
  if (seqs === undefined || seqs.kinds[event] !== Kind.integer) return String(event - first);
  return String(seqs.exact?.get(event) ?? seqs.numbers[event]);
}

/** The name of an event; empty where it has none. */
export function nameOf({ columns, texts }: Session, event: number): string {
  const names = columns.get('name');
  if (names === undefined || names.kinds[event] !== Kind.string) return '';
  return texts[names.numbers[event] as number] as string;
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
