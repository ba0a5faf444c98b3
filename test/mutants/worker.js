/*
 * Runs tests against one mutant after the other. A child process, so that one
 * that never ends can be ended.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { api, collect, run, tamed } from './harness.js';

/**
 * @typedef {{ file: string, index: number }} TestId
 * @typedef {{ kind: 'load', bundle: string, packages: string[], root: string }} Load
 * @typedef {{ kind: 'cover', file: string, leftOut: string }} Cover
 * @typedef {{ kind: 'try', mutant: number, tests: TestId[], turns: number }} Try
 * @typedef {{ index: number, name: string, ms: number, turns: number, seen: number[], failed?: string }} Covered
 * @typedef {{ atLoad: number[], tests: Covered[] }} CoverResult
 * @typedef {{ killer?: TestId }} TryResult
 */

/** @type {Map<string, any>} */
const packages = new Map();
let root = '';
/** @type {any} */
let program;

/** @param {Load} message */
async function load(message) {
  root = message.root;
  for (const id of message.packages) packages.set(id, await import(id));
  packages.set('vitest', api);
  if (packages.has('fast-check')) packages.set('fast-check', tamed(packages.get('fast-check')));
  program = createRequire(import.meta.url)(message.bundle);
}

/** All the tests of a file, each with what it reaches. @param {Cover} message @returns {Promise<CoverResult>} */
async function cover({ file, leftOut }) {
  const isLeftOut = new RegExp(leftOut);
  const path = resolve(root, file);
  /** @type {Set<number>} */
  let seen = new Set();
  let turns = 0;
  const fresh = async () => {
    seen = new Set();
    const reach = (/** @type {number[]} */ ...ids) => {
      for (const id of ids) seen.add(id);
    };
    const { files } = program(packages, 0, reach, () => {
      turns += 1;
    });
    return collect(path, files[file]);
  };
  const all = await fresh();
  const atLoad = seen;
  /** @type {Covered[]} */
  const covered = [];
  for (const [index, { name }] of all.entries()) {
    if (isLeftOut.test(name)) continue;
    const one = (await fresh())[index];
    const before = seen;
    seen.clear();
    turns = 0;
    const start = performance.now();
    /** @type {string | undefined} */
    let failed;
    try {
      if (one !== undefined) await run(path, one);
    } catch (error) {
      failed = String(error);
    }
    const ms = performance.now() - start;
    covered.push({
      index,
      name,
      ms,
      turns,
      seen: [...before],
      ...(failed !== undefined && { failed }),
    });
  }
  return { atLoad: [...atLoad], tests: covered };
}

/** The first of the tests that fails for a mutant. @param {Try} message @returns {Promise<TryResult>} */
async function attempt({ mutant, tests, turns: most }) {
  let turns = 0;
  const { files } = program(
    packages,
    mutant,
    () => undefined,
    () => {
      turns += 1;
      if (turns > most) throw new Error('too many turns of a loop');
    },
  );
  /** @type {Map<string, Awaited<ReturnType<typeof collect>>>} */
  const collected = new Map();
  for (const { file, index } of tests) {
    const path = resolve(root, file);
    try {
      const all = collected.get(file) ?? (await collect(path, files[file]));
      collected.set(file, all);
      const one = all[index];
      if (one === undefined) throw new Error('there are fewer tests');
      turns = 0;
      await run(path, one);
      if (turns > most) throw new Error('too many turns of a loop');
    } catch {
      return { killer: { file, index } };
    }
  }
  return {};
}

process.on('message', async (/** @type {Load | Cover | Try} */ message) => {
  const answer =
    message.kind === 'load'
      ? await load(message)
      : message.kind === 'cover'
        ? await cover(message)
        : await attempt(message);
  process.send?.(answer ?? {});
});
