/*
 * The tests and the code under test as one function that can be called again
 * for each mutant: a call runs every module anew, and nothing is compiled anew.
 */
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { instrument } from './instrument.js';

/**
 * @typedef {import('./instrument.js').Mutant} Mutant
 * @typedef {{ mutants: Mutant[], packages: string[] }} Bundled
 */

/**
 * @param {object} options
 * @param {string} options.root
 * @param {readonly string[]} options.testFiles relative to the root
 * @param {readonly string[]} options.mutated the files to mutate, relative to the root
 * @param {string} options.outfile
 * @returns {Promise<Bundled>}
 */
export async function bundle({ root, testFiles, mutated, outfile }) {
  /** @type {Mutant[]} */
  const mutants = [];
  /** @type {Set<string>} */
  const packages = new Set();
  const files = mutated.map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const instrumented = instrument(file, text, mutants.length + 1);
    mutants.push(...instrumented.mutants);
    return [file, instrumented.code];
  });
  const codes = new Map(/** @type {[string, string][]} */ (files));
  const entries = testFiles.map((file) => `${JSON.stringify(file)}: () => import('./${file}'),`);
  await build({
    stdin: { contents: `export const files = {${entries.join('\n')}};`, resolveDir: root },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    outfile,
    logLevel: 'error',
    banner: {
      js: "module.exports = (__packages, __active, __seen, __turn) => { 'use strict'; const module = { exports: {} };",
    },
    footer: { js: 'return module.exports; };' },
    plugins: [
      {
        name: 'mutants',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' ? undefined : { path, namespace: 'package' },
          );
          onLoad({ filter: /.*/, namespace: 'package' }, async ({ path }) => {
            packages.add(path);
            const names = Object.keys(await import(path)).filter((name) => /^[\w$]+$/.test(name));
            const lines = names.map((name) =>
              name === 'default'
                ? 'export default all.default;'
                : `const _${name} = all.${name}; export { _${name} as ${name} };`,
            );
            const from = `const all = __packages.get(${JSON.stringify(path)});`;
            return { contents: [from, ...lines].join('\n') };
          });
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const file = relative(root, path).split(sep).join('/');
            const code = codes.get(file) ?? readFileSync(path, 'utf8');
            const url = JSON.stringify(pathToFileURL(path).href);
            return { contents: code.replaceAll('import.meta.url', url), loader: 'ts' };
          });
        },
      },
    ],
  });
  return { mutants, packages: [...packages] };
}
