import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** @import { Run } from './scenario.js' */

const PROGRAM = pathTo('../../dist/bin.js');
const PEAK_MEMORY = pathTo('./peak-memory.cjs');

/**
 * @typedef {object} Options
 * @property {string} [cwd]
 * @property {string} [input] for its stdin
 * @property {number} [status] how it must end, with 0 unless given
 * @property {boolean} [memory] whether to measure its peak too
 */

/**
 * A run of Node to its end, its output thrown away.
 *
 * @param {readonly string[]} args
 * @param {Options} [options]
 * @returns {Run}
 */
export function node(args, { cwd, input = '', status = 0, memory = false } = {}) {
  const preload = memory ? ['--require', PEAK_MEMORY] : [];
  const start = process.hrtime.bigint();
  const child = spawnSync(process.execPath, [...preload, ...args], {
    ...(cwd !== undefined && { cwd }),
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
  const time = Number(process.hrtime.bigint() - start) / 1e6;
  if (child.status !== status) {
    throw new Error(`node ${args.join(' ')} ended with ${child.status}:\n${child.stderr}`);
  }
  return { time, ...(memory && { memory: Number(child.output[3]) / 1024 }) };
}

/**
 * A run of the built program.
 *
 * @param {readonly string[]} args
 * @param {Options} [options]
 */
export function perturb(args, options) {
  return node([PROGRAM, ...args], options);
}

/**
 * A run of a program of bench/floors.
 *
 * @param {string} name
 * @param {readonly string[]} args
 * @param {Options} [options]
 */
export function bare(name, args, options) {
  return node([pathTo(`../floors/${name}.js`), ...args], options);
}

/** @param {string} relative to this file */
function pathTo(relative) {
  return fileURLToPath(new URL(relative, import.meta.url));
}
