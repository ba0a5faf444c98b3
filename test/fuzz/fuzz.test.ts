import { afterAll, describe, expect, test } from 'vitest';
import { isLong } from '../long.js';
import { readFixtures } from './fixture.js';
import { fuzz } from './fuzz.js';
import { growsTooFast, pumped } from './growth.js';
import { targets } from './targets/index.js';

const SEED = 20;
/** In the long form of the tests; in the short one it is a sixth of them, and of the seeds. */
const COUNTS: Readonly<Record<string, number>> = {
  expression: 300,
  objective: 100,
  manifest: 300,
  config: 200,
  editor: 60,
  wire: 500,
  session: 200,
  server: 40,
};

describe.each(Object.keys(targets))('%s', async (name) => {
  const made = await (targets[name] as (typeof targets)[string])();
  const target = isLong ? made : { ...made, seeds: made.seeds.filter((_, at) => at % 6 === 0) };
  afterAll(() => target.close?.());

  test.each(readFixtures(name))('%s stays mended', async (_name, fixture) => {
    if ('input' in fixture) await target.run(fixture.input);
    else {
      await target.run(pumped(fixture.pump, 1_000));
      expect(await growsTooFast(target, fixture.pump)).toBe(false);
    }
  });

  test('holds for random inputs', async () => {
    const count = Math.ceil((COUNTS[name] as number) / (isLong ? 1 : 6));
    const found: unknown[] = [];
    const result = await fuzz(target, {
      seed: SEED,
      goOn: (inputs) => inputs < count,
      timed: false,
      onFinding: (fixture) => found.push(fixture),
    });
    expect(found).toEqual([]);
    expect(result.inputs).toBe(count);
    expect(result.interesting).toBeGreaterThan(target.seeds.length / 10);
  });
});
