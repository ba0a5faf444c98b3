import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const PROGRAM = resolve(import.meta.dirname, '../../../dist/bin.cjs');

/**
 * Runs the program to its end.
 *
 * @param {string} cwd
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env]
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function perturb(cwd, args, env = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  }
  return new Promise((done) => child.on('close', (code) => done({ code, ...said })));
}
