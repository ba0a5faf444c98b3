import type { EventPlace } from '../../src/evaluation/index.js';
import {
  type Column,
  type Order,
  type Session,
  type SessionBuilder,
  ValueKind,
} from '../../src/session/index.js';
import type { PlainSession, Value } from './model.js';

/** A plain session in columns. */
export function toSession({ probes, events, interactions }: PlainSession): {
  readonly session: Session;
  /** For each event of the session its place among the plain ones. */
  readonly placeOf: readonly number[];
} {
  const lines = probes.flatMap((probe, at) => {
    const names = new Set(
      events.flatMap((one) => (one.probe === probe ? [one.timeline ?? ''] : [])),
    );
    return [...names].sort().map((name) => ({ probe, at, name }));
  });
  const placesOn = lines.map(({ probe, name }) =>
    events.flatMap((event, at) =>
      event.probe === probe && (event.timeline ?? '') === name ? [at] : [],
    ),
  );
  const placeOf = placesOn.flat();
  const eventAt = new Map(placeOf.map((place, event) => [place, event]));
  const start = new Int32Array(probes.length + 1);
  probes.forEach((probe, at) => {
    const own = events.filter((event) => event.probe === probe).length;
    start[at + 1] = (start[at] as number) + own;
  });
  const lineStart = new Int32Array(lines.length + 1);
  placesOn.forEach((own, at) => {
    lineStart[at + 1] = (lineStart[at] as number) + own.length;
  });
  const texts: string[] = [];
  const indexOf = (text: string) => {
    const known = texts.indexOf(text);
    return known >= 0 ? known : texts.push(text) - 1;
  };
  const names = new Set(events.flatMap(({ attributes }) => Object.keys(attributes)));
  const columns = new Map<string, Column>();
  for (const name of [...names, 'probe', 'timeline']) {
    const kinds = new Uint8Array(events.length);
    const numbers = new Float64Array(events.length);
    const integers = new BigInt64Array(events.length);
    const large = new Map<number, bigint>();
    let isRounded = false as boolean;
    placeOf.forEach((place, event) => {
      const { probe, timeline, attributes } = events[place] as PlainSession['events'][number];
      const value: Value | undefined =
        name === 'probe' ? probe : name === 'timeline' ? timeline : attributes[name];
      if (typeof value === 'bigint') {
        kinds[event] = ValueKind.integer;
        numbers[event] = Number(value);
        isRounded ||= !Number.isSafeInteger(numbers[event]);
        if (BigInt.asIntN(64, value) === value) integers[event] = value;
        else large.set(event, value);
      } else if (typeof value === 'number') {
        kinds[event] = Number.isNaN(value) ? ValueKind.missing : ValueKind.float;
        numbers[event] = value;
      } else if (typeof value === 'string') {
        kinds[event] = ValueKind.string;
        numbers[event] = indexOf(value);
      } else if (typeof value === 'boolean') {
        kinds[event] = ValueKind.boolean;
        numbers[event] = Number(value);
      } else if (value !== undefined) {
        kinds[event] = ValueKind.other;
        numbers[event] = indexOf(value.other);
      }
    });
    columns.set(name, {
      kinds,
      numbers,
      ...(isRounded && { exact: { integers, bigIntegers: large } }),
    });
  }
  const edges = interactions.map(
    ([from, to]) => [eventAt.get(from) as number, eventAt.get(to) as number] as const,
  );
  const session = {
    probes,
    start,
    timelines: {
      start: lineStart,
      probe: Int32Array.from(lines, ({ at }) => at),
      name: Int32Array.from(lines, ({ name }) => (name === '' ? -1 : indexOf(name))),
    },
    size: events.length,
    columns,
    texts,
    order: orderOf(lineStart, edges),
  };
  return { session, placeOf };
}

function orderOf(start: Int32Array, edges: readonly (readonly [number, number])[]): Order {
  const probeOf = (event: number) => start.findLastIndex((first) => first <= event);
  const across = edges.filter(([from, to]) => probeOf(from) !== probeOf(to));
  const receives = [...new Set(across.map(([, to]) => to))].sort((a, b) => a - b);
  const edgesOf = receives.map((receive) => across.filter(([, to]) => to === receive));
  const edgeFrom = edgesOf.flatMap((own) => own.map(([from]) => from));
  const receiveAt = (event: number) =>
    receives.findLastIndex((to) => to <= event && probeOf(to) === probeOf(event));
  const topological: number[] = [];
  const open = new Set(receives.keys());
  while (open.size > 0) {
    const next = [...open].find((at) => {
      const own = at > 0 && probeOf(receives[at - 1] as number) === probeOf(receives[at] as number);
      if (own && open.has(at - 1)) return false;
      return (edgesOf[at] as [number, number][]).every(([from]) => !open.has(receiveAt(from)));
    });
    if (next === undefined) throw new Error('a circle of interactions');
    topological.push(next);
    open.delete(next);
  }
  return {
    receives: Int32Array.from(receives),
    receiveTimeline: Int32Array.from(receives, probeOf),
    receiveStart: Int32Array.from(start, (first) => {
      const at = receives.findIndex((event) => event >= first);
      return at < 0 ? receives.length : at;
    }),
    edgeStart: Int32Array.from([0, ...edgesOf.map(({ length }) => length)]).map((_, at, lengths) =>
      lengths.slice(0, at + 1).reduce((sum, length) => sum + length, 0),
    ),
    edgeFrom: Int32Array.from(edgeFrom),
    edgeTimeline: Int32Array.from(edgeFrom, probeOf),
    edgeReceive: Int32Array.from(edgeFrom, receiveAt),
    topological: Int32Array.from(topological),
  };
}

/** The plain place of an event that a result names. */
export function placeFinder(
  { probes, timelines, texts }: Session,
  placeOf: readonly number[],
): (place: EventPlace) => number {
  return ({ probe, timeline, seq }) => {
    const line = [...timelines.probe].findIndex(
      (owner, at) => probes[owner] === probe && texts[timelines.name[at] as number] === timeline,
    );
    return placeOf[(timelines.start[line] as number) + Number(seq)] as number;
  };
}

/**
 * One more event at each probe, after the given ones of all probes: none of what these know can be
 * forgotten before the first of the new events.
 *
 * @param last the last event of each probe, `P0`, `P1` and so on
 */
export function allToAll(builder: SessionBuilder, last: readonly number[]): void {
  for (const probe of last.keys()) {
    const event = builder.event({ probe: `P${probe}`, name: 'C', attributes: {} });
    for (const [other, from] of last.entries())
      if (other !== probe) builder.interaction(from, event);
  }
}
