#!/usr/bin/env node
import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import vm from 'node:vm';

/*
 * Starts the program or the language server, and loads what else is a bundle, from what V8 compiled of
 * it for the build, which takes a third off the start. V8 would run whatever that file holds, so its
 * hash is checked. Where it does not fit, Node compiles the bundle, and from Node 22 on keeps what it
 * compiled in the user's own cache. This file is built as CommonJS, which Node starts sooner.
 */

/** What the build compiled: for which engine, and the SHA-256 of each bundle's file. */
declare const CODE_CACHES: {
  readonly engine: string;
  readonly sha256: Readonly<Record<string, string>>;
};

const [, , group, command, ...more] = process.argv;
// The language server has a bundle of its own; an editor may name its process, which is read there.
const isServer =
  group === 'lsp' &&
  command === '--stdio' &&
  more.every((argument) => /^(?:--clientProcessId(?:=\d+)?|\d+)$/.test(argument));

const loaded = load(isServer ? 'languageserver.cjs' : 'program.cjs');
if (isServer) loaded.serve?.();

/** Runs a bundle; gives what it exports. */
function load(name: string): { readonly serve?: () => Promise<void> } {
  const bundle = join(__dirname, name);
  if (process.argv.includes('--debug')) {
    // Stacks then name the sources: Node maps only what it loads itself.
    process.setSourceMapsEnabled(true);
    return require(bundle);
  }
  const cachedData = readCodeCache(name);
  if (cachedData === undefined) {
    keepCompiledCode();
    return require(bundle);
  }
  // esbuild writes ASCII alone.
  const script = new vm.Script(module.wrap(readFileSync(bundle, 'latin1')), {
    filename: bundle,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    cachedData,
  });
  const bundled = { exports: {} };
  script.runInThisContext()(bundled.exports, requireFor, bundled, bundle, __dirname);
  return bundled.exports;
}

/** What a bundle requires: the servers are bundles too. */
function requireFor(id: string): unknown {
  return id.startsWith('./') ? load(id.slice(2)) : require(id);
}

/** What the build compiled of a bundle, where it is as the build left it, and for this engine. */
function readCodeCache(name: string): Buffer | undefined {
  const { platform, arch, versions } = process;
  if (CODE_CACHES.engine !== `${versions.v8} ${platform} ${arch}`) return undefined;
  try {
    const code = readFileSync(join(__dirname, `${name}.cache`));
    return hash('sha256', code) === CODE_CACHES.sha256[name] ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Lets Node keep what it compiles, from Node 22 on, in a directory where nobody else can write. */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (directory: string) => void };
  const user = process.getuid?.();
  const { HOME = '', XDG_CACHE_HOME = '' } = process.env;
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache');
  if (enableCompileCache === undefined || user === undefined || !isAbsolute(caches)) return;
  const directory = join(caches, 'perturb');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(directory);
    if (uid === user && (mode & 0o077) === 0) enableCompileCache(directory);
  } catch {}
}
