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
 * Starts the bundled program with the code that V8 has compiled before: that
 * takes a third off the start. The build writes it for its own version of V8;
 * for another one the first lint does, where the folder can be written. Failing
 * that, Node keeps what it compiles, from Node 22 on. It is built as CommonJS,
 * which Node starts sooner.
 */

const program = join(__dirname, 'program.cjs');
const cache = `${program}.${process.versions.v8}.cache`;
const cached = existsSync(cache);
const [, , group, command] = process.argv;
// Stacks then name the sources; Node maps only what it loads itself.
const debug = process.argv.includes('--debug');
if (debug) process.setSourceMapsEnabled(true);
// A lint compiles what most runs need; the code of a help text would be of little use.
const writes = !cached && group === 'objective' && command === 'lint' && isWritable(__dirname);

if (!debug && (cached || writes)) {
  const script = new vm.Script(`(require, __filename) => {${readFileSync(program, 'utf8')}\n}`, {
    filename: program,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cached && { cachedData: readFileSync(cache) }),
  });
  script.runInThisContext()(require, program);
  if (writes) process.on('exit', () => write(script.createCachedData()));
} else {
  if (!debug) (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  require(program);
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** In one step, as others may start meanwhile; a start without it is only slower. */
function write(code: Uint8Array): void {
  const temporary = `${cache}.${process.pid}`;
  try {
    writeFileSync(temporary, code);
    renameSync(temporary, cache);
  } catch {}
}
