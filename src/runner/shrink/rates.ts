import type { FailureRate } from '../journal/records.js';

/** How often a set was tried, with the tries that could not be judged among those that were asked for. */
export interface Tries extends FailureRate {
  readonly asked: number;
}

export const NO_TRIES: Tries = { asked: 0, tried: 0, failed: 0 };

export function addTries(one: Tries, other: Tries): Tries {
  return {
    asked: one.asked + other.asked,
    tried: one.tried + other.tried,
    failed: one.failed + other.failed,
  };
}

/**
 * The logarithm of the odds that a set fails as one that fails does, against as one that does not (Wald's
 * sequential test, 1945). How often either fails is known only from what was tried of them, so each try of the set
 * counts as part of what is known for the next (Pólya's urn).
 */
export function oddsOf(rate: FailureRate, failing: FailureRate, passing: FailureRate): number {
  return (
    chanceOf(rate, failing.failed + 1, failing.tried - failing.failed + 1) -
    chanceOf(rate, passing.failed + 0.5, passing.tried - passing.failed + 4.5)
  );
}

/** The logarithm of the chance of a rate in one order, after this many failures and passes. */
function chanceOf({ tried, failed }: FailureRate, failures: number, passes: number): number {
  let chance = 0;
  for (let at = 0; at < failed; at++) chance += Math.log(failures + at);
  for (let at = 0; at < tried - failed; at++) chance += Math.log(passes + at);
  for (let at = 0; at < tried; at++) chance -= Math.log(failures + passes + at);
  return chance;
}
