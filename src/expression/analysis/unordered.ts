import { OWN_PROBE } from '../../basics/index.js';
import type { Violation } from '../../diagnostics/index.js';
import type { EventShape, Vocabulary } from '../../session/index.js';
import type * as ast from '../tree/ast.js';
import { orderedPairs, type ProbeRelation, probeRelation } from './ordered-pairs.js';

/**
 * Reports arrows and `||` in WHEN between labels whose events no recorded session orders. Returns
 * one violation for each set of probes. Skips pairs that a recording may order, and Perturb's own
 * events.
 *
 * @param ofLabel the shapes of the events that match a label's pattern; undefined if unknown
 */
export function findUnorderedPairs(
  tree: ast.Tree,
  ofLabel: ReadonlyMap<string, readonly EventShape[] | undefined>,
  orders: Vocabulary['orders'],
): Violation[] {
  const violations = new Map<string, Violation>();
  if (orders === null) return [];
  for (const { from, to, kind, span } of orderedPairs(tree)) {
    const [first, second] = [ofLabel.get(from), ofLabel.get(to)];
    if (first === undefined || second === undefined) continue;
    const [ofFirst, ofSecond] = [shapeProbes(first), shapeProbes(second)];
    const allProbes = [...ofFirst, ...ofSecond];
    if (allProbes.includes(OWN_PROBE)) continue;
    const orderings = recordedOrders(ofFirst, ofSecond, probeRelation(tree, from, to), orders);
    if (orderings.size === 0 || orderings.has('tied')) continue;
    const isTimed = mayHaveTimes(first) && mayHaveTimes(second);
    if (isTimed && orderings.has('clocks') && kind === 'arrow') continue;
    const key = allProbes.sort().join('\n');
    if (violations.has(key)) continue;
    const probes = `${listText(ofFirst)} and ${listText(ofSecond)}`;
    violations.set(key, { ...textsFor(probes, isTimed, orderings.has('clocks')), span });
  }
  return [...violations.values()];
}

function textsFor(
  probes: string,
  isTimed: boolean,
  isByClocks: boolean,
): Pick<Violation, 'message' | 'help'> {
  if (isTimed && isByClocks) {
    return {
      message: `only clocks order ${probes} in the recordings, and clocks cannot show that two events are concurrent`,
      help: 'record messages, or use --order time, where || means within the skew',
    };
  }
  return {
    message: `nothing in the recordings orders ${probes}`,
    help: isTimed
      ? 'compare times, use --order time, or record messages'
      : 'record times, or messages between the probes',
  };
}

/** Returns the distinct probes of shapes, sorted. */
export function shapeProbes(shapes: readonly EventShape[]): string[] {
  return [...new Set(shapes.map(({ probe }) => probe))].sort();
}

/** Returns the recorded orders between two labels' probes, for the probe pairs that FILTER allows. */
function recordedOrders(
  first: readonly string[],
  second: readonly string[],
  relation: ProbeRelation,
  orders: NonNullable<Vocabulary['orders']>,
) {
  const pairs = first.flatMap((probe) => second.map((otherProbe) => [probe, otherProbe] as const));
  return new Set(
    pairs.flatMap(([probe, otherProbe]) => {
      const isRelevant = relation === undefined || (probe === otherProbe) === (relation === '=');
      return (isRelevant && orders.get(probe)?.get(otherProbe)) || [];
    }),
  );
}

function mayHaveTimes(shapes: readonly EventShape[]): boolean {
  return shapes.some(({ attributes }) => attributes.has('time'));
}

/** Maximum number of probes in a message. */
const MAX_LISTED = 4;

/** Formats a list of at most `MAX_LISTED` probes, with the number of remaining probes. */
export function listText(probes: readonly string[]): string {
  const omitted = probes.length - MAX_LISTED;
  return probes.slice(0, MAX_LISTED).join(', ') + (omitted > 0 ? ` and ${omitted} more` : '');
}
