import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {import('./worker.js').TestId} TestId
 * @typedef {import('./worker.js').CoverResult} CoverResult
 * @typedef {import('./worker.js').TryResult} TryResult
 */

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
/** In ms; beyond it a mutant may take `SLOWER` times as long as its tests take without it. */
const PATIENCE = 5_000;
const SLOWER = 10;
const LONGEST_COVERAGE = 600_000;

/**
 * A worker that is started anew when a mutant does not end.
 *
 * @param {{ bundle: string, packages: string[], root: string }} program
 */
export function startWorker(program) {
  let child = start();

  function start() {
    const started = fork(WORKER, {
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=1500'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    return { process: started, ready: request(started, { kind: 'load', ...program }, 60_000) };
  }

  /** @param {object} message @param {number} limit in ms */
  async function ask(message, limit) {
    await child.ready;
    const answer = await request(child.process, message, limit);
    if (answer === 'timeout') {
      child.process.kill('SIGKILL');
      child = start();
    }
    return answer;
  }

  return {
    /**
     * What the tests of a file reach.
     *
     * @param {string} file
     * @param {string} leftOut a pattern for the names of tests that are not run
     * @returns {Promise<CoverResult>}
     */
    async cover(file, leftOut) {
      const answer = await ask({ kind: 'cover', file, leftOut }, LONGEST_COVERAGE);
      if (answer === 'timeout') throw new Error(`the tests of ${file} do not end`);
      return answer;
    },
    /**
     * @param {number} mutant
     * @param {readonly (TestId & { ms: number, turns: number })[]} tests in the order to run them
     * @returns {Promise<TryResult | 'timeout'>}
     */
    attempt(mutant, tests) {
      const ms = tests.reduce((sum, test) => sum + test.ms, 0);
      const turns = 100_000 + SLOWER * Math.max(...tests.map((test) => test.turns));
      const ids = tests.map(({ file, index }) => ({ file, index }));
      return ask({ kind: 'try', mutant, tests: ids, turns }, PATIENCE + SLOWER * ms);
    },
    stop() {
      child.process.disconnect();
    },
  };
}

/**
 * The answer of a worker; `timeout` when none comes in time, or it ends.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {object} message
 * @param {number} limit in ms
 * @returns {Promise<any>}
 */
function request(child, message, limit) {
  return new Promise((resolve) => {
    const settle = (/** @type {unknown} */ answer) => {
      clearTimeout(timer);
      child.off('message', settle);
      child.off('exit', fail);
      resolve(answer);
    };
    const fail = () => settle('timeout');
    const timer = setTimeout(fail, limit);
    child.on('message', settle);
    child.on('exit', fail);
    child.send(message);
  });
}
