import { rmSync } from 'node:fs';
import { bundle } from './bundle.js';
import { startWorker } from './start-worker.js';

/**
 * @typedef {import('./instrument.js').Mutant} Mutant
 * @typedef {import('./worker.js').TestId} TestId
 * @typedef {TestId & { name: string, ms: number, turns: number }} KnownTest
 * @typedef {'killed' | 'timeout' | 'survived' | 'unreached'} Status
 * @typedef {Mutant & { status: Status, killer?: string }} Examined
 */

/** They measure time or show that size does no harm, and take most of the time. */
const LEFT_OUT = /linear time|grows with their number|\b1 MB\b|10,000 wrong keys/;

/**
 * Tries the mutants of files against tests.
 *
 * @param {object} options
 * @param {string} options.root
 * @param {readonly string[]} options.files to mutate, relative to the root
 * @param {readonly string[]} options.testFiles relative to the root
 * @param {string} options.outfile where the bundle goes for a while
 * @param {number} options.step every how many mutants one is tried
 * @param {(line: string) => void} options.log
 * @param {(examined: Examined) => void} options.tell hears of each mutant as soon as it was tried
 */
export async function examine({ root, files, testFiles, outfile, step, log, tell }) {
  const { mutants, packages } = await bundle({ root, testFiles, mutated: files, outfile });
  const worker = startWorker({ bundle: outfile, packages, root });
  try {
    const reaching = await coverage(worker, mutants, testFiles, log);
    const tried = mutants.filter((_, index) => index % step === 0);
    log(`${mutants.length} mutants in ${files.length} files, ${tried.length} to try`);
    /** @type {Map<string, KnownTest[]>} the tests that killed mutants of a file, the last one first */
    const killers = new Map();
    for (const [index, mutant] of tried.entries()) {
      const recent = killers.get(mutant.file) ?? [];
      const tests = inOrder(reaching.get(mutant.id) ?? [], recent);
      const { status, killer } = await judge(worker, mutant, tests);
      if (killer !== undefined) {
        killers.set(mutant.file, [killer, ...recent.filter((one) => one !== killer)]);
      }
      tell({ ...mutant, status, ...(killer && { killer: `${killer.file}: ${killer.name}` }) });
      if (mutant.file !== tried[index + 1]?.file) {
        log(`${mutant.file}: ${index + 1} of ${tried.length}`);
      }
    }
    return mutants;
  } finally {
    worker.stop();
    rmSync(outfile);
  }
}

/**
 * Which tests reach each mutant; for one that is reached as a file loads, all
 * tests of that file.
 *
 * @param {ReturnType<typeof startWorker>} worker
 * @param {readonly Mutant[]} mutants
 * @param {readonly string[]} testFiles
 * @param {(line: string) => void} log
 */
async function coverage(worker, mutants, testFiles, log) {
  /** @type {Map<number, KnownTest[]>} */
  const reaching = new Map(mutants.map(({ id }) => [id, []]));
  for (const file of testFiles) {
    const { atLoad, tests } = await worker.cover(file, LEFT_OUT.source);
    for (const { index, name, ms, turns, seen, failed } of tests) {
      if (failed !== undefined) {
        log(`left out, for it fails by itself: ${file}: ${name}: ${failed}`);
        continue;
      }
      const known = { file, index, name, ms, turns };
      for (const id of new Set([...atLoad, ...seen])) reaching.get(id)?.push(known);
    }
  }
  return reaching;
}

/**
 * Those that killed a mutant first, then the quickest.
 *
 * @param {readonly KnownTest[]} tests
 * @param {readonly KnownTest[]} recent
 */
function inOrder(tests, recent) {
  const reached = new Set(tests);
  const likely = recent.filter((test) => reached.has(test));
  const others = tests.filter((test) => !likely.includes(test)).sort((a, b) => a.ms - b.ms);
  return [...likely, ...others];
}

/**
 * @param {ReturnType<typeof startWorker>} worker
 * @param {Mutant} mutant
 * @param {readonly KnownTest[]} tests
 * @returns {Promise<{ status: Status, killer?: KnownTest }>}
 */
async function judge(worker, mutant, tests) {
  if (tests.length === 0) return { status: 'unreached' };
  const outcome = await worker.attempt(mutant.id, tests);
  if (outcome === 'timeout') return { status: 'timeout' };
  const { killer: id } = outcome;
  const killer = tests.find(({ file, index }) => file === id?.file && index === id?.index);
  return killer === undefined ? { status: 'survived' } : { status: 'killed', killer };
}
