/** Whether the tests on random inputs take their long form: `PERTURB_TEST_LONG=1`. */
export const isLong = process.env['PERTURB_TEST_LONG'] === '1';

/**
 * How many random inputs a test tries: a tenth of those of its long form, and at most 100.
 *
 * @param long how many it tries in its long form
 */
export function runs(long: number): number {
  return isLong ? long : Math.min(Math.ceil(long / 10), 100);
}
