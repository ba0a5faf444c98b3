import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildOrder } from '../../src/session/index.js';
import { runs } from '../long.js';

/** Probes of so many events each, and interactions between any of them. */
const shape = fc
  .array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 })
  .chain((sizes) => {
    const start = Int32Array.from([0, ...sizes].map((_, at) => sum(sizes.slice(0, at))));
    const size = sum(sizes);
    const event = fc.integer({ min: 0, max: Math.max(0, size - 1) });
    return fc.record({
      start: fc.constant(start),
      pairs: fc.array(fc.tuple(event, event), { maxLength: size === 0 ? 0 : 12 }),
      optionalFrom: fc.integer({ min: 0, max: 12 }),
    });
  });

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Whether the first event comes before the second: every pair, by the definition. */
function closure(start: Int32Array, pairs: readonly (readonly [number, number])[]): boolean[][] {
  const size = start.at(-1) as number;
  const before = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const set = (a: number, b: number) => {
    (before[a] as boolean[])[b] = true;
  };
  for (let probe = 0; probe + 1 < start.length; probe++) {
    for (let event = (start[probe] as number) + 1; event < (start[probe + 1] as number); event++) {
      set(event - 1, event);
    }
  }
  for (const [a, b] of pairs) set(a, b);
  for (let via = 0; via < size; via++) {
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < size; b++) {
        if (before[a]?.[via] && before[via]?.[b]) set(a, b);
      }
    }
  }
  return before;
}

function hasCycle(start: Int32Array, pairs: readonly (readonly [number, number])[]): boolean {
  return closure(start, pairs).some((row, event) => row[event]);
}

const columns = (pairs: readonly (readonly [number, number])[]) =>
  [Int32Array.from(pairs, ([a]) => a), Int32Array.from(pairs, ([, b]) => b)] as const;

test('an order is that of its interactions, less what closes cycles', () => {
  fc.assert(
    fc.property(shape, ({ start, pairs }) => {
      const { order, omitted: dropped, cycle } = buildOrder(start, ...columns(pairs));
      expect(cycle !== undefined).toBe(hasCycle(start, pairs));
      const kept = pairs.filter((_, index) => !dropped.includes(index));
      expect(hasCycle(start, kept)).toBe(false);
      const edges = [...order.edgeFrom].map((sender, edge) => {
        const receive = order.edgeStart.findIndex(
          (first, at) => first <= edge && edge < (order.edgeStart[at + 1] ?? 0),
        );
        return [sender, order.receives[receive]] as [number, number];
      });
      expect(closure(start, edges)).toEqual(closure(start, kept));
    }),
    { numRuns: runs(2000) },
  );
});

test('each thing that was dropped is part of a cycle, and wishes go first', () => {
  fc.assert(
    fc.property(shape, ({ start, pairs, optionalFrom }) => {
      const { omitted: dropped } = buildOrder(start, ...columns(pairs), optionalFrom);
      const contrary = dropped.filter((index) => index < optionalFrom);
      if (contrary.length > 0) {
        expect(hasCycle(start, pairs.slice(0, optionalFrom))).toBe(true);
      }
      for (const index of dropped) {
        const [from, to] = pairs[index] as [number, number];
        expect(from === to || closure(start, pairs)[to]?.[from]).toBe(true);
      }
    }),
    { numRuns: runs(2000) },
  );
});

test('receives stand behind those that they depend on', () => {
  fc.assert(
    fc.property(shape, ({ start, pairs }) => {
      const { order } = buildOrder(start, ...columns(pairs));
      const place = new Map([...order.topological].map((receive, at) => [receive, at]));
      expect(place.size).toBe(order.receives.length);
      for (let receive = 0; receive < order.receives.length; receive++) {
        const probe = order.receiveTimeline[receive] as number;
        if (receive > (order.receiveStart[probe] as number)) {
          expect(place.get(receive - 1)).toBeLessThan(place.get(receive) as number);
        }
        for (
          let edge = order.edgeStart[receive] as number;
          edge < (order.edgeStart[receive + 1] as number);
          edge++
        ) {
          const sender = order.edgeReceive[edge] as number;
          if (sender >= 0) expect(place.get(sender)).toBeLessThan(place.get(receive) as number);
        }
      }
    }),
    { numRuns: runs(1000) },
  );
});

test('a cycle is told as a way round', () => {
  // Two probes of two events; each one's first comes behind the other's last.
  const start = Int32Array.from([0, 2, 4]);
  const { cycle, omitted: dropped } = buildOrder(
    start,
    Int32Array.from([1, 3]),
    Int32Array.from([2, 0]),
  );
  expect(cycle?.toSorted()).toEqual([0, 1]);
  expect(dropped).toHaveLength(1);
});

test('an interaction of an event with itself, or back in a probe, is a cycle of one', () => {
  const start = Int32Array.from([0, 2]);
  expect(buildOrder(start, Int32Array.of(1), Int32Array.of(0)).cycle).toEqual([0]);
  expect(buildOrder(start, Int32Array.of(1), Int32Array.of(1)).cycle).toEqual([0]);
});

test('many probes in one long chain and one cycle take no long stack', () => {
  const probes = 100_000;
  const start = Int32Array.from({ length: probes + 1 }, (_, probe) => probe * 2);
  const from = Int32Array.from({ length: probes }, (_, probe) => probe * 2 + 1);
  const to = Int32Array.from({ length: probes }, (_, probe) => ((probe + 1) % probes) * 2);
  expect(buildOrder(start, from, to).cycle).toHaveLength(probes);
  expect(buildOrder(start, from.slice(1), to.slice(1)).cycle).toBeUndefined();
});
