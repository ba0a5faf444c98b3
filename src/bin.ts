#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import vm from 'node:vm';

/*
 * Starts the bundled program with the code that V8 compiled when it was built:
 * that takes a third off the start. A V8 of another version compiles anew; from
 * Node 22 on, Node itself keeps what it compiled. It is built as CommonJS, which
 * Node starts sooner.
 */

const program = join(__dirname, 'program.cjs');
const cache = `${program}.${process.versions.v8}.cache`;
const writing = process.env['PERTURB_CODE_CACHE'] === 'write';

if (writing || existsSync(cache)) {
  const script = new vm.Script(`(require, __filename) => {${readFileSync(program, 'utf8')}\n}`, {
    filename: program,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(!writing && { cachedData: readFileSync(cache) }),
  });
  script.runInThisContext()(require, program);
  if (writing) process.on('exit', () => writeFileSync(cache, script.createCachedData()));
} else {
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  require(program);
}
