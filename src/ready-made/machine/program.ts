/*
 * Uses up what a machine has: processor, memory and disk, with stress-ng; and fills a file system. On Linux.
 *
 *   node machine.mjs inject-stress|verify-stress|reset-stress NAME fault=cpu|memory|io seconds=SECONDS
 *   node machine.mjs inject-disk|verify-disk|reset-disk NAME path=DIRECTORY
 *
 * NAME.state.json, or that of NAME-FAULT, holds first a token, which the processes of stress-ng have in their
 * environment, and which is in the names of all files that are made: no others are ever ended or removed, except
 * for what descends from these processes.
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
