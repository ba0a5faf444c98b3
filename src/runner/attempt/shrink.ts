import { type AttributeValue, equals } from '../../values/index.js';
import type { FailureRate, ShrinkEnd, Shrunk } from '../journal/records.js';
import { squareRootOf } from '../plan/big-numbers.js';
import { clamp, type Dimension, isWide, type Range } from '../plan/dimension.js';
import { keyOf, type MutationSet, type PlannedMutation, type Space } from '../plan/space.js';

/*
 * Makes a failing set smaller: fewer mutators first, then values towards their least effect. It asks
 * whether a set fails, one question after another, and takes the answers in the same order: so
 * interrupted shrinking continues when it is given the answers that it had.
 *
 * Systems are flaky, and fail for other reasons too. So whether a set fails as the first one did is
 * settled by the odds of what was seen of it (Wald's sequential test, 1945): the odds that it fails as
 * often as the sets that fail, against as often as those that do not.
 */

/** How many attempts may be asked for. */
interface ShrinkLimits {
  /** Attempts in all. */
  readonly budget: number;
  /** How many times, at least, the first and the smallest set are repeated, to know how often they fail. */
  readonly repeats: number;
  /** Called before a set is asked for, with how many times in a row it will be, at least. */
  readonly ahead?: (times: number) => void;
}

export const SHRINK_LIMITS: ShrinkLimits = { budget: 100, repeats: 5 };

/** A float or a time is taken as found when what is left to bisect is this fraction of the span. */
const FLOAT_STEPS = 64;
/** Whole numbers of 64 bits need no more steps. */
const MOST_STEPS = 64;
/**
 * Odds, as logarithms: those at which a set is left out for now, those at which shrinking goes on with one,
 * where mistakes cost more, and those at which something is reported.
 */
const LIKELY = Math.log(10);
const TRUSTED = Math.log(50);
const SURE = Math.log(200);
/** What is not settled by this many tries is taken for what it looks like. */
export const MOST_TRIES = 8;

/** Yields a set to be tried, and takes whether it failed; undefined where nothing could be judged. */
type Shrinking = Asked<Shrunk>;

type Asked<T> = Generator<MutationSet, T, boolean | undefined>;

/** Begins to make a failing set smaller. */
export function* shrink(
  space: Space,
  failing: MutationSet,
  limits: ShrinkLimits = SHRINK_LIMITS,
): Shrinking {
  const trials = new Trials(limits);
  const unmutated = yield* trials.repeat([], 3);
  let before = yield* trials.repeat(failing, limits.repeats);
  if (before.tried === 0) before = yield* trials.repeat(failing, limits.repeats);
  const end = (set: MutationSet, rate: FailureRate, ended: ShrinkEnd): Shrunk => {
    return { set, ...rate, before, attempts: trials.asked, ended };
  };
  if (before.failed === 0) return end(failing, before, 'not-repeated');
  if (unmutated.failed > 0) {
    yield* trials.repeat([], MOST_TRIES - unmutated.tried);
    const all = trials.rateOf([]);
    if (all.failed > 3 && all.failed * before.tried >= (all.tried * before.failed) / 2) {
      return end([], all, 'unmutated');
    }
  }
  trials.settle([], false);
  yield* trials.fails(failing, LIKELY);
  if (trials.oddsOf(failing) < LIKELY) {
    return end(failing, trials.rateOf(failing), 'not-repeated');
  }
  const chain: MutationSet[] = [failing];
  const borders = new Map<string, AttributeValue>();
  let ended: ShrinkEnd = 'smallest';
  for (;;) {
    // In the end, the sets that are left out are sure to pass.
    for (const odds of [LIKELY, SURE]) {
      while (!trials.isSpent && (yield* pass({ space, chain, trials, borders, odds }))) {
        // Everything is looked at again.
      }
    }
    const set = chain.at(-1) as MutationSet;
    if (trials.isSpent) ended = 'budget';
    if (chain.length === 1) return end(set, before, ended);
    const rate = yield* trials.confirm(set);
    if (trials.weigh(rate) >= SURE) return end(set, rate, ended);
    if (trials.isSpent) return end(failing, before, 'budget');
    // It only looked as if it failed: back to the set before it, of which more is known by now.
    chain.pop();
    borders.clear();
    ended = 'less-often';
  }
}

const NEVER: FailureRate = { tried: 0, failed: 0 };

/** Tries sets, within a budget, and weighs what was seen of them. */
class Trials {
  asked = 0;
  readonly #limits: ShrinkLimits;
  readonly #rates = new Map<string, FailureRate>();
  /** Whether the sets that were settled fail. */
  readonly #fails = new Map<string, boolean>();

  constructor(limits: ShrinkLimits) {
    this.#limits = limits;
  }

  /** Whether only what a last confirmation takes is left. */
  get isSpent(): boolean {
    return this.asked + MOST_TRIES >= this.#limits.budget;
  }

  settle(set: MutationSet, fails: boolean): void {
    this.#fails.set(keyOf(set), fails);
  }

  /** How often a set failed, all in all. */
  rateOf(set: MutationSet): FailureRate {
    return this.#rates.get(keyOf(set)) ?? NEVER;
  }

  /** Tries a set this many times, whatever is known of it. */
  *repeat(set: MutationSet, times: number): Asked<FailureRate> {
    let rate = NEVER;
    for (let at = 0; at < times && this.asked < this.#limits.budget; at += 1) {
      this.#limits.ahead?.(Math.min(times - at, this.#limits.budget - this.asked));
      this.asked += 1;
      const failed = yield set;
      if (failed === undefined) continue;
      const one = { tried: 1, failed: failed ? 1 : 0 };
      rate = sum(rate, one);
      this.#rates.set(keyOf(set), sum(this.rateOf(set), one));
    }
    return rate;
  }

  /** Tries a set anew, until it is sure whether it fails as the first one did. */
  *confirm(set: MutationSet): Asked<FailureRate> {
    let rate = yield* this.repeat(set, this.#limits.repeats);
    for (let at = rate.tried; at < MOST_TRIES && Math.abs(this.weigh(rate)) < SURE; at += 1) {
      rate = sum(rate, yield* this.repeat(set, 1));
    }
    this.settle(set, this.weigh(rate) >= SURE);
    return rate;
  }

  /** Whether a set fails as the first one did; one for which the budget has no attempts left does not. */
  *fails(set: MutationSet, odds: number): Asked<boolean> {
    for (let at = 0; at < MOST_TRIES; at += 1) {
      const now = this.oddsOf(set);
      if (now >= Math.max(odds, TRUSTED) || now <= -odds) break;
      if (this.isSpent) return false;
      yield* this.repeat(set, 1);
    }
    const fails = this.oddsOf(set) > 0;
    this.settle(set, fails);
    return fails;
  }

  /**
   * The logarithm of the odds that a set with this rate is one that fails. How often such sets fail, and
   * how often the others, is only known from those that were settled.
   */
  weigh(rate: FailureRate, itself?: string): number {
    let [failing, passing] = [NEVER, NEVER];
    for (const [key, fails] of this.#fails) {
      if (key === itself) continue;
      const known = this.#rates.get(key) ?? NEVER;
      if (fails) failing = sum(failing, known);
      else passing = sum(passing, known);
    }
    return (
      chanceOf(rate, failing.failed + 1, failing.tried - failing.failed + 1) -
      chanceOf(rate, passing.failed + 0.5, passing.tried - passing.failed + 4.5)
    );
  }

  oddsOf(set: MutationSet): number {
    return this.weigh(this.rateOf(set), keyOf(set));
  }
}

/**
 * The logarithm of the chance of seeing a rate in one order, after this many failures and passes: with a
 * beta distribution, each try is part of what is known for the next.
 */
function chanceOf({ tried, failed }: FailureRate, failures: number, passes: number): number {
  let chance = 0;
  for (let at = 0; at < failed; at += 1) chance += Math.log(failures + at);
  for (let at = 0; at < tried - failed; at += 1) chance += Math.log(passes + at);
  for (let at = 0; at < tried; at += 1) chance -= Math.log(failures + passes + at);
  return chance;
}

function sum(one: FailureRate, other: FailureRate): FailureRate {
  return { tried: one.tried + other.tried, failed: one.failed + other.failed };
}

/** What is searched for smaller sets. */
interface Search {
  readonly space: Space;
  /** Each set is smaller than the one before it. */
  readonly chain: MutationSet[];
  readonly trials: Trials;
  /** The nearest value to each failing one that was seen to pass, by mutator and parameter. */
  readonly borders: Map<string, AttributeValue>;
  /** The odds at which it is settled whether a set fails. */
  readonly odds: number;
}

/** Looks once at every mutator and every value. @returns whether anything could be made smaller */
function* pass(search: Search): Asked<boolean> {
  const { space, chain, trials, odds } = search;
  const length = chain.length;
  const last = () => chain.at(-1) as MutationSet;
  for (const { mutator } of last()) {
    const without = last().filter((one) => one.mutator !== mutator);
    if (without.length > 0 && (yield* trials.fails(without, odds))) chain.push(without);
  }
  const values = last().flatMap(({ mutator }) =>
    (space.mutators[mutator]?.dimensions ?? []).map((dimension, at) => ({
      mutator,
      at,
      dimension,
    })),
  );
  // What plays no part goes first: the borders of the others are then looked for only once.
  for (const value of values) yield* remove(search, value);
  for (const value of values) yield* soften(search, value);
  return chain.length > length;
}

/** A value of a set: the parameter of a mutator. */
interface SetValue {
  readonly mutator: number;
  readonly at: number;
  readonly dimension: Dimension;
}

const keyOfValue = ({ mutator, at }: SetValue) => `${mutator}:${at}`;

/** Moves one value to its least effect, unless the set then passes, or is known to. */
function* remove({ chain, trials, borders, odds }: Search, value: SetValue): Asked<void> {
  const target = targetOf(value.dimension);
  const key = keyOfValue(value);
  const { now, replacedBy } = valueIn(chain, value);
  if (target === undefined || equals(target, now) || borders.has(key)) return;
  if (yield* trials.fails(replacedBy(target), odds)) chain.push(replacedBy(target));
  else borders.set(key, target);
}

/**
 * Moves one value towards its least effect as far as the set still fails. Where an earlier
 * look has found the border, that is tried first: most often it is still there.
 */
function* soften({ chain, trials, borders, odds }: Search, value: SetValue): Asked<void> {
  const target = targetOf(value.dimension);
  const border = borders.get(keyOfValue(value));
  const { now, replacedBy } = valueIn(chain, value);
  if (target === undefined || border === undefined || equals(target, now)) return;
  let [failing, passing] = [now, target];
  const middle = () => middleOf(value.dimension, passing, failing);
  let next = equals(border, target) ? (middle() ?? target) : border;
  for (let step = 0; step < MOST_STEPS && !trials.isSpent; step += 1) {
    if (yield* trials.fails(replacedBy(next), odds)) {
      chain.push(replacedBy(next));
      if (equals(next, target)) return;
      failing = next;
      if (equals(failing, passing)) passing = target;
    } else {
      if (equals(next, passing)) break;
      passing = next;
    }
    // The border itself is asked for last, if nothing lies before it: it must pass at these odds too.
    next = middle() ?? passing;
  }
  borders.set(keyOfValue(value), passing);
}

/** A value of the smallest set so far, and that set with another value in its place. */
function valueIn(chain: readonly MutationSet[], { mutator, at }: SetValue) {
  const set = chain.at(-1) as MutationSet;
  const { values } = set.find((one) => one.mutator === mutator) as PlannedMutation;
  return {
    now: values[at] as AttributeValue,
    replacedBy: (value: AttributeValue): MutationSet =>
      set.map((one) =>
        one.mutator === mutator ? { mutator, values: values.with(at, value) } : one,
      ),
  };
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
      return { type: 'float', value: dimension.discrete ? Math.round(value) : value };
    }
  }
}

/**
 * A value between two; undefined where none exists, or none makes a difference. It is in the middle:
 * in a wide range, on a logarithmic scale; on a circle, along the shorter arc.
 */
function middleOf(
  dimension: Dimension,
  passing: AttributeValue,
  failing: AttributeValue,
): AttributeValue | undefined {
  if (dimension.kind === 'choice') return undefined;
  const value =
    dimension.kind === 'whole'
      ? middleWhole(dimension, passing.value as bigint, failing.value as bigint)
      : middleFloat(dimension, passing.value as number, failing.value as number);
  const between = value === undefined ? passing : ({ ...passing, value } as AttributeValue);
  return equals(between, passing) || equals(between, failing) ? undefined : between;
}

function middleWhole(
  range: Extract<Range, { kind: 'whole' }>,
  passing: bigint,
  failing: bigint,
): bigint {
  const { lower, upper, timing } = range;
  const count = upper - lower + 1n;
  const apart = failing > passing ? failing - passing : passing - failing;
  // No attempt repeats its times to the millisecond.
  if (timing !== undefined && apart * BigInt(FLOAT_STEPS) <= upper - lower) return passing;
  let other = failing;
  if (range.circular && 2n * (failing - passing) > count) other -= count;
  if (range.circular && 2n * (passing - failing) > count) other += count;
  let value = passing + (other - passing) / 2n;
  if (isWide(range)) {
    const geometric = squareRootOf(passing * failing);
    const [low, high] = passing < failing ? [passing, failing] : [failing, passing];
    if (geometric > low && geometric < high) value = geometric;
  }
  if (value < lower) value += count;
  return value > upper ? value - count : value;
}

function middleFloat(
  range: Extract<Range, { kind: 'float' }>,
  passing: number,
  failing: number,
): number | undefined {
  const { lower, upper, discrete, circular } = range;
  if (discrete) return Math.trunc(passing + (failing - passing) / 2);
  if (isWide(range)) {
    const isClose = Math.abs(Math.log(passing / failing)) * FLOAT_STEPS <= Math.log(upper / lower);
    return isClose ? undefined : rounded(passing, failing, Math.sqrt(passing) * Math.sqrt(failing));
  }
  // Halves, because the span of two finite bounds may be infinite.
  const half = upper / 2 - lower / 2;
  let other = failing;
  if (circular && failing / 2 - passing / 2 > half / 2) other -= 2 * half;
  if (circular && passing / 2 - failing / 2 > half / 2) other += 2 * half;
  if (Math.abs(passing / 2 - other / 2) * FLOAT_STEPS <= half) return undefined;
  const value = rounded(passing, other, passing / 2 + other / 2);
  if (value < lower) return value + 2 * half;
  return value > upper ? value - 2 * half : value;
}

/** The number with the fewest digits near the middle of two: it is easier to read. */
function rounded(one: number, other: number, middle: number): number {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const [least, most] = [low / 2 + middle / 2, middle / 2 + high / 2];
  for (let digits = 1; digits < 17; digits += 1) {
    const value = Number(middle.toPrecision(digits));
    if (value > least && value < most) return value;
  }
  return middle;
}
