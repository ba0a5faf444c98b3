import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { applyEdits, type Finding } from '../../../src/diagnostics/index.js';
import {
  createManifestSchema,
  loadManifest,
  manifestRules,
  readListing,
  writeListing,
} from '../../../src/mutators/index.js';
import { decodeSource } from '../../../src/source/index.js';

const load = (path: string, bytes: Uint8Array) => loadManifest(decodeSource(path, bytes));
const loadText = (text: string) => load('wind.mutators.toml', Buffer.from(text));
const fixture = (name: string) => readFileSync(`fixtures/mutators/${name}`);

/** One finding a paragraph: where, what characters it marks, and what it says. */
function show({ rule, file, span, message, help, related = [] }: Finding): string {
  const place = ({ start, end }: { start: number; end: number }) => {
    const { line, column } = file.lines.position(start);
    return `${line}:${column} ${JSON.stringify(file.text.slice(start, end))}`;
  };
  const more = related.map((other) => `  ${other.message}: ${place(other.span)}`);
  const lines = [
    `${place(span)} ${rule}`,
    `  ${message}`,
    ...(help ? [`  (${help})`] : []),
    ...more,
  ];
  return `${lines.join('\n')}\n`;
}

test('a manifest becomes mutators with typed actuators', async () => {
  const { manifest, findings } = load('drone.mutators.toml', fixture('drone.mutators.toml'));
  expect(findings.map(show)).toEqual([]);
  const plain = (_: string, value: unknown) =>
    value instanceof Map ? [...value] : typeof value === 'bigint' ? `${value}n` : value;
  await expect(`${JSON.stringify(manifest, plain, 2)}\n`).toMatchFileSnapshot(
    '../../../fixtures/mutators/drone.manifest.json',
  );
});

test('the mutators of a manifest are listed, and read back', async () => {
  const { manifest } = load('drone.mutators.toml', fixture('drone.mutators.toml'));
  const mutators = manifest?.mutators ?? [];
  const text = writeListing(mutators, 2);
  await expect(text).toMatchFileSnapshot('../../../fixtures/mutators/drone.listing.json');
  const listed = mutators.map(({ actuator: _, maxActiveMs: __, ...mutator }) => mutator);
  expect(readListing(text)).toEqual({
    mutators: listed.sort((a, b) => (a.id < b.id ? -1 : 1)),
    warnings: [],
  });
});

test('every mistake of a manifest is found, to the character', async () => {
  const { manifest, findings } = load('bad.mutators.toml', fixture('bad.mutators.toml'));
  expect(manifest).toBeUndefined();
  await expect(findings.map(show).join('\n')).toMatchFileSnapshot(
    '../../../fixtures/mutators/bad.manifest.findings.txt',
  );
  const found = new Set(findings.map(({ rule }) => rule));
  expect(found).toEqual(new Set([...manifestRules.map(({ id }) => id), 'toml/encoding']));
});

test.each([
  ['injected = { refused = true }', '7:12 "{ refused = true }"', 'missing key "command"'],
  [
    'reset = { tcp = "127.0.0.1:1", command = ["true"] }',
    '7:11 "tcp"',
    'a check must have only one of "command", "request" and "tcp", found "command" and "tcp"',
  ],
  ['injected = { tcp = "127.0.0.1:1", exit = 1 }', '7:35 "exit"', '"exit" does not apply to "tcp"'],
  [
    'injected = { command = ["true"], status = 200 }',
    '7:34 "status"',
    '"status" does not apply to "command"',
  ],
  [
    'injected = { command = ["true"], refused = true }',
    '7:34 "refused"',
    '"refused" does not apply to "command"',
  ],
  [
    'reset = { tcp = "127.0.0.1:1", refused = true, slower_than = "1s" }',
    '7:48 "slower_than"',
    '"slower_than" does not apply to a refused connection',
  ],
  ['reset = { tcp = "5432" }', '7:17 ', '"5432" is not HOST:PORT'],
  ['reset = { tcp = "a:65536" }', '7:17 ', '"a:65536" is not HOST:PORT'],
  [
    'reset = { request = { url = "localhost" } }',
    '7:29 ',
    '"localhost" is not a URL with http:// or https://',
  ],
  ['injected = { request = { url = "http://a/{x}" } }', '7:42 "{x}"', 'unknown placeholder "{x}"'],
  [
    'reset = { command = ["echo", "{x}"] }',
    '7:31 "{x}"',
    'parameters are not available in a reset, found "{x}"',
  ],
  ['reset = { command = [] }', '7:21 "[]"', '"command" has no command'],
  ['reset = { command = ["a"], exit = 256 }', '7:35 "256"', '"exit" is 256, expected 0 to 255'],
])('the check %s has its finding', (check, place, message) => {
  const { findings } = loadText(`[[mutator]]
name = "m"
actuator = { kind = "exec", inject = ["a"], reset = ["b"] }

# How its effect is verified.
[mutator.verify]
${check}
`);
  expect(findings.map(show).map((text) => text.split('\n').slice(0, 2))).toEqual([
    [expect.stringContaining(place), `  ${message}`],
  ]);
});

test.each(manifestRules.map(({ id, examples }) => [id, examples] as const))(
  'the examples of %s fail and pass',
  (id, { fails, passes }) => {
    expect(loadText(fails).findings.map(({ rule }) => rule)).toEqual([id]);
    expect(loadText(passes).findings.map(show)).toEqual([]);
  },
);

test('a file that is not TOML, or not UTF-8, is told', () => {
  const broken = loadText('[[mutator]\n');
  expect(broken.findings.map(({ rule }) => rule)).toEqual(['toml/syntax']);
  expect(broken.manifest).toBeUndefined();
  const bytes = Buffer.from(manifestRules[0]?.examples.passes ?? '');
  bytes[bytes.indexOf('wind')] = 0xff;
  const { manifest, findings } = load('wind.mutators.toml', bytes);
  expect(findings.map(({ rule, span }) => [rule, span.end - span.start])).toEqual([
    ['toml/encoding', 1],
  ]);
  expect(manifest).toBeUndefined();
});

test.each(['', '# nothing\n', 'mutator = []\n', 'mutator = 5\n', '[mutator]\nname = "a"\n'])(
  '%j has no mutators, and says so once',
  (text) => {
    const { findings, manifest } = loadText(text);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.rule).toMatch(/^manifest\/(missing-key|wrong-type)$/);
    expect(manifest).toBeUndefined();
  },
);

test.each([
  ['name = "a"\n[[mutator]]\nname = "wind"\n\n[[measurement]]\nname = "m"\n', '5:3 "measurement"'],
  ['[stopping_conditions]\nattempts = 3\n', '1:2 "stopping_conditions"'],
])('an objective gets one finding, not one for each key: %j', (text, place) => {
  expect(loadText(text).findings.map(show)).toEqual([
    `${place} manifest/unknown-key
  expected a mutator manifest, found an objective
  (pass a file with [[mutator]] tables and their actuators)
`,
  ]);
});

test('a manifest with a key of objectives is still a manifest', () => {
  const good = fixture('drone.mutators.toml').toString('utf8');
  const { findings } = loadText(`${good}\n[stopping_conditions]\n`);
  expect(findings.map(({ message }) => message)).toEqual(['unknown key "stopping_conditions"']);
});

test('the JSON Schema accepts the good manifest and refuses the parts of the bad one', () => {
  const validate = new Ajv({ strict: false }).compile(createManifestSchema());
  const { mutator: good } = parse(fixture('drone.mutators.toml').toString('utf8'));
  expect([validate({ mutator: good }), validate.errors]).toEqual([true, null]);
  expect(validate({ mutator: [] })).toBe(false);
  const text = fixture('bad.mutators.toml').toString('utf8').replace('9223372036854775808', '0');
  const names = (parse(text)['mutator'] as { name: string }[]).flatMap((one) =>
    validate({ mutator: [one] }) ? [one.name] : [],
  );
  // What is wrong with these the schema does not say: URLs, and keys that go together.
  expect(names).toEqual(['Link', 'link', 'neither', 'half', 'unused']);
});

test('what other tools write for types, bounds and placeholders has its answer', () => {
  const { findings } = load(
    'm.toml',
    Buffer.from(`[[mutator]]
name = "wind"

[[mutator.param]]
name = "speed"
type = "int"
min = 0
max = 4

[[mutator.param]]
name = "mode"
type = "string"

[mutator.actuator]
kind = "exec"
inject = ["./w", "$speed", "--a=\${mode}", "{{speed}}", "$home", "{{other}}", "a $speed"]
reset = ["./w"]
`),
  );
  expect(findings.map(({ message, help }) => [message, help])).toEqual([
    ['"type" cannot be "int"', 'write "integer"'],
    ['unknown key "min"', 'write hard_range = [0, 4]'],
    ['"$speed" is not a placeholder: the text stays unchanged', 'write {speed}'],
    ['"$\x7bmode}" is not a placeholder: the "$" stays in the text', 'write {mode}'],
    ['"{{speed}}" is not a placeholder: the text stays unchanged', 'write {speed}'],
  ]);
});

test('a command in one text is answered with its words', () => {
  const written = '"./wind.sh set {speed}"';
  const text = String(fixture('drone.mutators.toml')).replace(/(?<=^inject = )\[.*\]/m, written);
  const [finding] = loadText(text).findings;
  expect(finding?.help).toBe('write ["./wind.sh", "set", "{speed}"]');
  expect(applyEdits(text, finding?.fix?.edits ?? [])).toBe(
    text.replace(written, '["./wind.sh", "set", "{speed}"]'),
  );
});

const speed = (actuator: string, param = 'type = "float"') =>
  `[[mutator]]\nname = "w"\n[[mutator.param]]\nname = "speed"\n${param}\n[mutator.actuator]\n${actuator}\n`;
const http = (inject: string) =>
  `kind = "http"\ninject = { url = "http://127.0.0.1:9/w"${inject} }\nreset = { url = "http://127.0.0.1:9/c" }`;
const UNUSED = ['manifest/unused-param "speed"'];

test.each([
  [http(''), UNUSED],
  [http(', body = \'{"speed": 5}\''), UNUSED],
  [http(', body = \'{"speed": "{speed}"}\''), []],
  ['kind = "file"\npath = "a"\ntemplate = "x"', UNUSED],
  ['kind = "file"\npath = "a"\ntemplate = "{speed}"', []],
  [
    'kind = "file"\npath = "a.json"\nkey = ["a"]\nvalue = "{sped}"',
    ['manifest/unknown-placeholder {sped}'],
  ],
  [
    'kind = "file"\npath = "a.json"\nkey = ["a"]\nvalue = "$speed"',
    ['manifest/unknown-placeholder $speed'],
  ],
  ['kind = "exec"\ninject = ["./w"]\nreset = ["./w"]', []],
  ['kind = "module"\npath = "./w.js"', []],
])('%s has the findings %j', (actuator, findings) => {
  const text = speed(actuator);
  const loaded = loadText(text);
  expect(
    loaded.findings.map(({ rule, span }) => `${rule} ${text.slice(span.start, span.end)}`),
  ).toEqual(findings);
  const isError = loaded.findings.some(({ severity }) => severity === 'error');
  expect(loaded.manifest === undefined).toBe(isError);
});

const EXEC = 'kind = "exec"\ninject = ["./w"]\nreset = ["./w"]';

test.each([
  ['float', '[inf, -inf]', ['the lower bound inf is above the upper bound -inf']],
  ['float', '[inf, inf]', ['the lower bound inf excludes every finite value']],
  ['float', '[-inf, inf]', []],
  [
    'float',
    '[9007199254740993, 9007199254740992]',
    ['the lower bound 9007199254740993 is above the upper bound 9007199254740992'],
  ],
  ['integer', '[0, 9007199254740993.0]', ['the bound 9007199254740993.0 is not an integer']],
  ['integer', '[0, 1e18]', ['the bound 1e18 is not an integer']],
  ['integer', '[-inf, 9223372036854775807]', []],
])('a hard range of type %s, %s, has the findings %j', (type, range, messages) => {
  const { findings } = loadText(speed(EXEC, `type = "${type}"\nhard_range = ${range}`));
  expect(findings.map(({ message }) => message)).toEqual(messages);
});

test('a placeholder stands for the parameter of its name before that of its key', () => {
  const params = ['a b', 'a_b'].map(
    (name) => `[[mutator.param]]\nname = "${name}"\ntype = "float"\n`,
  );
  const actuator = `[mutator.actuator]\n${http(`, body = '{"v": "{a_b}"}'`)}\n`;
  const { findings } = loadText(`[[mutator]]\nname = "w"\n${params.join('')}${actuator}`);
  expect(findings.map(({ message }) => message)).toEqual([
    'parameter "a b" has no placeholder, so the system never receives its value',
  ]);
});

test('parameters that a command gets in one variable are told, and served all the same', () => {
  const param = (name: string) => `[[mutator.param]]\nname = "${name}"\ntype = "float"\n`;
  const names = ['wind-speed', 'wind_speed', 'Wind speed', 'other'];
  const command = 'kind = "exec"\ninject = ["./wind", "{other}"]\nreset = ["./wind"]';
  const module = 'kind = "module"\npath = "./wind.js"';
  const manifestOf = (actuator: string) =>
    `[[mutator]]\nname = "wind"\n${names.map(param).join('')}[mutator.actuator]\n${actuator}\n`;
  const { manifest, findings } = loadText(manifestOf(command));
  expect(manifest?.mutators).toHaveLength(1);
  expect(findings.map(({ severity }) => severity)).toEqual(['warning', 'warning']);
  expect(findings.map(show).join('')).toBe(`7:8 "\\"wind_speed\\"" manifest/duplicate-id
  "wind-speed" and "wind_speed" set the same environment variable, PERTURB_PARAM_WIND_SPEED, so the last value overwrites the others
  (rename one of the parameters)
  the first occurrence: 4:8 "\\"wind-speed\\""
10:8 "\\"Wind speed\\"" manifest/duplicate-id
  "wind-speed" and "Wind speed" set the same environment variable, PERTURB_PARAM_WIND_SPEED, so the last value overwrites the others
  (rename one of the parameters)
  the first occurrence: 4:8 "\\"wind-speed\\""
`);
  expect(loadText(manifestOf(module)).findings).toEqual([]);
});
