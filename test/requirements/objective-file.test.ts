import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { directoryWith, perturbProcess } from '../cli/program.js';
import { startServer } from '../server/programs/server-program.js';
import { cleanUpAfterAll } from './clean-up.js';
import {
  CHECK,
  checked,
  MANIFEST,
  measured,
  measurementStop,
  ROWS,
  stopped,
} from './objective-rows.js';

/*
 * A test for each row and sentence on objective files in sections 2.4 and 7 of the requirements, named
 * after it. The first part reads what `objective lint` prints about the files of each row, the second
 * what `create`, `measure` and `run` do.
 */

const onFinished = cleanUpAfterAll();

/** The findings in each file of the rows: all are linted at once. */
const findings = new Map<string, string[]>();
let url: string;
beforeAll(async () => {
  const files = ROWS.flatMap(([, right, wrong], row) => [
    ...right.map((text, index) => [fileOf(row, 'right', index), text]),
    ...wrong.map(([text], index) => [fileOf(row, 'wrong', index), text]),
  ]);
  const cwd = directoryWith(
    { 'mutators.toml': MANIFEST, ...Object.fromEntries(files) },
    onFinished,
  );
  const args = ['objective', 'lint', '.', '--mutators', 'mutators.toml', '--format', 'compact'];
  const { code, stdout, stderr } = await perturbProcess(args, { cwd });
  expect([code, stderr]).toEqual([1, '']);
  for (const line of stdout.trimEnd().split('\n')) {
    const [, file = '', finding = ''] = /^(.*?\.toml):(.*)$/.exec(line) ?? [];
    findings.set(file, [...(findings.get(file) ?? []), finding]);
  }
  ({ url } = await startServer([], { cwd, onFinished }));
});

const fileOf = (row: number, kind: 'right' | 'wrong', index: number) =>
  `${row}-${kind}-${index}.objective.toml`;

test.each(ROWS.map(([name], row) => [name, row] as const))('%s', (_name, row) => {
  const [, right, wrong] = ROWS[row] as (typeof ROWS)[number];
  const inFile = (kind: 'right' | 'wrong', index: number) =>
    (findings.get(fileOf(row, kind, index)) ?? []).join('\n');
  expect(right.map((_, index) => inFile('right', index))).toEqual(right.map(() => ''));
  expect(wrong.map((_, index) => inFile('wrong', index))).toEqual(wrong.map(([, text]) => text));
});

test.each([
  [
    '2.4 measurement.check: parsed by objective create',
    checked("MATCH (name = 'a' AS a"),
    'expression/syntax',
  ],
  [
    '7 a check that does not parse is rejected by objective create',
    checked('MATCH'),
    'expression/syntax',
  ],
  [
    '7 a check that fails the sanity check is rejected by objective create',
    checked("MATCH (name = 'a') AS a WHEN a -> b"),
    'expression/unknown-label',
  ],
])('%s', async (_row, text, rule) => {
  const cwd = directoryWith({ 'wrong.toml': text, 'right.toml': measured(CHECK) });
  const args = ['objective', 'create', 'wrong.toml', 'right.toml', '--format', 'json'];
  const { code, stdout } = await perturbProcess(args, { cwd });
  const rules = JSON.parse(stdout).findings.map((one: { rule: string }) => one.rule);
  expect([code, rules, existsSync(join(cwd, '.perturb'))]).toEqual([1, [rule], false]);
});

const SESSION = '{"session":1}\n{"probe":"P","name":"a","seq":0}\n';
const FALSE = CHECK.replace("'a'", "'never'");

test.each([
  ['optional, true by default', CHECK, true],
  ['optional, true by default, so that a false check fails', FALSE, false],
  ['true expects the check to pass', `${CHECK}should_pass = true\n`, true],
  ['true does not expect the check to fail', `${FALSE}should_pass = true\n`, false],
  ['false expects the check to fail', `${FALSE}should_pass = false\n`, true],
  ['false does not expect the check to pass', `${CHECK}should_pass = false\n`, false],
])('2.4 measurement.should_pass: %s', async (_row, keys, passed) => {
  const cwd = directoryWith({ 'o.toml': measured(keys), 'a.session.jsonl': SESSION });
  const args = ['objective', 'measure', 'o.toml', 'a.session.jsonl', '--format', 'json'];
  const { code, stdout } = await perturbProcess(args, { cwd });
  expect([JSON.parse(stdout).passed, code]).toEqual([passed, passed ? 0 : 1]);
});

const UNEXPECTED = 'should_pass = false\n';
const own = (keys: string, key: string) => measurementStop(key).replace(CHECK, CHECK + keys);

test.each([
  ['stopping_conditions.attempts', stopped('attempts = 2'), { reason: 'attempts' }, 2],
  ['stopping_conditions.time', stopped('time = "1ms"'), { reason: 'time' }, 1],
  [
    'stopping_conditions.passing_measurements',
    stopped('passing_measurements = 2'),
    { reason: 'passing' },
    2,
  ],
  [
    'stopping_conditions.failing_measurements',
    stopped('failing_measurements = 2').replace(CHECK, CHECK + UNEXPECTED),
    { reason: 'failing' },
    2,
  ],
  [
    'stopping_conditions: several are ORed',
    stopped('time = "10h"\nattempts = 9\npassing_measurements = 2'),
    { reason: 'passing' },
    2,
  ],
  [
    'measurement.stopping_conditions.passing_measurements',
    own('', 'passing_measurements = 2'),
    { reason: 'passing', detail: 'm' },
    2,
  ],
  [
    'measurement.stopping_conditions.failing_measurements: relative to should_pass',
    own(UNEXPECTED, 'failing_measurements = 2'),
    { reason: 'failing', detail: 'm' },
    2,
  ],
  [
    'measurement.stopping_conditions.passing_measurements: relative to should_pass',
    own(UNEXPECTED, 'passing_measurements = 1'),
    { reason: 'attempts' },
    9,
  ],
])('2.4 %s ends a run', async (_row, text, end, attempts) => {
  const cwd = directoryWith({ 'o.toml': text });
  const event = `echo '{"probe":"P","name":"a","seq":0}' > "$PERTURB_SESSION"`;
  const { stdout } = await run(cwd, '--wait', '--baseline', '0', '--', 'sh', '-c', event);
  const report = JSON.parse(stdout);
  expect([report.end, report.attempts.length]).toEqual([end, attempts]);
});

const run = (cwd: string, ...more: readonly string[]) =>
  perturbProcess(
    ['objective', 'run', 'o.toml', '--server', url, '--seed', '1', '--format', 'json', ...more],
    { cwd },
  );

/** The mutations in the first sets of an objective with these tables. */
async function planned(tables: string) {
  const cwd = directoryWith({ 'o.toml': measured(CHECK).replace('"n"\n', `"n"\n${tables}\n`) });
  const { sets } = JSON.parse((await run(cwd, '--plan')).stdout);
  return sets as { id: string; params: Record<string, unknown> }[][];
}

const idsIn = (sets: readonly { id: string }[][]) =>
  [...new Set(sets.flat().map(({ id }) => id))].sort();

test.each([1, 3])('2.4 mutation_constraints.max_concurrent_mutations: at most %i', async (most) => {
  const sets = await planned(`[mutation_constraints]\nmax_concurrent_mutations = ${most}`);
  expect(Math.max(...sets.map((set) => set.length))).toBe(most);
});

test('2.4 mutation_constraints.mutator_tags: only mutators with one of them', async () => {
  expect(idsIn(await planned(''))).toEqual(['fan', 'gazebo', 'gps']);
  const tags = '[mutation_constraints]\nmutator_tags = ["radio", "bench"]';
  expect(idsIn(await planned(tags))).toEqual(['fan', 'gps']);
});

test('2.4 mutator.probe: restricts mutations to one probe', async () => {
  expect(idsIn(await planned('[[mutator]]\nname = "wind"'))).toEqual(['fan', 'gazebo']);
  expect(idsIn(await planned('[[mutator]]\nname = "wind"\nprobe = "FAN"'))).toEqual(['fan']);
});

test('2.4 param_constraints.range and enum_options: the values of mutations', async () => {
  const sets = await planned(`[[mutator]]
name = "link"
param_constraints = [
  { name = "route", range = ["link-3", "link-1"] },
  { name = "mode", enum_options = ["slow", "dead"] },
]`);
  const valuesOf = (key: string) =>
    [...new Set(sets.flat().map(({ params }) => params[key]))].sort();
  expect([valuesOf('route'), valuesOf('mode')]).toEqual([
    ['link-1', 'link-3'],
    ['dead', 'slow'],
  ]);
});
