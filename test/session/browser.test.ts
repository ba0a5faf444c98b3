import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the room can be bundled for a browser, but for what reads files', async () => {
  const bundle = (entry: string) =>
    build({
      entryPoints: [entry],
      bundle: true,
      platform: 'browser',
      format: 'esm',
      // A module that is not used is named all the same until unused imports are dropped.
      // Tables, which are loaded when one is read, need a Buffer, which bundlers can give them; what unpacks zstd
      // only uses it where there is no fetch.
      external: ['node:*', 'tinyglobby', 'csv-parse/sync', 'zstddec/stream'],
      write: false,
      logLevel: 'silent',
    });
  const wanted = async (entry: string) => (await bundle(entry)).outputFiles[0]?.text ?? '';
  const needsNode = /["']node:|\bBuffer\./;
  expect(await wanted('src/session/index.ts')).not.toMatch(needsNode);
  expect(await wanted('src/session/files/index.ts')).toMatch(needsNode);
});
