/* Bundles the fuzzer, for Node 20 reads no TypeScript, and runs it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFile } from '../../scripts/bundle.js';

const directory = mkdtempSync(join(tmpdir(), 'perturb-fuzz-'));
try {
  const outfile = join(directory, 'fuzz.mjs');
  await bundleFile('test/fuzz/main.ts', outfile, {}, { sourcemap: 'inline' });
  const { status } = spawnSync(
    process.execPath,
    ['--enable-source-maps', outfile, ...process.argv.slice(2)],
    { stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(directory, { recursive: true });
}
