import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: '100%',
    reporters: ['default', 'json'],
    outputFile: { json: '.vitest/report.json' },
    env: { NO_COLOR: '1' },
  },
});
