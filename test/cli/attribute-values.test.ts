import { expect, test } from 'vitest';
import { serveMutators } from './mutator-server.js';
import { directoryWith, perturb } from './program.js';

const MUTATION = '0190e1a2-0000-7000-8000-000000000001';
const TIMELINE = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';

/** A listing of one mutator with a parameter `n`. */
const listing = (type: string, least: string, most: string) =>
  `[{"mutator_correlation_id": "stall", "attributes": {
    "mutator.name": "stall", "mutator.params.n.name": "n", "mutator.params.n.value_type": "${type}",
    "mutator.params.n.value_min": ${least}, "mutator.params.n.value_max": ${most}}}]`;

const OBJECTIVE = `name = "Stall"
[[mutator]]
name = "stall"
[[mutator.param_constraints]]
name = "n"
range = [0, 1000]
[[measurement]]
name = "m"
check = "MATCH (name = 'a') AS a"
[stopping_conditions]
attempts = 3
`;

const coordinate = (id: string) => `{"EventCoordinate":{"timeline_id":"${TIMELINE}","id":${id}}}`;
const bytes = (last: number) => `[${[...Array(15).fill(0), last]}]`;

test.each([
  ['Nanoseconds', '{"Nanoseconds":0}', '{"Nanoseconds":10}', '10ns', '0ns'],
  ['Nanoseconds', '{"Timestamp":0}', '{"Timestamp":10}', '10ns', '0ns'],
  ['LogicalTime', '{"LogicalTime":0}', '{"LogicalTime":10}', '0:0:0:10', '0:0:0:0'],
  ['LogicalTime', '{"LogicalTime":[0,0,0,0]}', '{"LogicalTime":[0,0,0,10]}', '0:0:0:10', '0:0:0:0'],
  ['BigInteger', '{"BigInt":0}', '{"BigInt":10}', '10', '0'],
  ['BigInteger', '{"BigInt":"0"}', '{"BigInt":"10"}', '10', '0'],
])(
  'a range outside the hard range of a %s from %s to %s is an error at its bound',
  async (type, least, most, upper, lower) => {
    const cwd = directoryWith({
      'listing.json': listing(type, least, most),
      'stall.objective.toml': OBJECTIVE,
    });
    const args = ['objective', 'lint', 'stall.objective.toml', '--mutators', 'listing.json'];
    const { code, stdout } = await perturb([...args, '--format', 'json'], { cwd });
    const { findings } = JSON.parse(stdout);
    expect(findings).toMatchObject([
      {
        rule: 'catalog/range-outside-hard-range',
        severity: 'error',
        message: `1000 is outside the hard range [${lower}, ${upper}] of parameter "n"`,
        help: 'write 10 or less',
        range: { start: { line: 6, column: 13 }, end: { line: 6, column: 17 } },
      },
    ]);
    expect([code, findings.length]).toEqual([1, 1]);
  },
);

test.each([
  ['Nanoseconds', '{"Nanoseconds":0}', '{"Nanoseconds":10}', '5', '{"Nanoseconds":5}'],
  ['Nanoseconds', '{"Timestamp":0}', '{"Timestamp":10}', '5', '{"Timestamp":5}'],
  ['LogicalTime', '{"LogicalTime":0}', '{"LogicalTime":10}', '5', '{"LogicalTime":5}'],
  [
    'LogicalTime',
    '{"LogicalTime":[0,0,0,0]}',
    '{"LogicalTime":[9,0,0,0]}',
    '5',
    '{"LogicalTime":[0,0,0,5]}',
  ],
  ['BigInteger', '0', '{"BigInt":123456789012345678901234567890}', '5', '{"BigInt":5}'],
  ['BigInteger', '0', '{"BigInt":"10"}', '5', '{"BigInt":"5"}'],
  ['BigInteger', '0', '10', '5', '5'],
  ['Coordinate', coordinate('0'), coordinate('9'), coordinate(bytes(5)), coordinate('5')],
  ['Coordinate', coordinate(bytes(0)), coordinate(bytes(9)), coordinate('5'), coordinate(bytes(5))],
])('for a %s from %s to %s, %s is sent as %s', async (type, least, most, typed, sent) => {
  const { url, changes } = await serveMutators({ listing: listing(type, least, most) });
  const args = ['mutators', 'inject', 'stall', '-p', `n=${typed}`, '--mutation', MUTATION];
  const { code, stderr } = await perturb([...args, '-s', url]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(changes.map(({ body }) => body)).toEqual([
    `{"mutation":"${MUTATION}","params":{"n":${sent}}}`,
  ]);
});

test('a value that the shape of the listing cannot hold is not sent', async () => {
  const open = listing('Nanoseconds', '{"Timestamp":0}', 'null').replace(
    'value_min',
    'least_effect_value',
  );
  const { url, changes } = await serveMutators({ listing: open });
  const { code, stderr } = await perturb(['mutators', 'inject', 'stall', '-p', 'n=-1', '-s', url]);
  expect(stderr.split('\n').slice(-3)).toEqual([
    'perturb: nothing was sent to the mutator "stall":',
    '  parameter "n": -1ns cannot be sent: the server writes such values as {"Timestamp": an unsigned 64-bit integer}',
    '',
  ]);
  expect([code, changes]).toEqual([2, []]);
});
