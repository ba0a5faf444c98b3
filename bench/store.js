/*
 * What a store of ten thousand objectives costs, as a ratio to one of a hundred:
 * whole runs of the program, the median over interleaved pairs. What a list
 * prints for each objective is taken off: the rows are counted, not the store.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PAIRS = 15;
const LIMIT = 1.5;
const SIZES = { few: 100, many: 10_000 };
const PROGRAM = resolve('dist/bin.cjs');

/** @param {string} name @param {number} attempts */
const objective = (name, attempts) => `name = "${name}"

[[measurement]]
name = "No crash"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

[stopping_conditions]
attempts = ${attempts}
`;

const cwd = mkdtempSync(join(tmpdir(), 'perturb-bench-'));

/** @param {readonly string[]} args @param {string} [input] */
function wallTime(args, input = '') {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'objective', ...args], {
    cwd,
    input,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const end = process.hrtime.bigint();
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return Number(end - start) / 1e6;
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return /** @type {number} */ (sorted[sorted.length >> 1]);
}

/** Fills a store with objectives, a file for each. @param {string} name @param {number} count */
function fill(name, count) {
  const files = Array.from({ length: count }, (_, index) => `${index}.toml`);
  for (const [index, file] of files.entries()) {
    writeFileSync(join(cwd, file), objective(`Objective ${index}`, index + 1));
  }
  return wallTime(['create', '*.toml', '--store', `sqlite:${name}.db`]);
}

/** How long the store takes to list, inside one process and without printing. */
async function listTimes() {
  const { build } = await import('esbuild');
  const outfile = join(resolve('node_modules'), '.perturb-bench-store.mjs');
  await build({
    entryPoints: ['src/store/index.ts'],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    outfile,
  });
  const program = `
    import { openStore, sqliteAt } from ${JSON.stringify(outfile)};
    const store = await openStore(sqliteAt(process.argv[1], '/'));
    await store.list();
    await store.close();`;
  /** @param {string} name */
  const time = (name) => {
    const start = process.hrtime.bigint();
    const args = ['--input-type=module', '-e', program, join(cwd, `${name}.db`)];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return Number(process.hrtime.bigint() - start) / 1e6;
  };
  try {
    return Array.from({ length: PAIRS }, () => ({ few: time('few'), many: time('many') }));
  } finally {
    rmSync(outfile);
  }
}

/** @param {string} what @param {readonly { few: number, many: number }[]} pairs */
function tell(what, pairs) {
  const [few, many] = [
    median(pairs.map((pair) => pair.few)),
    median(pairs.map((pair) => pair.many)),
  ];
  const ratio = median(pairs.map((pair) => pair.many / pair.few));
  console.log(
    `  ${what.padEnd(22)}${few.toFixed(0).padStart(6)} ms${many.toFixed(0).padStart(6)} ms  ratio ${ratio.toFixed(2)} (at most ${LIMIT})`,
  );
  if (ratio > LIMIT) process.exitCode = 1;
}

try {
  fill('few', SIZES.few);
  const filled = fill('many', SIZES.many);
  console.log(`store: ${SIZES.few} objectives beside ${SIZES.many}, median of ${PAIRS} pairs`);
  let fresh = 0;
  const store = (/** @type {string} */ name) => ['--store', `sqlite:${name}.db`];
  const measure = (/** @type {(name: string) => number} */ one) =>
    Array.from({ length: PAIRS }, () => ({ few: one('few'), many: one('many') }));
  tell('list, without printing', await listTimes());
  tell(
    'show',
    measure((name) => wallTime(['show', 'Objective 50', ...store(name)])),
  );
  tell(
    'create',
    measure((name) => {
      fresh += 1;
      return wallTime(['create', '-', ...store(name)], objective(`New ${fresh}`, 1));
    }),
  );
  console.log(`  create of ${SIZES.many} at once took ${(filled / 1_000).toFixed(1)} s`);
} finally {
  rmSync(cwd, { recursive: true });
}
