import { describe, expect, test } from 'vitest';
import { runScenario } from './harness/run-scenario.js';
import { scenarios } from './scenarios/index.js';

describe('under attack', () => {
  test.each(scenarios.map((scenario) => [scenario.promise, scenario] as const))(
    '%s',
    async (_, scenario) => {
      const { broken } = await runScenario(scenario, 'small');
      expect(broken).toEqual([]);
    },
    660_000,
  );

  test('each has a name of its own', () => {
    const names = scenarios.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
