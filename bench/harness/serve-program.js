import { spawn } from 'node:child_process';
import { environment } from './environment.js';

/** @import { Place } from './scenario.js' */

/**
 * Runs a server that says its URL on stderr, until the scenario ends.
 *
 * @param {Place} place
 * @param {readonly string[]} args what Node is given
 * @returns {Promise<number>} its port
 */
export function serveProgram({ directory, defer }, args) {
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  defer(() => {
    child.kill();
    return closed;
  });
  let said = '';
  return new Promise((resolve, reject) => {
    const read = (/** @type {Buffer} */ chunk) => {
      said += chunk;
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port === undefined) return;
      // From now on its output is read only to be discarded.
      child.stderr.off('data', read).resume();
      resolve(Number(port));
    };
    child.stderr.on('data', read);
    closed.then(() => reject(new Error(`the server has not started:\n${said}`)));
  });
}
