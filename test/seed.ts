import fc from 'fast-check';
import { isLong } from './long.js';

/*
 * Set up before each file of tests: random inputs are the same in every run, so that what fails
 * belongs to the change that shows it. The long form draws others each time, and
 * `PERTURB_TEST_SEED=N` those of a seed.
 */

const given = process.env['PERTURB_TEST_SEED'];
if (given !== undefined || !isLong) fc.configureGlobal({ seed: Number(given ?? 1) });
