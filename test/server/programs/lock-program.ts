import { Semaphore } from '../../../src/actuators/scheduling.js';
import { openStateDirectory } from '../../../src/server/host/state-directory.js';

/*
 * Takes the state directory that is its argument, says so, and keeps it; or
 * says why not.
 */
const [, , directory = ''] = process.argv;
try {
  await openStateDirectory(directory, { mutators: [], semaphore: new Semaphore(1) });
  process.stdout.write('held\n');
  setInterval(() => {}, 60_000);
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
}
