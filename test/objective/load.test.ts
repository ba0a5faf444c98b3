import { expect, test } from 'vitest';
import { loadObjective } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';

const text = `
name = "Drone in wind"

[mutation_constraints]
max_concurrent_mutations = 9_223_372_036_854_775_807
mutator_tags = ["drone"]

[[mutator]]
name = "wind"
probe = "GAZEBO"
mutation_precondition = "MATCH (a = 1) AS a"
param_constraints = { name = "speed", range = [0, 2.5] }

[[mutator]]
name = "link"

[[mutator.param_constraints]]
name = "mode"
enum_options = ["up", "down"]

[[measurement]]
name = "first"
check = "MATCH (b = 1) AS b"
stopping_conditions.failing_measurements = 3

[[measurement]]
name = "second"
should_pass = false
check = "MATCH (c = 1) AS c"

[stopping_conditions]
attempts = 10
time = "1h 30min"
passing_measurements = 2
`;

const load = (source: string, levels: readonly [string, 'off' | 'warn'][] = []) =>
  loadObjective(decodeSource('x.toml', Buffer.from(source)), { levels: new Map(levels) });

test('a sound file gives its typed model, defaults filled in', () => {
  const { findings, objective } = load(text);
  expect(findings).toEqual([]);
  expect(objective).toMatchObject({
    name: 'Drone in wind',
    mutationConstraints: {
      maxConcurrentMutations: 9_223_372_036_854_775_807n,
      mutatorTags: ['drone'],
    },
    mutators: [
      {
        name: 'wind',
        probe: 'GAZEBO',
        mutationPrecondition: { text: 'MATCH (a = 1) AS a', expression: { kind: 'expression' } },
        paramConstraints: [{ name: 'speed', range: [0n, 2.5] }],
      },
      { name: 'link', paramConstraints: [{ name: 'mode', enumOptions: ['up', 'down'] }] },
    ],
    measurements: [
      {
        name: 'first',
        shouldPass: true,
        check: { text: 'MATCH (b = 1) AS b' },
        stoppingConditions: { failingMeasurements: 3n },
      },
      { name: 'second', shouldPass: false, stoppingConditions: {} },
    ],
    stoppingConditions: { attempts: 10n, timeMs: 5_400_000, passingMeasurements: 2n },
  });
});

test('a small file gives a model without what it does not say', () => {
  const { objective } = load(`name = "Small"
[[measurement]]
name = "only"
check = "MATCH (b = 1) AS b"
stopping_conditions.failing_measurements = 1
`);
  expect(objective).toStrictEqual({
    name: 'Small',
    mutationConstraints: {},
    mutators: [],
    measurements: [
      {
        name: 'only',
        shouldPass: true,
        check: { text: 'MATCH (b = 1) AS b', expression: expect.anything() },
        stoppingConditions: { failingMeasurements: 1n },
      },
    ],
    stoppingConditions: {},
  });
});

test('the precondition of all mutations is read', () => {
  const { objective } = load(
    text.replace('mutator_tags', 'mutation_precondition = "MATCH (d = 1) AS d"\nmutator_tags'),
    [['objective/precondition-conflict', 'off']],
  );
  expect(objective?.mutationConstraints.mutationPrecondition).toMatchObject({
    text: 'MATCH (d = 1) AS d',
    expression: { match: { patterns: [{ label: { text: 'd' } }] } },
  });
});

test('an error gives no model', () => {
  expect(load(text.replace('name = "first"', '')).objective).toBeUndefined();
});

test.each([
  ['objective/missing-key', 'name = "Drone in wind"', ''],
  ['objective/invalid-range', '[0, 2.5]', '[0, 2.5, 3]'],
  ['objective/invalid-range', '[0, 2.5]', '[true, false]'],
  ['objective/invalid-range', '[0, 2.5]', '[0]'],
  ['objective/invalid-range', '[0, 2.5]', '["a", 2.5]'],
  ['objective/invalid-range', '[0, 2.5]', '[2.5, 0]'],
  ['objective/invalid-duration', '1h 30min', '1h 30m'],
  ['objective/wrong-type', 'probe = "GAZEBO"', 'probe = 3'],
  ['objective/invalid-value', 'attempts = 10', 'attempts = 0'],
  ['expression/syntax', 'MATCH (b = 1) AS b', 'MATCH (b = ) AS b'],
  ['objective/unknown-key', 'name = "Drone in wind"', 'nme = "Drone in wind"'],
  ['objective/unknown-key', 'check = "MATCH (b', 'chek = "MATCH (b'],
  ['objective/unknown-key', 'name = "link"', 'nme = "link"'],
  ['objective/unknown-key', 'name = "mode"', 'nmae = "mode"'],
])('what is silenced but cannot be read gives no model: %s', (rule, whole, broken) => {
  const { findings, objective } = load(text.replace(whole, broken), [[rule, 'warn']]);
  expect(findings.map((one) => [one.rule, one.severity])).toEqual([[rule, 'warning']]);
  expect(objective).toBeUndefined();
});

test.each([
  ['in a table of another name', text.replaceAll('[[measurement]]', '[[measurment]]')],
  [
    'in a table that it does not belong in',
    `${text.replace('name', '# name')}name = "Drone in wind"`,
  ],
])('a required key whose place is silenced gives no model: %s', (_, written) => {
  const { findings, objective } = load(written, [['objective/unknown-key', 'off']]);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(objective).toBeUndefined();
});

test('an unknown key that is silenced and stands for none that is required is left out', () => {
  const { objective } = load(text.replace('attempts = 10', 'atempts = 10'), [
    ['objective/unknown-key', 'off'],
  ]);
  expect(objective?.stoppingConditions).toEqual({ timeMs: 5_400_000, passingMeasurements: 2n });
});

test('bytes that are silenced but are no text give no model', () => {
  const bytes = Buffer.from(`${text}# `.concat('x'));
  bytes[bytes.length - 1] = 0xff;
  const loaded = loadObjective(decodeSource('x.toml', bytes), {
    levels: new Map([['toml/encoding', 'off']]),
  });
  expect(loaded).toStrictEqual({ findings: [] });
});

test('a manifest gets one finding, and no model', () => {
  const manifest = '[[mutator]]\nname = "wind"\nactuator = {}\n';
  const { findings, objective } = load(manifest);
  expect(findings.map(({ rule, message, help, span }) => [rule, message, help, span])).toEqual([
    [
      'objective/missing-key',
      'expected an objective, found a mutator manifest',
      'check the manifest with perturb mutators lint, or check objectives against it with --mutators',
      { start: 26, end: 34 },
    ],
  ]);
  expect(objective).toBeUndefined();
});

test.each([
  ['[[mutator]]\nname = "a"\n[[mutator]]\nname = "b"\nactuator = {}\n', [46, 54]],
  ['mutator = [1, { name = "b", actuator = {} }]\n', [28, 36]],
])('a manifest is known by any of its actuators: %j', (manifest, [start, end]) => {
  const { findings } = load(manifest);
  expect(findings.map(({ message, span }) => [message, span])).toEqual([
    ['expected an objective, found a mutator manifest', { start, end }],
  ]);
});

test.each(['[[mutator]]\nname = "wind"\n', 'mutator = [1]\n', 'mutator = []\n'])(
  'mutators without an actuator are none of a manifest: %j',
  (text) => {
    expect(load(text).findings.map(({ message }) => message)).toContain(
      'missing key "measurement"',
    );
  },
);

test('an objective whose mutator has an actuator is still an objective', () => {
  const { findings } = load(text.replace('name = "link"', 'name = "link"\nactuator = {}'));
  expect(findings.map(({ message }) => message)).toEqual(['unknown key "actuator"']);
});
