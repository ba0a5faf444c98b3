/*
 * Uses up a Linux machine's processors, memory and disk with stress-ng, and fills a file system.
 *
 *   node machine.mjs inject-stress|verify-stress|reset-stress NAME fault=cpu|memory|io seconds=SECONDS
 *   node machine.mjs inject-disk|verify-disk|reset-disk NAME path=DIRECTORY
 *
 * An injection first records a token, in NAME-FAULT.state.json for stress and in NAME.state.json for a disk. The token is
 * in the environment of stress-ng's processes and in the names of all created files. A reset removes only these files,
 * and ends only these processes and their descendants.
 */
import { runScript } from '../shared/script.js';
import { injectDisk, resetDisk, verifyDisk } from './disk.js';
import { injectStress, resetStress, verifyStress } from './stress.js';

await runScript({
  'inject-stress': injectStress,
  'reset-stress': resetStress,
  'verify-stress': verifyStress,
  'inject-disk': injectDisk,
  'reset-disk': resetDisk,
  'verify-disk': verifyDisk,
});
