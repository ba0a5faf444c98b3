/*
 * Changes the code of a room in one place after the other, and says which
 * changes no test notices. docs/mutation-testing.md describes it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { globSync } from 'tinyglobby';
import { acceptedReasons } from './accepted.js';
import { bundle } from './bundle.js';
import { record, survivorList, table } from './report.js';
import { startWorker } from './start-worker.js';

/**
 * @typedef {import('./instrument.js').Mutant} Mutant
 * @typedef {import('./worker.js').TestId} TestId
 * @typedef {TestId & { name: string, ms: number, turns: number }} KnownTest
 * @typedef {Mutant & { status: 'killed' | 'timeout' | 'survived' | 'accepted' | 'unreached', killer?: string, reason?: string }} Result
 */

const USAGE = `usage: npm run mutants -- [--sample N] [--record] [ROOM|FILE ...]

ROOM is source, objective or expression; all of them when nothing is named.
--sample N   only every N-th mutant
--record     write the figures to docs/mutation-testing.md
`;

/** The rooms, and the tests that shall hold each: its own, and those of what stands on it. */
const ROOMS = new Map([
  ['source', ['test/source/**/*.test.ts', 'test/{toml,objective}/**/*.test.ts']],
  ['objective', ['test/objective/**/*.test.ts', 'test/cli/rule-pages.test.ts']],
  [
    'expression',
    [
      'test/expression/**/*.test.ts',
      'test/objective/{golden,ignores,twelve}.test.ts',
      'test/cli/rule-pages.test.ts',
    ],
  ],
]);
/** They measure time or show that size does no harm, and take most of the time. */
const LEFT_OUT = /linear time|grows with their number|\b1 MB\b|10,000 wrong keys/;

const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(root);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const step = Number(values.sample);
if (values.help || !(step >= 1)) {
  process.stderr.write(USAGE);
  process.exit(values.help ? 0 : 2);
}

const chosen = (positionals.length > 0 ? positionals : [...ROOMS.keys()]).flatMap((name) =>
  ROOMS.has(name) ? globSync(`src/${name}/**/*.ts`) : [name],
);
const rooms = new Set(chosen.map(roomOf));
const testFiles = globSync([...rooms].flatMap((room) => ROOMS.get(room) ?? [])).sort();
mkdirSync('.mutants', { recursive: true });
const outfile = `${root}.mutants/bundle-${process.pid}.cjs`;
const { mutants, packages } = await bundle({
  root,
  testFiles,
  mutated: new Set(chosen.sort()),
  outfile,
});
const worker = startWorker({ bundle: outfile, packages, root });
const reaching = await coverage();
const tried = mutants.filter((_, index) => index % step === 0);
process.stderr.write(
  `${mutants.length} mutants in ${chosen.length} files, ${tried.length} to try\n`,
);

const accepted = acceptedReasons(mutants);
/** @type {Map<string, KnownTest[]>} the tests that killed mutants of a file, the last one first */
const killers = new Map();
/** @type {Result[]} */
const results = [];
for (const [index, mutant] of tried.entries()) {
  const result = await judge(mutant);
  results.push(result);
  process.stdout.write(survivorList([result]));
  if (mutant.file === tried[index + 1]?.file) continue;
  process.stderr.write(`${mutant.file}: ${index + 1} of ${tried.length}\n`);
}
worker.stop();
rmSync(outfile);

writeFileSync('.mutants/report.json', `${JSON.stringify(results, null, 2)}\n`);
writeFileSync('.mutants/survivors.md', survivorList(results));
process.stdout.write(table(results));
for (const problem of accepted.problems(results)) process.stdout.write(`${problem}\n`);
if (values.record) record(results, step);

/** Which tests reach each mutant; for one that is reached as a file loads, all tests of that file. */
async function coverage() {
  /** @type {Map<number, KnownTest[]>} */
  const reaching = new Map(mutants.map(({ id }) => [id, []]));
  for (const file of testFiles) {
    const { atLoad, tests } = await worker.cover(file, LEFT_OUT.source);
    for (const { index, name, ms, turns, seen, failed } of tests) {
      if (failed !== undefined) {
        process.stderr.write(`left out, for it fails by itself: ${file}: ${name}: ${failed}\n`);
        continue;
      }
      for (const id of new Set([...atLoad, ...seen])) {
        reaching.get(id)?.push({ file, index, name, ms, turns });
      }
    }
  }
  return reaching;
}

/** @param {Mutant} mutant @returns {Promise<Result>} */
async function judge(mutant) {
  const recent = killers.get(mutant.file) ?? [];
  const known = new Set(recent.map(idOf));
  const all = reaching.get(mutant.id) ?? [];
  const reached = new Set(all.map(idOf));
  const tests = [
    ...recent.filter((test) => reached.has(idOf(test))),
    ...all.filter((test) => !known.has(idOf(test))).sort((a, b) => a.ms - b.ms),
  ];
  const reason = accepted.reasonFor(mutant);
  /** @type {Result} */
  const unharmed =
    reason === undefined
      ? { ...mutant, status: tests.length === 0 ? 'unreached' : 'survived' }
      : { ...mutant, status: 'accepted', reason };
  if (tests.length === 0) return unharmed;
  const outcome = await worker.attempt(mutant.id, tests);
  if (outcome === 'timeout') return { ...mutant, status: 'timeout' };
  const { killer } = outcome;
  if (killer === undefined) return unharmed;
  const test = tests.find((one) => idOf(one) === idOf(killer));
  if (test === undefined) throw new Error(`no test ${idOf(killer)}`);
  killers.set(mutant.file, [test, ...recent.filter((one) => one !== test)]);
  return { ...mutant, status: 'killed', killer: `${test.file}: ${test.name}` };
}

/** @param {TestId} test */
function idOf({ file, index }) {
  return `${file}#${index}`;
}

/** @param {string} file */
function roomOf(file) {
  return file.split('/')[1] ?? '';
}
