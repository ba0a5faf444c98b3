import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';
import { serveSdk } from './sdk-server.js';

const OBJECTIVE = `name = "motor"
[[measurement]]
name = "quiet"
check = "MATCH (name = 'stall') AS stall AGGREGATE count() = 0"
[stopping_conditions]
attempts = 3
`;

const NAMED = `${OBJECTIVE}[[mutator]]
name = "my.local.test-mutator mutator"
[[mutator.param_constraints]]
name = "my-param"
range = [0, 101]
`;

const LEFT_OUT =
  'perturb: warning: mutator "note mutator", parameter "text": it has no options, no range and no default, so no value can be planned; skipping the mutator (constrain the parameter to a "range" of two strings, from which Perturb chooses one)';

/** Runs a command in a project whose only server is a new one, which has not answered any client yet. */
async function ask(...args: readonly string[]) {
  const { url, changes } = await serveSdk();
  const cwd = directoryWith({
    'perturb.toml': `[lint]\nmutators = ["lab"]\n[servers.lab]\nurl = "${url}"\n`,
    'motor.objective.toml': OBJECTIVE,
    'named.objective.toml': NAMED,
  });
  return { ...(await perturb(args, { cwd })), changes, url };
}

const inject = (id: string, ...params: readonly string[]) =>
  ask('mutators', 'inject', id, ...params.flatMap((param) => ['--param', param]));

test('list and inspect', async () => {
  const list = await ask('mutators', 'list', '--format', 'json');
  expect(list).toMatchObject({ code: 0, stderr: '' });
  const ids = JSON.parse(list.stdout).mutators.map(({ id }: { id: string }) => id);
  expect(ids).toEqual(['a.b.counter', 'my.local.test-mutator', 'note', 'rotor/left motor']);
  for (const [id, range] of [
    [
      'a.b.counter',
      '[-170141183460469231731687303715884105728, 170141183460469231731687303715884105727]',
    ],
    ['rotor/left motor', '[-inf, inf]'],
  ] as const) {
    const { code, stdout, stderr } = await ask('mutators', 'inspect', id);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(range);
  }
});

test.each([
  [
    'a.b.counter',
    ['count=170141183460469231731687303715884105727'],
    '{"count":{"BigInt":"170141183460469231731687303715884105727"}}',
  ],
  ['my.local.test-mutator', ['my-param=7'], '{"my-param":7}'],
  [
    'rotor/left motor',
    ['gain=-inf', 'wait=5'],
    '{"gain":{"NonFiniteFloat":"-Infinity"},"level":10.0,"wait":{"Timestamp":5}}',
  ],
  ['rotor/left motor', ['level=low', 'wait=5'], '{"gain":1.0,"level":1.5,"wait":{"Timestamp":5}}'],
])('inject %s with %j', async (id, params, sent) => {
  expect(await inject(id, ...params)).toMatchObject({
    ...{ code: 0, stderr: '' },
    changes: [`POST ${id} ${sent}`],
  });
});

test('reset, of one and of all, and stop', async () => {
  const all = ['a.b.counter', 'my.local.test-mutator', 'note', 'rotor/left motor'];
  const deletes = all.map((id) => `DELETE ${id}`);
  expect(await ask('mutators', 'reset', 'rotor/left motor')).toMatchObject({
    ...{ code: 0, stderr: '' },
    changes: ['DELETE rotor/left motor'],
  });
  const unknown = await ask('mutators', 'reset', 'rotor');
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('there is no mutator with the id or name "rotor"'),
  ]);
  const reset = await ask('mutators', 'reset', '--all');
  expect(reset).toMatchObject({ code: 0, stderr: '', changes: deletes });
  const stop = await ask('mutators', 'stop');
  expect(stop).toMatchObject({ code: 0, stderr: '' });
  expect([...stop.changes].sort()).toEqual(deletes);
});

test('lint, create and new check against its mutators', async () => {
  for (const command of ['lint', 'create']) {
    expect(await ask('objective', command, 'motor.objective.toml')).toMatchObject({
      ...{ code: 0, stderr: '' },
    });
    const { code, stdout, stderr } = await ask('objective', command, 'named.objective.toml');
    expect([code, stdout + stderr]).toEqual([
      1,
      expect.stringContaining('error[catalog/range-outside-hard-range]'),
    ]);
  }
  const created = await ask('objective', 'new', 'fresh', '--mutators', 'lab');
  expect([created.code, created.stderr]).toEqual([0, '']);
});

test('doctor says that it demands the header, though no key', async () => {
  const { code, stdout, url } = await ask('doctor', '--format', 'json');
  const demands = '4 mutators, without a key; requires the header mutator_apikey: none';
  expect(code).toBe(0);
  const { checks } = JSON.parse(stdout);
  const details = (subject: string) =>
    checks.flatMap((one: { readonly subject: string; readonly detail: string }) =>
      one.subject === subject ? one.detail : [],
    );
  expect(details('server lab')).toEqual([`${url}: ${demands}`]);
  expect(details('mutators lab')).toEqual([demands]);
});

test('a run plans, injects and resets, without the mutator that has no bounds', async () => {
  const run = ['objective', 'run', 'motor.objective.toml', '--seed', '3', '--out', 'out'];
  const event = '{"probe":"MOTOR","name":"turn","seq":0}';
  const system = ['--', 'sh', '-c', `echo '${event}' >> "$PERTURB_SESSION"`];
  const { code, stderr, changes } = await ask(...run, ...system);
  expect(stderr).toContain(LEFT_OUT);
  expect(code).toBe(0);
  const [posts, deletes] = ['POST', 'DELETE'].map((method) =>
    changes.filter((change) => change.startsWith(method)),
  );
  expect(posts?.length).toBe(3);
  expect(deletes?.length).toBe(3);
  expect(changes.filter((change) => change.includes(' note'))).toEqual([]);
});
