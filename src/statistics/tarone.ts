/**
 * Returns which tests of a family to correct for each other (Tarone 1990). A test with few outcomes, such as
 * of an event that occurred once, cannot show a difference whatever it finds: it is left out, so that it
 * does not weaken the others. Holm's correction of the rest keeps the level.
 *
 * @param least the least p value that each test could have
 */
export function testable(least: readonly number[], level: number): readonly boolean[] {
  const count = (tests: number) => least.filter((p) => p <= level / tests).length;
  let tests = 1;
  while (count(tests) > tests) tests += 1;
  return least.map((p) => p <= level / tests);
}
