import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { circlesOf, type Edge } from '../../src/expression/circles.js';

const NODES = 6;
const node = fc.nat({ max: NODES - 1 });
const edges = fc.array(fc.record({ from: node, to: node }), { maxLength: 14 });

/** Whether `to` can be reached from `from` (by trying everything, often enough). */
function reaches(all: readonly Edge[], from: number, to: number): boolean {
  const reached = new Set([from]);
  for (let round = 0; round < NODES; round += 1) {
    for (const edge of all) if (reached.has(edge.from)) reached.add(edge.to);
  }
  return reached.has(to);
}

describe('circles', () => {
  it('are told at each edge that closes one with those before it that close none', () => {
    fc.assert(
      fc.property(edges, (all) => {
        const kept: Edge[] = [];
        const closing: Edge[] = [];
        for (const edge of all) {
          if (reaches(kept, edge.to, edge.from)) closing.push(edge);
          else kept.push(edge);
        }
        const found = circlesOf(all, NODES).map((circle) => circle.closing);
        expect(new Set(found)).toEqual(new Set(closing));
        expect(found).toHaveLength(closing.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('are told once for each tangle when there is no time for more', () => {
    fc.assert(
      fc.property(edges, (all) => {
        const tangles = new Set<string>();
        for (const { from, to } of all) {
          if (!reaches(all, to, from)) continue;
          const nodes = Array.from({ length: NODES }, (_, index) => index);
          const tangle = nodes.filter((n) => reaches(all, from, n) && reaches(all, n, from));
          tangles.add(tangle.join());
        }
        const found = circlesOf(all, NODES, 1);
        expect(found).toHaveLength(tangles.size);
        const first = all.findIndex((edge, at) => reaches(all.slice(0, at), edge.to, edge.from));
        expect(found.some(({ closing }) => closing === all[first])).toBe(first !== -1);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    [
      'two ways',
      [
        [0, 1],
        [1, 2],
        [2, 0],
      ],
      [
        [2, 0],
        [0, 1],
        [1, 2],
      ],
    ],
    [
      'a short way beside a long one',
      [
        [0, 1],
        [1, 2],
        [2, 3],
        [0, 3],
        [3, 0],
      ],
      [
        [3, 0],
        [0, 3],
      ],
    ],
    ['one node', [[4, 4]], [[4, 4]]],
    [
      'a dead end beside the way',
      [
        [1, 5],
        [1, 2],
        [2, 1],
      ],
      [
        [2, 1],
        [1, 2],
      ],
    ],
  ])('go the shortest way: %s', (_name, pairs, expected) => {
    const all = pairs.map(([from = 0, to = 0]) => ({ from, to }));
    const told = circlesOf(all, NODES).map(({ closing, others }) =>
      [closing, ...others].map(({ from, to }) => [from, to]),
    );
    expect(told).toEqual([expected]);
  });

  it.each([
    [
      'not through an edge after the closing one',
      [
        [0, 1],
        [1, 2],
        [2, 0],
        [0, 2],
      ],
      [
        [
          [2, 0],
          [0, 1],
          [1, 2],
        ],
      ],
    ],
    [
      'past a node that only later edges leave',
      [
        [1, 5],
        [1, 2],
        [2, 1],
        [5, 1],
      ],
      [
        [
          [2, 1],
          [1, 2],
        ],
        [
          [5, 1],
          [1, 5],
        ],
      ],
    ],
    [
      'straight to a node that a longer way leads to as well',
      [
        [0, 1],
        [0, 2],
        [1, 2],
        [2, 3],
        [3, 0],
      ],
      [
        [
          [3, 0],
          [0, 2],
          [2, 3],
        ],
      ],
    ],
    [
      'tangle by tangle, where an edge from one to another is of neither',
      [
        [0, 2],
        [2, 3],
        [3, 2],
        [0, 1],
        [1, 0],
      ],
      [
        [
          [3, 2],
          [2, 3],
        ],
        [
          [1, 0],
          [0, 1],
        ],
      ],
    ],
  ])('go %s', (_name, pairs, expected) => {
    const all = pairs.map(([from = 0, to = 0]) => ({ from, to }));
    const told = circlesOf(all, NODES).map(({ closing, others }) =>
      [closing, ...others].map(({ from, to }) => [from, to]),
    );
    expect(told).toEqual(expected);
  });

  // After each circle, the edges that are left count once for each halving of their number.
  it.each([
    [15, 1],
    [16, 2],
    [27, 2],
    [28, 3],
    [33, 3],
    [34, 4],
    [37, 4],
    [38, 5],
  ])('are searched for with work for %i edges: %i of five', (mostWork, count) => {
    const all = [0, 1, 1, 1, 1, 1].map((from) => ({ from, to: 1 - from }));
    const closing = circlesOf(all, 2, mostWork).map((circle) => all.indexOf(circle.closing));
    expect(closing).toEqual([1, 2, 3, 4, 5].slice(0, count));
  });

  it('are closed, from the head of the closing edge back to its tail', () => {
    fc.assert(
      fc.property(edges, (all) => {
        for (const { closing, others } of circlesOf(all, NODES)) {
          let at = closing.to;
          for (const edge of others) {
            expect(edge.from).toBe(at);
            at = edge.to;
          }
          expect(at).toBe(closing.from);
        }
      }),
    );
  });
});
