import type { PlainEvent, PlainSession } from './model.js';
import { compareNums, isNum, type Num, scalarOf } from './values.js';

/* The order by clocks, word for word: every pair of events is compared. */

/** A session all of whose events have a time; those that lack one get that of their place. */
export function withTimes({ events, ...session }: PlainSession): PlainSession {
  const timed = events.map((event, at): PlainEvent => {
    const has = timeOf(event) !== undefined;
    return has ? event : { ...event, attributes: { ...event.attributes, time: BigInt(at) } };
  });
  return { ...session, events: timed };
}

/** A session with an interaction from each event to every one whose clock is later. */
export function withClocks(session: PlainSession): PlainSession {
  const { events, interactions } = session;
  const clocks = events.map(timeOf);
  const raise = (to: number, from: number): boolean => {
    const [own, other] = [clocks[to], clocks[from]];
    if (other === undefined || (own !== undefined && compareNums(other, own) <= 0)) return false;
    clocks[to] = other;
    return true;
  };
  for (let changed = true; changed; ) {
    changed = false;
    events.forEach((event, at) => {
      const before = events.findLastIndex(
        ({ probe, timeline }, place) =>
          place < at && probe === event.probe && timeline === event.timeline,
      );
      if (before >= 0 && raise(at, before)) changed = true;
    });
    for (const [from, to] of interactions) if (raise(to, from)) changed = true;
  }
  const added = events.flatMap((_, from) =>
    events.flatMap((_, to) => {
      const [earlier, later] = [clocks[from], clocks[to]];
      const isLater =
        earlier !== undefined && later !== undefined && compareNums(earlier, later) < 0;
      return isLater ? [[from, to] as const] : [];
    }),
  );
  return { ...session, interactions: [...interactions, ...added] };
}

function timeOf({ attributes }: PlainEvent): Num | undefined {
  const time = attributes['time'];
  const value = time === undefined ? undefined : scalarOf(time);
  return value !== undefined && isNum(value) ? value : undefined;
}
