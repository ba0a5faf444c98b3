import type { When } from '../../expression/index.js';

/** With more labels than this, arrows that others imply are kept: to find them is cubic. */
const MOST_LABELS_REDUCED = 200;

type Arrow = readonly [number, number];

/** The arrows of WHEN, each once: [earlier, later]. */
export function arrowsOf(when: When | undefined, labelOf: (name: string) => number): Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const { labels } of when?.chains ?? []) {
    for (let at = 1; at < labels.length; at++) {
      const earlier = labelOf((labels[at - 1] as { text: string }).text);
      const later = labelOf((labels[at] as { text: string }).text);
      arrows.set(`${earlier} ${later}`, [earlier, later]);
    }
  }
  return [...arrows.values()];
}

/**
 * The arrows that no path of others implies. Happened-before is transitive, so the rest say
 * nothing new; without them `a -> b AND b -> c AND a -> c` is a chain. No circles may be left.
 */
export function withoutImplied(arrows: readonly Arrow[], labels: number): Arrow[] {
  if (labels > MOST_LABELS_REDUCED) return [...arrows];
  const next = successors(arrows, labels);
  const reach = next.map((direct) => new Set(direct));
  for (let middle = 0; middle < labels; middle++) {
    for (const from of reach) {
      if (from.has(middle)) for (const to of reach[middle] as Set<number>) from.add(to);
    }
  }
  return arrows.filter(
    ([earlier, later]) =>
      !(next[earlier] as number[]).some(
        (middle) => middle !== later && (reach[middle] as Set<number>).has(later),
      ),
  );
}

/** The labels that arrows connect, in any direction, with a circle of arrows. */
export function circularLabels(arrows: readonly Arrow[], labels: number): Set<number> {
  const next = successors(arrows, labels);
  const before = new Array<number>(labels).fill(0);
  for (const [, later] of arrows) before[later] = (before[later] as number) + 1;
  const free = before.flatMap((count, label) => (count === 0 ? [label] : []));
  for (let label = free.pop(); label !== undefined; label = free.pop()) {
    for (const later of next[label] as number[]) {
      before[later] = (before[later] as number) - 1;
      if (before[later] === 0) free.push(later);
    }
  }
  // What is left lies on a circle or after one; from there, along the arrows both ways.
  const circular = new Set(before.flatMap((count, label) => (count > 0 ? [label] : [])));
  const beside = successors([...arrows, ...arrows.map(([a, b]): Arrow => [b, a])], labels);
  for (const label of circular) for (const other of beside[label] as number[]) circular.add(other);
  return circular;
}

function successors(arrows: readonly Arrow[], labels: number): number[][] {
  const next = Array.from({ length: labels }, (): number[] => []);
  for (const [earlier, later] of arrows) (next[earlier] as number[]).push(later);
  return next;
}
