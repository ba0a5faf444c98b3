import { describe, expect, it, test } from 'vitest';
import { lintText } from '../../../src/objective/index.js';
import { catalog } from '../mistakes/table.js';

const REST = `
[[measurement]]
name = "m"
check = "MATCH (x = 1) AS a"

[stopping_conditions]
attempts = 1
`;

const INJECTED = "name = 'perturb.injected'";

/** A mutator, and the pattern that its precondition asks for. */
function table(name: string, pattern?: string, probe?: string): string {
  return [
    `[[mutator]]\nname = "${name}"\n`,
    ...(probe === undefined ? [] : [`probe = "${probe}"\n`]),
    ...(pattern === undefined ? [] : [`mutation_precondition = "MATCH (${pattern}) AS i"\n`]),
  ].join('');
}

function messages(text: string, options = {}): string[] {
  const file = `name = "x"\n${text}${REST}`;
  return lintText('x.toml', file, options).map(({ message, span }) => {
    return `${file.slice(0, span.start).split('[[mutator]]').length - 1}: ${message}`;
  });
}

const TWO = '[mutation_constraints]\nmax_concurrent_mutations = 2\n';
const TAGS = `${TWO}mutator_tags = ["t"]\n`;
const OWN = 'this depends on the mutation it guards';
const ONE = 'this precondition waits for another mutation, but only one mutation runs at a time';
const NEVER = (name: string) =>
  `this precondition waits for a mutation by "${name}", which cannot come first`;
const of = (name: string) => `${INJECTED} AND mutator.name = '${name}'`;

describe('a precondition that waits for a mutation', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['of its own mutator', [TWO, table('a', of('a')), table('b')], [`1: ${OWN}`]],
    ['of any, where there is no other', [TWO, table('a', INJECTED)], [`1: ${OWN}`]],
    [
      'of any, where all others wait',
      [TWO, table('a', INJECTED), table('b', of('a'))],
      [`1: ${OWN}`, `2: ${NEVER('a')}`],
    ],
    ['of any, where another does not', [TWO, table('a', INJECTED), table('b')], []],
    [
      'of one that waits for one that does not',
      [TWO, table('a', of('b')), table('b', of('c')), table('c')],
      [],
    ],
    [
      'of each other',
      [TWO, table('a', of('b')), table('b', of('a'))],
      [`1: ${NEVER('b')}`, `2: ${NEVER('a')}`],
    ],
    ['of one that is not made', [TWO, table('a', of('b')), table('c')], [`1: ${NEVER('b')}`]],
    ['of one that the tags may choose', [TAGS, table('a', of('b'))], []],
    ['of its own, with tags', [TAGS, table('a', of('a'))], [`1: ${OWN}`]],
    [
      'of its own at another probe',
      [TWO, table('a', of('a'), 'P'), table('a', undefined, 'Q')],
      [],
    ],
    ['of its own at the only probe', [TWO, table('a', of('a'), 'P')], [`1: ${OWN}`]],
    ['of its own at a probe, with tags', [TAGS, table('a', of('a'), 'P')], []],
    ['where one is made at a time', [table('a', INJECTED), table('b')], [`1: ${ONE}`]],
    ['or for something else', [table('a', `${INJECTED} OR severity > 3`)], []],
    ['at its probe', [table('a', "'perturb.injected' @ perturb"), table('b')], [`1: ${ONE}`]],
    [
      'and where it is global',
      [TWO, `mutation_precondition = "MATCH (${INJECTED}) AS i"\n`, table('a')],
      [`0: ${OWN}`],
    ],
    [
      'or for something else, where it is global',
      [TWO, `mutation_precondition = "MATCH (${INJECTED} OR x = 1) AS i"\n`],
      [],
    ],
  ])('%s', (_, tables, expected) => {
    expect(messages(tables.join(''))).toEqual(expected);
  });
});

const WIDE = (probe: string) =>
  `"simulation-wind" without "probe" also applies to the mutator at "${probe}"`;

test.each<[string, readonly string[], readonly string[]]>([
  [
    'before',
    [table('simulation-wind'), table('simulation-wind', undefined, 'GAZEBO')],
    [`1: ${WIDE('GAZEBO')}`],
  ],
  [
    'behind',
    [table('simulation-wind', undefined, 'GAZEBO'), table('simulation-wind')],
    [`2: ${WIDE('GAZEBO')}`],
  ],
  [
    'before two',
    [
      table('simulation-wind'),
      table('simulation-wind', undefined, 'A'),
      table('simulation-wind', undefined, 'B'),
    ],
    [`1: ${WIDE('A')}`],
  ],
  ['of another name', [table('simulation-wind'), table('gust', undefined, 'GAZEBO')], []],
])('a mutator without a probe %s one of its name with one', (_, tables, expected) => {
  expect(messages(tables.join(''))).toEqual(expected);
});

const SPEED = 'param_constraints = { name = "speed", range = [0, 9] }\n';
const SEED = 'param_constraints = { name = "seed", range = [0, 9] }\n';

test.each<[string, string, string, readonly string[]]>([
  ['the same', SPEED, SPEED, [`1: ${WIDE('GAZEBO')}`]],
  ['something else', SEED, SPEED, []],
  ['all that there is', SPEED, '', [`1: ${WIDE('GAZEBO')}`]],
  ['nothing', '', SPEED, []],
])('of two tables the one without a probe constrains %s', (_, general, special, expected) => {
  const wind = (...more: readonly string[]) =>
    `[[mutator]]\nname = "simulation-wind"\n${more.join('')}`;
  const text = wind(general) + wind('probe = "GAZEBO"\n', special);
  expect(messages(text, { catalog })).toEqual(expected);
});
