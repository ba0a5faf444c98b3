import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

/* Expressions held to the sessions that they are measured on. */

const SESSION = `${[
  { probe: 'WEB', name: 'request', time: 0, attributes: { latency: 3 } },
  { probe: 'WEB', name: 'answer', time: 5, attributes: { latency: 4 } },
]
  .map((event) => JSON.stringify(event))
  .join('\n')}\n`;

const OBJECTIVE = `name = "Web"

# @requirement = "R1"
[[measurement]]
name = "names"
check = "MATCH (name = 'reqest') AS r AGGREGATE count() = 0"

# @requirement = "R2"
[[measurement]]
name = "units"
check = "MATCH (name GLOB 'reqs*') AS q, (name = 'answer') AS a WHEN q -> a FILTER a.time - q.time > 100 AGGREGATE count() = 0"

[[measurement]]
name = "fine"
check = "MATCH (name = 'answer') AS a AGGREGATE max(a.latency) < 5"

[stopping_conditions]
attempts = 1
`;

const NAMES =
  'o.toml:6:24: warning recorded/unknown-name: no recorded event has the name "reqest"; did you mean "request"?';
const GLOB =
  'o.toml:11:27: warning recorded/unknown-name: no recorded event has a name that matches "reqs*"; did you mean "requ*"?';

const files = { 'o.toml': OBJECTIVE, 's.jsonl': SESSION };
const measure = ['objective', 'measure', 'o.toml', 's.jsonl'];

test('measure prints what lint finds with the sessions that it measures', async () => {
  const cwd = directoryWith(files);
  const { stdout, code } = await perturb(measure, { cwd });
  expect(code).toBe(0);
  const lines = stdout.split('\n').filter((line) => line.startsWith('o.toml:'));
  expect(lines).toEqual([
    NAMES,
    GLOB,
    expect.stringMatching(/^o\.toml:11:\d+: warning expression\/unit-mismatch: /),
  ]);
  const json = JSON.parse((await perturb([...measure, '-f', 'json'], { cwd })).stdout);
  expect(json.findings.map(({ rule }: { rule: string }) => rule)).toEqual([
    'recorded/unknown-name',
    'recorded/unknown-name',
    'expression/unit-mismatch',
  ]);
  const { stdout: junit } = await perturb([...measure, '-f', 'junit'], { cwd });
  expect(junit).toContain(`${NAMES.replaceAll('"', '&quot;')}</system-out>`);
  expect(junit.slice(junit.indexOf('name="fine"'))).not.toContain('warning');
});

test('only what is measured is warned of, and what perturb.toml silences is not', async () => {
  const cwd = directoryWith(files);
  const only = await perturb([...measure, '--only', '@requirement=R1'], { cwd });
  expect(only.stdout.match(/^o\.toml:.*$/gm)).toEqual([NAMES]);
  const off = '[lint.rules]\n"recorded/unknown-name" = "off"\n';
  const silent = directoryWith({ ...files, 'perturb.toml': off });
  const some = await perturb(measure, { cwd: silent });
  expect(some.stdout.match(/^o\.toml:.*$/gm)).toHaveLength(1);
  const expected = '[recorded]\nexpected = ["reqest", "reqs1"]\n';
  const lacking = directoryWith({ ...files, 'perturb.toml': expected });
  const none = await perturb(measure, { cwd: lacking });
  expect(none.stdout).not.toContain('unknown-name');
});

test('a name of any of the sessions is known', async () => {
  const other = SESSION.replaceAll('request', 'reqest').replaceAll('answer', 'reqs 1');
  const cwd = directoryWith({ ...files, 'other.jsonl': other });
  const { stdout } = await perturb([...measure, 'other.jsonl'], { cwd });
  expect(stdout).not.toContain('unknown-name');
});

test('what is found is printed once, however many sessions are measured', async () => {
  const cwd = directoryWith({ ...files, 'other.jsonl': SESSION, 'third.jsonl': SESSION });
  const { stdout } = await perturb([...measure, 'other.jsonl', 'third.jsonl'], { cwd });
  const lines = stdout.split('\n').filter((line) => line.startsWith('o.toml:'));
  expect(lines).toEqual([
    NAMES,
    GLOB,
    expect.stringMatching(/^o\.toml:11:\d+: warning expression\/unit-mismatch: /),
  ]);
});

test('eval prints it below the result', async () => {
  const cwd = directoryWith(files);
  const text = "MATCH (name = 'request') AS r AGGREGATE max(r.latncy) < 5";
  const { stdout, code } = await perturb(['expression', 'eval', text, 's.jsonl'], { cwd });
  expect(code).toBe(1);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(
    'expression:1:47: warning recorded/unknown-attribute: no recorded event that the pattern allows has the attribute "latncy"; did you mean "latency"?',
  );
  const json = await perturb(['expression', 'eval', text, 's.jsonl', '-f', 'json'], { cwd });
  expect(JSON.parse(json.stdout).findings).toMatchObject([{ rule: 'recorded/unknown-attribute' }]);
  const fine = await perturb(
    ['expression', 'eval', text.replace('latncy', 'latency'), 's.jsonl', '-f', 'json'],
    { cwd },
  );
  expect(JSON.parse(fine.stdout)).not.toHaveProperty('findings');
});

test('measure and eval warn of an order that nothing recorded, unless one is asked for', async () => {
  const text = "MATCH (name = 'stop') AS s, (name = 'move') AS m WHEN s -> m AGGREGATE count() = 0";
  const session = ['PANEL stop', 'MOTOR move'].map((event) => {
    const [probe, name] = event.split(' ');
    return `${JSON.stringify({ probe, name })}\n`;
  });
  const objective = `name = "O"\n[[measurement]]\nname = "m"\ncheck = "${text}"\n[stopping_conditions]\nattempts = 1\n`;
  const cwd = directoryWith({ 'o.toml': objective, 's.jsonl': session.join('') });
  const found =
    'warning recorded/unordered: nothing in the recordings orders PANEL and MOTOR; record times, or messages between the probes';
  for (const command of [measure, ['expression', 'eval', text, 's.jsonl']]) {
    const { stdout, code } = await perturb(command, { cwd });
    expect(code).toBe(4);
    expect(stdout).toContain(found);
    const pinned = await perturb([...command, '--order', 'causal'], { cwd });
    expect(pinned.code).toBe(0);
    expect(pinned.stdout).not.toContain('recorded/unordered');
  }
});

test('the picture of a binding that nothing orders follows the times', async () => {
  const cwd = directoryWith({
    's.csv':
      'time,node,event\n1970-01-01T00:00:12Z,PANEL,STOP\n1970-01-01T00:00:12.5Z,MOTOR,MOVE\n',
  });
  const check = "MATCH (name = 'STOP') AS s, (name = 'MOVE') AS m WHEN s -> m";
  const { stdout } = await perturb(['expression', 'eval', check, 's.csv'], { cwd });
  expect(stdout).toMatch(
    / {8}PANEL {2}MOTOR\n {5}0 {2}● {6}│ {8}s: STOP #0\n\+500ms {2}│ {6}● {8}m: MOVE #0\n/,
  );
});
