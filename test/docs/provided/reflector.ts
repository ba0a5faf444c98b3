import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Provide } from './provided.js';

const program = fileURLToPath(new URL('reflector-program.js', import.meta.url));

/** Puts a stand-in for a reflector into the PATH. */
export const provideReflector: Provide = async ({ hidden }) => {
  const bin = join(hidden, 'bin');
  mkdirSync(bin);
  const path = join(bin, 'reflector');
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(path, 0o755);
  return { bin };
};
