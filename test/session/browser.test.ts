import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the room can be bundled for a browser, but for what reads files', async () => {
  const bundle = (entry: string) =>
    build({
      entryPoints: [entry],
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      logLevel: 'silent',
    });
  const { outputFiles } = await bundle('src/session/index.ts');
  expect(outputFiles[0]?.text).not.toMatch(/\bnode:|\bBuffer\b|\bprocess\b/);
  await expect(bundle('src/session/files/index.ts')).rejects.toThrow('node:');
});
