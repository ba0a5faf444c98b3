import { canonicalJson, loadObjective } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import type { Dice } from '../dice.js';
import { shuffled, type Table, type Value } from './rewrite.js';

/** The canonical JSON of a file without errors. */
export function canonical(text: string): string {
  const { objective, findings } = loadObjective(decodeSource('a.toml', Buffer.from(text)));
  if (objective === undefined) throw new Error(`${JSON.stringify(findings)}\n${text}`);
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
  ['MATCH (a = 1 AND b = 2) AS c', 'MATCH (a = 1 AND (b = 2)) AS c'],
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
export function choices(dice: Dice): number[] {
  return Array.from({ length: 14 }, () => dice.upTo(59));
}

const from = <T>(items: readonly T[], choice: number | undefined): T =>
  items[(choice ?? 0) % items.length] as T;

/** The objective that choices make, with the writings of its values by chance. */
export function design(dice: Dice, chosen: readonly number[]): Table {
  const [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = chosen as number[];
  const maybe = (key: string, choice: number | undefined, value: Value): Table =>
    (choice ?? 0) % 2 === 0 ? { [key]: value } : {};
  const shouldPass = from([true, false], k);
  const tags = from([['drone'], ['drone', 'ship'], ['ship 🌬'], ['ship']], b);
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
