import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { perturb } from '../harness/program.js';
import { few } from '../harness/server.js';
import { listening } from '../harness/systems.js';

/** @import { Place, Scenario } from '../harness/scenario.js' */

/**
 * A kind of system with a mistake that a reviewer would pass, and the commands of its page.
 *
 * @typedef {object} Kind
 * @property {string} name of its page in docs/systems, and of its folder in examples/systems
 * @property {readonly [string, number]} [beside] the script of what it needs, and its port
 * @property {readonly string[]} [prepare] a command before the one that finds the mistake
 * @property {readonly string[]} find the command that finds the mistake
 * @property {RegExp} finding what it prints when it has
 * @property {readonly string[]} mended options and command of the system without the mistake
 * @property {string} [objective] that the mended system is tried with
 */

const ROOT = resolve(import.meta.dirname, '../../..');

/** Each command may take so long, in milliseconds: three minutes from nothing to a verdict. */
const LONGEST = 180_000;

const INIT_FOUND = /^(From|With) .+ fails/m;

/** @type {readonly Kind[]} */
const KINDS = [
  {
    name: 'http-service',
    beside: ['prices.mjs', 7100],
    prepare: [
      ...['mutators', 'new', 'proxy', '--mode', 'http'],
      ...['--listen', '127.0.0.1:7101', '--upstream', '127.0.0.1:7100'],
    ],
    find: [
      ...['objective', 'run', 'page.objective.toml', '--out', 'found'],
      ...['--', 'node', 'shop.mjs', '--prices', '127.0.0.1:7101'],
    ],
    finding: /^\d+ +failed .+ nine of ten pages within two seconds$/m,
    objective: 'page.objective.toml',
    mended: ['--', 'node', 'shop.mjs', '--prices', '127.0.0.1:7101', '--timeout', '300'],
  },
  {
    name: 'message-queue',
    beside: ['broker.mjs', 7200],
    find: [
      ...['init', '--address', '127.0.0.1:7200', '--events', 'otlp:0'],
      ...['--', 'node', 'orders.mjs'],
    ],
    finding: INIT_FOUND,
    mended: ['--events', 'otlp:0', '--', 'node', 'orders.mjs', '--with-ids'],
  },
  {
    name: 'database',
    beside: ['store.mjs', 6379],
    find: [
      ...['init', '--address', '127.0.0.1:6379', '--events', 'carts.log'],
      ...['--', 'node', 'carts.mjs'],
    ],
    finding: INIT_FOUND,
    mended: ['--events', 'carts.log', '--', 'node', 'carts.mjs', '--fixed'],
  },
  {
    name: 'robot',
    find: [
      ...['init', '--key', 'settings.json:vision.frame_ms=8..60', '--within', '200ms'],
      ...['--', 'node', 'robot.mjs'],
    ],
    finding: INIT_FOUND,
    mended: ['--', 'node', 'robot.mjs', '--newest'],
  },
];

/** Writes the files that a page has its reader write. @param {string} name @param {string} directory */
function writeFilesOf(name, directory) {
  const page = readFileSync(join(ROOT, 'docs/systems', `${name}.md`), 'utf8');
  for (const [, path = '', text = ''] of page.matchAll(/^```toml (\S+)\n([\s\S]*?)^```$/gm)) {
    writeFileSync(join(directory, path), text);
  }
}

/** Has the options before the command's `--`. @param {readonly string[]} args @param {readonly string[]} options */
function withOptions(args, options) {
  const index = args.indexOf('--');
  return [...args.slice(0, index), ...options, ...args.slice(index)];
}

/**
 * Tries a seed, from an empty directory to the verdicts on both forms of the system.
 *
 * @param {Kind} kind
 * @param {Place} place
 * @param {number} seed
 */
async function trySeed(kind, place, seed) {
  const directory = join(place.directory, `${seed}`, kind.name);
  cpSync(join(ROOT, 'examples/systems', kind.name), directory, { recursive: true });
  writeFilesOf(kind.name, dirname(directory));
  const seeded = ['--seed', `${seed}`];
  const since = performance.now();
  if (kind.prepare !== undefined) await perturb(directory, kind.prepare);
  const found = await perturb(directory, withOptions(kind.find, seeded));
  const milliseconds = performance.now() - since;
  const isFound = kind.finding.test(found.stdout) && milliseconds <= LONGEST;
  // The proxy has the port that `perturb init` chose; the system reads it from the environment.
  const [, proxy] = /^To continue: +PERTURB_PROXY=(\S+)/m.exec(found.stdout) ?? [];
  if (kind.find.includes('--address') && proxy === undefined) {
    // Without the proxy, nothing would disturb the mended system.
    const mended = { code: null, stdout: '', stderr: 'perturb init named no proxy' };
    return { isFound, milliseconds, said: found.stdout + found.stderr, mended };
  }
  const mended = await perturb(
    directory,
    withOptions(
      ['objective', 'run', kind.objective ?? 'first.objective.toml', ...kind.mended],
      [...seeded, '--attempts', '3', '--out', 'mended'],
    ),
    proxy === undefined ? {} : { PERTURB_PROXY: proxy },
  );
  return { isFound, milliseconds, said: found.stdout + found.stderr, mended };
}

/** @type {readonly Scenario[]} */
export const firstVerdicts = KINDS.map((kind) => ({
  name: `verdict-${kind.name}`,
  promise: `the mistake of the system in docs/systems/${kind.name}.md is found within three minutes by nine of ten seeds, and the mended system passes`,
  alone: true,
  async run(place, size) {
    const count = size === 'full' ? 10 : 1;
    if (kind.beside !== undefined) {
      const [script, port] = kind.beside;
      const path = join(ROOT, 'examples/systems', kind.name, script);
      await listening(place, port, [process.execPath, path]);
    }
    /** @type {string[]} */
    const missed = [];
    /** @type {string[]} */
    const refused = [];
    let longest = 0;
    for (let seed = 1; seed <= count; seed += 1) {
      const { isFound, milliseconds, said, mended } = await trySeed(kind, place, seed);
      longest = Math.max(longest, milliseconds);
      if (!isFound) missed.push(`seed ${seed} found nothing: ${said}`);
      if (mended.code !== 0) {
        refused.push(`seed ${seed}, mended: ${mended.code}: ${mended.stdout}${mended.stderr}`);
      }
    }
    const figures = `found by ${count - missed.length} of ${count}, at most ${(longest / 1000).toFixed(0)} s each; mended, ${count - refused.length} of ${count} pass`;
    const broken = [
      ...(missed.length > count / 10 ? missed : []),
      ...(refused.length > count / 10 ? refused : []),
    ];
    return { figures, broken: few(broken) };
  },
}));
