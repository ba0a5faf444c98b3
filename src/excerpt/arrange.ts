/** What the order of events follows from. */
export interface Ties {
  readonly probe: (event: number) => number;
  /** For each receiving event those that send to it. */
  readonly senders: ReadonlyMap<number, ReadonlySet<number>>;
  /** For each event behind a gap the event before it, and how many interactions are left out. */
  readonly gaps: ReadonlyMap<number, { readonly after: number; readonly count: number }>;
}

/** An event in its place. */
export interface Arranged {
  readonly event: number;
  readonly senders: readonly number[];
  readonly gap: { readonly after: number; readonly count: number } | undefined;
  /** The most events that come before it, one after the other. */
  readonly depth: number;
}

/**
 * Orders events: each after those that it depends on, and a receiver right after its sender where
 * that is possible. O(n^3), for the few events that a picture shows.
 */
export function arrange(events: readonly number[], ties: Ties): Arranged[] {
  const depths = new Map<number, number>();
  return inOrder(events, ties).map((event, at, order) => {
    const senders = [...(ties.senders.get(event) ?? [])];
    const gap = ties.gaps.get(event);
    const before = order.slice(0, at).filter((one) => ties.probe(one) === ties.probe(event));
    const needed = [...senders, ...before, ...(gap === undefined ? [] : [gap.after])];
    const depth = Math.max(-1, ...needed.map((one) => depths.get(one) ?? -1)) + 1;
    depths.set(event, depth);
    return { event, senders, gap, depth };
  });
}

function inOrder(events: readonly number[], { probe, senders, gaps }: Ties): number[] {
  const left = new Set([...events].sort((a, b) => a - b));
  const order: number[] = [];
  const isReady = (event: number) => {
    const isFirst = ![...left].some((other) => other < event && probe(other) === probe(event));
    const needed = [...(senders.get(event) ?? []), gaps.get(event)?.after ?? -1];
    return isFirst && !needed.some((one) => left.has(one));
  };
  /** Whether an event before this one at its probe has sent what is not yet received. */
  const isEarly = (event: number) =>
    [...left].some((other) =>
      [...(senders.get(other) ?? [])].some(
        (sender) => sender < event && probe(sender) === probe(event),
      ),
    );
  while (left.size > 0) {
    const ready = [...left].filter(isReady);
    const last = order.at(-1) ?? -1;
    const next =
      ready.find((event) => senders.get(event)?.has(last)) ??
      ready.find((event) => !isEarly(event)) ??
      ready[0] ??
      (left.values().next().value as number);
    left.delete(next);
    order.push(next);
  }
  return order;
}
