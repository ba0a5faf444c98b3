/*
 * Pauses processes, or kills and restarts them. Needs Linux.
 *
 *   node process.mjs inject-pause|verify-pause|reset-pause NAME pid-file=FILE|group=FILE|unit=UNIT
 *   node process.mjs inject-kill|verify-kill|reset-kill NAME pid-file=FILE|group=FILE|unit=UNIT command=COMMAND ready=READY
 *
 * The first line of the file is the pid of the process, or of a process in the targeted process group. The targets
 * include descendants, such as workers or the program that a wrapper has started. The targets also include all
 * processes in the process's cgroup, if the cgroup belongs to the process alone. Before stopping or killing processes,
 * an injection records them in NAME.state.json, by pid and start time, which excludes processes that reuse a pid. A
 * restarted service is ready when READY accepts connections (HOST:PORT), returns a success status (a URL), or exits
 * with status 0 (a command). Without READY, the service is ready if it still runs after a second.
 */
import { runScript } from '../shared/script.js';
import { injectKill, resetKill, verifyKill } from './kill.js';
import { injectPause, resetPause, verifyPause } from './pause.js';

await runScript({
  'inject-pause': injectPause,
  'reset-pause': resetPause,
  'verify-pause': verifyPause,
  'inject-kill': injectKill,
  'reset-kill': resetKill,
  'verify-kill': verifyKill,
});
