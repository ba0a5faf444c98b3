import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { bundle } from './bundle.js';
import { external } from './external.js';

/*
 * Builds `dist/`, as CommonJS where it is started, because Node starts it sooner:
 *
 * - `bin.cjs` starts one of two: `program.cjs`, and `languageserver.cjs`, which is one file for an
 *   editor to have alone. An editor starts it without `--debug`, so it has no source map.
 * - `program.cjs` is what lint uses; `program-*.cjs` and `server.cjs`, with Fastify, are what other
 *   commands load.
 * - `*.cache` is what V8 compiled of a file; `bin.cjs` knows its hash.
 * - `grammar/*.schema.json` are the schemas that the program prints.
 * - `ready-made/*.mjs` are the scripts of ready-made mutators, each in one file that people can read.
 * - `index.js` is the library, `library/` what its parts share, and `index.d.ts` its types.
 *
 * With `--program` it builds only the first three; with `--changed` nothing if a build of all is there
 * that is younger than all that it is made of. What is imported as it is needed keeps starts short.
 */

const require = createRequire(import.meta.url);
process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** Minified, but not into one long line, which would be printed whole with the stack of an error. */
const minified = /** @type {const} */ ({
  minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } },
  comments: false,
});

/** @param {Record<string, string>} [define] */
const commonJs = (define) => ({
  define: { 'import.meta.url': '__filename', 'import.meta.dirname': '__dirname', ...define },
});

/**
 * Leads the program to the language server, which is a file of its own.
 *
 * @type {import('rolldown').Plugin}
 */
const serverApart = {
  name: 'server-apart',
  resolveId: {
    filter: { id: /\/editor\/index\.js$/ },
    handler: () => ({ id: './languageserver.cjs', external: true }),
  },
};

/**
 * What the program takes of these modules of Node is required where it is used: most commands use none
 * of them, and together they cost a start more than reading a file.
 *
 * @type {import('rolldown').Plugin}
 */
const lateBuiltins = {
  name: 'late-builtins',
  resolveId: {
    filter: { id: /^node:(child_process|(fs|timers)\/promises)$/ },
    handler: (id, from) => (from?.startsWith('late:') ? undefined : `late:${id}`),
  },
  load: {
    filter: { id: /^late:/ },
    handler(id) {
      const path = id.slice('late:'.length);
      return `for (const name of ${JSON.stringify(Object.keys(require(path)))})
        Object.defineProperty(exports, name, { enumerable: true, get: () => require('${path}')[name] });`;
    },
  },
};

/**
 * Leaves packages out of the source maps: they would be half of them.
 *
 * @type {import('rolldown').Plugin}
 */
const unmappedPackages = {
  name: 'unmapped-packages',
  transform: {
    filter: { id: /\bnode_modules\b/ },
    handler: (code, id) => ({
      code,
      map: { version: 3, sources: [basename(id)], names: [], mappings: 'AAAA' },
    }),
  },
};

/**
 * Writes ASCII alone, which V8 reads soonest.
 *
 * @type {import('rolldown').Plugin}
 */
const ascii = {
  name: 'ascii',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue;
      file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => {
        return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      });
    }
  },
};

/** What the first part of the program is made of: what lint imports before it has a finding. */
const START = /\/src\/(program|reporters\/index|cli\/objective\/lint)\.ts$/;

/** How each file whose compiled code is kept is started, to learn what a start compiles. */
const starts = {
  'program.cjs': ['objective', 'lint', 'examples/objectives/robot-arm-torque.objective.toml'],
  'server.cjs': [
    ...['serve', 'mutators', 'examples/bench.mutators.toml', '--port', '0'],
    ...['--state-dir', 'dist/state'],
  ],
  // Nobody speaks to it, so it ends.
  'languageserver.cjs': ['lsp', '--stdio'],
};

const [, , first = '', ...more] = process.argv;
const flags = [first, ...more];
if (Object.hasOwn(starts, first)) cacheCode(first, ...more);
else if (!flags.includes('--changed') || !isBuilt()) {
  await (flags.includes('--program') ? buildProgram() : buildAll());
}

function isBuilt() {
  const built = ['bin.cjs', 'index.js', 'index.d.ts'].map((name) => changed(`dist/${name}`));
  const inputs = [
    ...['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/build.js', 'src'],
    ...['scripts/bundle.js', 'scripts/external.js'],
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
  await Promise.all([buildProgram(), buildReadyMade(), buildLibrary(), buildTypes()]);
  for (const kind of ['objective', 'manifest', 'results']) {
    const schema = execFileSync(process.execPath, ['dist/bin.cjs', 'schema', kind]);
    writeFileSync(`grammar/${kind}.schema.json`, schema);
  }
}

async function buildProgram() {
  const before = existsSync('dist') ? readdirSync('dist') : [];
  for (const name of before.filter((name) => /^(program|server)/.test(name)))
    rmSync(`dist/${name}`);
  await Promise.all([
    bundle(
      {
        input: { program: 'src/program.ts', server: 'src/server/index.ts' },
        external,
        transform: commonJs(),
        plugins: [serverApart, lateBuiltins, unmappedPackages, ascii],
        // Some commands load late what lint loads at its start.
        checks: { ineffectiveDynamicImport: false },
      },
      {
        ...minified,
        dir: 'dist',
        format: 'cjs',
        sourcemap: true,
        sourcemapExcludeSources: true,
        entryFileNames: '[name].cjs',
        chunkFileNames: 'program-[name].cjs',
        codeSplitting: { groups: [{ name: 'program', test: START }] },
      },
    ),
    bundle(
      { input: 'src/languageserver.ts', external, transform: commonJs(), plugins: [ascii] },
      // Its stderr is the log of an editor, where a long line is no nuisance; and it is half of the extension.
      {
        ...minified,
        minify: true,
        file: 'dist/languageserver.cjs',
        format: 'cjs',
        codeSplitting: false,
      },
    ),
  ]);
  /** @type {Record<string, string | undefined>} */
  const sha256 = {};
  for (const [name, args] of Object.entries(starts)) sha256[name] = await start(name, args);
  const { platform, arch, versions } = process;
  const codeCaches = { engine: `${versions.v8} ${platform} ${arch}`, sha256 };
  const define = { CODE_CACHES: JSON.stringify(codeCaches) };
  await bundle(
    { input: 'src/bin.ts', transform: commonJs(define), plugins: [ascii] },
    { comments: false, minify: true, file: 'dist/bin.cjs', format: 'cjs' },
  );
}

/**
 * Starts a bundle to learn what it compiles; gives the SHA-256 of what it wrote, if it did.
 *
 * @param {string} name
 * @param {string[]} args
 */
async function start(name, args) {
  const cache = `dist/${name}.cache`;
  rmSync(cache, { force: true });
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), name, ...args], {
    stdio: ['ignore', 'ignore', name === 'server.cjs' ? 'pipe' : 'inherit'],
  });
  let said = '';
  child.stderr?.on('data', (text) => {
    said += text;
    // A second signal would end it before it has written anything.
    if (said.includes('Serving ') && !child.killed) child.kill();
  });
  const [, signal] = await once(child, 'close');
  rmSync('dist/state', { recursive: true, force: true });
  // Where a signal ends a process at once, as on Windows, the server starts without.
  return signal === null && existsSync(cache) ? hashOf(cache) : undefined;
}

/** @param {string} path */
function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/**
 * Runs the program or the language server in this process, as `bin.cjs` does, and writes what V8 has
 * compiled of a bundle by its end.
 *
 * @param {string} name
 * @param {string[]} args
 */
function cacheCode(name, ...args) {
  process.argv = [process.execPath, 'dist/bin.cjs', ...args];
  /** @type {Map<string, { serve?: () => Promise<void> }>} */
  const loaded = new Map();
  load(name === 'languageserver.cjs' ? name : 'program.cjs').serve?.();

  /** @param {string} bundle */
  function load(bundle) {
    const filename = `${process.cwd()}/dist/${bundle}`;
    const script = new vm.Script(module.wrap(readFileSync(filename, 'latin1')), {
      filename,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (bundle === name) {
      process.on('exit', () => writeFileSync(`${filename}.cache`, script.createCachedData()));
    }
    const require = createRequire(filename);
    /** @param {string} id */
    const requireOf = (id) => {
      const part = id.replace('./', '');
      return part === id ? require(id) : (loaded.get(part) ?? load(part));
    };
    const bundled = { exports: {} };
    loaded.set(bundle, bundled.exports);
    script.runInThisContext()(bundled.exports, requireOf, bundled, filename, dirname(filename));
    return bundled.exports;
  }
}

/** Users copy these scripts, read them and change them. */
async function buildReadyMade() {
  const programs = readdirSync('src/ready-made')
    .map((name) => ({ name, input: `src/ready-made/${name}/program.ts` }))
    .filter(({ input }) => existsSync(input));
  await Promise.all(
    programs.map(({ name, input }) =>
      bundle(
        { input, plugins: [readable(input)] },
        { file: `dist/ready-made/${name}.mjs`, format: 'esm', minify: false },
      ),
    ),
  );
}

/**
 * Keeps the comment at the beginning of a script, which says how it is used, and the layout of all comments.
 *
 * @param {string} input
 * @returns {import('rolldown').Plugin}
 */
function readable(input) {
  const [usage = ''] = readFileSync(input, 'utf8').split(/(?<=^ \*\/\n)/m, 1);
  return {
    name: 'readable',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk')
          file.code = usage + file.code.replace(/^(\t*)\*(?=[ /]|$)/gm, '$1 *');
      }
    },
  };
}

async function buildLibrary() {
  await bundle(
    { input: { index: 'src/index.ts' }, external },
    {
      ...minified,
      dir: 'dist',
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'library/[name]-[hash].js',
    },
  );
}

/** The compiler in Go writes the types of each file in a fifth of the time; `npm run types` checks. */
async function buildTypes() {
  const outDir = 'dist/types';
  const declare = [
    ...['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--noCheck'],
    ...['--rootDir', 'src', '--outDir', outDir, '--singleThreaded'],
  ];
  const compiler = spawn(
    process.execPath,
    ['node_modules/typescript7/bin/tsc', '--project', '.', ...declare],
    { stdio: 'inherit' },
  );
  const [status] = await once(compiler, 'close');
  if (status !== 0) throw new Error(`tsc ended with ${status}`);
  const [{ rollup }, { default: dts }] = await Promise.all([
    import('rollup'),
    import('rollup-plugin-dts'),
  ]);
  const types = await rollup({
    input: `${outDir}/index.d.ts`,
    plugins: [dts()],
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  await types.write({ file: 'dist/index.d.ts' });
  await types.close();
  rmSync(outDir, { recursive: true });
}
