#!/usr/bin/env node
import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import vm from 'node:vm';

/*
 * Starts the program or the language server from the code that V8 compiled for the build, which takes a
 * third off the start-up time. V8 would run whatever such a file holds, so its hash is checked. If it
 * does not match, Node compiles the program, and from Node 22 on keeps the result in the user's own
 * cache. This file is built as CommonJS, which Node starts faster.
 */

/** The code caches of the build: the engine that they are for, and the SHA-256 of each. */
declare const CODE_CACHES: {
  readonly engine: string;
  readonly sha256: Readonly<Record<string, string>>;
};

const [, , group, command, ...more] = process.argv;
// The language server has a bundle of its own; an editor may pass its process id, which is read there.
const isServer =
  group === 'lsp' &&
  command === '--stdio' &&
  more.every((argument) => /^(?:--clientProcessId(?:=\d+)?|\d+)$/.test(argument));

const first = isServer ? 'languageserver.cjs' : 'program.cjs';
const isDebugged = process.argv.includes('--debug');
const firstCode = isDebugged ? undefined : readCodeCache(first);
/** The exports of the files that were loaded here, and not by Node. */
const loaded = new Map<string, Exports>();

interface Exports {
  readonly serve?: () => Promise<void>;
}

try {
  const exported = firstCode === undefined ? loadByNode() : load(first, firstCode);
  // What a full disk or a power failure leaves of a file is often empty, and would do nothing, with status 0.
  if (Object.keys(exported).length === 0) throw new Error(`${first} holds nothing`);
  if (isServer) void exported.serve?.();
} catch (error) {
  const why = error instanceof Error ? error.message : error;
  process.stderr.write(`perturb: cannot start, because its installation is damaged: ${why}\n`);
  process.exitCode = 3;
}

/** Makes Node run the first file and what it requires; returns what the file exports. */
function loadByNode(): Exports {
  // Stack traces then name the sources: Node maps only what it loads itself.
  if (isDebugged) process.setSourceMapsEnabled(true);
  else keepCompiledCode();
  return require(join(__dirname, first));
}

/** Runs a file, from its code cache if there is one; returns what it exports. */
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

/** The `require` of a file: for a file next to it, a package, or a module of Node. */
function requireFor(id: string): unknown {
  if (!id.startsWith('./')) return require(id);
  const name = id.slice('./'.length);
  return loaded.get(name) ?? load(name);
}

/** The code cache of a file, if it is as the build left it, and for this engine. */
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

/** Lets Node keep what it compiles, from Node 22 on, in a directory that nobody else can write to. */
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
