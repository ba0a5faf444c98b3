/*
 * Pauses processes, or kills them and starts them again. On Linux.
 *
 *   node process.mjs inject-pause|verify-pause|reset-pause NAME pid-file=FILE|group=FILE|unit=UNIT
 *   node process.mjs inject-kill|verify-kill|reset-kill NAME pid-file=FILE|group=FILE|unit=UNIT command=COMMAND ready=READY
 *
 * The first line of the file is a pid: of the process, or of one in the targeted process group. Its descendants are
 * targets too, such as workers, and the program that a wrapper has started, and all processes in its cgroup, if
 * that is its own. Processes are recorded in NAME.state.json before they are stopped or killed, by pid and start,
 * which excludes any other process. The restarted service is ready when READY accepts connections (HOST:PORT),
 * answers with success (a URL), or exits with 0 (a command); without it, when it still lives after a second.
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
