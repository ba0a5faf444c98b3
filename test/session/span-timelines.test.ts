import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  makeInterval,
  placeOnTimelines,
  type TimeInterval,
} from '../../src/session/importers/span-timelines.js';
import type { readSession } from '../../src/session/index.js';
import { runs } from '../long.js';
import { counted, MOST_GROWTH, stepsOf } from '../steps.js';

/* The timelines of a trace against the rule in its plainest form, and the work that they take. */

/** Spans in the order of their depth, each perhaps within an earlier one. */
const anyIntervales = fc
  .array(
    fc.record({
      start: fc.nat(12),
      took: fc.option(fc.nat(8), { nil: undefined, freq: 6 }),
      parent: fc.option(fc.nat(9), { freq: 3 }),
    }),
    { maxLength: 14 },
  )
  .map((list) => {
    const made: TimeInterval[] = [];
    for (const [row, { start, took, parent: index }] of list.entries()) {
      const parent = index === null ? undefined : made[index];
      const from = BigInt(Math.max(start, Number(parent?.start ?? 0)));
      const end = took === undefined ? undefined : from + BigInt(took);
      made.push(makeInterval({ row, start: from, end, depth: (parent?.depth ?? -1) + 1 }, parent));
    }
    return made;
  });

const aroundOf = (one: TimeInterval): readonly TimeInterval[] =>
  one.parent === undefined ? [] : [one.parent, ...aroundOf(one.parent)];

const isBefore = (a: bigint | undefined, b: bigint | undefined) =>
  a !== undefined && (b === undefined || a < b);

/** Tries every timeline against everything on it. */
function plainTimelines(intervals: readonly TimeInterval[]): readonly number[] {
  const sorted = [...intervals].sort(
    (a, b) => Number(a.start - b.start) || a.depth - b.depth || a.row - b.row,
  );
  const lines: TimeInterval[][] = [];
  const found: number[] = [];
  for (const one of sorted) {
    const fits = (line: readonly TimeInterval[] | undefined) =>
      line?.every(
        (other) =>
          isBefore(other.end, one.start) ||
          (aroundOf(one).includes(other) && !isBefore(other.end, one.end)),
      ) === true;
    const own = one.parent && found[one.parent.row];
    const free = lines.findIndex(fits);
    const line = own !== undefined && fits(lines[own]) ? own : free < 0 ? lines.length : free;
    lines[line] ??= [];
    lines[line]?.push(one);
    found[one.row] = line;
  }
  return found;
}

test('each span is on the timeline that the plain rule gives it', () => {
  fc.assert(
    fc.property(anyIntervales, (intervals) => {
      placeOnTimelines(intervals);
      expect(intervals.map(({ timeline }) => timeline)).toEqual(plainTimelines(intervals));
    }),
    { numRuns: runs(5_000) },
  );
});

test('the orders across timelines, with those on them, are those of all ends and starts', () => {
  fc.assert(
    fc.property(anyIntervales, (intervals) => {
      const orders = [...placeOnTimelines(intervals)];
      /** By the end of an interval, the starts (even) and ends (odd) after it. */
      const after = new Map<number, Set<number>>();
      const order = (from: number, to: number) => {
        const known = after.get(from) ?? new Set();
        after.set(from, known.add(to));
      };
      for (const { end, later: before, at } of orders) {
        order(2 * end.row + 1, 2 * before.row + (at === 'end' ? 1 : 0));
      }
      for (const one of intervals) {
        if (one.end !== undefined) order(2 * one.row, 2 * one.row + 1);
        for (const other of intervals) {
          if (one.timeline !== other.timeline) continue;
          if (isBefore(one.end, other.start)) order(2 * one.row + 1, 2 * other.row);
          const isInner = aroundOf(one).includes(other) && !isBefore(other.end, one.end);
          if (isInner && one.end !== undefined && other.end !== undefined)
            order(2 * one.row + 1, 2 * other.row + 1);
        }
      }
      const reached = (from: number): ReadonlySet<number> => {
        const seen = new Set<number>();
        const left = [from];
        for (let at = left.pop(); at !== undefined; at = left.pop()) {
          for (const next of after.get(at) ?? []) if (!seen.has(next)) left.push(next);
          for (const next of after.get(at) ?? []) seen.add(next);
        }
        return seen;
      };
      for (const one of intervals) {
        if (one.end === undefined) continue;
        const expected = intervals.flatMap((other) => [
          ...(isBefore(one.end, other.start) ? [2 * other.row] : []),
          ...(aroundOf(one).includes(other) &&
          other.end !== undefined &&
          other.end >= (one.end as bigint)
            ? [2 * other.row + 1]
            : []),
        ]);
        const found = reached(2 * one.row + 1);
        expect(expected.filter((point) => !found.has(point))).toEqual([]);
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test('spans that overlap by half have no order that follows from the others', () => {
  const count = 40;
  const intervals = Array.from({ length: count }, (_, at) =>
    makeInterval({ row: at, start: BigInt(at), end: BigInt(at + count / 2), depth: 0 }, undefined),
  );
  const orders = [...placeOnTimelines(intervals)];
  const later = ((count / 2) * (count / 2 - 1)) / 2;
  const onOne = intervals.filter(({ timeline }, at) =>
    intervals.slice(at + 1).some((other) => other.timeline === timeline),
  );
  // Each end comes before each start that is later; the next on its own timeline needs no order.
  expect(orders.length).toBe(later - onOne.length);
  const pairs = new Set(orders.map(({ end, later: before }) => `${end.row} ${before.row}`));
  expect(pairs.size).toBe(orders.length);
  expect(orders.every(({ end, later: before }) => (end.end as bigint) < before.start)).toBe(true);
});

/** Returns start, end, and the number of the parent, of the span with a number among so many. */
type Shape = (at: number, count: number) => readonly [start: number, end: number, parent?: number];

const SHAPES: Readonly<Record<string, Shape>> = {
  'nested, not related': (at, count) => [at + 1, 3 * count - at],
  'overlapping, not related': (at, count) => [at + 1, at + count + 1],
  'overlapping parts of one': (at, count) =>
    at === 0 ? [1, 9 * count] : [at + 1, at + count + 1, 0],
  'each longer than its parent': (at, count) => [at + 1, at + count + 1, at - 1],
  'each within its parent': (at, count) => [at + 1, 3 * count - at, at - 1],
  'overlapping parts of the innermost': (at, count) =>
    at < count / 2 ? [at + 1, 9 * count - at, at - 1] : [at + count, at + 2 * count, count / 2 - 1],
  'one after the other': (at) => [2 * at + 1, 2 * at + 2],
};

test.each(Object.entries(SHAPES))('spans %s take n log n steps', async (_, shape) => {
  const code = await counted<{ readSession: typeof readSession }>('../src/session/index.js');
  const textOf = (count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, at) => {
        const [start, end, parent] = shape(at, count);
        return {
          ...{ traceId: 'a', id: `${at + 1}`, name: 'n', timestamp: start, duration: end - start },
          ...(parent !== undefined && parent >= 0 && { parentId: `${parent + 1}` }),
          localEndpoint: { serviceName: 'A' },
        };
      }),
    );
  const steps = async (count: number) => {
    const text = textOf(count);
    return await stepsOf(() => code.readSession(text));
  };
  const few = await steps(250);
  expect(few).toBeGreaterThan(250);
  expect((await steps(1_000)) / few).toBeLessThan(MOST_GROWTH);
});
