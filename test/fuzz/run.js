/* Bundles the fuzzer, for Node 20 reads no TypeScript, and runs it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const REQUIRE =
  "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);";

const directory = mkdtempSync(join(tmpdir(), 'perturb-fuzz-'));
try {
  const outfile = join(directory, 'fuzz.mjs');
  await build({
    entryPoints: ['test/fuzz/main.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    // jsonc-parser's other build is one that cannot be bundled.
    mainFields: ['module', 'main'],
    sourcemap: 'inline',
    outfile,
    banner: { js: REQUIRE },
    logLevel: 'warning',
  });
  const { status } = spawnSync(
    process.execPath,
    ['--enable-source-maps', outfile, ...process.argv.slice(2)],
    { stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(directory, { recursive: true });
}
