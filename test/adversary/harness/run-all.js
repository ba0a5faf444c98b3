import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** @import { Outcome, Scenario, Size } from './scenario.js' */

/**
 * What came of an attack.
 *
 * @typedef {Outcome & { seconds: number, processor: number }} Result with the time it took, and the
 *   processor time, both in seconds
 */

const PROGRAM = fileURLToPath(new URL('one-attack.js', import.meta.url));

/** So long may clearing up take. */
const CLEAR_UP_MS = 30_000;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let isOver = false;

/**
 * Runs attacks, each in a process and a session of its own: so many at the same time, and after them,
 * one by one, those that measure what others would disturb.
 *
 * @param {readonly Scenario[]} scenarios
 * @param {Size} size
 * @param {number} jobs
 * @param {(scenario: Scenario, result: Result) => void} tell called in their order
 */
export async function runAll(scenarios, size, jobs, tell) {
  /** @type {Result[]} */
  const results = [];
  let told = 0;
  /** @param {number} most @param {boolean} alone */
  const runSome = async (most, alone) => {
    const left = [...scenarios.entries()].filter(([, one]) => (one.alone ?? false) === alone);
    const work = async () => {
      for (let next = left.shift(); next !== undefined && !isOver; next = left.shift()) {
        results[next[0]] = await attack(next[1].name, size);
        for (; results[told] !== undefined && !isOver; told += 1) {
          tell(/** @type {Scenario} */ (scenarios[told]), /** @type {Result} */ (results[told]));
        }
      }
    };
    await Promise.all(Array.from({ length: most }, work));
  };
  await runSome(jobs, false);
  await runSome(1, true);
}

/** @param {string} name @param {Size} size @returns {Promise<Result>} */
async function attack(name, size) {
  const began = performance.now();
  const child = fork(PROGRAM, [name, size], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  running.add(child);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    said += text;
  });
  /** @type {Outcome & { processor: number }} */
  let outcome = { figures: '', broken: [], processor: Number.NaN };
  let isTold = false;
  child.on('message', (message) => {
    isTold = true;
    outcome = /** @type {typeof outcome} */ (message);
  });
  const [code, signal] = await once(child, 'exit');
  endGroup(child);
  running.delete(child);
  const broken = isTold ? outcome.broken : [`its process ended with ${code ?? signal}: ${said}`];
  return { ...outcome, broken, seconds: (performance.now() - began) / 1_000 };
}

/** Ends all attacks that run, and what they have begun. */
export async function endAll() {
  isOver = true;
  await Promise.all(
    [...running].map(async (child) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), CLEAR_UP_MS);
      const exit = once(child, 'exit');
      if (child.connected) child.disconnect();
      await exit;
      clearTimeout(timer);
      endGroup(child);
    }),
  );
}

/** What an attack has left in its group. @param {import('node:child_process').ChildProcess} child */
function endGroup({ pid }) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}
