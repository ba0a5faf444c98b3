import { type AttributeValue, equals } from '../../values/index.js';
import type { FailureRate, ShrinkEnd } from '../journal/records.js';
import { keyOf, type MutationSet, type PlannedMutation, type Space } from '../plan/space.js';
import { type BorderLimits, type FoundBorder, findBorder, type TriedValue } from './border.js';
import { alternativesTo, type BorderLine } from './line.js';
import { addTries, NO_TRIES, oddsOf, type Tries } from './rates.js';

/*
 * Makes a failing set smaller: leaves out the mutators and puts to their least effect the parameters that play no part,
 * and finds for each of the others the border, the value at which half as many attempts fail as with the failing set.
 *
 * What to try next, or what was found, follows from how often each set was tried and failed, and from nothing else: an
 * interrupted run goes on where it stopped.
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
  /** A set that failed when it was repeated, and how often; empty where the system fails without mutations. */
  readonly set: MutationSet;
  readonly rate: FailureRate;
  /** How often the failing set failed when it was repeated. */
  readonly before: FailureRate;
  readonly borders: readonly ParameterBorder[];
  /** Parameters without a least effect that fail at all values that were tried. */
  readonly idle: readonly ParameterAt[];
  /** Whether each border alone fails, but not all of them together. */
  readonly interacts: boolean;
}

export type Decision =
  | {
      readonly ask: MutationSet;
      /** How many times, at least, it will be asked for in a row. */
      readonly times: number;
    }
  | { readonly found: Shrunk };

export interface ShrinkLimits extends BorderLimits {
  /** How many times the failing set and the system without mutations are tried first. */
  readonly repeats: number;
  readonly unmutated: number;
  /** How many times a set is tried to settle whether it fails. */
  readonly tries: number;
  /** Attempts in all. */
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

/** Odds, as logarithms, at which the failing set is a failing one, a set is taken for one of a kind, and a set is reported. */
const PLAUSIBLE = Math.log(10);
const LIKELY = Math.log(20);
const TRUSTED = Math.log(100);
const SURE = Math.log(200);
/** A set that fails in a smaller share of its attempts fails seldom: that a value passes takes more attempts to tell. */
const SELDOM = 0.7;

/** How often each set was tried, and how many attempts that took. */
export interface TriedSets {
  /** By `keyOf`. */
  readonly tries: ReadonlyMap<string, { readonly set: MutationSet; readonly rate: Tries }>;
  /** The attempts that were made for this search. */
  readonly made: number;
}

/** What to try next to make a failing set smaller, or what was found. */
export function nextTry(
  space: Space,
  failing: MutationSet,
  tried: TriedSets,
  limits: ShrinkLimits = SHRINK_LIMITS,
): Decision {
  // A search that asks is not continued: with one more answer, it is made anew.
  const step = new Search(space, failing, tried, limits).run().next();
  return step.done === true ? { found: step.value } : step.value;
}

type Asking<T> = Generator<Extract<Decision, { ask: MutationSet }>, T, undefined>;

interface ParameterLine extends ParameterAt {
  readonly line: BorderLine;
}

/** A failing set whose parameters are at their least effect where they play no part. */
interface Needed {
  readonly base: MutationSet;
  /** Of the parameters that matter: from each value that passes. */
  readonly lines: readonly ParameterLine[];
  readonly idle: readonly ParameterAt[];
}

/** A value that may be softened, with what is known of its border. */
interface Softer extends ParameterAt {
  readonly value: AttributeValue;
  readonly halfway: AttributeValue;
}

class Search {
  /** What fails, and what does not: grows as sets are settled. */
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

  /** The most attempts for so many borders. */
  #most(lines: number): number {
    const { tries, perBorder } = this.limits;
    return 4 * tries + (perBorder + tries) * Math.max(1, lines);
  }

  /** Tries the system without mutations, and the failing set. @returns how the search ends where it does */
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

  /** Settles whether a set fails as the first one did. */
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

  /** Leaves out each mutator without which the set still fails. */
  *#leaveOut(): Asking<MutationSet> {
    let set = this.first;
    for (const { mutator } of this.first) {
      const without = set.filter((one) => one.mutator !== mutator);
      if (without.length > 0 && (yield* this.#fails(without))) set = without;
    }
    return set;
  }

  /** Finds which parameters matter, and from which values they are to be approached. */
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

  /** The values of a line that were tried with the other parameters as they are in a set. */
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
   * The value from which on nearly as many attempts fail, and one halfway to the failing end. What was tried nearby is as good:
   * what is known of it counts, and the choice stays the same.
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

  /** Finds a set near the borders that fails when it is repeated: all at once, less so, or one parameter at a time. */
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
