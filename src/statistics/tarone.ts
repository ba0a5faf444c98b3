/**
 * Returns, for each test in a family, true if the test can be significant (Tarone 1990). A test with few possible
 * outcomes, such as for an event that occurred once, can never be significant. Excluding such tests increases the power
 * of the remaining tests. Holm's correction for the remaining tests preserves the significance level.
 *
 * @param least the smallest possible p-value of each test
 */
export function selectTests(least: readonly number[], level: number): readonly boolean[] {
  const count = (tests: number) => least.filter((p) => p <= level / tests).length;
  let tests = 1;
  while (count(tests) > tests) tests += 1;
  return least.map((p) => p <= level / tests);
}
