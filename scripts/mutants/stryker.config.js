/*
 * Stryker on one room of src/, by hand: ROOM=source npm run mutants
 * docs/contributing/mutation-testing.md says how to read what it prints.
 */

const { ROOM } = process.env;
if (ROOM === undefined) throw new Error('name a room, as in ROOM=source npm run mutants');

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutants/vitest.config.js', related: false },
  mutate: [`src/${ROOM}/**/*.ts`],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  reporters: ['clear-text', 'progress', 'html'],
  clearTextReporter: { allowColor: false, logTests: false },
  htmlReporter: { fileName: '.stryker/report.html' },
  tempDirName: '.stryker/sandbox',
  ignorePatterns: ['dist', 'docs', 'grammar', '.vitest', '.stryker'],
  allowEmpty: false,
};
