import type { Dimension } from '../../../src/runner/index.js';
import { keyOf, type MutationSet, type Space } from '../../../src/runner/plan/space.js';
import { addTries, NO_TRIES, type Tries } from '../../../src/runner/shrink/rates.js';
import { nextTry, SHRINK_LIMITS, type ShrinkResult } from '../../../src/runner/shrink/search.js';
import { type Dice, roll } from '../../dice.js';

/* Searches for what a failure needs, with systems whose chance to fail is known. */

/** A search to its end, and the sets that it asked for. */
export interface Searched extends ShrinkResult {
  readonly asked: readonly MutationSet[];
}

/**
 * Makes a failing set smaller.
 *
 * @param fails undefined where nothing can be judged
 */
export function searchWith(
  space: Space,
  failing: MutationSet,
  fails: (set: MutationSet) => boolean | undefined,
  total = SHRINK_LIMITS.total,
): Searched {
  const tries = new Map<string, { set: MutationSet; rate: Tries }>();
  const asked: MutationSet[] = [];
  for (;;) {
    const limits = { ...SHRINK_LIMITS, total };
    const decision = nextTry(space, failing, { tries, attempts: asked.length }, limits);
    if ('result' in decision) return { ...decision.result, asked };
    const set = decision.next;
    const failed = fails(set);
    const isJudged = failed !== undefined;
    const one = { runs: 1, tried: isJudged ? 1 : 0, failed: failed === true ? 1 : 0 };
    tries.set(keyOf(set), { set, rate: addTries(tries.get(keyOf(set))?.rate ?? NO_TRIES, one) });
    asked.push(set);
  }
}

/** A space of one mutator with these parameters. */
export function spaceOf(...dimensions: readonly Dimension[]): Space {
  return { mutators: [{ server: 'bench', id: 'a', name: 'a', dimensions }], maxMutations: 1 };
}

/** A whole number whose least effect is its lower bound. */
export function whole(key: string, lower: number, upper: number): Dimension {
  const [from, to] = [BigInt(lower), BigInt(upper)];
  return {
    ...{ kind: 'whole', type: 'integer', key, name: key, lower: from, upper: to },
    leastEffect: { type: 'integer', value: from },
  };
}

export function float(key: string, lower: number, upper: number): Dimension {
  const leastEffect = { type: 'float', value: lower } as const;
  return { kind: 'float', key, name: key, lower, upper, leastEffect };
}

/** A random share. */
export const share = (dice: Dice): number => dice.upTo(999_999) / 1_000_000;

/** A system with one parameter whose chance to fail rises with it. */
export interface Rising {
  readonly dimension: Dimension;
  /** Where its border is, drawn anew for each seed. */
  readonly border: (dice: Dice) => number;
  /** The share of the failing set's chance at a value. */
  readonly rises: (value: number, border: number, range: number) => number;
  /** The chance where it has risen; 1 if absent. */
  readonly top?: number;
  /** The chance of failures that have nothing to do with it. */
  readonly others?: number;
  /** Where in its range the failing values are. */
  readonly failing?: readonly [number, number];
}

const step = (value: number, border: number): number => (value >= border ? 1 : 0);
/** From 10 to 90 % within a share of the range. */
const slope = (of: number) => (value: number, border: number, range: number) =>
  1 / (1 + Math.exp((-4.394 * (value - border)) / (of * range)));
const inside = (dice: Dice) => 100 + 500 * share(dice);
const thousand = float('x', 0, 1_000);

/** Systems of a table of docs/contributing/search.md. */
export const RISING: Readonly<Record<string, Rising>> = {
  'at once': { dimension: thousand, border: inside, rises: step },
  'at once, and 1 % fail otherwise': {
    dimension: thousand,
    border: inside,
    rises: step,
    others: 0.01,
  },
  'over a tenth of the range': {
    dimension: thousand,
    border: inside,
    rises: slope(0.1),
    others: 0.01,
  },
  'over a quarter of the range': {
    dimension: thousand,
    border: inside,
    rises: slope(0.25),
    others: 0.01,
  },
  'over half of the range': {
    ...{ dimension: thousand, rises: slope(0.5), others: 0.01 },
    border: (dice) => 250 + 250 * share(dice),
  },
  'at once, in 70 % of attempts': {
    dimension: thousand,
    border: inside,
    rises: step,
    top: 0.7,
    others: 0.01,
  },
  'with a delay of random length': {
    dimension: whole('x', 0, 3_000),
    border: () => 250 * 2 ** 0.1,
    rises: (value) => (value <= 250 ? 0 : 1 - (250 / value) ** 10),
    failing: [0.4, 1],
  },
  'at once, in the first hundredth of the range': {
    ...{ dimension: whole('x', 0, 3_000), rises: step, failing: [0.4, 1] },
    border: (dice) => 5 + 25 * share(dice),
  },
  'at once, on a logarithmic scale': {
    ...{ dimension: float('x', 1, 100_000), rises: step, others: 0.01 },
    border: (dice) => 10 ** (1 + 2.5 * share(dice)),
  },
};

/** The result of a search with such a system, and where its border is. */
export function searchRising(system: Rising, seed: number): Searched & { readonly border: number } {
  const { dimension, rises, top = 1, others = 0, failing = [0.85, 1] } = system;
  const dice = roll(seed * 7_919 + 1);
  for (let at = 0; at < 5; at++) share(dice);
  const border = system.border(dice);
  const range = dimension as Extract<Dimension, { kind: 'float' | 'whole' }>;
  const [lower, upper] = [Number(range.lower), Number(range.upper)];
  const place = failing[0] + (failing[1] - failing[0]) * share(dice);
  const isWide = lower > 0 && upper > 1_000 * lower;
  const exact = isWide ? lower * (upper / lower) ** place : lower + (upper - lower) * place;
  const first = Math.round(exact);
  const value = range.kind === 'whole' ? BigInt(first) : first;
  const { type } = dimension.leastEffect as { readonly type: 'integer' | 'float' };
  const set = [{ mutator: 0, values: [{ type, value }] }] as MutationSet;
  const chanceOf = (one: MutationSet) => {
    const own = one[0]?.values[0]?.value;
    const due = own === undefined ? 0 : top * rises(Number(own), border, upper - lower);
    return due + (1 - due) * others;
  };
  return {
    ...searchWith(spaceOf(dimension), set, (one) => share(dice) < chanceOf(one)),
    border,
  };
}

/** Whether an interval holds a number. */
export function holds(found: ShrinkResult, border: number): boolean {
  const [from, to] = (found.borders[0]?.interval ?? []).map((one) => Number(one.value));
  return from !== undefined && to !== undefined && from <= border && border <= to;
}
