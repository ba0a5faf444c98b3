import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/* The tests of one room that run in this process: those of the built program kill no mutant. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: [`test/${process.env['ROOM']}/**/*.test.ts`],
    setupFiles: ['test/seed.ts'],
    testTimeout: 60_000,
  },
});
