import type { FailureRate } from '../journal/records.js';

/** The tries of a set, including those that could not be judged. */
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
  for (let index = 0; index < failed; index++) chance += Math.log(failures + index);
  for (let index = 0; index < tried - failed; index++) chance += Math.log(passes + index);
  for (let index = 0; index < tried; index++) chance -= Math.log(failures + passes + index);
  return chance;
}
