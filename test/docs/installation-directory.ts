import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the first test that asks for it installs the package. */
    installation: string;
  }
}

/** Makes a directory for the installed package before the tests, and removes it after them. */
export default function setup({ provide }: TestProject): () => void {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'perturb-package-')));
  provide('installation', directory);
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
