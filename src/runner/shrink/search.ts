import { type AttributeValue, equals } from '../../values/index.js';
import type { FailureRate, ShrinkEnd } from '../journal/records.js';
import { keyOf, type MutationSet, type PlannedMutation, type Space } from '../plan/space.js';
import { type Border, type BorderLimits, findBorder, type TriedValue } from './border.js';
import { type BorderLine, findAlternatives } from './line.js';
import { addTries, logOddsOf, NO_TRIES, type Tries } from './rates.js';

/*
 * The search for a smaller failing set removes mutators that do not affect the failure, and sets parameters that do not
 * affect the failure to their least effect. For each remaining parameter, the search finds the border: the value at
 * which the failure rate is half of the failing set's rate.
 *
 * The next try, or the result, depends only on each set's numbers of tries and failures, so an interrupted run
 * continues where it stopped.
 */

/** A parameter, identified by the positions of its mutator and its dimension in the space. */
export interface ParameterPosition {
  readonly mutator: number;
  readonly at: number;
}

export interface ParameterBorder extends ParameterPosition, Border {}

/** The search's result. */
export interface ShrinkResult {
  readonly reason: ShrinkEnd;
  /** The smallest set known to fail; empty if the system fails without mutations. `rate` is the set's failure rate. */
  readonly set: MutationSet;
  readonly rate: FailureRate;
  /** The original set's failure rate in repetitions. */
  readonly originalRate: FailureRate;
  readonly borders: readonly ParameterBorder[];
  /** Parameters without a least effect whose tried values all fail. */
  readonly idle: readonly ParameterPosition[];
  /** True if the set fails with each border value alone, but not with all border values together. */
  readonly interacts: boolean;
}

export type Decision =
  | {
      readonly next: MutationSet;
      /** Minimum number of consecutive tries. */
      readonly times: number;
    }
  | { readonly result: ShrinkResult };

export interface ShrinkLimits extends BorderLimits {
  /** Number of initial tries of the failing set. `unmutated` is the number of initial tries without mutations. */
  readonly repeats: number;
  readonly unmutated: number;
  /** Maximum number of tries for classifying a set. */
  readonly tries: number;
  /** Maximum number of attempts in total. */
  readonly total: number;
}

/** Limits derived from simulated systems; docs/contributing/search.md has the figures. */
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
 * Log-odds at which the original set counts as failing. The next three constants are log-odds for classifying other
 * sets and for reporting a set.
 */
const PLAUSIBLE_ODDS = Math.log(10);
const LIKELY_ODDS = Math.log(20);
const TRUSTED_ODDS = Math.log(100);
const SURE_ODDS = Math.log(200);
/** Failure rate below which failures are rare. Classifying a set as passing then takes more tries. */
const SELDOM_RATE = 0.7;

/** The tried sets with their rates, and the number of attempts. */
export interface TriedSets {
  /** The sets and rates, keyed by `keyOf`. */
  readonly tries: ReadonlyMap<string, { readonly set: MutationSet; readonly rate: Tries }>;
  /** The number of attempts in this search. */
  readonly attempts: number;
}

/** Returns the next try in the search for a smaller failing set, or the result. */
export function nextTry(
  space: Space,
  failingSet: MutationSet,
  triedSets: TriedSets,
  limits: ShrinkLimits = SHRINK_LIMITS,
): Decision {
  // Each call repeats the search from the start, with the results of all tries so far.
  const step = new Search(space, failingSet, triedSets, limits).run().next();
  return step.done === true ? { result: step.value } : step.value;
}

type SearchSteps<T> = Generator<Extract<Decision, { next: MutationSet }>, T, undefined>;

interface ParameterLine extends ParameterPosition {
  readonly line: BorderLine;
}

/** A failing set with all irrelevant parameters at their least effect. */
interface RelevantSet {
  readonly base: MutationSet;
  /** The relevant parameters, with a line from each passing value. */
  readonly lines: readonly ParameterLine[];
  readonly idle: readonly ParameterPosition[];
}

/** The values to try in place of a parameter's failing value. */
interface SofterValue extends ParameterPosition {
  readonly value: AttributeValue;
  readonly halfway: AttributeValue;
}

class Search {
  /** The failing and passing rates. Each classified set adds its tries to one of these rates. */
  #failing: Tries;
  #passing: Tries;
  #hasSpentBudget: boolean;

  constructor(
    private readonly space: Space,
    private readonly failingSet: MutationSet,
    private readonly tried: TriedSets,
    private readonly limits: ShrinkLimits,
  ) {
    this.#failing = this.#rateOf(failingSet);
    this.#passing = this.#rateOf([]);
    this.#hasSpentBudget = tried.attempts >= limits.total;
  }

  *run(): SearchSteps<ShrinkResult> {
    const { failingSet } = this;
    const earlyEnd = yield* this.#repeat();
    const originalRate = this.#rateOf(failingSet);
    const result = { originalRate, borders: [], idle: [], interacts: false };
    if (earlyEnd === 'unmutated')
      return { ...result, reason: earlyEnd, set: [], rate: this.#rateOf([]) };
    if (earlyEnd !== undefined)
      return { ...result, reason: earlyEnd, set: failingSet, rate: originalRate };
    const neededSet = yield* this.#removeMutators();
    const { base, lines, idle } = yield* this.#findRelevant(neededSet);
    this.#hasSpentBudget ||= this.tried.attempts >= this.#maxAttempts(lines.length);
    const borders: ParameterBorder[] = [];
    const softerValues: SofterValue[] = [];
    for (const { line, ...parameter } of lines) {
      const points = this.#pointsOf(base, parameter, line);
      const border = yield* this.#border(base, parameter, line, points);
      borders.push({ ...parameter, ...border });
      const isDuplicate = softerValues.some((value) => isSameParameter(value, parameter));
      if (!isDuplicate && border.fullFrom < 1) {
        softerValues.push({ ...parameter, ...this.#findSofterValue(border, line, points) });
      }
    }
    const verification = yield* this.#verify(base, softerValues);
    return { originalRate, borders, idle, ...verification };
  }

  #rateOf(set: MutationSet): Tries {
    return this.tried.tries.get(keyOf(set))?.rate ?? NO_TRIES;
  }

  #odds(rate: Tries, failingRate = this.#failing): number {
    return logOddsOf(rate, failingRate, this.#passing);
  }

  /** Returns the maximum number of attempts for a number of borders. */
  #maxAttempts(lines: number): number {
    const { tries, perBorder } = this.limits;
    return 4 * tries + (perBorder + tries) * Math.max(1, lines);
  }

  /** Tries the system without mutations, and the failing set. @returns the reason if the search ends here */
  *#repeat(): SearchSteps<ShrinkEnd | undefined> {
    const { repeats, unmutated, tries } = this.limits;
    const [emptyRate, firstRate] = [this.#rateOf([]), this.#rateOf(this.failingSet)];
    if (emptyRate.runs < unmutated) yield { next: [], times: unmutated - emptyRate.runs };
    if (firstRate.runs < repeats) yield { next: this.failingSet, times: repeats - firstRate.runs };
    if (firstRate.failed < 2 && firstRate.runs < tries) yield { next: this.failingSet, times: 1 };
    if (firstRate.failed === 0) return 'not-repeated';
    if (emptyRate.failed > 0 && emptyRate.runs < tries)
      yield { next: [], times: tries - emptyRate.runs };
    if (
      emptyRate.failed > 2 &&
      emptyRate.failed * firstRate.tried >= (emptyRate.tried * firstRate.failed) / 2
    ) {
      return 'unmutated';
    }
    if (logOddsOf(firstRate, NO_TRIES, emptyRate) >= PLAUSIBLE_ODDS) return undefined;
    if (firstRate.runs >= tries || this.#hasSpentBudget) return 'not-repeated';
    yield { next: emptyRate.runs < firstRate.runs ? [] : this.failingSet, times: 1 };
    return undefined;
  }

  /** Classifies a set by its tries. @returns true if the set fails at the original set's rate */
  *#fails(set: MutationSet): SearchSteps<boolean> {
    const rate = this.#rateOf(set);
    const odds = this.#odds(rate);
    const { failed, tried } = this.#failing;
    const passOdds = failed < SELDOM_RATE * tried ? TRUSTED_ODDS : LIKELY_ODDS;
    const isSettled = odds >= LIKELY_ODDS || odds <= -passOdds;
    const maxTries = this.limits.tries * (passOdds === TRUSTED_ODDS ? 2 : 1);
    if (!isSettled && rate.runs < maxTries && !this.#hasSpentBudget) yield { next: set, times: 1 };
    if (odds > 0) this.#failing = addTries(this.#failing, rate);
    else this.#passing = addTries(this.#passing, rate);
    return odds > 0;
  }

  /** Removes each mutator without which the set still fails. */
  *#removeMutators(): SearchSteps<MutationSet> {
    let set = this.failingSet;
    for (const { mutator } of this.failingSet) {
      const subset = set.filter((mutation) => mutation.mutator !== mutator);
      if (subset.length > 0 && (yield* this.#fails(subset))) set = subset;
    }
    return set;
  }

  /** Finds the relevant parameters, and the lines from their passing values to their failing values. */
  *#findRelevant(neededSet: MutationSet): SearchSteps<RelevantSet> {
    let base = neededSet;
    const lines: ParameterLine[] = [];
    const idleParameters: ParameterPosition[] = [];
    for (const { mutator, values } of neededSet) {
      const { dimensions = [] } = this.space.mutators[mutator] ?? {};
      for (const [position, dimension] of dimensions.entries()) {
        const parameter = { mutator, at: position };
        const alternatives = findAlternatives(dimension, values[position] as AttributeValue);
        let isNeeded = false;
        for (const { value, lines: valueLines } of alternatives) {
          const variant = withValue(base, parameter, value);
          if (yield* this.#fails(variant)) {
            if (dimension.leastEffect !== undefined) base = variant;
            continue;
          }
          isNeeded = true;
          lines.push(...valueLines.map((line) => ({ ...parameter, line })));
          // One passing option is enough.
          if (dimension.kind === 'choice') break;
        }
        const isIdle = !isNeeded && alternatives.length > 0 && dimension.leastEffect === undefined;
        if (isIdle) idleParameters.push(parameter);
      }
    }
    return { base, lines, idle: idleParameters };
  }

  /** Returns a line's tried values, from sets that otherwise equal the base set. */
  #pointsOf(
    base: MutationSet,
    parameter: ParameterPosition,
    line: BorderLine,
  ): readonly TriedValue[] {
    const points: TriedValue[] = [];
    for (const { set, rate } of this.tried.tries.values()) {
      const value = valueIn(set, parameter);
      if (value === undefined || keyOf(withValue(base, parameter, value)) !== keyOf(set)) continue;
      const place = line.placeOf(value);
      if (place < 0 || place > 1) continue;
      const combinedRate =
        place === 1 ? this.#failing : place === 0 ? addTries(rate, this.#rateOf([])) : rate;
      points.push({ value, place, rate: combinedRate });
    }
    return points;
  }

  *#border(
    base: MutationSet,
    parameter: ParameterPosition,
    line: BorderLine,
    points: readonly TriedValue[],
  ): SearchSteps<Border> {
    const innerPoints = points.filter(({ place }) => place > 0 && place < 1);
    const runs = innerPoints.reduce((total, { rate }) => total + rate.runs, 0);
    const limits = this.#hasSpentBudget ? { ...this.limits, perBorder: 0 } : this.limits;
    const step = findBorder(points, line, limits, runs, (rate) => this.#odds(rate));
    if ('border' in step) return step.border;
    yield { next: withValue(base, parameter, step.next), times: 1 };
    throw new Error('a border search was resumed after it yielded a try');
  }

  /**
   * Returns the values to try in place of a failing value: the first value on the line at which nearly as many attempts
   * fail, and the value halfway from there to the failing end. Prefers a nearby value that was already tried, because
   * its tries count and the choice stays stable.
   */
  #findSofterValue({ fullFrom }: Border, line: BorderLine, points: readonly TriedValue[]) {
    const limit = fullFrom + Math.max(0.03, (1 - fullFrom) / 4);
    const [nearby] = points
      .filter(({ place, rate }) => place < 1 && rate.failed > 0)
      .filter(({ place }) => place >= fullFrom - 0.02 && place <= limit)
      .sort((a, b) => b.rate.tried - a.rate.tried || a.place - b.place);
    return {
      value: nearby?.value ?? line.valueAt(fullFrom),
      halfway: line.valueAt((fullFrom + 1) / 2),
    };
  }

  /**
   * Finds a set near the borders that fails repeatedly. Tries all border values together, then all halfway values
   * together, then each border value alone.
   */
  *#verify(
    base: MutationSet,
    softerValues: readonly SofterValue[],
  ): SearchSteps<Pick<ShrinkResult, 'reason' | 'set' | 'rate' | 'interacts'>> {
    const combine = (key: 'value' | 'halfway') =>
      softerValues.reduce((set, value) => withValue(set, value, value[key]), base);
    const combination = combine('value');
    const individualSets = softerValues.map((value) => withValue(base, value, value.value));
    const candidates = [combination, combine('halfway'), ...individualSets, base];
    const { repeats, tries } = this.limits;
    const reason: ShrinkEnd = this.#hasSpentBudget ? 'budget' : 'found';
    for (const [index, set] of candidates.entries()) {
      if (keyOf(set) === keyOf(this.failingSet)) break;
      const rate = this.#rateOf(set);
      const odds = this.#odds(rate);
      const isSettled = rate.runs > repeats && (Math.abs(odds) >= SURE_ODDS || rate.runs >= tries);
      if (!isSettled && !this.#hasSpentBudget) {
        yield { next: set, times: Math.max(1, repeats + 1 - rate.runs) };
      }
      if (!isSettled && (rate.tried < 3 || odds <= 0)) continue;
      if (isSettled && odds < LIKELY_ODDS) continue;
      const interacts =
        index > 0 &&
        softerValues.length > 1 &&
        this.#odds(this.#rateOf(combination)) <= -LIKELY_ODDS;
      return { reason, set, rate, interacts };
    }
    return { reason, set: this.failingSet, rate: this.#rateOf(this.failingSet), interacts: false };
  }
}

function isSameParameter(a: ParameterPosition, b: ParameterPosition): boolean {
  return a.mutator === b.mutator && a.at === b.at;
}

function valueIn(set: MutationSet, { mutator, at }: ParameterPosition): AttributeValue | undefined {
  return set.find((mutation) => mutation.mutator === mutator)?.values[at];
}

function withValue(set: MutationSet, { mutator, at }: ParameterPosition, value: AttributeValue) {
  return set.map((mutation): PlannedMutation => {
    const isUnaffected =
      mutation.mutator !== mutator || equals(mutation.values[at] as AttributeValue, value);
    return isUnaffected ? mutation : { mutator, values: mutation.values.with(at, value) };
  });
}
