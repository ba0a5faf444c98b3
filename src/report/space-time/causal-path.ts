import type { Session } from '../../session/index.js';
import { probeOf, sendersOf } from './event-at.js';

/** A message from an event to one of another probe. */
export interface Message {
  readonly from: number;
  readonly to: number;
}

/** So many events are looked at. */
const MOST = 200_000;

/**
 * The messages of a way by which one event led to another, with as few of them as there are;
 * undefined where the one did not happen before the other.
 */
export function causalPath(
  session: Session,
  from: number,
  to: number,
): readonly Message[] | undefined {
  const source = probeOf(session, from);
  /** By the probe: how far back it is known to lead to the end, and by which message. */
  const reached = new Map<number, number>();
  let wave: { readonly event: number; readonly path: readonly Message[] }[] = [
    { event: to, path: [] },
  ];
  let seen = 0;
  while (wave.length > 0 && seen < MOST) {
    const next: typeof wave = [];
    for (const { event, path } of wave) {
      const probe = probeOf(session, event);
      if (probe === source && event >= from) return path;
      const known = reached.get(probe) ?? (session.start[probe] as number) - 1;
      // Backwards along the probe, as far as nobody has been.
      for (let at = event; at > known && seen < MOST; at -= 1) {
        seen += 1;
        for (const sender of sendersOf(session, at)) {
          next.push({ event: sender, path: [{ from: sender, to: at }, ...path] });
        }
      }
      reached.set(probe, Math.max(known, event));
    }
    wave = next;
  }
  return undefined;
}
