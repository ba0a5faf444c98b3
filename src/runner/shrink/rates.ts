import type { FailureRate } from '../journal/records.js';

/** The tries of a set, including those that could not be judged. */
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
 * Returns the logarithm of the odds that a set fails at the rate of a failing one, against that of a passing one
 * (Wald's sequential test, 1945). Both rates are known only from their tries, so each try of the set also counts as
 * evidence for the next (Pólya's urn).
 */
export function oddsOf(rate: FailureRate, failing: FailureRate, passing: FailureRate): number {
  return (
    chanceOf(rate, failing.failed + 1, failing.tried - failing.failed + 1) -
    chanceOf(rate, passing.failed + 0.5, passing.tried - passing.failed + 4.5)
  );
}

/** Returns the logarithm of the chance of a rate in one order, after this many failures and passes. */
function chanceOf({ tried, failed }: FailureRate, failures: number, passes: number): number {
  let chance = 0;
  for (let at = 0; at < failed; at++) chance += Math.log(failures + at);
  for (let at = 0; at < tried - failed; at++) chance += Math.log(passes + at);
  for (let at = 0; at < tried; at++) chance -= Math.log(failures + passes + at);
  return chance;
}
