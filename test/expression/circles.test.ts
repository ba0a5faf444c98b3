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
