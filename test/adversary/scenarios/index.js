import { idleConnections, idleTls, manyMembers, pipelining } from './crowds.js';
import { damagedJournal } from './damaged-journal.js';
import { directoryOwner } from './directory-owner.js';
import { actingNames, endlessFiles, foreignConfig, plantedStore } from './foreign-project.js';
import { hostileAnswers } from './hostile-answers.js';
import { plantedState, removedState, strangeNames } from './hostile-state.js';
import { kills } from './kills.js';
import { lateEffects } from './late-effects.js';
import { manyActive } from './many-active.js';
import { mixedLoad } from './mixed-load.js';
import { pausedTerminal } from './paused-terminal.js';
import { readyMadeScenarios } from './ready-made.js';
import { reflectorKills } from './reflector-kills.js';
import { evidenceScenarios } from './run-evidence.js';
import { runScenarios } from './runs.js';
import { secrets } from './secrets.js';
import { stateDisk } from './state-disk.js';
import { brokenDatabase, damagedStore } from './store.js';
import { stuckRecovery } from './stuck-recovery.js';
import { plantedCode, runBug, runReceiver, untrustedEditor } from './trust.js';

/** @import { Scenario } from '../harness/scenario.js' */

/** Every attack, in the order of the table. @type {readonly Scenario[]} */
export const scenarios = [
  ...manyActive,
  kills,
  reflectorKills,
  ...readyMadeScenarios,
  damagedJournal,
  lateEffects,
  stuckRecovery,
  ...stateDisk,
  plantedState,
  removedState,
  strangeNames,
  directoryOwner,
  pausedTerminal,
  idleConnections,
  idleTls,
  manyMembers,
  pipelining,
  mixedLoad,
  secrets,
  damagedStore,
  brokenDatabase,
  hostileAnswers,
  ...runScenarios,
  ...evidenceScenarios,
  runBug,
  runReceiver,
  endlessFiles,
  plantedStore,
  foreignConfig,
  untrustedEditor,
  plantedCode,
  actingNames,
];
