import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accept, createCatalog, loadManifest, readListing } from '../../../src/mutators/index.js';
import { loadObjective } from '../../../src/objective/index.js';
import {
  createSpace,
  type MutationSet,
  type Space,
  strategies,
} from '../../../src/runner/index.js';
import { decodeSource } from '../../../src/source/index.js';

const MANIFEST = `
[[mutator]]
name = "wind"
tags = ["air"]
[[mutator.param]]
name = "Wind speed"
type = "float"
hard_range = [0.0, 40.0]
least_effect = 0
[[mutator.param]]
name = "mode"
type = "enum"
options = ["gust", "steady", "shear"]
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["true"]

[[mutator]]
id = "link-a"
name = "link"
probe = "A"
tags = ["net"]
[[mutator.param]]
name = "delay"
type = "integer"
hard_range = [-9223372036854775808, 9223372036854775807]
[[mutator.param]]
name = "on"
type = "boolean"
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["true"]

[[mutator]]
id = "link-b"
name = "link"
probe = "B"
tags = ["net"]
[[mutator.param]]
name = "delay"
type = "integer"
hard_range = [0, 10]
[[mutator.param]]
name = "on"
type = "boolean"
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["true"]

[[mutator]]
name = "note"
tags = ["odd"]
[[mutator.param]]
name = "text"
type = "string"
[[mutator.param]]
name = "level"
type = "integer"
[[mutator.param]]
name = "gain"
type = "float"
default = 2.5
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["true"]

[[mutator]]
name = "vane"
[[mutator.param]]
name = "heading"
type = "float"
hard_range = [0.0, 360.0]
scaling = "circular"
[[mutator.param]]
name = "turns"
type = "float"
hard_range = [0.5, 9.5]
distribution = "discrete"
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["true"]
`;

function catalog(text: string) {
  const { manifest, findings } = loadManifest(decodeSource('mutators.toml', Buffer.from(text)));
  expect(findings.map(({ message }) => message)).toEqual([]);
  return createCatalog((manifest?.mutators ?? []).map((one) => ({ ...one, origin: 'bench' })));
}

function create(constraints: string, manifest = MANIFEST) {
  const mutators = catalog(manifest);
  const text = `name = "x"\n${constraints}\n[[measurement]]\nname = "m"\ncheck = "MATCH (name = 'a') AS a"\n[stopping_conditions]\nattempts = 1\n`;
  const { objective, findings } = loadObjective(decodeSource('x.toml', Buffer.from(text)), {
    catalog: mutators,
  });
  if (objective === undefined) throw new Error(findings.map((one) => one.message).join('\n'));
  return createSpace(objective, mutators);
}

function spaceOf(constraints: string): Space {
  const created = create(constraints);
  if (!('space' in created)) throw new Error(JSON.stringify(created.problems));
  return created.space;
}

const NOTE_PROBLEMS = [
  {
    message:
      'mutator "note", parameter "text": it has no options, no range and no default, so no value can be planned',
    help: 'constrain the parameter to a "range" of two strings, from which Perturb chooses one',
  },
  {
    message:
      'mutator "note", parameter "level": it has no bounds and no default, so no value can be planned',
    help: 'constrain the parameter to a "range" of two numbers',
  },
];

const NET = '[mutation_constraints]\nmutator_tags = ["net"]\n';

describe('which mutators', () => {
  const ids = (constraints: string) => spaceOf(constraints).mutators.map(({ id }) => id);

  test('with tags, all that have one', () => {
    expect(ids(NET)).toEqual(['link-a', 'link-b']);
    expect(
      ids('[mutation_constraints]\nmutator_tags = ["air", "net"]\n[[mutator]]\nname = "wind"'),
    ).toEqual(['wind', 'link-a', 'link-b']);
  });

  test('with tables alone, those that they name', () => {
    expect(ids('[[mutator]]\nname = "link"\nprobe = "B"\n[[mutator]]\nname = "wind"')).toEqual([
      'wind',
      'link-b',
    ]);
  });

  test('one that no table names is left out if no value can be planned, and the problems say why', () => {
    const created = create('');
    const planned = 'space' in created && created.space.mutators.map(({ id }) => id);
    expect(planned).toEqual(['wind', 'link-a', 'link-b', 'vane']);
    expect('space' in created && created.omissions).toEqual(NOTE_PROBLEMS);
    const tagged = create(
      '[mutation_constraints]\nmutator_tags = ["odd", "air"]\n[[mutator]]\nname = "wind"',
    );
    expect('space' in tagged && tagged.omissions).toEqual(NOTE_PROBLEMS);
  });

  test('if none is left, that is because of the servers; if one is named, because of the objective', () => {
    expect(create('[mutation_constraints]\nmutator_tags = ["odd"]')).toEqual({
      problems: NOTE_PROBLEMS,
      of: 'servers',
    });
    expect(
      create('[mutation_constraints]\nmutator_tags = ["odd", "air"]\n[[mutator]]\nname = "note"'),
    ).toEqual({ problems: NOTE_PROBLEMS, of: 'objective' });
  });

  test('no more at a time than there are', () => {
    expect(spaceOf(`${NET}max_concurrent_mutations = 9`).maxMutations).toBe(2);
    expect(spaceOf(NET).maxMutations).toBe(1);
  });
});

describe('which values', () => {
  const dimensions = (constraints: string) =>
    spaceOf(constraints).mutators.map((one) => one.dimensions);

  test('hard ranges and options where the objective is silent', () => {
    expect(dimensions('[[mutator]]\nname = "wind"')).toEqual([
      [
        {
          key: 'Wind_speed',
          name: 'Wind speed',
          leastEffect: { type: 'float', value: 0 },
          kind: 'float',
          lower: 0,
          upper: 40,
        },
        {
          key: 'mode',
          name: 'mode',
          kind: 'choice',
          values: ['gust', 'steady', 'shear'].map((value) => ({ type: 'string', value })),
        },
      ],
    ]);
  });

  test('usual ranges where the objective is silent, within hard ones', () => {
    const text = MANIFEST.replaceAll(
      'hard_range = [0, 10]',
      'hard_range = [0, 10]\nusual_range = [2, inf]',
    );
    const bounds = (constraints: string) => {
      const created = create(constraints, text);
      const [link] = 'space' in created ? created.space.mutators : [];
      const [delay] = link?.dimensions ?? [];
      return delay?.kind === 'whole' && [delay.lower, delay.upper];
    };
    const named = '[[mutator]]\nname = "link"\nprobe = "B"\n';
    expect(bounds(named)).toEqual([2n, 10n]);
    expect(bounds(`${named}[[mutator.param_constraints]]\nname = "delay"\nrange = [0, 1]`)).toEqual(
      [0n, 1n],
    );
  });

  test('a circle and whole numbers where the mutator says so, and no circle where it is constrained', () => {
    const turns = {
      key: 'turns',
      name: 'turns',
      kind: 'float',
      lower: 1,
      upper: 9,
      discrete: true,
    };
    const heading = { key: 'heading', name: 'heading', kind: 'float', lower: 0, upper: 360 };
    expect(dimensions('[[mutator]]\nname = "vane"')).toEqual([
      [{ ...heading, circular: true }, turns],
    ]);
    const constrained =
      '[[mutator]]\nname = "vane"\n[[mutator.param_constraints]]\nname = "heading"\nrange = [0.0, 90.0]';
    expect(dimensions(constrained)).toEqual([[{ ...heading, upper: 90 }, turns]]);
  });

  test('64-bit ranges whole, and a bound that is zero', () => {
    const [, b] = dimensions(NET);
    expect(dimensions(NET)[0]?.[0]).toMatchObject({
      lower: -(2n ** 63n),
      upper: 2n ** 63n - 1n,
    });
    expect(b?.[0]).toMatchObject({ lower: 0n, upper: 10n });
    expect(
      dimensions(
        '[[mutator]]\nname = "link"\nprobe = "A"\n[[mutator.param_constraints]]\nname = "delay"\nrange = [0, 0]',
      )[0]?.[0],
    ).toMatchObject({ lower: 0n, upper: 0n });
  });

  test('a table for the probe comes before one for the name', () => {
    const [, b] = dimensions(
      '[[mutator]]\nname = "link"\n[[mutator.param_constraints]]\nname = "delay"\nrange = [1, 9]\n[[mutator]]\nname = "link"\nprobe = "B"\n[[mutator.param_constraints]]\nname = "delay"\nrange = [2, 3]',
    );
    expect(b?.[0]).toMatchObject({ lower: 2n, upper: 3n });
  });

  test('what has no bounds takes its default, or is refused with what to write', () => {
    const created = create('[[mutator]]\nname = "note"');
    expect(created).toEqual({ problems: NOTE_PROBLEMS, of: 'objective' });
  });

  /** The dimension of the one parameter of a listed mutator, or why there is none. */
  function listed(type: string, attributes: object, range?: string) {
    const bounds = Object.entries({ name: 'p', value_type: type, ...attributes }).map(
      ([suffix, value]) => [`mutator.params.p.${suffix}`, value],
    );
    const listing = readListing(
      JSON.stringify([{ mutator_correlation_id: 'm', attributes: Object.fromEntries(bounds) }]),
    );
    const { mutators = [] } = 'mutators' in listing ? listing : {};
    const catalog = createCatalog(mutators.map((one) => ({ ...one, origin: 'bench' })));
    const constraint =
      range === undefined ? '' : `[[mutator.param_constraints]]\nname = "p"\nrange = ${range}\n`;
    const text = `name = "x"\n[[mutator]]\nname = "m"\n${constraint}[[measurement]]\nname = "a"\ncheck = "MATCH (name = 'a') AS a"\n[stopping_conditions]\nattempts = 1\n`;
    const { objective } = loadObjective(decodeSource('x.toml', Buffer.from(text)), { catalog });
    const created = objective && createSpace(objective, catalog);
    return created && 'space' in created
      ? created.space.mutators[0]?.dimensions[0]
      : created?.problems.map(({ message }) => message);
  }

  const timeline = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';

  test.each([
    ['LogicalTime', { value_min: { LogicalTime: 5 } }, '[6, 9]', 'logicalTime', 6n, 9n],
    [
      'LogicalTime',
      { value_min: { LogicalTime: [0, 0, 1, 0] }, value_max: { LogicalTime: [0, 0, 1, 7] } },
      undefined,
      'logicalTime',
      2n ** 64n,
      2n ** 64n + 7n,
    ],
    ['Nanoseconds', { value_min: { Nanoseconds: -5 } }, '[-5, 5]', 'nanoseconds', -5n, 5n],
    [
      'BigInteger',
      { value_min: { BigInt: '-170141183460469231731687303715884105728' }, value_max: 7 },
      undefined,
      'bigInteger',
      -(2n ** 127n),
      7n,
    ],
  ])('a %s of %o in the range %s is planned', (type, bounds, range, as, lower, upper) => {
    expect(listed(type, bounds, range)).toMatchObject({ kind: 'whole', type: as, lower, upper });
  });

  test('an event coordinate takes its default, else one of its bounds', () => {
    const at = (id: number) => ({ EventCoordinate: { id, timeline_id: timeline } });
    const value = (id: bigint) => ({
      type: 'eventCoordinate',
      value: { timelineId: timeline, id },
    });
    const bounds = { value_min: at(1), value_max: at(9) };
    expect(listed('Coordinate', bounds)).toMatchObject({ values: [value(1n), value(9n)] });
    expect(listed('Coordinate', { ...bounds, default_value: at(5) })).toMatchObject({
      values: [value(5n)],
    });
  });

  test('a range that the server cannot be sent in its own shape is refused', () => {
    expect(listed('Nanoseconds', { value_max: { Timestamp: 10 } }, '[-5, 5]')).toEqual([
      'mutator "m", parameter "p": -5ns cannot be sent: the server writes such values as {"Timestamp": an unsigned 64-bit integer}',
    ]);
  });

  test('nanoseconds are constrained by integers, since TOML has nothing else for them', () => {
    const attributes = {
      'mutator.params.for.name': 'for',
      'mutator.params.for.value_type': 'Nanoseconds',
    };
    const hard = {
      'mutator.params.for.value_min': { Timestamp: 5 },
      'mutator.params.for.value_max': { Timestamp: 1_000 },
    };
    const text = `name = "x"\n[[mutator]]\nname = "stall"\n[[mutator.param_constraints]]\nname = "for"\nrange = [100, 200]\n[[measurement]]\nname = "m"\ncheck = "MATCH (name = 'a') AS a"\n[stopping_conditions]\nattempts = 1\n`;
    for (const bounds of [hard, {}]) {
      const listing = readListing(
        JSON.stringify([
          { mutator_correlation_id: 'stall', attributes: { ...attributes, ...bounds } },
        ]),
      );
      const { mutators = [] } = 'mutators' in listing ? listing : {};
      const stalls = createCatalog(mutators.map((one) => ({ ...one, origin: 'bench' })));
      const { objective, findings } = loadObjective(decodeSource('x.toml', Buffer.from(text)), {
        catalog: stalls,
      });
      expect(findings).toEqual([]);
      expect(objective && createSpace(objective, stalls)).toMatchObject({
        space: {
          mutators: [
            { dimensions: [{ kind: 'whole', type: 'nanoseconds', lower: 100n, upper: 200n }] },
          ],
        },
      });
    }
  });

  test('a string takes one of two texts, in any order', () => {
    const [one] = dimensions(
      '[[mutator]]\nname = "note"\n[[mutator.param_constraints]]\nname = "text"\nrange = ["b", "a"]\n[[mutator.param_constraints]]\nname = "level"\nrange = [1, 1]',
    );
    expect(one?.[0]).toMatchObject({
      kind: 'choice',
      values: [
        { type: 'string', value: 'b' },
        { type: 'string', value: 'a' },
      ],
    });
    expect(one?.[2]).toMatchObject({ kind: 'choice', values: [{ type: 'float', value: 2.5 }] });
  });
});

test('every planned value is accepted by its parameter', () => {
  const mutators = catalog(MANIFEST).mutators;
  const space = spaceOf(
    '[mutation_constraints]\nmax_concurrent_mutations = 3\nmutator_tags = ["air", "net"]',
  );
  const check = (set: MutationSet) => {
    for (const { mutator, values } of set) {
      const { id, dimensions } = space.mutators[mutator] as Space['mutators'][number];
      const parameters = mutators.find((one) => one.id === id)?.parameters ?? [];
      for (const [at, value] of values.entries()) {
        const parameter = parameters.find(({ key }) => key === dimensions[at]?.key);
        expect(parameter && accept(parameter, value)).toEqual({ value });
      }
    }
  };
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(strategies)),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.nat(200),
      (strategy, seed, n) => check(strategy(space, seed)(n)),
    ),
  );
});
