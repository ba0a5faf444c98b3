import { pino } from 'pino';
import { afterAll, beforeAll, describe } from 'vitest';
import { buildApp } from '../../../src/server/api/app.js';
import { createKeys } from '../../../src/server/api/auth.js';
import { examine } from './conformance/cases.js';
import { createMemoryHost } from './memory-host.js';

/*
 * With CONFORMANCE_URL the server there is examined, otherwise our own in each
 * of its shapes. `npm run conformance` sets the variables.
 */
const { CONFORMANCE_URL: url, CONFORMANCE_KEY: key, CONFORMANCE_FAILING: failing } = process.env;

if (url !== undefined) {
  describe(url, () => {
    const known = { ...(key !== undefined && { key }), ...(failing !== undefined && { failing }) };
    examine(known, () => url.replace(/\/+$/, ''));
  });
} else {
  for (const key of [undefined, 'a key with spaces, and a comma']) {
    for (const basePath of ['', '/your/route']) {
      describe(`${key ? 'with' : 'without'} a key, base path "${basePath}"`, () => {
        let url: string;
        const app = buildApp({
          host: createMemoryHost(),
          basePath,
          logger: pino({ level: 'silent' }),
          ...(key !== undefined && { keys: createKeys([key]) }),
        });
        beforeAll(async () => {
          url = (await app.listen({ host: '127.0.0.1', port: 0 })) + basePath;
        });
        afterAll(() => app.close());
        examine({ failing: 'broken', ...(key !== undefined && { key }) }, () => url);
      });
    }
  }
}
