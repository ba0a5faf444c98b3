import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import dts from 'rollup-plugin-dts';

/*
 * Builds `dist/`:
 *
 * - `bin.cjs` starts one of two bundles, which are CommonJS because Node starts it sooner:
 *   `program.cjs`, and `languageserver.cjs`.
 *   Only the first has a source map, for the stacks of `--debug`: an editor starts the other without it.
 * - `*.cache` is what V8 compiled of a bundle; `bin.cjs` knows its hash.
 * - `index.js` is the library, `library/` what its parts share, and `index.d.ts` its types.
 *
 * With `--program` it builds only the first two; with `--changed` all, unless a build is there that is
 * younger than all that it is made of.
 */

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** @type {import('esbuild').BuildOptions} */
const bundle = {
  bundle: true,
  minify: true,
  // One long line would be printed whole with the stack of an error.
  lineLimit: 200,
  sourcesContent: false,
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'warning',
};

/** @type {import('esbuild').BuildOptions} */
const commonJs = {
  ...bundle,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  outdir: 'dist',
  define: { 'import.meta.url': '__filename', 'import.meta.dirname': '__dirname' },
};

/** How each bundle that is started is started, to learn what a start compiles. */
const starts = {
  'program.cjs': ['objective', 'lint', 'examples/objectives'],
  // Nobody speaks to it, so it ends.
  'languageserver.cjs': ['lsp', '--stdio'],
};

const [, , ...cached] = process.argv;
if (cached[0] === '--program') await buildProgram();
else if (cached[0] === '--changed') isBuilt() || (await buildAll());
else if (cached.length > 0) cacheCode(...cached);
else await buildAll();

function isBuilt() {
  const built = ['bin.cjs', 'index.js', 'index.d.ts'].map((name) => changed(`dist/${name}`));
  const inputs = [
    ...['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/build.js', 'src'],
    'node_modules/.package-lock.json',
    ...readdirSync('src', { recursive: true, encoding: 'utf8' }).map((name) => `src/${name}`),
  ];
  return Math.max(...inputs.map(changed)) < Math.min(...built);
}

/**
 * When a file or the list of a directory changed; nothing is older than what is not there.
 *
 * @param {string} path
 */
function changed(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function buildAll() {
  rmSync('dist', { recursive: true, force: true });
  await Promise.all([buildProgram(), buildLibrary(), buildTypes()]);
}

async function buildProgram() {
  const external = Object.keys(dependencies);
  await Promise.all([
    build({ ...commonJs, entryPoints: ['src/program.ts'], external, sourcemap: true }),
    build({ ...commonJs, entryPoints: ['src/languageserver.ts'], external }),
  ]);
  const hashes = Object.entries(starts).map(([name, args]) => {
    const { error } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), name, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (error !== undefined) throw error;
    const cache = readFileSync(`dist/${name}.cache`);
    return [name, createHash('sha256').update(cache).digest('hex')];
  });
  const { platform, arch, versions } = process;
  const codeCaches = {
    engine: `${versions.v8} ${platform} ${arch}`,
    sha256: Object.fromEntries(hashes),
  };
  await build({
    ...commonJs,
    entryPoints: ['src/bin.ts'],
    define: { CODE_CACHES: JSON.stringify(codeCaches) },
    lineLimit: 0,
  });
}

/**
 * Runs a bundle in this process, as `bin.cjs` does, and writes what V8 has compiled by its end.
 *
 * @param {string} name
 * @param {string[]} args
 */
function cacheCode(name, ...args) {
  const filename = `${process.cwd()}/dist/${name}`;
  const script = new vm.Script(module.wrap(readFileSync(filename, 'latin1')), {
    filename,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  process.argv = [process.execPath, 'dist/bin.cjs', ...args];
  process.on('exit', () => writeFileSync(`${filename}.cache`, script.createCachedData()));
  /** @type {{ exports: { serve?: () => Promise<void> } }} */
  const bundled = { exports: {} };
  const run = script.runInThisContext();
  run(bundled.exports, createRequire(filename), bundled, filename, dirname(filename));
  bundled.exports.serve?.();
}

async function buildLibrary() {
  await build({
    ...bundle,
    entryPoints: ['src/index.ts'],
    format: 'esm',
    splitting: true,
    outdir: 'dist',
    chunkNames: 'library/[name]-[hash]',
    external: Object.keys(dependencies),
  });
}

async function buildTypes() {
  const types = await rollup({
    input: 'src/index.ts',
    plugins: [dts()],
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  await types.write({ file: 'dist/index.d.ts' });
  await types.close();
}
