import { afterAll, describe, expect, test } from 'vitest';
import { isLong } from '../long.js';
import { counted } from '../steps.js';
import { readFixtures } from './fixture.js';
import { fuzz } from './fuzz.js';
import { growsTooFast, pumped, stepsFor } from './growth.js';
import { targets } from './targets/index.js';

const SEED = 20;
/** In the long form of the tests; in the short one it is a twelfth of them, and of the seeds a sixth. */
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

/** How long a seed is at most in the short form: a few long expressions take as long as all others. */
const LONGEST: Readonly<Record<string, number>> = { expression: 1_000 };

describe.each(Object.keys(targets))('%s', async (name) => {
  const made = await (targets[name] as (typeof targets)[string])();
  const isShort = ({ length }: string) => length <= (LONGEST[name] ?? Number.POSITIVE_INFINITY);
  const seeds = made.seeds.filter((seed, at) => isLong || (at % 6 === 0 && isShort(seed)));
  const target = { ...made, seeds };
  afterAll(() => target.close?.());

  test.each(readFixtures(name))('%s stays mended', async (_name, fixture) => {
    if ('input' in fixture) await target.run(fixture.input);
    else {
      await target.run(pumped(fixture.pump, 1_000));
      const { targets } =
        await counted<typeof import('./targets/index.js')>('./fuzz/targets/index.js');
      const slow = await (targets[name] as (typeof targets)[string])();
      expect(await growsTooFast(stepsFor(slow), fixture.pump)).toBe(false);
      await slow.close?.();
    }
  });

  test('holds for random inputs', async () => {
    const count = Math.ceil((COUNTS[name] as number) / (isLong ? 1 : 12));
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
