#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

/*
 * Starts the bundled program with the code that V8 compiled when it was built:
 * that takes a third off the start. A V8 of another version compiles anew; from
 * Node 22 on, Node itself keeps what it compiled.
 */

const program = fileURLToPath(new URL('./program.cjs', import.meta.url));
const cache = `${program}.${process.versions.v8}.cache`;
const writing = process.env['PERTURB_CODE_CACHE'] === 'write';
const require = createRequire(program);

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
