import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import {
  createCatalog,
  loadManifest,
  type Mutator,
  mutatorName,
  type Parameter,
  type ParameterType,
} from '../../../src/mutators/index.js';
import { lint, newObjective } from '../../../src/objective/index.js';
import { settingFor } from '../../../src/objective/mutator-tables.js';
import { decodeSource } from '../../../src/source/index.js';
import type { AttributeValue } from '../../../src/values/index.js';
import { anyText } from '../../any-text.js';
import { runs } from '../../long.js';
import { mutator } from '../../mutators/arbitrary.js';

const catalogOf = (mutators: readonly Mutator[]) =>
  createCatalog(mutators.map((one) => ({ ...one, origin: 'test' })));

function findings(text: string, mutators?: readonly Mutator[]) {
  const options = mutators && { catalog: catalogOf(mutators) };
  return lint(decodeSource('new.objective.toml', Buffer.from(text)), options).map(
    ({ rule, message, span }) => [rule, message, text.slice(span.start, span.end)],
  );
}

function fromManifest(path: string): readonly Mutator[] {
  const { manifest } = loadManifest(decodeSource(path, readFileSync(path)));
  return manifest?.mutators ?? [];
}

test('without mutators it is a small complete example', async () => {
  const text = newObjective('Drone in wind');
  expect(findings(text)).toEqual([]);
  await expect(text).toMatchFileSnapshot('../../../fixtures/objective/new/plain.objective.toml');
});

test('what its comments offer is valid too', () => {
  const offered = newObjective('Drone')
    .replace(/^# (?=\[|\w+ = )/gm, '')
    .replace(/^#$/gm, '');
  expect(findings(offered)).toEqual([]);
  const { mutation_constraints: constraints, mutator: mutators } = parse(offered);
  expect(Object.keys(constraints as object)).toEqual([
    'max_concurrent_mutations',
    'mutator_tags',
    'mutation_precondition',
  ]);
  expect(mutators).toHaveLength(1);
});

test('with mutators it holds all that they take', async () => {
  const mutators = fromManifest('fixtures/mutators/drone.mutators.toml');
  const catalog = catalogOf(mutators);
  const text = newObjective('Drone in wind', { catalog, selected: catalog.mutators, tags: [] });
  expect(findings(text, mutators)).toEqual([]);
  expect(findings(text)).toEqual([]);
  await expect(text).toMatchFileSnapshot('../../../fixtures/objective/new/drone.objective.toml');
});

/** Mutators whose names, probes and parameters are few enough to meet. */
const meeting = fc
  .tuple(
    mutator,
    fc.constantFrom('wind', 'link', ' ', undefined),
    fc.constantFrom('A', 'B', undefined),
    fc.array(fc.constantFrom('speed', 'mode', 'a', '')),
  )
  .map(([one, name, probe, names]): Mutator => {
    const { name: _, probe: __, ...rest } = one;
    const parameters = one.parameters.map((parameter, index) => ({
      ...parameter,
      name: names[index] ?? parameter.name,
    }));
    return { ...rest, parameters, ...(name && { name }), ...(probe && { probe }) };
  });

test('it has no finding with the catalog it was made from', () => {
  fc.assert(
    fc.property(
      anyText({ minLength: 1 }).filter((name) => name.trim() !== ''),
      fc.array(fc.oneof(mutator, meeting), { maxLength: 6 }),
      fc.nat(5),
      fc.boolean(),
      (name, mutators, skipped, tagged) => {
        const catalog = catalogOf(mutators);
        // An objective cannot hold a blank tag, so nobody can ask for one.
        const tags = tagged ? [...catalog.tags].filter((tag) => tag.trim() !== '') : [];
        const selected = catalog.mutators.filter(
          (one, index) =>
            index !== skipped && (tags.length === 0 || one.tags.some((tag) => tags.includes(tag))),
        );
        const text = newObjective(name, { catalog, selected, tags });
        expect(findings(text, mutators)).toEqual([]);
        const values = parse(text, { integersAsBigInt: true }) as {
          name: string;
          mutator?: { name: string }[];
        };
        expect(values.name).toBe(name);
        const named = new Set(values.mutator?.map((table) => table.name));
        const writable = selected
          .filter(({ probe }) => probe?.trim() !== '')
          .map(mutatorName)
          .filter((one) => one.trim() !== '');
        expect(named).toEqual(new Set(writable));
      },
    ),
    { numRuns: runs(2_000) },
  );
}, 300_000);

const integer = (value: bigint): AttributeValue => ({ type: 'integer', value });
const float = (value: number): AttributeValue => ({ type: 'float', value });
const text = (value: string): AttributeValue => ({ type: 'string', value });

function parameter(
  type: ParameterType,
  lower?: AttributeValue,
  upper?: AttributeValue,
  more: Partial<Parameter> = {},
): Parameter {
  const hardRange = { ...(lower && { lower }), ...(upper && { upper }) };
  const valueType = type === 'enum' ? 'string' : type;
  return { key: 'p', name: 'p', type, valueType, hardRange, attributes: new Map(), ...more };
}

const { hardRange: _, ...unlimited } = parameter('float');

const options = (...names: string[]) =>
  parameter('enum', undefined, undefined, {
    options: names.map((name) => ({ name, value: text(name) })),
  });

test.each<[string, readonly Parameter[], string | undefined]>([
  ['a float', [parameter('float', float(0), float(40))], 'range = [0.0, 40.0]'],
  ['bounds keep their type', [parameter('float', integer(0n), float(40))], 'range = [0, 40.0]'],
  [
    'what is usual',
    [
      parameter('float', float(0), float(40), {
        usualRange: { lower: float(1), upper: float(20) },
      }),
    ],
    'range = [1.0, 20.0]',
  ],
  [
    'usual ranges with nothing in common',
    [
      parameter('float', float(0), float(40), { usualRange: { upper: float(5) } }),
      parameter('float', float(0), float(30), { usualRange: { lower: float(10) } }),
    ],
    'range = [0.0, 30.0]',
  ],
  ['open above', [parameter('float', float(0))], 'range = [0.0, inf]'],
  ['open above, beside an integer', [parameter('float', integer(0n))], 'range = [0, inf]'],
  ['open below', [parameter('float', undefined, float(1e21))], 'range = [-inf, 1e+21]'],
  ['open on both sides', [parameter('float')], undefined],
  [
    'an integer beyond 2^53, open above',
    [parameter('integer', integer(2n ** 53n + 1n))],
    'range = [9007199254740993, 9223372036854775807]',
  ],
  [
    'a big integer that no TOML integer holds',
    [parameter('bigInteger', { type: 'bigInteger', value: 2n ** 64n })],
    undefined,
  ],
  ['strings', [parameter('string', text('a"'), text('b'))], 'range = ["a\\"", "b"]'],
  ['strings, open below', [parameter('string', undefined, text('b'))], undefined],
  ['strings, open above', [parameter('string', text('b'))], undefined],
  ['a boolean', [parameter('boolean')], undefined],
  ['an enum', [options('gust', 'a\nb')], 'enum_options = ["gust", "a\\nb"]'],
  [
    'what several enums share',
    [options('a', 'b', 'c'), options('c', 'b')],
    'enum_options = ["b", "c"]',
  ],
  ['enums that share nothing', [options('a'), options('b')], undefined],
  [
    'what several ranges share',
    [parameter('float', float(0), float(5)), parameter('float', float(2))],
    'range = [2.0, 5.0]',
  ],
  [
    'ranges that share nothing',
    [parameter('float', float(0), float(1)), parameter('float', float(2), float(3))],
    undefined,
  ],
  ['parameters of two types', [parameter('float', float(0)), parameter('integer')], undefined],
  [
    'parameters of two types, each with limits',
    [parameter('float', float(0), float(1)), parameter('integer', integer(0n), integer(1n))],
    undefined,
  ],
  ['a string beside an enum', [parameter('string', text('a'), text('b')), options('a')], undefined],
  ['an enum beside a string', [options('a'), parameter('string', text('a'))], undefined],
  ['none', [], undefined],
  ['strings from the first one on, open above', [parameter('string', text(''))], undefined],
  [
    'big integers that no TOML integer holds',
    [
      parameter(
        'bigInteger',
        { type: 'bigInteger', value: 2n ** 64n },
        { type: 'bigInteger', value: 2n ** 65n },
      ),
    ],
    undefined,
  ],
  ['a limit beside none', [parameter('float', float(1)), unlimited], 'range = [1.0, inf]'],
  ['a boolean with limits', [parameter('boolean', integer(0n), integer(1n))], undefined],
  [
    'nanoseconds, open above',
    [parameter('nanoseconds', { type: 'nanoseconds', value: 5n })],
    'range = [5, 9223372036854775807]',
  ],
  [
    'a logical time, open below',
    [parameter('logicalTime', undefined, { type: 'logicalTime', value: 7n })],
    'range = [0, 7]',
  ],
  [
    'logical times beyond the integers of a file',
    [
      parameter(
        'logicalTime',
        { type: 'logicalTime', value: 2n ** 64n },
        { type: 'logicalTime', value: 2n ** 65n },
      ),
    ],
    undefined,
  ],
  [
    'a big integer, open below',
    [parameter('bigInteger', undefined, { type: 'bigInteger', value: 7n })],
    'range = [-9223372036854775808, 7]',
  ],
  [
    'a big integer, open above',
    [parameter('bigInteger', { type: 'bigInteger', value: 7n })],
    'range = [7, 9223372036854775807]',
  ],
  [
    'the largest of the lower bounds, the smallest of the upper ones',
    [
      parameter('float', float(0), float(5)),
      parameter('float', float(1), float(9)),
      parameter('float', float(-1), float(4)),
    ],
    'range = [1.0, 4.0]',
  ],
  [
    'no limits beside limits',
    [parameter('float'), parameter('float', float(1))],
    'range = [1.0, inf]',
  ],
  ['values of any type, open above', [parameter('any', float(1))], 'range = [1.0, inf]'],
  [
    'values of any type, open below',
    [parameter('any', undefined, integer(1n))],
    'range = [-9223372036854775808, 1]',
  ],
  ['options that a file cannot hold', [options('\ud800', 'b')], 'enum_options = ["b"]'],
  ['only options that a file cannot hold', [options('\ud800')], undefined],
])('%s', (_name, parameters, setting) => {
  expect(settingFor(parameters)).toBe(setting);
});

test('a description can neither end its comment nor silence a rule', () => {
  const description =
    'Wind\n[[measurement]]\r\nperturb: ignore-file objective/unknown-key \u0007\u202e';
  const mutators = [
    { id: 'w', description, tags: [], parameters: [], attributes: new Map() },
  ] as const;
  const catalog = catalogOf(mutators);
  const made = newObjective('x', { catalog, selected: catalog.mutators, tags: [] });
  expect(made).toContain(
    '# Wind\n# [[measurement]]\n# - perturb: ignore-file objective/unknown-key \\u{7}\\u{202e}\n[[mutator]]\n',
  );
  expect(findings(made, mutators)).toEqual([]);
});

const named = (name: string, more: Partial<Mutator> = {}): Mutator => ({
  id: 'the-id',
  name,
  tags: [],
  parameters: [],
  attributes: new Map(),
  ...more,
});

function made(mutators: readonly Mutator[], tags: readonly string[] = []): string {
  const catalog = catalogOf(mutators);
  return newObjective('x', { catalog, selected: catalog.mutators, tags });
}

test.each([
  ['a blank name', named(' ', { description: 'Wind' })],
  ['a name that a file cannot hold', named('\ud800', { description: 'Wind' })],
  ['a probe that a file cannot hold', named('wind', { description: 'Wind', probe: '\ud800' })],
])('a mutator with %s gets no table', (_name, one) => {
  expect(made([one])).toContain(
    '\n# No table for mutator the-id: an objective cannot contain its name or probe.\n# Wind\n\n',
  );
  expect(made([one])).not.toContain('[[mutator]]');
});

test('a parameter is called by its key where its name is another one, or none', () => {
  const parameters = [
    parameter('float', float(0), float(1), { key: 'a', name: 'speed' }),
    parameter('float', float(0), float(2), { key: 'b', name: 'speed' }),
    parameter('float', float(0), float(3), { key: 'c', name: ' ' }),
  ];
  const text = made([named('wind', { parameters })]);
  const constraints = text.match(/name = "[^"]*"\nrange = .*/g);
  expect(constraints).toEqual([
    'name = "speed"\nrange = [0.0, 1.0]',
    'name = "b"\nrange = [0.0, 2.0]',
    'name = "c"\nrange = [0.0, 3.0]',
  ]);
});

test('a parameter that one mutator of the name lacks is not constrained', () => {
  const text = made([
    named('wind', { id: 'a', parameters: [parameter('float', float(0), float(1))] }),
    named('wind', { id: 'b' }),
  ]);
  expect(text).toContain('# Unconstrained parameter p:\n# float; hard range [0.0, 1.0]\n\n');
  expect(text.match(/\[\[mutator\]\]/g)).toHaveLength(1);
});

test('tags stand where a file can hold them', () => {
  expect(made([], ['drone', '\ud800', 'ship "a"'])).toContain(
    '# Only mutators with one of these tags are considered.\nmutator_tags = ["drone", "ship \\"a\\""]\n',
  );
  expect(made([], ['\ud800'])).toContain('# mutator_tags = ["simulator"]\n');
});

test('a lone surrogate of the name is replaced, a pair is kept', () => {
  expect(newObjective('\ud800🚁\udc00').split('\n')[0]).toBe('name = "\ufffd🚁\ufffd"');
});
