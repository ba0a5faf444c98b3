import { type AttributeValue, equals } from '../../values/index.js';
import type { Dimension } from '../plan/dimension.js';
import { keyOf, type MutationSet, type PlannedMutation, type Space } from '../plan/space.js';

/*
 * Makes a failing set smaller: fewer mutators first, then values towards their least effect. It asks
 * whether a set fails, one question after the other, and takes the answers in the same order: so an
 * interrupted shrinking continues when it is given the answers that it had.
 */

/** How much may be asked. */
interface ShrinkLimits {
  /** Attempts in all. */
  readonly budget: number;
  /** So often a set is tried before it counts as one that does not fail. */
  readonly tries: number;
  /** So often the first and the smallest set are repeated, to know how often they fail. */
  readonly repeats: number;
}

export const SHRINK_LIMITS: ShrinkLimits = { budget: 100, tries: 3, repeats: 5 };

/** What shrinking has come to. */
export interface Shrunk {
  readonly set: MutationSet;
  /** How often the smallest set was tried again, and how often it failed. */
  readonly tried: number;
  readonly failed: number;
  /** How often the set that it began with did. */
  readonly before: { readonly tried: number; readonly failed: number };
  readonly attempts: number;
  /** Whether the budget ended it, and not that nothing smaller fails. */
  readonly budget: boolean;
}

/** A float is taken as found when what is left to bisect is the span in so many. */
const FLOAT_STEPS = 64;
/** Whole numbers of 64 bits need no more. */
const MOST_STEPS = 64;

/** Yields a set to be tried, and takes whether it failed. */
type Shrinking = Generator<MutationSet, Shrunk, boolean>;

/** Begins to make a failing set smaller. */
export function* shrink(
  space: Space,
  failing: MutationSet,
  limits: ShrinkLimits = SHRINK_LIMITS,
): Shrinking {
  const asker = new Asker(limits);
  if (yield* asker.fails([])) {
    const without = yield* asker.rate([]);
    // Once may be chance.
    if (without.failed * 2 > without.tried) {
      return { set: [], ...without, before: without, attempts: asker.asked, budget: false };
    }
  }
  const before = yield* asker.rate(failing);
  // What has failed each time is not worth the third look.
  if (before.failed === before.tried) asker.tries = Math.min(2, limits.tries);
  if (before.failed === 0) {
    return { set: failing, ...before, before, attempts: asker.asked, budget: false };
  }
  let set = failing;
  const borders: Borders = new Map();
  for (let smaller: MutationSet | undefined = set; smaller !== undefined && !asker.isSpent; ) {
    smaller = yield* pass(space, set, asker, borders);
    if (smaller !== undefined) set = smaller;
  }
  const budget = asker.isSpent;
  const after = set === failing ? before : yield* asker.rate(set);
  return { set, ...after, before, attempts: asker.asked, budget };
}

/** Asks whether sets fail, within a budget. Each set is asked about once. */
class Asker {
  asked = 0;
  /** So often a set is tried before it counts as one that does not fail. */
  tries: number;
  readonly #limits: ShrinkLimits;
  readonly #known = new Map<string, boolean>();

  constructor(limits: ShrinkLimits) {
    this.#limits = limits;
    this.tries = limits.tries;
  }

  /** Whether no more than what the last repetitions take is left. */
  get isSpent(): boolean {
    return this.asked + this.#limits.repeats >= this.#limits.budget;
  }

  /** Whether a set fails at least once; one that could not be asked about does not. */
  *fails(set: MutationSet): Generator<MutationSet, boolean, boolean> {
    const key = keyOf(set);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    for (let tried = 0; tried < this.tries && !this.isSpent; tried += 1) {
      this.asked += 1;
      if (yield set) {
        this.#known.set(key, true);
        return true;
      }
    }
    if (!this.isSpent) this.#known.set(key, false);
    return false;
  }

  *rate(
    set: MutationSet,
  ): Generator<MutationSet, { readonly tried: number; readonly failed: number }, boolean> {
    let failed = 0;
    let tried = 0;
    for (; tried < this.#limits.repeats && this.asked < this.#limits.budget; tried += 1) {
      this.asked += 1;
      if (yield set) failed += 1;
    }
    return { tried, failed };
  }
}

/** One look at every mutator and every value; undefined when nothing could be made smaller. */
function* pass(
  space: Space,
  failing: MutationSet,
  asker: Asker,
  borders: Borders,
): Generator<MutationSet, MutationSet | undefined, boolean> {
  let set = failing;
  for (const { mutator } of failing) {
    const without = set.filter((one) => one.mutator !== mutator);
    if (without.length > 0 && (yield* asker.fails(without))) set = without;
  }
  for (const { mutator } of set) {
    for (const [at, dimension] of (space.mutators[mutator]?.dimensions ?? []).entries()) {
      set = yield* soften(set, mutator, at, dimension, asker, borders);
    }
  }
  return keyOf(set) === keyOf(failing) ? undefined : set;
}

/** The nearest value to each failing one that was seen to pass, by mutator and parameter. */
type Borders = Map<string, AttributeValue>;

/**
 * Moves one value towards its least effect as far as the set still fails. Where a look before this
 * one has found the border, it is tried first: most often it is still there.
 */
function* soften(
  set: MutationSet,
  mutator: number,
  at: number,
  dimension: Dimension,
  asker: Asker,
  borders: Borders,
): Generator<MutationSet, MutationSet, boolean> {
  const target = targetOf(dimension);
  const planned = set.find((one) => one.mutator === mutator) as PlannedMutation;
  let failing = planned.values[at] as AttributeValue;
  if (target === undefined || equals(target, failing)) return set;
  const withValue = (value: AttributeValue) => replaced(set, mutator, at, value);
  if (yield* asker.fails(withValue(target))) return withValue(target);
  let passing = target;
  const key = `${mutator}:${at}`;
  let next = borders.get(key) ?? middleOf(dimension, passing, failing);
  for (let step = 0; step < MOST_STEPS && !asker.isSpent && next !== undefined; step += 1) {
    if (yield* asker.fails(withValue(next))) failing = next;
    else passing = next;
    next = middleOf(dimension, passing, failing);
  }
  borders.set(key, passing);
  return withValue(failing);
}

/** The value of least effect, or the one nearest to it that may be planned. */
function targetOf(dimension: Dimension): AttributeValue | undefined {
  const { leastEffect } = dimension;
  if (leastEffect === undefined) return undefined;
  switch (dimension.kind) {
    case 'choice':
      return dimension.values.find((one) => equals(one, leastEffect));
    case 'whole': {
      const value = clamp(leastEffect.value as bigint, dimension.lower, dimension.upper);
      return { type: dimension.type, value };
    }
    case 'float': {
      const value = clamp(leastEffect.value as number, dimension.lower, dimension.upper);
      return { type: 'float', value };
    }
  }
}

function clamp<T extends bigint | number>(value: T, lower: T, upper: T): T {
  if (value < lower) return lower;
  return value > upper ? upper : value;
}

/** A value between two; undefined where none exists, or none makes a difference. */
function middleOf(
  dimension: Dimension,
  passing: AttributeValue,
  failing: AttributeValue,
): AttributeValue | undefined {
  if (dimension.kind === 'choice') return undefined;
  if (dimension.kind === 'whole') {
    const [one, other] = [passing.value as bigint, failing.value as bigint];
    const value = one + (other - one) / 2n;
    return value === one || value === other ? undefined : { type: dimension.type, value };
  }
  const [one, other] = [passing.value as number, failing.value as number];
  // Halves, for the span of two finite bounds may be infinite.
  const isClose =
    Math.abs(one / 2 - other / 2) * FLOAT_STEPS <= dimension.upper / 2 - dimension.lower / 2;
  const value = one / 2 + other / 2;
  return isClose || value === one || value === other ? undefined : rounded(one, other, value);
}

/** The number with the fewest digits near the middle of two: it is easier to read. */
function rounded(one: number, other: number, middle: number): AttributeValue {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const quarter = high / 4 - low / 4;
  for (let digits = 1; digits < 17; digits += 1) {
    const value = Number(middle.toPrecision(digits));
    if (value > low + quarter && value < high - quarter) return { type: 'float', value };
  }
  return { type: 'float', value: middle };
}

function replaced(
  set: MutationSet,
  mutator: number,
  at: number,
  value: AttributeValue,
): MutationSet {
  return set.map((one) =>
    one.mutator === mutator
      ? { mutator, values: one.values.map((old, index) => (index === at ? value : old)) }
      : one,
  );
}
