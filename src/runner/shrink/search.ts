import { type AttributeValue, equals } from '../../values/index.js';
import type { FailureRate, ShrinkEnd } from '../journal/records.js';
import { keyOf, type MutationSet, type PlannedMutation, type Space } from '../plan/space.js';
import { type BorderLimits, type FoundBorder, findBorder, type TriedValue } from './border.js';
import { alternativesTo, type BorderLine } from './line.js';
import { addTries, NO_TRIES, oddsOf, type Tries } from './rates.js';

/*
 * Makes a failing set smaller: removes the mutators and sets to their least effect the parameters that play no
 * part, and finds for each of the others the border, the value at which half as many attempts fail as with the
 * failing set.
 *
 * The next try, or the result, depends only on the number of each set's tries and failures, so an interrupted run
 * continues where it stopped.
 */

/** A parameter of a mutator of the space, by their positions. */
export interface ParameterAt {
  readonly mutator: number;
  readonly at: number;
}

export interface ParameterBorder extends ParameterAt, FoundBorder {}

/** The result of the search. */
export interface Shrunk {
  readonly ended: ShrinkEnd;
  /** A set that failed when it was repeated, with its rate; empty if the system fails without mutations. */
  readonly set: MutationSet;
  readonly rate: FailureRate;
  /** The rate of the failing set when it was repeated. */
  readonly before: FailureRate;
  readonly borders: readonly ParameterBorder[];
  /** Parameters without a least effect that fail at all tried values. */
  readonly idle: readonly ParameterAt[];
  /** True if each border alone fails, but not all of them together. */
  readonly interacts: boolean;
}

export type Decision =
  | {
      readonly ask: MutationSet;
      /** The minimum number of consecutive tries. */
      readonly times: number;
    }
  | { readonly found: Shrunk };

export interface ShrinkLimits extends BorderLimits {
  /** The number of first tries of the failing set and of the system without mutations. */
  readonly repeats: number;
  readonly unmutated: number;
  /** Maximum number of tries to settle if a set fails. */
  readonly tries: number;
  /** Maximum number of attempts in total. */
  readonly total: number;
}

/** Measured with simulated systems: docs/contributing/search.md has the figures. */
export const SHRINK_LIMITS: ShrinkLimits = {
  repeats: 4,
  unmutated: 3,
  tries: 12,
  perBorder: 40,
  total: 200,
  ofRange: 0.05,
  ofValue: 0.1,
  factor: 1.25,
  ofRise: 0.75,
  level: 0.97,
  probes: 3,
};

/**
 * Odds, as logarithms, at which the failing set is a failing one, a set is assumed to be of a kind, and a set is
 * reported.
 */
const PLAUSIBLE = Math.log(10);
const LIKELY = Math.log(20);
const TRUSTED = Math.log(100);
const SURE = Math.log(200);
/** Failure rate below which a set fails seldom: recognizing a passing value then takes more attempts. */
const SELDOM = 0.7;

/** The rates of the tried sets, and the number of attempts. */
export interface TriedSets {
  /** By `keyOf`. */
  readonly tries: ReadonlyMap<string, { readonly set: MutationSet; readonly rate: Tries }>;
  /** The number of attempts for this search. */
  readonly made: number;
}

/** Returns the next try to make a failing set smaller, or the result. */
export function nextTry(
  space: Space,
  failing: MutationSet,
  tried: TriedSets,
  limits: ShrinkLimits = SHRINK_LIMITS,
): Decision {
  // A search that asks is not continued: with one more answer, it starts over.
  const step = new Search(space, failing, tried, limits).run().next();
  return step.done === true ? { found: step.value } : step.value;
}

type Asking<T> = Generator<Extract<Decision, { ask: MutationSet }>, T, undefined>;

interface ParameterLine extends ParameterAt {
  readonly line: BorderLine;
}

/** A failing set whose irrelevant parameters are at their least effect. */
interface Needed {
  readonly base: MutationSet;
  /** Of the relevant parameters: from each value that passes. */
  readonly lines: readonly ParameterLine[];
  readonly idle: readonly ParameterAt[];
}

/** A value that may be softened, with the knowledge about its border. */
interface Softer extends ParameterAt {
  readonly value: AttributeValue;
  readonly halfway: AttributeValue;
}

class Search {
  /** The failing and passing rates, which grow as sets are settled. */
  #failing: Tries;
  #passing: Tries;
  #isSpent: boolean;

  constructor(
    private readonly space: Space,
    private readonly first: MutationSet,
    private readonly tried: TriedSets,
    private readonly limits: ShrinkLimits,
  ) {
    this.#failing = this.#rateOf(first);
    this.#passing = this.#rateOf([]);
    this.#isSpent = tried.made >= limits.total;
  }

  *run(): Asking<Shrunk> {
    const { first } = this;
    const early = yield* this.#repeat();
    const before = this.#rateOf(first);
    const result = { before, borders: [], idle: [], interacts: false };
    if (early === 'unmutated') return { ...result, ended: early, set: [], rate: this.#rateOf([]) };
    if (early !== undefined) return { ...result, ended: early, set: first, rate: before };
    const needed = yield* this.#leaveOut();
    const { base, lines, idle } = yield* this.#leaveUnchanged(needed);
    this.#isSpent ||= this.tried.made >= this.#most(lines.length);
    const borders: ParameterBorder[] = [];
    const softer: Softer[] = [];
    for (const { line, ...parameter } of lines) {
      const points = this.#pointsOf(base, parameter, line);
      const found = yield* this.#border(base, parameter, line, points);
      borders.push({ ...parameter, ...found });
      const isKnown = softer.some((one) => isSame(one, parameter));
      if (!isKnown && found.fullFrom < 1) {
        softer.push({ ...parameter, ...this.#softened(found, line, points) });
      }
    }
    const verified = yield* this.#verify(base, softer);
    return { before, borders, idle, ...verified };
  }

  #rateOf(set: MutationSet): Tries {
    return this.tried.tries.get(keyOf(set))?.rate ?? NO_TRIES;
  }

  #odds(rate: Tries, failing = this.#failing): number {
    return oddsOf(rate, failing, this.#passing);
  }

  /** Returns the maximum number of attempts for a number of borders. */
  #most(lines: number): number {
    const { tries, perBorder } = this.limits;
    return 4 * tries + (perBorder + tries) * Math.max(1, lines);
  }

  /** Tries the system without mutations, and the failing set. @returns the end of the search, if it ends here */
  *#repeat(): Asking<ShrinkEnd | undefined> {
    const { repeats, unmutated, tries } = this.limits;
    const [none, own] = [this.#rateOf([]), this.#rateOf(this.first)];
    if (none.asked < unmutated) yield { ask: [], times: unmutated - none.asked };
    if (own.asked < repeats) yield { ask: this.first, times: repeats - own.asked };
    if (own.failed < 2 && own.asked < tries) yield { ask: this.first, times: 1 };
    if (own.failed === 0) return 'not-repeated';
    if (none.failed > 0 && none.asked < tries) yield { ask: [], times: tries - none.asked };
    if (none.failed > 2 && none.failed * own.tried >= (none.tried * own.failed) / 2) {
      return 'unmutated';
    }
    if (oddsOf(own, NO_TRIES, none) >= PLAUSIBLE) return undefined;
    if (own.asked >= tries || this.#isSpent) return 'not-repeated';
    yield { ask: none.asked < own.asked ? [] : this.first, times: 1 };
    return undefined;
  }

  /** Settles if a set fails as the first one did. */
  *#fails(set: MutationSet): Asking<boolean> {
    const rate = this.#rateOf(set);
    const odds = this.#odds(rate);
    const { failed, tried } = this.#failing;
    const passes = failed < SELDOM * tried ? TRUSTED : LIKELY;
    const isSettled = odds >= LIKELY || odds <= -passes;
    const most = this.limits.tries * (passes === TRUSTED ? 2 : 1);
    if (!isSettled && rate.asked < most && !this.#isSpent) yield { ask: set, times: 1 };
    if (odds > 0) this.#failing = addTries(this.#failing, rate);
    else this.#passing = addTries(this.#passing, rate);
    return odds > 0;
  }

  /** Removes each mutator without which the set still fails. */
  *#leaveOut(): Asking<MutationSet> {
    let set = this.first;
    for (const { mutator } of this.first) {
      const without = set.filter((one) => one.mutator !== mutator);
      if (without.length > 0 && (yield* this.#fails(without))) set = without;
    }
    return set;
  }

  /** Finds the relevant parameters, and the values from which to approach them. */
  *#leaveUnchanged(needed: MutationSet): Asking<Needed> {
    let base = needed;
    const lines: ParameterLine[] = [];
    const idle: ParameterAt[] = [];
    for (const { mutator, values } of needed) {
      const { dimensions = [] } = this.space.mutators[mutator] ?? {};
      for (const [at, dimension] of dimensions.entries()) {
        const parameter = { mutator, at };
        const alternatives = alternativesTo(dimension, values[at] as AttributeValue);
        let isNeeded = false;
        for (const { value, lines: own } of alternatives) {
          const other = withValue(base, parameter, value);
          if (yield* this.#fails(other)) {
            if (dimension.leastEffect !== undefined) base = other;
            continue;
          }
          isNeeded = true;
          lines.push(...own.map((line) => ({ ...parameter, line })));
          // One option that passes is enough.
          if (dimension.kind === 'choice') break;
        }
        const isIdle = !isNeeded && alternatives.length > 0 && dimension.leastEffect === undefined;
        if (isIdle) idle.push(parameter);
      }
    }
    return { base, lines, idle };
  }

  /** Returns the tried values of a line with the other parameters as in a set. */
  #pointsOf(base: MutationSet, parameter: ParameterAt, line: BorderLine): readonly TriedValue[] {
    const points: TriedValue[] = [];
    for (const { set, rate } of this.tried.tries.values()) {
      const value = valueIn(set, parameter);
      if (value === undefined || keyOf(withValue(base, parameter, value)) !== keyOf(set)) continue;
      const place = line.placeOf(value);
      if (place < 0 || place > 1) continue;
      const known =
        place === 1 ? this.#failing : place === 0 ? addTries(rate, this.#rateOf([])) : rate;
      points.push({ value, place, rate: known });
    }
    return points;
  }

  *#border(
    base: MutationSet,
    parameter: ParameterAt,
    line: BorderLine,
    points: readonly TriedValue[],
  ): Asking<FoundBorder> {
    const inside = points.filter(({ place }) => place > 0 && place < 1);
    const spent = inside.reduce((all, { rate }) => all + rate.asked, 0);
    const limits = this.#isSpent ? { ...this.limits, perBorder: 0 } : this.limits;
    const step = findBorder(points, line, limits, spent, (rate) => this.#odds(rate));
    if ('found' in step) return step.found;
    yield { ask: withValue(base, parameter, step.ask), times: 1 };
    throw new Error('a search that has asked is not continued');
  }

  /**
   * Returns the value from which on nearly as many attempts fail, and one halfway to the failing end. A tried value
   * nearby is preferred, because its tries count, and the choice stays the same.
   */
  #softened({ fullFrom }: FoundBorder, line: BorderLine, points: readonly TriedValue[]) {
    const most = fullFrom + Math.max(0.03, (1 - fullFrom) / 4);
    const [near] = points
      .filter(({ place, rate }) => place < 1 && rate.failed > 0)
      .filter(({ place }) => place >= fullFrom - 0.02 && place <= most)
      .sort((a, b) => b.rate.tried - a.rate.tried || a.place - b.place);
    return {
      value: near?.value ?? line.valueAt(fullFrom),
      halfway: line.valueAt((fullFrom + 1) / 2),
    };
  }

  /**
   * Finds a set near the borders that fails when it is repeated: all at once, less so, or one parameter at a time.
   */
  *#verify(
    base: MutationSet,
    softer: readonly Softer[],
  ): Asking<Pick<Shrunk, 'ended' | 'set' | 'rate' | 'interacts'>> {
    const all = (of: 'value' | 'halfway') =>
      softer.reduce((set, one) => withValue(set, one, one[of]), base);
    const together = all('value');
    const single = softer.map((one) => withValue(base, one, one.value));
    const candidates = [together, all('halfway'), ...single, base];
    const { repeats, tries } = this.limits;
    const ended: ShrinkEnd = this.#isSpent ? 'budget' : 'found';
    for (const [at, set] of candidates.entries()) {
      if (keyOf(set) === keyOf(this.first)) break;
      const rate = this.#rateOf(set);
      const odds = this.#odds(rate);
      const isSettled = rate.asked > repeats && (Math.abs(odds) >= SURE || rate.asked >= tries);
      if (!isSettled && !this.#isSpent) {
        yield { ask: set, times: Math.max(1, repeats + 1 - rate.asked) };
      }
      if (!isSettled && (rate.tried < 3 || odds <= 0)) continue;
      if (isSettled && odds < LIKELY) continue;
      const interacts =
        at > 0 && softer.length > 1 && this.#odds(this.#rateOf(together)) <= -LIKELY;
      return { ended, set, rate, interacts };
    }
    return { ended, set: this.first, rate: this.#rateOf(this.first), interacts: false };
  }
}

function isSame(one: ParameterAt, other: ParameterAt): boolean {
  return one.mutator === other.mutator && one.at === other.at;
}

function valueIn(set: MutationSet, { mutator, at }: ParameterAt): AttributeValue | undefined {
  return set.find((one) => one.mutator === mutator)?.values[at];
}

function withValue(set: MutationSet, { mutator, at }: ParameterAt, value: AttributeValue) {
  return set.map((one): PlannedMutation => {
    const isOther = one.mutator !== mutator || equals(one.values[at] as AttributeValue, value);
    return isOther ? one : { mutator, values: one.values.with(at, value) };
  });
}
