/*
 * Changes the code of a room in one place after the other, and says which
 * changes no test notices. docs/mutation-testing.md describes it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { globSync } from 'tinyglobby';
import { readAccepted } from './accepted.js';
import { examine } from './examine.js';
import { record, survivorText, table } from './report.js';

/** @typedef {import('./report.js').Result} Result */

const USAGE = `usage: npm run mutants -- [--sample N] [--record] [ROOM|FILE ...]

ROOM is source, objective or expression; all of them when nothing is named.
--sample N   only every N-th mutant
--record     write the figures of whole rooms to docs/mutation-testing.md
`;

/** The rooms, and the tests that shall hold each: its own, and those of what stands on it. */
const ROOMS = new Map([
  ['source', ['test/{source,toml,objective}/**/*.test.ts']],
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const step = Number(values.sample);
const named = new Set(positionals.map((name) => (ROOMS.has(name) ? name : roomOf(name))));
const isUsable = Number.isInteger(step) && step >= 1 && [...named].every((room) => ROOMS.has(room));
if (values.help || !isUsable) {
  process.stderr.write(USAGE);
  process.exit(values.help ? 0 : 2);
}

const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(root);
mkdirSync('.mutants', { recursive: true });
/** @type {Result[]} */
const results = [];
for (const [room, tests] of ROOMS) {
  if (positionals.length > 0 && !named.has(room)) continue;
  const some = positionals.filter((name) => roomOf(name) === room);
  const isWhole = some.length === 0 || positionals.includes(room);
  const files = isWhole ? globSync(`src/${room}/**/*.ts`).sort() : some;
  const accepted = readAccepted(files);
  /** @type {Result[]} */
  const ofRoom = [];
  const mutants = await examine({
    root,
    files,
    testFiles: globSync(tests).sort(),
    outfile: `${root}.mutants/bundle-${process.pid}.cjs`,
    step,
    log: (line) => process.stderr.write(`${line}\n`),
    tell(examined) {
      const result = accepted.judge(examined);
      ofRoom.push(result);
      process.stdout.write(survivorText(result));
    },
  });
  results.push(...ofRoom);
  process.stdout.write(table(ofRoom));
  for (const complaint of accepted.complaints(mutants, ofRoom)) {
    process.stdout.write(`${complaint}\n`);
  }
  if (values.record && isWhole) record(room, ofRoom, step);
}
writeFileSync('.mutants/report.json', `${JSON.stringify(results, null, 2)}\n`);
writeFileSync('.mutants/survivors.txt', results.map(survivorText).join(''));

/** @param {string} file */
function roomOf(file) {
  return /^src\/([^/]+)\//.exec(file)?.[1] ?? file;
}
