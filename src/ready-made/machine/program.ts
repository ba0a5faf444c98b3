/*
 * Uses up a machine's processor, memory and disk with stress-ng, and fills a file system. On Linux.
 *
 *   node machine.mjs inject-stress|verify-stress|reset-stress NAME fault=cpu|memory|io seconds=SECONDS
 *   node machine.mjs inject-disk|verify-disk|reset-disk NAME path=DIRECTORY
 *
 * NAME.state.json, or that of NAME-FAULT, first holds a token, which is in the environment of stress-ng's processes
 * and in the names of all created files. Only these files are removed, and only these processes and their
 * descendants are ended.
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
