import { nthValue, valueCount } from './dimension.js';
import { randomFor } from './random.js';
import { keyOf, type MutationSet, type Space, type Strategy } from './space.js';

/** All the sets of a space where they can be counted. */
interface CountedSets {
  readonly count: bigint;
  /** A set by its number, from 0 on. */
  set(number: bigint): MutationSet;
}

/** The sets of a space; undefined where a parameter has as many values as floats can tell apart. */
function countedSets({ mutators, most }: Space): CountedSets | undefined {
  const values = mutators.map(({ dimensions }) => dimensions.map(valueCount));
  if (values.flat().includes(undefined)) return undefined;
  const counts = values.map((all) =>
    all.reduce<bigint>((product, one) => product * (one ?? 1n), 1n),
  );
  /** By mutator and places left: how many sets, the empty one too, this one and those behind it make. */
  const ways: bigint[][] = [Array.from({ length: most + 1 }, () => 1n)];
  for (const count of counts.toReversed()) {
    const behind = ways[0] as readonly bigint[];
    ways.unshift(behind.map((without, left) => without + count * (behind[left - 1] ?? 0n)));
  }
  return {
    count: (ways[0]?.[most] as bigint) - 1n,
    set(number) {
      const set: { mutator: number; values: MutationSet[number]['values'] }[] = [];
      // The first set is the empty one.
      let rest = number + 1n;
      for (const [mutator, { dimensions }] of mutators.entries()) {
        const left = most - set.length;
        const without = ways[mutator + 1]?.[left] as bigint;
        if (rest < without) continue;
        const others = ways[mutator + 1]?.[left - 1] as bigint;
        let chosen = (rest - without) / others;
        rest = (rest - without) % others;
        const ofMutator = dimensions.map((dimension) => {
          const count = valueCount(dimension) as bigint;
          const value = nthValue(dimension, chosen % count);
          chosen /= count;
          return value;
        });
        set.push({ mutator, values: ofMutator });
      }
      return set;
    },
  };
}

/** How many sets a space has; undefined where they cannot be counted. */
export function setCount(space: Space): bigint | undefined {
  return countedSets(space)?.count;
}

/** After so many repeated sets in a row, a strategy counts as having no others. */
const MOST_REPEATED = 32;

/** New sets one after the other, until a strategy repeats itself; `seen` grows with each. */
export function* newSets(
  draw: ReturnType<Strategy>,
  seen: Set<string>,
): Generator<MutationSet, undefined> {
  let repeated = 0;
  for (let n = 0; repeated < MOST_REPEATED; n += 1) {
    const set = draw(n);
    const size = seen.size;
    repeated = seen.add(keyOf(set)).size === size ? repeated + 1 : 0;
    if (repeated === 0) yield set;
  }
}

/**
 * A strategy that makes no set of a space twice before it has made all of them, where they can be
 * counted: first its own sets, then those that it never makes. After the last it begins again.
 */
export function withoutRepeats(strategy: Strategy): Strategy {
  return (space, seed) => {
    const draw = strategy(space, seed);
    const counted = countedSets(space);
    if (counted === undefined) return draw;
    const sets: MutationSet[] = [];
    const next = everySet(counted, seed, draw);
    return (n) => {
      const at = BigInt(n) < counted.count ? n : Number(BigInt(n) % counted.count);
      while (sets.length <= at) sets.push(next.next().value as MutationSet);
      return sets[at] as MutationSet;
    };
  };
}

function* everySet(
  { count, set }: CountedSets,
  seed: bigint,
  draw: ReturnType<Strategy>,
): Generator<MutationSet> {
  const seen = new Set<string>();
  yield* newSets(draw, seen);
  // Steps that share no factor with the number of sets come to each of them; far ones look random.
  let step = (count * 618n) / 1_000n + 1n;
  while (greatestCommonDivisor(step, count) !== 1n) step += 1n;
  let number = randomFor(seed, 'all sets').between(0n, count - 1n);
  for (;;) {
    const one = set(number);
    if (!seen.has(keyOf(one))) yield one;
    number = (number + step) % count;
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
