import { fileURLToPath } from 'node:url';

/* The arguments with which Node runs a program. */

/** The built program. @param {readonly string[]} args */
export function perturb(...args) {
  return [pathOf('../../dist/bin.cjs'), ...args];
}

/** A program of bench/floors. @param {string} name @param {readonly string[]} args */
export function bare(name, ...args) {
  return [pathOf(`../floors/${name}.js`), ...args];
}

/** @param {string} relative to this file */
export function pathOf(relative) {
  return fileURLToPath(new URL(relative, import.meta.url));
}
