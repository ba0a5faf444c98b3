import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cyclesOf, type Edge } from '../../../src/expression/analysis/graphs.js';
import { runs } from '../../long.js';

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

describe('cycles', () => {
  it('are found at each edge that closes one with those before it that close none', () => {
    fc.assert(
      fc.property(edges, (all) => {
        const kept: Edge[] = [];
        const closing: Edge[] = [];
        for (const edge of all) {
          if (reaches(kept, edge.to, edge.from)) closing.push(edge);
          else kept.push(edge);
        }
        const found = cyclesOf(all).map((cycle) => cycle.closing);
        expect(found).toEqual(closing);
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    [
      'two steps back',
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
      'a short path beside a long one',
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
      'a dead end beside the path',
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
  ])('go the shortest path: %s', (_name, pairs, expected) => {
    const all = pairs.map(([from = 0, to = 0]) => ({ from, to }));
    const found = cyclesOf(all).map(({ closing, path }) =>
      [closing, ...path].map(({ from, to }) => [from, to]),
    );
    expect(found).toEqual([expected]);
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
      'straight to a node that a longer path leads to as well',
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
      'apart, where an edge from one to another is of neither',
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
    const found = cyclesOf(all).map(({ closing, path }) =>
      [closing, ...path].map(({ from, to }) => [from, to]),
    );
    expect(found).toEqual(expected);
  });

  it('are closed, from the head of the closing edge back to its tail', () => {
    fc.assert(
      fc.property(edges, (all) => {
        for (const { closing, path } of cyclesOf(all)) {
          let at = closing.to;
          for (const edge of path) {
            expect(edge.from).toBe(at);
            at = edge.to;
          }
          expect(at).toBe(closing.from);
        }
      }),
    );
  });
});
