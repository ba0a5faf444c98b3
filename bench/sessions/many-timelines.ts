import { type Session, SessionBuilder } from '../../src/session/index.js';
import { largeSession } from './large-session.js';

const SERVICES = 5;
const EVENTS = 5;

/**
 * Requests that five services handle, each on five timelines of five events; `perturb.injected` comes
 * before all of them. The first service calls the others, and waits for their answers.
 *
 * @param linked whether each request comes of the one before it
 */
export function manyRequests(requests: number, linked = false): Session {
  const builder = new SessionBuilder();
  const injected = builder.event({ probe: 'perturb', name: 'perturb.injected' });
  let last: number | undefined;
  for (let request = 0; request < requests; request++) {
    const timeline = `request ${request}`;
    const eventOf = (service: number, place: number) => {
      const name = place === 1 ? 'A' : place === 3 ? 'B' : 'other';
      const x = (request * 7 + service * 3 + place) % 1000;
      return builder.event({ probe: `S${service}`, timeline, name, attributes: { x: BigInt(x) } });
    };
    const all = Array.from({ length: SERVICES }, (_, service) =>
      Array.from({ length: EVENTS }, (__, place) => eventOf(service, place)),
    );
    const [caller = [], ...called] = all;
    for (const own of all) builder.interaction(injected, own[0] as number);
    for (const own of called) {
      builder.interaction(caller[1] as number, own[0] as number);
      builder.interaction(own[EVENTS - 1] as number, caller[EVENTS - 1] as number);
    }
    if (linked && last !== undefined) builder.interaction(last, caller[0] as number);
    last = caller[EVENTS - 1];
  }
  return builder.build();
}

/** So many timelines of one event each: unrelated, or one after the other. */
export function shortTimelines(count: number, inChain: boolean): Session {
  const builder = new SessionBuilder();
  let last: number | undefined;
  for (let at = 0; at < count; at++) {
    const name = at % 2 === 0 ? 'A' : 'B';
    const event = builder.event({ probe: 'P', timeline: `${at}`, name, attributes: { x: 1n } });
    if (inChain && last !== undefined) builder.interaction(last, event);
    last = event;
  }
  return builder.build();
}

const SESSIONS: Readonly<Record<string, () => Session>> = {
  traces: () => manyRequests(40_000),
  probes: () => largeSession({ events: 1e6, probes: 100, matches: 200_000, every: 10 }),
  short: () => shortTimelines(100_000, false),
  chain: () => shortTimelines(100_000, true),
};

const made = new Map<string, Session>();

/** One of these sessions, which is made once. */
export function sessionOf(kind: string): Session {
  const session = made.get(kind) ?? SESSIONS[kind]?.();
  if (session === undefined) throw new Error(`no session is called ${kind}`);
  made.set(kind, session);
  return session;
}
