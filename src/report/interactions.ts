import type { Dimension, Outcome, Space } from '../runner/index.js';
import type { AttributeValue } from '../values/index.js';
import { scaleOf } from './scale.js';

/** A parameter of a space, and how to call it. */
export interface ParameterOf {
  readonly server: string;
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly dimension: Dimension;
}

export function parametersOf({ mutators }: Space): readonly ParameterOf[] {
  return mutators.flatMap(({ server, id, name, probe, dimensions }) =>
    dimensions.map((dimension) => ({
      server,
      id,
      key: dimension.key,
      title: `${probe === undefined ? name : `${name}@${probe}`} ${dimension.name}`,
      dimension,
    })),
  );
}

/** The values of two parameters in an attempt, and what came of it. */
export interface Sample {
  readonly values: readonly [AttributeValue, AttributeValue];
  readonly outcome: Outcome;
}

const CELLS = 3;

/**
 * By how much two parameters together say more about whether an attempt fails than the better of the
 * two alone: the information gained, in bits, over cells of a third of each axis.
 */
export function interactionOf(
  [one, other]: readonly [Dimension, Dimension],
  samples: readonly Sample[],
): number {
  const judged = samples.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  if (judged.length < 8) return 0;
  const [a, b] = [scaleOf(one), scaleOf(other)];
  const cell = (share: number) => Math.min(CELLS - 1, Math.floor(share * CELLS));
  const cells = judged.map(({ values, outcome }) => ({
    a: cell(a.at(values[0])),
    b: cell(b.at(values[1])),
    failed: outcome === 'failed',
  }));
  const total = entropy(cells.map(({ failed }) => failed));
  const gain = (keyOf: (one: (typeof cells)[number]) => string) => {
    const groups = new Map<string, boolean[]>();
    for (const one of cells)
      groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one.failed]);
    const left = [...groups.values()].map((group) => entropy(group) * group.length);
    return total - left.reduce((sum, part) => sum + part, 0) / cells.length;
  };
  const together = gain((one) => `${one.a}:${one.b}`);
  return (
    together -
    Math.max(
      gain((one) => `${one.a}`),
      gain((one) => `${one.b}`),
    )
  );
}

function entropy(values: readonly boolean[]): number {
  const share = values.filter(Boolean).length / values.length;
  return [share, 1 - share].reduce(
    (sum, part) => (part > 0 ? sum - part * Math.log2(part) : sum),
    0,
  );
}
