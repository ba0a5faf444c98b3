import { expect, test } from 'vitest';
import { bundle } from '../../scripts/bundle.js';

test('the room can be bundled for a browser, but for what reads files', async () => {
  const wanted = async (input: string) => {
    // Tables, which are loaded when one is read, need a Buffer, which bundlers can give them; what unpacks zstd
    // only uses it where there is no fetch.
    const external = [/^node:/, 'tinyglobby', 'csv-parse/sync', 'zstddec/stream'];
    const { output } = await bundle(
      { input, external, platform: 'browser', logLevel: 'silent', write: false },
      { format: 'esm', codeSplitting: false },
    );
    return output[0].code;
  };
  const needsNode = /["']node:|\bBuffer\./;
  expect(await wanted('src/session/index.ts')).not.toMatch(needsNode);
  expect(await wanted('src/session/files/index.ts')).toMatch(needsNode);
});
