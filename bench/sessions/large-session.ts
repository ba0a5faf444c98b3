import { buildOrder, type Column, type Session, ValueKind } from '../../src/session/index.js';

/** What a large session is made of. */
export interface Shape {
  readonly events: number;
  readonly probes: number;
  /** How many events of each of the names A, B and C there are; the others are called other. */
  readonly matches: number;
  /** How many events lie between two interactions. */
  readonly every: number;
}

/**
 * A session as a system under load records it: probes take turns at random, and now and then
 * one sends another a message, which arrives a little later. The same shape gives the same session.
 */
export function largeSession({ events, probes, matches, every }: Shape): Session {
  const random = generator(events + probes);
  const below = (limit: number) => Math.floor(random() * limit);
  const probeOf = Int32Array.from({ length: events }, () => below(probes));
  const start = new Int32Array(probes + 1);
  for (const probe of probeOf) start[probe + 1] = (start[probe + 1] as number) + 1;
  for (let probe = 0; probe < probes; probe++) {
    start[probe + 1] = (start[probe + 1] as number) + (start[probe] as number);
  }
  const next = start.slice();
  const numberOf = probeOf.map((probe) => {
    const at = next[probe] as number;
    next[probe] = at + 1;
    return at;
  });
  const from: number[] = [];
  const to: number[] = [];
  for (let at = 0; at + 200 < events; at += every) {
    from.push(numberOf[at] as number);
    to.push(numberOf[at + 1 + below(199)] as number);
  }
  const { order } = buildOrder(start, Int32Array.from(from), Int32Array.from(to));

  const texts = ['other', 'A', 'B', 'C', ...Array.from({ length: probes }, (_, at) => `P${at}`)];
  const column = (kind: number): Column => ({
    kinds: new Uint8Array(events).fill(kind),
    numbers: new Float64Array(events),
  });
  const columns = {
    name: column(ValueKind.string),
    probe: column(ValueKind.string),
    x: column(ValueKind.float),
    id: column(ValueKind.integer),
  };
  for (let at = 0; at < events; at++) {
    const event = numberOf[at] as number;
    columns.probe.numbers[event] = 4 + (probeOf[at] as number);
    columns.x.numbers[event] = below(1000) / 2;
    columns.id.numbers[event] = below(matches);
  }
  for (const name of [1, 2, 3]) {
    for (let left = matches; left > 0; ) {
      const event = below(events);
      if (columns.name.numbers[event] !== 0) continue;
      columns.name.numbers[event] = name;
      left--;
    }
  }
  const names = Array.from({ length: probes }, (_, at) => `P${at}`);
  return {
    probes: names,
    start,
    timelines: {
      start,
      probe: Int32Array.from(names.keys()),
      name: new Int32Array(probes).fill(-1),
    },
    size: events,
    columns: new Map(Object.entries(columns)),
    texts,
    order,
  };
}

/** Numbers from 0 to below 1, always the same (the generator is mulberry32). */
function generator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The floor: one bare pass over the columns for each name, A and those after it.
 *
 * @returns how many events they have
 */
export function selectLabels({ columns, size }: Session, names: number): number {
  const { kinds, numbers } = columns.get('name') as Column;
  let found = 0;
  for (let name = 1; name <= names; name++) {
    const events: number[] = [];
    for (let event = 0; event < size; event++) {
      if (numbers[event] === name && kinds[event] === ValueKind.string) events.push(event);
    }
    found += events.length;
  }
  return found;
}
