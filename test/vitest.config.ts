import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { type Place, projects } from './projects.js';
import { countSteps } from './steps.js';

const from = ({ include, exclude }: Place) => ({ include: [...include], exclude: [...exclude] });

const SEED = 'test/seed.ts';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  plugins: [countSteps],
  test: {
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: '100%',
    reporters: ['default', 'json'],
    outputFile: { json: '.vitest/report.json' },
    env: { NO_COLOR: '1' },
    // A golden file that is missing fails everywhere, not only where CI is set.
    update: 'none',
    projects: [
      {
        extends: true,
        test: {
          ...from(projects.unit),
          name: 'unit',
          // Pure functions may share what is loaded, which saves half of their time.
          isolate: false,
          setupFiles: [SEED, 'test/no-processes.ts'],
        },
      },
      {
        extends: true,
        test: { ...from(projects.process), name: 'process', isolate: false, setupFiles: [SEED] },
      },
      {
        extends: true,
        test: {
          ...from(projects.package),
          name: 'package',
          isolate: false,
          setupFiles: [SEED],
          globalSetup: ['test/docs/installation-directory.ts'],
        },
      },
    ],
  },
});
