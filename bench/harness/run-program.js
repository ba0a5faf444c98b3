import { spawnSync } from 'node:child_process';
import { environment } from './environment.js';
import { pathOf } from './programs.js';

/** @import { Run } from './scenario.js' */

/**
 * Runs a program to its end, its output thrown away.
 *
 * @param {readonly string[]} args what Node is given
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {string} [options.input] for its stdin
 * @param {number} [options.status] how it must end, with 0 unless given
 * @param {boolean} [options.memory] whether to measure its peak too
 * @param {boolean} [options.cpu] whether to measure its own CPU instead
 * @returns {Run}
 */
export function runProgram(
  args,
  { cwd, input = '', status = 0, memory = false, cpu = false } = {},
) {
  const wanted = cpu ? './cpu-time.cjs' : './peak-memory.cjs';
  const preload = memory || cpu ? ['--require', pathOf(wanted)] : [];
  const start = performance.now();
  const child = spawnSync(process.execPath, [...preload, ...args], {
    ...(cwd !== undefined && { cwd }),
    env: environment,
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
  const time = performance.now() - start;
  if (child.status !== status) {
    throw new Error(`node ${args.join(' ')} ended with ${child.status}:\n${child.stderr}`);
  }
  if (cpu) return { cpu: Number(child.output[3]) };
  return { time, ...(memory && { memory: Number(child.output[3]) / 1024 }) };
}
