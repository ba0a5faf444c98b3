import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFile, virtual } from '../../../scripts/bundle.js';

/** @import { Mutant } from './table.js' */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Compares a changed engine with the oracle.
 *
 * @param {Mutant | undefined} mutant without one, the engine as it is
 * @param {number} cases at most
 * @returns {Promise<string | undefined>} what was noticed first, or nothing
 */
export async function examine(mutant, cases) {
  const outfile = join(tmpdir(), `perturb-mutant-${process.pid}-${Math.random()}.mjs`);
  try {
    const plugins = [virtual(ENTRY, PROGRAM), ...(mutant === undefined ? [] : [patch(mutant)])];
    await bundleFile(ENTRY, outfile, { plugins });
    return await run(outfile, cases);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** Prints the first difference, if there is one. A crash and an endless loop are noticed too. */
const PROGRAM = `
import { differences, randomCase } from './compare.ts';
for (let seed = 1; seed <= Number(process.argv[2]); seed++) {
  const isWhole = seed % 2 === 0;
  const found = differences(randomCase(seed, { isWhole, isCounted: isWhole }));
  if (found !== undefined && found.length > 0) {
    console.log('case ' + seed + ': ' + found[0]);
    break;
  }
}
`;

const ENTRY = join(ROOT, 'test/evaluation/mutated.ts');

/** @param {Mutant} mutant @returns {import('rolldown').Plugin} */
function patch({ file, from, to }) {
  const path = join(ROOT, 'src/evaluation', file);
  return {
    name: 'mutant',
    load(id) {
      if (id !== path) return undefined;
      const text = readFileSync(path, 'utf8');
      if (text.split(from).length !== 2) throw new Error(`${file} has not once: ${from}`);
      return text.replace(from, () => to);
    },
  };
}

/** @param {string} program @param {number} cases @returns {Promise<string | undefined>} */
function run(program, cases) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, String(cases)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 300_000,
    });
    let said = '';
    let complaint = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    child.stderr.on('data', (data) => {
      complaint += data;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== null) resolve('it does not end');
      else if (code !== 0) resolve(`it fails: ${/^\w*Error.*$/m.exec(complaint)?.[0] ?? code}`);
      else resolve(said.trim() === '' ? undefined : said.trim());
    });
  });
}
