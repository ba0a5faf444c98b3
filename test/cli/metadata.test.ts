import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

/* The metadata of objectives in what commands write, and what `--only` selects by it. */

const OBJECTIVE = `# @suite = "nightly"
name = "Drone in wind"

# @requirement = "REQ-7"
# @requirement = "REQ-8"
[[measurement]]
name = "No crash"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

# @requirement = "REQ-9"
[[measurement]]
name = "A gust"
check = "MATCH (name = 'GUST') AS gust"

[stopping_conditions]
attempts = 10
`;
const SESSION = '{"probe":"A","name":"CRASH","seq":0}\n';
const files = { 'o.toml': OBJECTIVE, 's.jsonl': SESSION };

const measure = (...flags: readonly string[]) =>
  perturb(['objective', 'measure', 'o.toml', 's.jsonl', ...flags], { cwd: directoryWith(files) });

test('results of measurements have the metadata', async () => {
  const { stdout: json } = await measure('--format', 'json');
  expect(
    JSON.parse(json).sessions[0].measurements.map(({ metadata }: { metadata: object }) => metadata),
  ).toEqual([
    { suite: ['nightly'], requirement: ['REQ-7', 'REQ-8'] },
    { suite: ['nightly'], requirement: ['REQ-9'] },
  ]);
  const { stdout: junit } = await measure('--format', 'junit');
  expect(junit.match(/<testcase[^>]*>|<property .*>/g)).toEqual([
    '<testcase classname="s.jsonl" name="No crash">',
    '<property name="suite" value="nightly"/>',
    '<property name="requirement" value="REQ-7, REQ-8"/>',
    '<testcase classname="s.jsonl" name="A gust">',
    '<property name="suite" value="nightly"/>',
    '<property name="requirement" value="REQ-9"/>',
    '<property name="order" value="ordered by clocks"/>',
    '<property name="vacuous" value="true"/>',
  ]);
  const { stdout: html } = await measure('--format', 'html');
  expect(html).toContain(
    '<div>No crash</div><div>suite: nightly</div><div>requirement: REQ-7, REQ-8</div>',
  );
});

test.each([
  [['@requirement=REQ-8'], ['No crash']],
  [
    ['@requirement=REQ-9', '@requirement=REQ-7'],
    ['No crash', 'A gust'],
  ],
  [['@suite=nightly'], ['No crash', 'A gust']],
])('--only %j measures %j', async (selectors, names) => {
  const flags = selectors.flatMap((one) => ['--only', one]);
  const { code, stdout } = await measure(...flags, '--format', 'json');
  const [{ measurements }] = JSON.parse(stdout).sessions;
  expect(measurements.map(({ name }: { name: string }) => name)).toEqual(names);
  expect(code).toBe(1);
});

test.each([
  [
    '@requirement=REQ-1',
    'perturb: no measurement of "Drone in wind" has @requirement=REQ-1\nIts values of @requirement are "REQ-7", "REQ-8", "REQ-9".\n',
  ],
  [
    '@ticket=7',
    'perturb: no measurement of "Drone in wind" has @ticket=7\nWrite a comment above [[measurement]]: # @ticket = "..."\n',
  ],
  [
    '@toString=7',
    'perturb: no measurement of "Drone in wind" has @toString=7\nWrite a comment above [[measurement]]: # @toString = "..."\n',
  ],
])('--only %s, which no measurement has, is wrong usage', async (selector, stderr) => {
  expect(await measure('--only', selector)).toEqual({ code: 2, stdout: '', stderr });
});

test('--only takes a word and a value', async () => {
  const { code, stderr } = await measure('--only', 'No crash');
  expect(code).toBe(2);
  expect(stderr).toContain('Expected @WORD=VALUE, as in @requirement=REQ-7.');
});

test('findings have the metadata of where they are', async () => {
  const wrong = OBJECTIVE.replace("'CRASH'", 'CRASH').replace('attempts = 10', 'attempts = 0');
  const cwd = directoryWith({ 'o.toml': wrong });
  const lint = async (format: string) =>
    (await perturb(['objective', 'lint', 'o.toml', '--format', format], { cwd })).stdout;
  const expected = [
    { suite: ['nightly'], requirement: ['REQ-7', 'REQ-8'] },
    { suite: ['nightly'] },
  ];
  const json = JSON.parse(await lint('json'));
  expect(json.findings.map(({ metadata }: { metadata: object }) => metadata)).toEqual(expected);
  const [{ results }] = JSON.parse(await lint('sarif')).runs;
  expect(results.map(({ properties }: { properties: object }) => properties)).toEqual(expected);
  expect((await lint('junit')).match(/<property .*>/g)).toEqual([
    '<property name="suite" value="nightly"/>',
    '<property name="requirement" value="REQ-7, REQ-8"/>',
    '<property name="suite" value="nightly"/>',
  ]);
});

test('objective show prints the metadata of the file that was registered', async () => {
  const cwd = directoryWith(files);
  const store = ['--store', 'sqlite:s.db'];
  await perturb(['objective', 'create', 'o.toml', ...store], { cwd });
  const show = async (...flags: readonly string[]) =>
    (await perturb(['objective', 'show', 'Drone in wind', ...store, ...flags], { cwd })).stdout;
  const page = await show();
  expect(page).toMatch(/^metadata +suite: nightly$/m);
  expect(page).toMatch(/^MEASUREMENT .* METADATA$/m);
  expect(page).toContain('requirement: REQ-7, REQ-8');
  const { objective } = JSON.parse(await show('--format', 'json'));
  expect(objective.metadata).toEqual({ suite: ['nightly'] });
  expect(objective.measurements).toEqual([
    { name: 'No crash', metadata: { suite: ['nightly'], requirement: ['REQ-7', 'REQ-8'] } },
    { name: 'A gust', metadata: { suite: ['nightly'], requirement: ['REQ-9'] } },
  ]);
});

test('a change of metadata alone is no new revision', async () => {
  const cwd = directoryWith({ 'o.toml': OBJECTIVE, 'p.toml': OBJECTIVE.replaceAll('REQ', 'SRS') });
  const create = (file: string) =>
    perturb(['objective', 'create', file, '--store', 'sqlite:s.db'], { cwd });
  expect((await create('o.toml')).stdout).toBe('created "Drone in wind@1"\n');
  expect((await create('p.toml')).stdout).toBe('unchanged "Drone in wind@1"\n');
});
