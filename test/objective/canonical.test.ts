import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, loadObjective } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { type Dice, roll } from '../dice.js';
import { rewrite, shuffled, type Table, type Value } from './rewrite.js';

function canonical(text: string): string {
  const { objective, diagnostics } = loadObjective(decodeSource('a.toml', Buffer.from(text)));
  if (objective === undefined) throw new Error(`${JSON.stringify(diagnostics)}\n${text}`);
  return canonicalJson(objective);
}

/** Each line holds writings of one thing, and no two lines mean the same. */
const EXPRESSIONS = [
  [
    "MATCH (name = 'CRASH') AS crash",
    'match(((name="CRASH")))as crash # x',
    "MATCH\n (name = 'CRASH') AS `crash`",
  ],
  ["MATCH (name = 'CRASH') AS fall", "MATCH (`name` = 'CRASH') AS fall"],
  ['MATCH (BEAT @ PILOT) AS beat', "MATCH # one\n ('BEAT' @ `PILOT`) AS beat"],
  ['MATCH (a = 1 AND b = 2) AS c', 'MATCH (a = 01 AND (b = 2)) AS c'],
  ['MATCH (a = 1.0 AND b = 2) AS c', 'MATCH (a = 10e-1 and b = 2) AS c'],
  ["MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b AGGREGATE count() > 0"],
  ["MATCH (name = 'A') AS a, (name = 'B') AS b WHEN b -> a AGGREGATE count() > 0"],
];
const RANGES: readonly Value[] = [
  [0n, 25n],
  [{ writings: ['0.0', '0e0', '+0.0'] }, { writings: ['25.0', '2.5e1', '25e+0'] }],
  [0n, 9_007_199_254_740_993n],
  [0n, 9_007_199_254_740_992n],
  [0n, { writings: ['inf', '+inf'] }],
  ['link-0', 'link-3'],
];
const TIMES = [['2h 30min', '150min', '2.5h'], ['9000001ms'], ['0.5ms'], ['1d', '24 h']];

/** The choices that make an objective; another choice is another meaning. */
function choices(dice: Dice): number[] {
  return Array.from({ length: 14 }, () => dice.upTo(59));
}

const from = <T>(items: readonly T[], choice: number | undefined): T =>
  items[(choice ?? 0) % items.length] as T;

function design(dice: Dice, chosen: readonly number[]): Table {
  const [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = chosen as number[];
  const maybe = (key: string, choice: number | undefined, value: Value): Table =>
    (choice ?? 0) % 2 === 0 ? { [key]: value } : {};
  const shouldPass = from([true, false], k);
  const tags = from([['drone'], ['drone', 'ship'], ['ship 🌬'], []], b);
  return {
    name: from(['Wind', 'wind', 'Wind ', 'W\u00e9nd\\'], a),
    mutation_constraints: {
      max_concurrent_mutations: BigInt(from([1, 2, 3], c)),
      ...maybe('mutator_tags', d, shuffled(dice, [...tags, ...tags])),
    },
    mutator: [
      {
        name: from(['wind', 'rain'], e),
        ...maybe('probe', f, 'GAZEBO'),
        mutation_precondition: dice.pick(from(EXPRESSIONS.slice(0, 5), g)),
        param_constraints: [
          { name: 'speed', range: from(RANGES, h) },
          { name: 'mode', enum_options: shuffled(dice, from([['a', 'b'], ['a']], i)) },
        ],
      },
      { name: 'link', param_constraints: [{ name: 'up', range: [1n, 2n] }] },
    ],
    measurement: [
      {
        name: 'Calm',
        check: dice.pick(from(EXPRESSIONS, j)),
        ...(shouldPass && dice.upTo(1) === 0 ? {} : { should_pass: shouldPass }),
        ...maybe('stopping_conditions', l, { failing_measurements: 5n }),
      },
    ],
    stopping_conditions: {
      attempts: BigInt(from([1, 500], m)),
      time: dice.pick(from(TIMES, n)),
    },
  };
}

const seed = fc.noShrink(fc.integer());

test('files that mean the same have the same canonical JSON', () => {
  fc.assert(
    fc.property(seed, seed, (meaning, writing) => {
      const chosen = choices(roll(meaning));
      const write = (dice: Dice) => canonical(rewrite(dice, design(dice, chosen)));
      expect(write(roll(writing))).toBe(write(roll(meaning)));
    }),
    { numRuns: 300 },
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
    { numRuns: 300 },
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

test('what is silenced can still leave nothing to make an objective of', () => {
  const text = '# perturb: ignore-file objective/missing-key\nname = "Wind"\n';
  const { objective, diagnostics } = loadObjective(decodeSource('a.toml', Buffer.from(text)));
  expect(objective).toBeUndefined();
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});
