#!/usr/bin/env node
import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import vm from 'node:vm';

/*
 * Starts the program or the language server from code that V8 compiled during the build, which
 * shortens startup by a third. Checks a code cache's hash first, because V8 would execute any
 * content. If the hash does not match, Node compiles the program, and Node 22 or later stores the
 * result in the user's cache directory. This file is built as CommonJS, which Node starts faster.
 */

/** The build's code caches: the engine that can load them, and the SHA-256 of each file. */
declare const CODE_CACHES: {
  readonly engine: string;
  readonly sha256: Readonly<Record<string, string>>;
};

const [, , group, command, ...more] = process.argv;
// The language server has a separate bundle, which also parses the process id that editors add.
const isServer =
  group === 'lsp' &&
  command === '--stdio' &&
  more.every((argument) => /^(?:--clientProcessId(?:=\d+)?|\d+)$/.test(argument));

const first = isServer ? 'languageserver.cjs' : 'program.cjs';
const isDebugged = process.argv.includes('--debug');
const firstCode = isDebugged ? undefined : readCodeCache(first);
/** The exports of the files loaded by `load`, not by Node. */
const loaded = new Map<string, Exports>();

interface Exports {
  readonly serve?: () => Promise<void>;
}

try {
  const exported = firstCode === undefined ? loadByNode() : load(first, firstCode);
  // A full disk or a power failure often leaves an empty file, which would do nothing and exit with
  // status 0.
  if (Object.keys(exported).length === 0) throw new Error(`${first} is empty`);
  if (isServer) void exported.serve?.();
} catch (error) {
  const why = error instanceof Error ? error.message : error;
  process.stderr.write(`perturb: cannot start, because its installation is damaged: ${why}\n`);
  process.exitCode = 3;
}

/** Makes Node load the first file and its dependencies. Returns the file's exports. */
function loadByNode(): Exports {
  // Makes stack traces name the sources. Node maps only files that Node itself loads.
  if (isDebugged) process.setSourceMapsEnabled(true);
  else keepCompiledCode();
  return require(join(__dirname, first));
}

/** Runs a file, from its code cache if possible. Returns the file's exports. */
function load(name: string, code = readCodeCache(name)): Exports {
  const filename = join(__dirname, name);
  // The build writes only ASCII.
  const script = new vm.Script(module.wrap(readFileSync(filename, 'latin1')), {
    filename,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(code && { cachedData: code }),
  });
  const bundled = { exports: {} };
  loaded.set(name, bundled.exports);
  script.runInThisContext()(bundled.exports, requireFor, bundled, filename, __dirname);
  return bundled.exports;
}

/**
 * Requires a bundled file, a package, or a built-in Node module. Passed to bundled files as
 * `require`.
 */
function requireFor(id: string): unknown {
  if (!id.startsWith('./')) return require(id);
  const name = id.slice('./'.length);
  return loaded.get(name) ?? load(name);
}

/** Returns a file's code cache; undefined for a cache from another build or for another engine. */
function readCodeCache(name: string): Buffer | undefined {
  const { platform, arch, versions } = process;
  const sha256 = CODE_CACHES.sha256[name];
  if (sha256 === undefined) return undefined;
  if (CODE_CACHES.engine !== `${versions.v8} ${platform} ${arch}`) return undefined;
  try {
    const code = readFileSync(join(__dirname, `${name}.cache`));
    return hash('sha256', code) === sha256 ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Makes Node 22 or later cache compiled code, in a directory that other users cannot access. */
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
