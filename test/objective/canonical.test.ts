import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadObjective } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { type Dice, roll } from '../dice.js';
import { runs } from '../long.js';
import { canonical, choices, design } from './designs.js';
import { rewrite } from './rewrite.js';

const seed = fc.noShrink(fc.integer());

test('files that mean the same have the same canonical JSON', () => {
  fc.assert(
    fc.property(seed, seed, (meaning, writing) => {
      const chosen = choices(roll(meaning));
      const write = (dice: Dice) => canonical(rewrite(dice, design(dice, chosen)));
      expect(write(roll(writing))).toBe(write(roll(meaning)));
    }),
    { numRuns: runs(1_000) },
  );
});

test('files that mean something else have another', () => {
  fc.assert(
    fc.property(seed, fc.nat(13), fc.nat(59), (meaning, at, other) => {
      const chosen = choices(roll(meaning));
      const dice = roll(meaning);
      const write = (numbers: readonly number[]) => canonical(rewrite(dice, design(dice, numbers)));
      const [before, after] = [write(chosen), write(chosen.with(at, other))];
      expect(before === after).toBe(sameChoice(chosen, at, other));
    }),
    { numRuns: runs(1_000) },
  );
});

/** How many meanings each choice has: two where something is there or not. */
const MEANINGS = [4, 4, 3, 2, 2, 2, 5, 6, 2, 7, 2, 2, 2, 4];

function sameChoice(chosen: readonly number[], at: number, other: number): boolean {
  const count = MEANINGS[at] as number;
  // Which tags there are means nothing where there are none.
  if (at === 1 && (chosen[3] as number) % 2 === 1) return true;
  return (chosen[at] as number) % count === other % count;
}

test('the form, in full', () => {
  const text = `name = "Wind"

[mutation_constraints]
mutator_tags = ["ship", "drone"]

[[mutator]]
name = "wind"

[[mutator.param_constraints]]
name = "speed"
range = [0, 25.0]

[[mutator]]
name = "link"

[mutator.param_constraints]
name = "delay"
range = [-0.5, inf]

[[measurement]]
name = "No crash"
check = """
MATCH (name = "CRASH" and probe = 'A')   # it fell
  AS crash
AGGREGATE count() = 0
"""

[measurement.stopping_conditions]

[stopping_conditions]
attempts = 9_223_372_036_854_775_807
time = "1h 0.5ms"
`;
  const form = `{"measurement":[{"check":"MATCH (name = 'CRASH' AND probe = 'A') AS crash AGGREGATE count() = 0","name":"No crash","should_pass":true}],"mutation_constraints":{"mutator_tags":["drone","ship"]},"mutator":[{"name":"wind","param_constraints":[{"name":"speed","range":[0,25.0]}]},{"name":"link","param_constraints":[{"name":"delay","range":[-0.5,1e999]}]}],"name":"Wind","stopping_conditions":{"attempts":9223372036854775807,"time_ms":3600000.5},"version":1}`;
  expect(canonical(text)).toBe(form);
  expect(JSON.parse(form).mutator[1].param_constraints[0].range).toEqual([-0.5, Infinity]);
});

test('the form of what the other one does not have', () => {
  const text = `name = "Wind"

[mutation_constraints]
mutation_precondition = "MATCH (READY @ A) AS ready"

[[mutator]]
name = "wind"
probe = "A"

[[mutator.param_constraints]]
name = "speed"
range = [-inf, 0.0]

[[mutator]]
name = "link"

[[measurement]]
name = "No crash"
check = "MATCH (CRASH @ A) AS crash"

[measurement.stopping_conditions]
passing_measurements = 3
failing_measurements = 4

[stopping_conditions]
time = "2h"
passing_measurements = 5
`;
  expect(canonical(text)).toBe(
    '{"measurement":[{"check":"MATCH (CRASH @ A) AS crash","name":"No crash","should_pass":true,"stopping_conditions":{"failing_measurements":4,"passing_measurements":3}}],"mutation_constraints":{"mutation_precondition":"MATCH (READY @ A) AS ready"},"mutator":[{"name":"wind","param_constraints":[{"name":"speed","range":[-1e999,0.0]}],"probe":"A"},{"name":"link"}],"name":"Wind","stopping_conditions":{"passing_measurements":5,"time_ms":7200000},"version":1}',
  );
});

test('two strings of a range mean the same in any order', () => {
  const form = (range: string) =>
    canonical(`name = "Links"

[[mutator]]
name = "link"

[mutator.param_constraints]
name = "link-name"
range = ${range}

[[measurement]]
name = "No crash"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

[stopping_conditions]
attempts = 1
`);
  expect(form('["primary", "backup"]')).toBe(form('["backup", "primary"]'));
  expect(form('["primary", "backup"]')).toContain('"range":["backup","primary"]');
  expect(form('["b", "b"]')).toContain('"range":["b","b"]');
});

test('what is silenced can still leave nothing to make an objective of', () => {
  const text = '# perturb: ignore-file objective/missing-key\nname = "Wind"\n';
  const { objective, findings } = loadObjective(decodeSource('a.toml', Buffer.from(text)));
  expect(objective).toBeUndefined();
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});
