import { idleConnections, idleTls, manyMembers, pipelining } from './crowds.js';
import { damagedJournal } from './damaged-journal.js';
import { directoryOwner } from './directory-owner.js';
import { firstVerdicts } from './first-verdicts.js';
import { removedState } from './hostile-state.js';
import { kills } from './kills.js';
import { lateEffects } from './late-effects.js';
import { manyActive } from './many-active.js';
import { mixedLoad } from './mixed-load.js';
import { pausedTerminal } from './paused-terminal.js';
import { readyMadeScenarios } from './ready-made.js';
import { realSystems } from './real-systems.js';
import { reflectorKills } from './reflector-kills.js';
import { evidenceScenarios } from './run-evidence.js';
import { runScenarios } from './runs.js';
import { secrets } from './secrets.js';
import { stateDisk } from './state-disk.js';
import { stuckRecovery } from './stuck-recovery.js';

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
  removedState,
  directoryOwner,
  pausedTerminal,
  idleConnections,
  idleTls,
  manyMembers,
  pipelining,
  mixedLoad,
  secrets,
  ...runScenarios,
  ...evidenceScenarios,
  ...realSystems,
  ...firstVerdicts,
];
