import { peersScenario } from '../peers/peers.js';
import { bulk } from './bulk.js';
import { dirty } from './dirty.js';
import { editor } from './editor.js';
import { listing } from './listing.js';
import { measure } from './measure.js';
import { megabyte } from './megabyte.js';
import { mutations } from './mutations.js';
import { plan } from './plan.js';
import { run } from './run.js';
import { session } from './session.js';
import { start } from './start.js';
import { store } from './store.js';
import { traces } from './traces.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** What a run measures unless others are named. @type {readonly Scenario<any>[]} */
export const scenarios = [
  start,
  bulk,
  dirty,
  megabyte,
  listing,
  mutations,
  plan,
  run,
  store,
  session,
  traces,
  measure,
  editor,
];

/** What is measured only when it is named. @type {readonly Scenario<any>[]} */
export const named = [peersScenario];
