/*
 * What the tests import from vitest, without its runner: vitest reads modules
 * anew for each run, which takes longer than most tests. `expect` is vitest's.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { format } from 'node:util';
import * as vitest from 'vitest';

/**
 * @typedef {{ name: string, run: () => unknown }} Test
 * @typedef {(...args: any[]) => any} AnyFunction
 */

/** The most runs of a property test for one mutant. */
const RUNS = 100;

/** @type {Test[]} */
let collected = [];
/** @type {string[]} */
let titles = [];
/** @type {AnyFunction[]} */
let finishers = [];
let file = '';

vitest.chai.util.addMethod(
  vitest.chai.Assertion.prototype,
  'toMatchFileSnapshot',
  /** @this {object} @param {string} path */
  async function toMatchFileSnapshot(path) {
    const expected = readFileSync(resolve(dirname(file), path), 'utf8');
    vitest.expect(vitest.chai.util.flag(this, 'object')).toBe(expected);
  },
);

/** @param {string} title @param {AnyFunction} run */
function test(title, run) {
  collected.push({ name: [...titles, title].join(' > '), run });
}

/** @param {string} title @param {AnyFunction} body */
function describe(title, body) {
  titles.push(title);
  body();
  titles.pop();
}

/** @param {AnyFunction} define */
function each(define) {
  return (/** @type {readonly any[]} */ rows) =>
    (/** @type {string} */ title, /** @type {AnyFunction} */ body) => {
      rows.forEach((row, index) => {
        const args = Array.isArray(row) ? row : [row];
        const parts = title.match(/%[sdifjo]/g) ?? [];
        const named = format(title.replace('%#', String(index)), ...args.slice(0, parts.length));
        define(
          named.replace(/\$(\w+)/g, (_, key) => String(row?.[key])),
          () => body(...args),
        );
      });
    };
}

const tests = Object.assign(test, { each: each(test) });
const suites = Object.assign(describe, { each: each(describe) });

/** The names that the tests import from vitest. */
export const api = {
  ...vitest,
  test: tests,
  it: tests,
  describe: suites,
  /* Each test runs alone: what holds for all of them together is not asked. */
  afterAll: () => undefined,
  onTestFinished: (/** @type {AnyFunction} */ finish) => void finishers.push(finish),
};

/**
 * The tests of a file.
 *
 * @param {string} path absolute
 * @param {() => unknown} load runs the file
 */
export async function collect(path, load) {
  collected = [];
  titles = [];
  file = path;
  await load();
  return collected;
}

/** @param {string} path of the test's file @param {Test} one */
export async function run(path, one) {
  file = path;
  finishers = [];
  try {
    await one.run();
  } finally {
    for (const finish of finishers) await finish();
  }
}

/**
 * fast-check with the same few values in each run, and without a search for
 * the smallest one that fails.
 *
 * @param {any} module
 */
export function tamed(module) {
  const assert = (/** @type {any} */ property, /** @type {any} */ parameters = {}) =>
    module.assert(property, {
      ...parameters,
      numRuns: Math.min(parameters.numRuns ?? RUNS, RUNS),
      seed: 1,
      endOnFailure: true,
    });
  return { ...module, assert, default: { ...module.default, assert } };
}
