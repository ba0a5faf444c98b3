import { expect, test } from 'vitest';
import { applyFixes } from '../../../src/diagnostics/index.js';
import {
  createCatalog,
  type Listing,
  type Mutator,
  type Parameter,
  type ParameterType,
  readListing,
} from '../../../src/mutators/index.js';
import { lint } from '../../../src/objective/index.js';
import { decodeSource } from '../../../src/source/index.js';
import type { AttributeValue } from '../../../src/values/index.js';

const integer = (value: bigint): AttributeValue => ({ type: 'integer', value });
const float = (value: number): AttributeValue => ({ type: 'float', value });
const text = (value: string): AttributeValue => ({ type: 'string', value });

function parameter(name: string, type: ParameterType, more: Partial<Parameter> = {}): Parameter {
  const valueType = type === 'enum' ? 'string' : type;
  return { key: name, name, type, valueType, attributes: new Map(), ...more };
}

function mutator(name: string, more: Partial<Mutator> = {}): Mutator {
  return { id: name, name, tags: [], parameters: [], attributes: new Map(), ...more };
}

const storm = mutator('storm', {
  tags: ['drone', 'ship'],
  parameters: [
    parameter('speed', 'float', { hardRange: { lower: float(0), upper: float(40) } }),
    parameter('seed', 'integer', { hardRange: { lower: integer(0n) } }),
    parameter('depth', 'integer', { hardRange: { upper: integer(9n) } }),
    parameter('any', 'float'),
    parameter('count', 'bigInteger'),
    parameter('delay', 'nanoseconds', {
      hardRange: { lower: { type: 'nanoseconds', value: 5n } },
    }),
    parameter('on', 'boolean'),
    parameter('text', 'string', { hardRange: { lower: text('a'), upper: text('m') } }),
    parameter('mode', 'enum', {
      options: ['gust', 'steady'].map((name) => ({ name, value: text(name) })),
    }),
  ],
});
const bench = [
  storm,
  mutator('bare'),
  mutator('twin', { id: 'a', probe: 'A', parameters: [parameter('on', 'boolean')] }),
  mutator('twin', { id: 'b', parameters: [parameter('on', 'boolean')] }),
];

/** An objective without a finding of its own. */
function objective(mutators: string, constraints = ''): string {
  return `name = "x"
${constraints}
${mutators}
[[measurement]]
name = "m"
check = "MATCH (name = 'a') AS a"

[stopping_conditions]
attempts = 1
`;
}

function constraint(lines: string, name = 'storm'): string {
  return objective(
    `[[mutator]]\nname = "${name}"\n[[mutator.param_constraints]]\n${lines.replaceAll('; ', '\n')}`,
  );
}

const tagged = (tags: string, mutators = ''): string =>
  objective(mutators, `[mutation_constraints]\nmutator_tags = ${tags}`);

function lintWith(text: string, mutators: readonly Mutator[] = bench) {
  const catalog = createCatalog(mutators.map((one) => ({ ...one, origin: 'test' })));
  return lint(decodeSource('x.toml', Buffer.from(text)), { catalog });
}

/** Each finding as its rule, message, help and the marked text. */
function findings(text: string, mutators?: readonly Mutator[]) {
  return lintWith(text, mutators).map(({ rule, message, help, span }) => [
    rule,
    message,
    help,
    text.slice(span.start, span.end),
  ]);
}

test.each([
  ['at the limits', 'name = "speed"; range = [0.0, 40.0]'],
  ['integers for a float, at the limits', 'name = "speed"; range = [0, 40]'],
  ['at the only limit', 'name = "seed"; range = [0, 9]'],
  ['at the other only limit', 'name = "depth"; range = [-9, 9]'],
  ['left open above', 'name = "seed"; range = [0, inf]'],
  ['left open below', 'name = "depth"; range = [-inf, 9]'],
  ['left open on both sides, of a big integer', 'name = "count"; range = [-inf, inf]'],
  ['without a limit', 'name = "any"; range = [-1e300, 1e300]'],
])('a range %s has no finding', (_name, lines) => {
  expect(findings(constraint(lines))).toEqual([]);
});

const OUTSIDE = 'catalog/range-outside-hard-range';

test.each([
  [
    'below a range',
    'name = "speed"; range = [-0.5, 1.0]',
    '-0.5 is outside the hard range [0.0, 40.0] of parameter "speed"',
    'write 0.0 or more',
    '-0.5',
  ],
  [
    'above a range',
    'name = "speed"; range = [0.0, 41]',
    '41 is outside the hard range [0.0, 40.0] of parameter "speed"',
    'write 40.0 or less',
    '41',
  ],
  [
    'below the only limit',
    'name = "seed"; range = [-1, 1]',
    '-1 is outside the hard range [0, inf] of parameter "seed"',
    'write 0 or more',
    '-1',
  ],
  [
    'above the only limit',
    'name = "depth"; range = [-1, 10]',
    '10 is outside the hard range [-inf, 9] of parameter "depth"',
    'write 9 or less',
    '10',
  ],
  [
    'below the limit of nanoseconds, which a file holds as integers',
    'name = "delay"; range = [4, 9]',
    '4 is outside the hard range [5ns, inf] of parameter "delay"',
    'write 5 or more',
    '4',
  ],
  [
    'left open where there is a limit',
    'name = "seed"; range = [-inf, 1]',
    '-inf is outside the hard range [0, inf] of parameter "seed"',
    'write 0 or more',
    '-inf',
  ],
])('a bound %s', (_name, lines, message, help, marked) => {
  expect(findings(constraint(lines))).toEqual([[OUTSIDE, message, help, marked]]);
});

test.each([
  ['range = ["b", "z"]', 'range = ["b", "m"]'],
  ["range = ['A', 'b']", "range = ['a', 'b']"],
  ['range = [2, 9]', 'range = [5, 9]'],
])('%s is fixed to %s', (written, fixed) => {
  const name = written.includes('2') ? 'delay' : 'text';
  const file = constraint(`name = "${name}"; ${written}`);
  expect(applyFixes(file, lintWith(file), { suggested: true })).toBe(file.replace(written, fixed));
});

test.each([
  ['a float for an integer', 'name = "seed"; range = [0, 1.5]', 'an integer', 'seed', ['1.5']],
  [
    'infinities for strings',
    'name = "text"; range = [-inf, inf]',
    'a string',
    'text',
    ['-inf', 'inf'],
  ],
  ['strings for a float', 'name = "any"; range = ["a", "b"]', 'a float', 'any', ['"a"', '"b"']],
])('a range with %s', (_name, lines, expected, name, found) => {
  expect(findings(constraint(lines))).toEqual(
    found.map((one) => [
      'catalog/range-type',
      `expected ${expected} for parameter "${name}", found ${one}`,
      undefined,
      one,
    ]),
  );
});

test.each(['[true, 5]', '[5, "a"]', '[true, false]', '[nan, 5]'])(
  'a range %s that is none of any type is one mistake',
  (range) => {
    const found = findings(constraint(`name = "seed"; range = ${range}`));
    expect(found.map(([rule]) => rule)).toEqual(['objective/invalid-range']);
  },
);

test.each([
  [
    'a range for a boolean',
    'name = "on"; range = [1, 2]',
    'range-not-permitted',
    'parameter "on" is a boolean and accepts no "range"',
    'remove "range", because a boolean parameter accepts no range',
    'range',
  ],
  [
    'a range for an enum',
    'name = "mode"; range = [1, 2]',
    'range-not-permitted',
    'parameter "mode" is an enum and accepts no "range"',
    'use "enum_options" with one or more of "gust" or "steady"',
    'range',
  ],
  [
    'options for a boolean',
    'name = "on"; enum_options = ["a"]',
    'options-not-permitted',
    'parameter "on" is a boolean and accepts no "enum_options"',
    'remove "enum_options"',
    'enum_options',
  ],
  [
    'options for a big integer',
    'name = "count"; enum_options = ["a"]',
    'options-not-permitted',
    'parameter "count" is an integer of up to 1,000 digits and accepts no "enum_options"',
    'use a "range"',
    'enum_options',
  ],
  [
    'no range where there is a limit',
    'name = "speed"',
    'range-required',
    'the constraint on parameter "speed" needs a "range"',
    'the hard range is [0.0, 40.0]',
    '"speed"',
  ],
  [
    'no range where there is no limit',
    'name = "any"',
    'range-required',
    'the constraint on parameter "any" needs a "range"',
    undefined,
    '"any"',
  ],
  [
    'an unknown option',
    'name = "mode"; enum_options = ["gust", "gsut"]',
    'unknown-option',
    'parameter "mode" has no option "gsut"',
    'did you mean "gust"?',
    '"gsut"',
  ],
])('%s', (_name, lines, rule, message, help, marked) => {
  expect(findings(constraint(lines))).toEqual([[`catalog/${rule}`, message, help, marked]]);
});

test.each([
  ['a bound that is nan', 'name = "speed"; range = [nan, 5.0]', 'invalid-range', 'nan'],
  ['an upper bound that is nan', 'name = "speed"; range = [5.0, nan]', 'invalid-range', 'nan'],
  ['a first bound of no kind', 'name = "speed"; range = [{}, 5.0]', 'wrong-type', '{}'],
  ['a second bound of no kind', 'name = "speed"; range = [5.0, {}]', 'wrong-type', '{}'],
  ['a bound of no kind beside a string', 'name = "text"; range = [{}, "b"]', 'wrong-type', '{}'],
  ['a third bound', 'name = "speed"; range = [5.0, 50, nan]', 'invalid-range', '[5.0, 50, nan]'],
  ['a single bound', 'name = "speed"; range = [nan]', 'invalid-range', '[nan]'],
  ['an option of no kind', 'name = "mode"; enum_options = ["gust", 3]', 'wrong-type', '3'],
])('%s is one mistake', (_name, lines, rule, marked) => {
  expect(findings(constraint(lines)).map(([id, , , text]) => [id, text])).toEqual([
    [`objective/${rule}`, marked],
  ]);
});

test('a lower bound of another type is told beside an upper one of no kind', () => {
  const found = findings(constraint('name = "speed"; range = ["high", {}]'));
  expect(found.map(([id, , , text]) => [id, text])).toEqual([
    ['catalog/range-type', '"high"'],
    ['objective/wrong-type', '{}'],
  ]);
});

test('what has no readable name is reported for that alone', () => {
  const unnamed = objective(`[[mutator]]
name = 3
probe = "X"
[[mutator]]
probe = "Y"
[[mutator.param_constraints]]
name = 3
range = [1, 2]
[[mutator.param_constraints]]
[[mutator.param_constraints]]
[[mutator.param_constraints]]
name = "speed"
range = [1, 2]
[[mutator]]
name = "storm"
[[mutator.param_constraints]]
name = 3
[[mutator.param_constraints]]
range = [1, 2]`);
  expect(findings(unnamed).map(([rule, , , marked]) => [rule, marked])).toEqual([
    ['objective/wrong-type', '3'],
    ['objective/missing-key', '[[mutator]]'],
    ['objective/wrong-type', '3'],
    ['objective/missing-key', '[[mutator.param_constraints]]'],
    ['objective/missing-key', '[[mutator.param_constraints]]'],
    ['objective/wrong-type', '3'],
    ['objective/missing-key', '[[mutator.param_constraints]]'],
  ]);
});

test('a probe that cannot be read names no mutator that is not there', () => {
  const text = objective('[[mutator]]\nname = "storm"\nprobe = 3');
  expect(findings(text).map(([rule]) => rule)).toEqual(['objective/wrong-type']);
});

test('a parameter that no mutator of a name has is one mistake', () => {
  const found = findings(constraint('name = "y"; range = [1, 2]', 'twin'));
  expect(found.map(([, message, help]) => [message, help])).toEqual([
    ['mutator "twin" has no parameter "y"', 'expected "on"'],
  ]);
});

test.each([
  [
    'a mutator without parameters',
    constraint('name = "x"; range = [1, 2]', 'bare'),
    'unknown-param',
    'the mutator has no parameters',
  ],
  [
    'a mutator without a probe',
    objective('[[mutator]]\nname = "bare"\nprobe = "X"'),
    'unknown-probe',
    'remove "probe", because the mutator has no probe',
  ],
  [
    'an unknown mutator at a probe',
    objective('[[mutator]]\nname = "zephyr"\nprobe = "X"'),
    'unknown-mutator',
    'expected one of "storm", "bare" or "twin"',
  ],
  [
    'a mutator without tags',
    tagged('["drone"]', '[[mutator]]\nname = "bare"'),
    'mutator-excluded',
    'the mutator has no tags',
  ],
])('the help for %s', (_name, text, rule, help) => {
  expect(findings(text).map(([id, , told]) => [id, told])).toEqual([[`catalog/${rule}`, help]]);
});

test('a mutator that the tags exclude is told with its own', () => {
  const others = [mutator('a', { tags: ['x', 'y'] }), mutator('b', { tags: ['drone'] })];
  expect(findings(tagged('["drone"]', '[[mutator]]\nname = "a"'), others)).toEqual([
    [
      'catalog/mutator-excluded',
      'mutator "a" has none of the tags in "mutator_tags"',
      'the mutator\'s tags: "x", "y"',
      '"a"',
    ],
  ]);
});

const WIND_OUTSIDE = `[[mutator]]
name = "storm"
[[mutator.param_constraints]]
name = "speed"
range = [-5.0, 400.0]`;
const BOTH_OUTSIDE = [
  [OUTSIDE, '-5.0'],
  [OUTSIDE, '400.0'],
];
const marked = (text: string) =>
  findings(text).map(([rule, , , written]) => [rule, written?.trim()]);

test.each([
  ['that no mutator has', '["dron"]', [['catalog/nothing-selected', '["dron"]']]],
  ['that is empty', '[""]', [['objective/invalid-value', '""']]],
  ['of another mutator', '["car"]', [['catalog/nothing-selected', '["car"]']]],
  ['beside a right one', '["ship", "car"]', [['catalog/unknown-tag', '"car"']]],
])('a tag %s hides no range that is outside', (_name, tags, found) => {
  expect(marked(tagged(tags, WIND_OUTSIDE))).toEqual([...found, ...BOTH_OUTSIDE]);
});

test('tags that exclude a mutator hide no range that is outside', () => {
  const others = [...bench, mutator('other', { tags: ['car'] })];
  const found = findings(tagged('["car"]', WIND_OUTSIDE), others);
  expect(found.map(([rule, , , written]) => [rule, written])).toEqual([
    ['catalog/mutator-excluded', '"storm"'],
    ...BOTH_OUTSIDE,
  ]);
});

test.each([
  ['["dron"]', '["drone"]', 'did you mean "drone"?'],
  ['["dron", "dron"]', '["drone"]', 'did you mean "drone"?'],
  ['["car"]', '["car"]', 'expected one of "drone" or "ship"'],
  ['["car", "drne"]', '["car", "drne"]', 'expected one of "drone" or "ship"'],
])('the tags %s become %s', (written, fixed, help) => {
  const text = tagged(written);
  const found = lintWith(text).filter(({ rule }) => rule === 'catalog/nothing-selected');
  expect(found.map((one) => one.help)).toEqual([help]);
  expect(applyFixes(text, found, { suggested: true })).toBe(text.replace(written, fixed));
});

test.each([
  ['["m", "a"]', []],
  ['["b", "b"]', []],
  ['["z", "b"]', ['"z" is outside the hard range ["a", "m"] of parameter "text"']],
  [
    '["z", "A"]',
    [
      '"z" is outside the hard range ["a", "m"] of parameter "text"',
      '"A" is outside the hard range ["a", "m"] of parameter "text"',
    ],
  ],
  ['["10", "9"]', expect.arrayContaining([expect.stringContaining('"10" is outside')])],
])('a range of strings is two values in any order: %s', (range, messages) => {
  const found = findings(constraint(`name = "text"; range = ${range}`));
  expect(found.map(([, message]) => message)).toEqual(messages);
});

test.each([
  ['speed', '["30", "5"]', '[5, 30]'],
  ['seed', '["+1", "10"]', '[+1, 10]'],
])('numbers in quotes for %s: %s becomes %s', (name, written, fixed) => {
  const text = constraint(`name = "${name}"; range = ${written}`);
  const message = `expected numbers for parameter "${name}", found numbers in quotes`;
  expect(findings(text)).toEqual([['catalog/range-type', message, `write ${fixed}`, written]]);
  expect(applyFixes(text, lintWith(text), { suggested: true })).toBe(text.replace(written, fixed));
});

test('where no mutator has a tag, none can be meant', () => {
  const found = findings(tagged('["drone"]'), [mutator('bare')]);
  expect(found.map(([rule, , help]) => [rule, help])).toEqual([
    ['catalog/nothing-selected', 'remove "mutator_tags", because no mutator has any tags'],
  ]);
});

test.each([
  ['beside one that selects', '["drone", 3]', '[[mutator]]\nname = "bare"'],
  ['alone', '[3]', ''],
])('a tag of another type, %s, may be one that selects', (_name, tags, mutators) => {
  expect(findings(tagged(tags, mutators)).map(([rule]) => rule)).toEqual(['objective/wrong-type']);
});

test('without anything to suggest there is no help', () => {
  expect(findings(objective('[[mutator]]\nname = "bare"'), [])).toEqual([
    ['catalog/unknown-mutator', 'there is no mutator "bare"', undefined, '"bare"'],
  ]);
});

test('bounds and hard ranges are compared as values of the parameter, which rounds those of a float', () => {
  const wide = mutator('wide', {
    parameters: [
      parameter('speed', 'float', { hardRange: { upper: integer(9_007_199_254_740_993n) } }),
    ],
  });
  const range = 'name = "speed"; range = [0, 9007199254740993]';
  expect(findings(constraint(range, 'wide'), [wide])).toEqual([]);
});

test('a parameter that could not be read is not one that a mutator lacks', () => {
  const listing = readListing(
    JSON.stringify([
      {
        mutator_correlation_id: 'storm',
        attributes: {
          'mutator.params.a.name': 'speed',
          'mutator.params.a.value_type': 'Flaot',
          'mutator.params.b.name': 'seed',
          'mutator.params.b.value_type': 'Integer',
          'mutator.params.b.value_min': { Unheard: 1 },
        },
      },
    ]),
  ) as Listing;
  const marked = (name: string) =>
    findings(constraint(`name = "${name}"; range = [0, 1]`), listing.mutators).map(
      ([rule]) => rule,
    );
  expect(marked('speed')).toEqual([]);
  expect(marked('seed')).toEqual([]);
  expect(marked('sped')).toEqual(['catalog/unknown-param']);
});

test.each([
  ['range = ["a", "b"]', [['range-type', 'expected a time in nanoseconds, found "a"']]],
  ['range = [-1, 5]', [['range-outside-hard-range', '-1 is outside the hard range [10ns, inf]']]],
  ['range = [5, 20]', [['range-outside-hard-range', '5 is outside the hard range [10ns, inf]']]],
  ['range = [10, 20]', []],
])('nanoseconds are written as integers: %s', (lines, expected) => {
  const timer = mutator('timer', {
    parameters: [
      parameter('delay', 'nanoseconds', {
        hardRange: { lower: { type: 'nanoseconds', value: 10n } },
      }),
    ],
  });
  const found = findings(constraint(`name = "delay"; ${lines}`, 'timer'), [timer]);
  const first = found
    .slice(0, 1)
    .map(([rule, message]) => [
      rule?.replace('catalog/', ''),
      message?.replace(' of parameter "delay"', '').replace(' for parameter "delay"', ''),
    ]);
  expect(first).toEqual(expected);
});

test('many unknown names are put right until 200,000 pairs are compared', () => {
  const bench = Array.from({ length: 2_000 }, (_, at) => mutator(`m-${at}`));
  const tables = Array.from({ length: 102 }, (_, at) => `[[mutator]]\nname = "n-${at}"\n`);
  const helps = findings(objective(tables.join('')), [...bench, mutator('storm')])
    .filter(([rule]) => rule === 'catalog/unknown-mutator')
    .map(([, , help]) => help);
  expect(helps.slice(0, 100)).toEqual(
    Array.from({ length: 100 }, (_, at) => `did you mean "m-${at}"?`),
  );
  expect(new Set(helps.slice(100))).toEqual(
    new Set([
      'expected one of "m-0", "m-1", "m-2", "m-3", "m-4", "m-5", "m-6", "m-7" or 1993 more',
    ]),
  );
});
