import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { resultSchema } from '../../src/reporters/results/index.js';
import { EXPRESSIONS } from '../expression/fixture.js';
import { openBench } from '../runner/run/bench.js';
import { directoryWith, perturb } from './program.js';

type Schema = Readonly<Record<string, unknown>>;

/** The schema without what it leaves open: each member that a result has must be in it. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]) => [key, closed(part)]);
  const own = Object.fromEntries(parts);
  return 'properties' in schema ? { ...own, additionalProperties: false } : own;
}

const SCHEMA = resultSchema('Results');
const ajv = new Ajv({ allowUnionTypes: true, allErrors: true });
const open = ajv.compile(SCHEMA);
const strict = new Ajv({ allowUnionTypes: true }).addSchema(closed(SCHEMA) as Schema, 'closed');

/** What a text is not, as the definition says. */
function mistakes(kind: string, text: string): unknown {
  const document = JSON.parse(text);
  expect(open(document)).toBe(true);
  const check = strict.getSchema(`closed#/definitions/${kind}`);
  return check?.(document) === true ? [] : (check?.errors ?? 'there is no such definition');
}

const SESSION = [
  '{"probe":"A","name":"req","seq":0,"time":1772443800000000001,"attributes":{"id":1,"big":1e308}}',
  '{"probe":"A","name":"req","seq":1,"time":1772443800000000002,"attributes":{"id":2,"big":1e308}}',
  '{"probe":"B","name":"resp","seq":0,"time":1772443800020000003,"attributes":{"id":1,"latency":2.5,"ok":true}}',
  '{"from":["A",0],"to":["B",0]}',
  '',
].join('\n');

const PAIR = "MATCH (name = 'req') AS q, (name = 'resp') AS r WHEN q -> r FILTER r.id = q.id";

const MEASUREMENTS = [
  `${PAIR} AGGREGATE percentile(r.time - q.time, 50) < 1ms, mean(r.latency) < 1, max(r.time - q.time) < 1ms`,
  `${PAIR} AGGREGATE share(r.ok = true) = 0, count() = 2`,
  `${PAIR} AGGREGATE count() >= 1 BY q`,
  "MATCH NOT (name = 'resp') AS r",
  "MATCH (name = 'nothing') AS n",
  "MATCH (name = 'resp' AND latency < 2) AS r",
  `${PAIR} AGGREGATE count() <= 2 * baseline(count())`,
  // A sum that no double holds.
  "MATCH (name = 'req') AS q AGGREGATE sum(q.big) < 1",
];

const OBJECTIVE = [
  'name = "o"',
  ...MEASUREMENTS.map((check, at) => `[[measurement]]\nname = "m${at}"\ncheck = "${check}"`),
  '[stopping_conditions]\nattempts = 1\n',
].join('\n');

const files = { 's.jsonl': SESSION, 'o.toml': OBJECTIVE, 'broken.jsonl': '{"probe":\n' };

test.each(MEASUREMENTS)('an evaluation: %s', async (text) => {
  const cwd = directoryWith(files);
  const args = ['expression', 'eval', text, 's.jsonl', '--format', 'json', '--bindings', '2'];
  const { stdout } = await perturb(args, { cwd });
  expect(mistakes('evaluation', stdout)).toEqual([]);
});

const MISTAKEN = "MATCH (name = BEAT) AS beat, (name == 'GUST') AS beat WHEN beat -> beat";

test.each([
  ['objective', 'lint', 'x.toml'],
  ['expression', 'check', MISTAKEN],
])('findings, with their fixes and related places: %s %s', async (...command) => {
  const cwd = directoryWith({
    'x.toml': `name = "x"\n[[measurement]]\nname = "m"\ncheck = "${MISTAKEN}"\n`,
  });
  const { stdout } = await perturb([...command, '-f', 'json'], { cwd });
  expect(mistakes('findings', stdout)).toEqual([]);
  expect(stdout).toContain('"fix"');
  expect(stdout).toContain('"related"');
});

test.each([...EXPRESSIONS, '(READY @ MONITOR) AND load < 3'])(
  'the syntax tree: %s',
  async (text) => {
    const { stdout } = await perturb(['expression', 'check', '--precondition', text, '-f', 'json']);
    expect(mistakes('findings', stdout)).toEqual([]);
    expect(JSON.parse(stdout).expression.kind).toBe('expression');
  },
);

test('findings of manifests', async () => {
  const cwd = directoryWith({ 'm.toml': '[[mutator]]\nname = "wind"\nnosuch = 1\n' });
  const { stdout } = await perturb(['mutators', 'lint', 'm.toml', '-f', 'json'], { cwd });
  expect(mistakes('findings', stdout)).toEqual([]);
  expect(JSON.parse(stdout).summary.errors).toBe(2);
});

test('measurements over sessions, one of which cannot be read', async () => {
  const cwd = directoryWith(files);
  const args = ['objective', 'measure', 'o.toml', 's.jsonl', 'broken.jsonl', '-f', 'json'];
  const { stdout } = await perturb(args, { cwd });
  expect(mistakes('measurements', stdout)).toEqual([]);
  const [{ measurements }] = JSON.parse(stdout).sessions;
  const whys = measurements.flatMap((one: { evidence: { why: string }[] }) =>
    one.evidence.map(({ why }) => why),
  );
  expect(new Set(whys)).toEqual(
    new Set([
      ...['max', 'percentile', 'largest', 'counted', 'missing', 'group', 'forbidden', 'first'],
      'near',
    ]),
  );
});

test('measurements of an objective with an error: no sessions, and why', async () => {
  const cwd = directoryWith({
    ...files,
    'x.toml': OBJECTIVE.replace('count() = 2', 'cuont() = 2'),
  });
  const args = ['objective', 'measure', 'x.toml', 's.jsonl', '-f', 'json'];
  const { code, stdout } = await perturb(args, { cwd });
  expect(mistakes('measurements', stdout)).toEqual([]);
  expect(JSON.parse(stdout)).toMatchObject({
    objective: 'x.toml',
    passed: false,
    sessions: [],
    all: [],
    findings: [{ severity: 'error', file: 'x.toml' }],
  });
  expect(code).toBe(1);
});

test('a run that shrinks, the same when it is shown, and each of its attempts', async () => {
  const bench = await openBench();
  const shrink = ['--seed', '3', '--shrink', '--out', 'out', '--format', 'json'];
  const run = await bench.run(
    ...['level.objective.toml', '-s', bench.url, ...shrink],
    ...['--', 'sh', 'system.sh'],
  );
  expect(mistakes('run', run.stdout)).toEqual([]);
  const { shrunk } = JSON.parse(run.stdout);
  expect(shrunk[0]).toMatchObject({ tried: 5, failed: 5, interval: [expect.closeTo(0.566, 3), 1] });
  expect(shrunk[0].before.interval).toEqual([expect.closeTo(0.51, 3), 1]);
  const show = (...more: readonly string[]) =>
    perturb(['runs', 'show', 'out', '--format', 'json', ...more], { cwd: bench.directory });
  expect(mistakes('run', (await show()).stdout)).toEqual([]);
  for (const attempt of ['1', '2']) {
    expect(mistakes('attempt', (await show('--attempt', attempt)).stdout)).toEqual([]);
  }
});

/** One measurement is vacuous, and one reads the baseline. */
const VACUOUS = `name = "x"
[[measurement]]
name = "vacuous"
check = "MATCH (name = 'levle') AS n AGGREGATE count() = 0"
[[measurement]]
name = "as before"
check = "MATCH (name = 'level') AS a AGGREGATE count() = baseline(count())"
[stopping_conditions]
attempts = 1
`;

test('a run with a baseline, lost lines, a vacuous measurement and a failing command, and its replay', async () => {
  const bench = await openBench({
    'x.objective.toml': VACUOUS,
  });
  const script = `sh system.sh; echo broken >> "$PERTURB_SESSION"; [ ! -e begun ] || exit 3; : > begun`;
  const flags = ['-s', bench.url, '--out', 'out', '--baseline', '1', '--tolerant', '-f', 'json'];
  const command = ['--', 'sh', '-c', script];
  const run = await bench.run('x.objective.toml', ...flags, ...command);
  expect(mistakes('run', run.stdout)).toEqual([]);
  expect(JSON.parse(run.stdout)).toMatchObject({
    vacuous: [{ labels: [{ label: 'n', near: 'level' }] }],
    baselines: [{ lost_lines: 1 }],
    attempts: [{ command: { status: 3, failure: expect.any(String) } }],
  });
  const replay = ['runs', 'replay', 'out', '--attempt', '1', '--format', 'json'];
  const { stdout } = await perturb(replay, { cwd: bench.directory });
  expect(mistakes('run', stdout)).toEqual([]);
  const compare = ['runs', 'compare', 'out', 'out-attempt-1', '--format', 'json'];
  const compared = await perturb(compare, { cwd: bench.directory });
  expect(mistakes('comparison', compared.stdout)).toEqual([]);
});

test('what is no result does not fit', () => {
  expect(open({ version: 1 })).toBe(false);
  expect(open({ version: 2, summary: { files: 1, errors: 0, warnings: 0 }, findings: [] })).toBe(
    false,
  );
});
