#!/usr/bin/env node
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import vm from 'node:vm';

/*
 * Starts the bundled program or the language server from code that V8 compiled earlier, which takes a
 * third off the start. The build writes this code for its own version of V8; for another version, the
 * first lint or the first editor writes it, if the folder is writable. Otherwise Node keeps what it
 * compiles, from Node 22 on. This file is built as CommonJS, which Node starts sooner.
 */

const [, , group, command, ...more] = process.argv;
// The language server has a bundle of its own; an editor may name its process, which is read there.
const isServer =
  group === 'lsp' &&
  command === '--stdio' &&
  more.every((argument) => /^(?:--clientProcessId(?:=\d+)?|\d+)$/.test(argument));
const bundle = join(__dirname, isServer ? 'languageserver.cjs' : 'program.cjs');
const cache = `${bundle}.${process.versions.v8}.cache`;
const cached = existsSync(cache);
// Stacks then name the sources: Node maps only what it loads itself.
const debug = process.argv.includes('--debug');
if (debug) process.setSourceMapsEnabled(true);
// A lint compiles what most runs need; the code of a help text would be of little use.
const writes =
  !cached && (isServer || (group === 'objective' && command === 'lint')) && isWritable(__dirname);

const loaded = load();
if (isServer) loaded.serve?.();

/** Runs the bundle; gives what it exports. */
function load(): { readonly serve?: () => Promise<void> } {
  if (debug || (!cached && !writes)) {
    if (!debug) (module as { enableCompileCache?: () => void }).enableCompileCache?.();
    return require(bundle);
  }
  const source = readFileSync(bundle, 'utf8');
  const script = new vm.Script(`(require, __filename, module) => {${source}\n}`, {
    filename: bundle,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cached && { cachedData: readFileSync(cache) }),
  });
  const bundled = { exports: {} };
  script.runInThisContext()(require, bundle, bundled);
  // By now a server has loaded what it starts with; what it loads later would slow the next start.
  if (writes && isServer) process.nextTick(() => write(script.createCachedData()));
  else if (writes) process.on('exit', () => write(script.createCachedData()));
  return bundled.exports;
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** In one step, because others may start meanwhile; without this code a start is only slower. */
function write(code: Uint8Array): void {
  const temporary = `${cache}.${process.pid}`;
  try {
    writeFileSync(temporary, code);
    renameSync(temporary, cache);
  } catch {}
}
