import { bulk } from './bulk.js';
import { dirty } from './dirty.js';
import { megabyte } from './megabyte.js';
import { start } from './start.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** @type {readonly Scenario<any>[]} */
export const scenarios = [start, bulk, dirty, megabyte];
