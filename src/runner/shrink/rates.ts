import type { FailureRate } from '../journal/records.js';

/** A set's tries, including tries without a verdict. */
export interface Tries extends FailureRate {
  readonly runs: number;
}

export const NO_TRIES: Tries = { runs: 0, tried: 0, failed: 0 };

export function addTries(a: Tries, b: Tries): Tries {
  return {
    runs: a.runs + b.runs,
    tried: a.tried + b.tried,
    failed: a.failed + b.failed,
  };
}

/**
 * Returns the log-odds that a set fails at a failing set's rate rather than at a passing set's rate (Wald's sequential
 * probability ratio test, 1945). Both rates are estimated from their tries, so each of the set's tries also updates the
 * estimates for the next try (Pólya's urn).
 */
export function logOddsOf(
  rate: FailureRate,
  failingRate: FailureRate,
  passingRate: FailureRate,
): number {
  return (
    chanceOf(rate, failingRate.failed + 1, failingRate.tried - failingRate.failed + 1) -
    chanceOf(rate, passingRate.failed + 0.5, passingRate.tried - passingRate.failed + 4.5)
  );
}

/** Returns the log-probability of a sequence of outcomes, given the numbers of earlier failures and passes. */
function chanceOf({ tried, failed }: FailureRate, failures: number, passes: number): number {
  let chance = 0;
  for (let index = 0; index < failed; index++) chance += Math.log(failures + index);
  for (let index = 0; index < tried - failed; index++) chance += Math.log(passes + index);
  for (let index = 0; index < tried; index++) chance -= Math.log(failures + passes + index);
  return chance;
}
