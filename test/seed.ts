import fc from 'fast-check';
import { isLong } from './long.js';

/*
 * Set up before each file of tests: random inputs are the same in every run, so that what fails
 * belongs to the change that shows it, and few, because more of the same find nothing new. The long
 * form draws others each time, and `PERTURB_TEST_SEED=N` those of a seed.
 */

const given = process.env['PERTURB_TEST_SEED'];
fc.configureGlobal({
  ...((given !== undefined || !isLong) && { seed: Number(given ?? 1) }),
  numRuns: isLong ? 100 : 30,
});
