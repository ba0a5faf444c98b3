import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ownPort } from '../adversary/harness/systems.js';
import { serveMutators } from '../cli/mutator-server.js';
import { directoryWith, perturbProcess } from '../cli/program.js';
import { MUTATION, startProgram, startServer } from '../server/programs/server-program.js';
import { cleanUpAfterAll } from './clean-up.js';

/*
 * A test for each row and sentence on the mutator API in sections 2, 4, 5 and 7 of the requirements,
 * named after it. They see of `perturb serve mutators` what any HTTP client does.
 */

const KEY = 'a key, with spaces';
const TOKEN = "the platform's token";
const CALM = '{"speed": 0.0}\n';
const ID = 'gazebo/wind 1';

const MANIFEST = `[[mutator]]
name = "wind"
id = "${ID}"
layer = "environmental"
max_active = "10min"

[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]

[mutator.actuator]
kind = "file"
path = "wind.json"
key = ["speed"]
value = "{speed}"

[[mutator]]
name = "broken"

[mutator.actuator]
kind = "exec"
inject = ["false"]
reset = ["true"]
`;

/** The listing of that manifest, as section 2.1 writes it. */
const LISTING = [
  {
    mutator_correlation_id: 'broken',
    attributes: {
      'mutator.name': 'broken',
      'mutator.perturb.timeout': { Nanoseconds: 10_000_000_000 },
    },
  },
  {
    mutator_correlation_id: ID,
    attributes: {
      'mutator.name': 'wind',
      'mutator.layer': 'environmental',
      'mutator.params.speed.name': 'speed',
      'mutator.params.speed.value_type': 'Float',
      'mutator.params.speed.value_min': 0,
      'mutator.params.speed.value_max': 40,
      'mutator.perturb.max_active': { Nanoseconds: 600_000_000_000 },
    },
  },
];

/** A running server, and the file that its mutator `wind` changes. */
interface Served {
  readonly url: string;
  readonly system: () => string;
}

const onFinished = cleanUpAfterAll();

let open: Served;
let keyed: Served;
let plugin: Served;
beforeAll(async () => {
  [open, keyed, plugin] = await Promise.all([
    serve(),
    serve('--base-path', '/your/route', '--api-key-env', 'THE_KEY'),
    servePlugin(),
  ]);
});

function project(): { readonly cwd: string; readonly system: () => string } {
  const cwd = directoryWith({ 'mutators.toml': MANIFEST, 'wind.json': CALM }, onFinished);
  return { cwd, system: () => readFileSync(join(cwd, 'wind.json'), 'utf8') };
}

async function serve(...flags: readonly string[]): Promise<Served> {
  const { cwd, system } = project();
  const { url } = await startServer(flags, { cwd, env: { THE_KEY: KEY }, onFinished });
  return { url, system };
}

/** Starts the server with what a reflector gives to a plugin. */
async function servePlugin(): Promise<Served> {
  const { cwd, system } = project();
  for (;;) {
    const port = await ownPort();
    const config = join(cwd, 'reflector.toml');
    writeFileSync(config, `[mutation]\nmutator-http-api-port = ${port}\n`);
    const env = { PLATFORM_REFLECTOR_CONFIG: config, PLATFORM_AUTH_TOKEN: TOKEN };
    const program = startProgram(['--require-auth-token'], { cwd, env, onFinished });
    // Another program may have taken the port meanwhile.
    const [said] = await program.said(/^Serving |the port is already in use/m);
    if (said === 'Serving ') return { url: `http://127.0.0.1:${port}`, system };
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function ask(url: string, request: RequestInit): Promise<Answer> {
  const response = await fetch(url, request);
  return { status: response.status, body: await response.text() };
}

/** An answer without a body. */
const bare = (status: number): Answer => ({ status, body: '' });

const header = (key?: string): Record<string, string> =>
  key === undefined ? {} : { mutator_apikey: key };

const listed = ({ url }: Served, key?: string) => ask(`${url}/mutator`, { headers: header(key) });

const pathOf = (id: string) => `/mutator/${encodeURIComponent(id)}/mutation`;

const GALE = { mutation: MUTATION, params: { speed: 30.5 } };

const created = ({ url }: Served, id = ID, mutation: unknown = GALE, key?: string) =>
  ask(url + pathOf(id), {
    method: 'POST',
    headers: { ...header(key), 'content-type': 'application/json' },
    body: typeof mutation === 'string' ? mutation : JSON.stringify(mutation),
  });

const deleted = ({ url }: Served, id = ID, key?: string) =>
  ask(url + pathOf(id), { method: 'DELETE', headers: header(key) });

/** The mutators that a server lists. */
const mutatorsOf = async (served: Served) => JSON.parse((await listed(served)).body);

test('2.1 Mutator.attributes: required, an object of dotted keys and JSON values', async () => {
  const attributes = (one: { attributes: object }) => one.attributes;
  expect((await mutatorsOf(open)).map(attributes)).toEqual(LISTING.map(attributes));
});

test('2.1 Mutator.mutator_correlation_id: required, a string, used in the paths', async () => {
  const ids = (await mutatorsOf(open)).map(
    (one: { mutator_correlation_id: string }) => one.mutator_correlation_id,
  );
  expect(ids).toEqual(['broken', ID]);
  for (const id of ids) expect(await deleted(open, id)).toEqual(bare(200));
});

test.each([
  ['2.2 Mutation.mutation: required', { params: { speed: 1.5 } }],
  ['2.2 Mutation.mutation: a string', { mutation: 5, params: { speed: 1.5 } }],
  ['2.2 Mutation.mutation: of format uuid', { mutation: 'gale', params: { speed: 1.5 } }],
  ['2.2 Mutation.params: required', { mutation: MUTATION }],
  ['2.2 Mutation.params: an object', { mutation: MUTATION, params: [1.5] }],
  ['2.2 Mutation.params: names of the mutator', { mutation: MUTATION, params: { sped: 1.5 } }],
  ['2.2 Mutation.params: types of the mutator', { mutation: MUTATION, params: { speed: 'high' } }],
])('%s', async (_row, mutation) => {
  expect(await created(open, ID, mutation)).toEqual(bare(400));
  expect(open.system()).toBe(CALM);
});

const TIMELINE = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';

const coordinate = (id: string) => `{"EventCoordinate":{"timeline_id":"${TIMELINE}","id":${id}}}`;

const NO_COORDINATE =
  'EventCoordinate: expected a "timeline_id" and a 32-bit "id", or a "timeline_id" and a 16-byte "id"';

/** Each schema with values of it, and with what is not one and why. */
const SCHEMAS: readonly [row: string, values: string[], others: [value: string, why: string][]][] =
  [
    [
      'AttrVal: JSON types are represented natively',
      ['"text"', 'true', '5', '5.0', '-2.5'],
      [['null', 'null is not an attribute value']],
    ],
    [
      'AttrVal: a named type is an object with one member named after it',
      [`{"TimelineId":"${TIMELINE}"}`],
      [
        ['{"Speed":5}', 'unknown attribute value type "Speed"'],
        [
          '{"Nanoseconds":5,"LogicalTime":5}',
          'an attribute value must be an object with exactly one member',
        ],
      ],
    ],
    [
      'BigInt: an integer needing more than 64 bits',
      ['{"BigInt":123456789012345678901234567890}', '{"BigInt":-18446744073709551616}'],
      [
        [
          '{"BigInt":1.5}',
          'BigInt: expected an integer of at most 1,000 digits, or a string with a decimal integer of at most 128 bits',
        ],
      ],
    ],
    [
      'EventCoordinate: id (integer, int32) and timeline_id, both required',
      [coordinate('2147483647'), coordinate('-2147483648')],
      [
        [coordinate('2147483648'), NO_COORDINATE],
        [`{"EventCoordinate":{"timeline_id":"${TIMELINE}"}}`, NO_COORDINATE],
        ['{"EventCoordinate":{"id":5}}', NO_COORDINATE],
      ],
    ],
    [
      'LogicalTime: integer, int64',
      ['{"LogicalTime":9223372036854775807}', '{"LogicalTime":-9223372036854775808}'],
      [
        [
          '{"LogicalTime":9223372036854775808}',
          'LogicalTime: expected a 64-bit integer, or four unsigned 64-bit integers',
        ],
      ],
    ],
    [
      'Nanoseconds: integer, int64',
      ['{"Nanoseconds":9223372036854775807}', '{"Nanoseconds":-9223372036854775808}'],
      [['{"Nanoseconds":9223372036854775808}', 'Nanoseconds: expected a 64-bit integer']],
    ],
    [
      'TimelineId: string, format uuid',
      [`{"TimelineId":"${TIMELINE}"}`],
      [['{"TimelineId":"gazebo"}', 'TimelineId: expected a UUID']],
    ],
  ];

test('2.3 AttrKey: string', async () => {
  const attributes = '"acme.wind speed-ü":5';
  expect(await inspected(attributes)).toEqual({ attributes, warnings: [] });
});

test.each(SCHEMAS)('2.3 %s', async (_row, values, others) => {
  const attributes = values.map((value, index) => `"acme.${index}":${value}`).join(',');
  const none = others.map(([value], index) => `"acme.none-${index}":${value}`).join(',');
  expect(await inspected(`${attributes},${none}`)).toEqual({
    attributes,
    warnings: others.map(([, why], index) => `"acme.none-${index}" is skipped: ${why}`),
  });
});

/** The attributes of a mutator in the listing of any server, as `inspect` prints them, without white space. */
async function inspected(attributes: string) {
  const listing = `[{"mutator_correlation_id":"x","attributes":{${attributes}}}]`;
  const { url } = await serveMutators({ listing });
  const args = ['mutators', 'inspect', 'x', '--server', url, '--format', 'json'];
  const { stdout, stderr } = await perturbProcess(args);
  const compact = stdout.replace(/\n *|(?<=":) /g, '');
  return {
    attributes: /"attributes":\{(.*)\}\}\}$/.exec(compact)?.[1],
    warnings: stderr
      .split('perturb: warning: mutator "x": ')
      .slice(1)
      .map((one) => one.trimEnd()),
  };
}

test.each([
  ['GET', '/', 404],
  ['GET', '/mutators', 404],
  ['GET', `/mutator/${encodeURIComponent(ID)}`, 404],
  ['POST', '/mutator', 405],
  ['DELETE', '/mutator', 405],
  ['GET', pathOf(ID), 405],
  ['PUT', pathOf(ID), 405],
  ['PATCH', pathOf(ID), 405],
])('4 exactly these endpoints: %s %s has no other answer than %i', async (method, path, status) => {
  expect(await ask(open.url + path, { method })).toEqual(bare(status));
});

test('4 paths are relative to the URL of the API', async () => {
  expect(new URL(keyed.url).pathname).toBe('/your/route');
  const { origin } = new URL(keyed.url);
  expect((await listed(keyed, KEY)).status).toBe(200);
  expect(await listed({ ...keyed, url: origin }, KEY)).toEqual(bare(404));
});

test('4.1 List mutators: 200 with a JSON array of all mutators', async () => {
  const response = await fetch(`${open.url}/mutator`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(await response.json()).toEqual(LISTING);
});

test('4.1 List mutators: the header mutator_apikey when authentication is required', async () => {
  expect(JSON.parse((await listed(keyed, KEY)).body)).toEqual(LISTING);
});

test('4.2 Create mutation: 201, and the state in the system is overridden', async () => {
  expect(await created(open)).toEqual(bare(201));
  expect(open.system()).toBe('{"speed": 30.5}\n');
  expect(await deleted(open)).toEqual(bare(200));
});

test('4.2 Create mutation: mutator_correlation_id is one percent-encoded segment of the path', async () => {
  const plain = { ...open, url: `${open.url}/mutator/${ID}/mutation` };
  expect(await ask(plain.url, { method: 'POST', body: JSON.stringify(GALE) })).toEqual(bare(404));
  expect(open.system()).toBe(CALM);
});

test.each([
  ['none', ''],
  ['no JSON', 'speed=30.5'],
  ['no object', '[]'],
])(
  '4.2 Create mutation: a Mutation object as JSON is required as the body, not %s',
  async (_, body) => {
    expect(await created(open, ID, body)).toEqual(bare(400));
    expect(open.system()).toBe(CALM);
  },
);

test('4.3 Delete mutations: 200, and the state in the system is reset', async () => {
  expect(await created(open)).toEqual(bare(201));
  expect(await created(open, ID, { mutation: TIMELINE, params: { speed: 2.5 } })).toEqual(
    bare(201),
  );
  expect(open.system()).toBe('{"speed": 2.5}\n');
  expect(await deleted(open)).toEqual(bare(200));
  expect(open.system()).toBe(CALM);
});

test('4.3 Delete mutations: 200 if there is none', async () => {
  expect(await deleted(open)).toEqual(bare(200));
});

/** The three endpoints of section 4, each asked with a key. */
const ENDPOINTS = [
  ['4.1 List mutators', 'view mutators', (key?: string) => listed(keyed, key)],
  ['4.2 Create mutation', 'create mutations', (key?: string) => created(keyed, ID, GALE, key)],
  ['4.3 Delete mutations', 'delete mutations', (key?: string) => deleted(keyed, ID, key)],
] as const;

test.each(ENDPOINTS)('%s: 400 without the header mutator_apikey', async (_row, _to, request) => {
  expect(await request()).toEqual(bare(400));
  expect(keyed.system()).toBe(CALM);
});

test.each(ENDPOINTS)('%s: 401 if unauthorized to %s', async (_row, _to, request) => {
  for (const key of ['another key', `${KEY}.`, '']) expect(await request(key)).toEqual(bare(401));
  expect(keyed.system()).toBe(CALM);
});

test('4.2 Create mutation: 404 if the target mutator does not exist', async () => {
  expect(await created(open, 'no such mutator')).toEqual(bare(404));
});

test('4.2 Create mutation: 500 on an internal mutator error', async () => {
  expect(await created(open, 'broken', { mutation: MUTATION, params: {} })).toEqual(bare(500));
});

test('4.3 Delete mutations: 404 if the target mutator does not exist', async () => {
  expect(await deleted(open, 'no such mutator')).toEqual(bare(404));
});

test('5.1 authentication may be required or not', async () => {
  expect((await listed(open)).status).toBe(200);
  expect((await listed(open, 'any key')).status).toBe(200);
  expect((await listed(keyed)).status).toBe(400);
});

test('5.2 the header mutator_apikey carries the key', async () => {
  expect((await listed(keyed, KEY)).status).toBe(200);
  expect(await created(keyed, ID, GALE, KEY)).toEqual(bare(201));
  expect(keyed.system()).toBe('{"speed": 30.5}\n');
  expect(await deleted(keyed, ID, KEY)).toEqual(bare(200));
  expect(keyed.system()).toBe(CALM);
});

test('5.3 400 if the header is absent, 401 if the caller is not authorized', async () => {
  const url = `${keyed.url}/mutator`;
  expect(await ask(url, { headers: { authorization: `Bearer ${KEY}` } })).toEqual(bare(400));
  expect(await ask(url, { headers: { mutator_apikey: 'another key' } })).toEqual(bare(401));
});

test('5.4 a plugin is given PLATFORM_AUTH_TOKEN, which it can require as the key', async () => {
  expect(await listed(plugin)).toEqual(bare(400));
  expect(await listed(plugin, KEY)).toEqual(bare(401));
  expect(JSON.parse((await listed(plugin, TOKEN)).body)).toEqual(LISTING);
  expect(await created(plugin, ID, GALE, TOKEN)).toEqual(bare(201));
  expect(plugin.system()).toBe('{"speed": 30.5}\n');
  expect(await deleted(plugin, ID, TOKEN)).toEqual(bare(200));
});

test('7 400 applies to all three endpoints, and to mutators that do not exist', async () => {
  for (const [, , request] of ENDPOINTS) expect(await request()).toEqual(bare(400));
  expect(await created(keyed, 'no such mutator')).toEqual(bare(400));
  expect(await deleted(keyed, 'no such mutator')).toEqual(bare(400));
});

test('7 401 applies to all three endpoints, and to mutators that do not exist', async () => {
  for (const [, , request] of ENDPOINTS) expect(await request('another key')).toEqual(bare(401));
  expect(await created(keyed, 'no such mutator', GALE, 'another key')).toEqual(bare(401));
  expect(await deleted(keyed, 'no such mutator', 'another key')).toEqual(bare(401));
});

test('7 404 applies to creating and deleting, whatever else is wrong with the request', async () => {
  expect(await created(open, 'no such mutator', '{')).toEqual(bare(404));
  expect(await created(keyed, 'no such mutator', GALE, KEY)).toEqual(bare(404));
  expect(await deleted(keyed, 'no such mutator', KEY)).toEqual(bare(404));
});

test('7 500 applies to creating, and leaves the mutator usable', async () => {
  const none = { mutation: MUTATION, params: {} };
  expect(await created(keyed, 'broken', none, KEY)).toEqual(bare(500));
  expect(await deleted(keyed, 'broken', KEY)).toEqual(bare(200));
});

test('7 error responses carry no body, nor the type of one', async () => {
  const errors = [
    fetch(`${keyed.url}/mutator`),
    fetch(`${keyed.url}/mutator`, { headers: header('another key') }),
    fetch(open.url + pathOf('no such mutator'), { method: 'DELETE' }),
    fetch(open.url + pathOf('broken'), {
      method: 'POST',
      body: JSON.stringify({ mutation: MUTATION, params: {} }),
    }),
  ];
  const answers = [];
  for (const response of await Promise.all(errors)) {
    const { headers, status } = response;
    answers.push([
      status,
      headers.get('content-length'),
      headers.get('content-type'),
      await response.text(),
    ]);
  }
  expect(answers).toEqual([400, 401, 404, 500].map((status) => [status, '0', null, '']));
});
