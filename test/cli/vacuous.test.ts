import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

const calm = '{"probe":"NODE","name":"start","seq":0}\n{"probe":"NODE","name":"stop","seq":1}\n';
const crashed =
  '{"probe":"NODE","name":"start","seq":0}\n{"probe":"NODE","name":"crash","seq":1}\n';

const OBJECTIVE = `name = "Nodes stay up"

[[measurement]]
name = "No node crashed"
check = "MATCH (name = 'crsh') AS c AGGREGATE count() = 0"

[stopping_conditions]
attempts = 10
`;

const files = { 'up.objective.toml': OBJECTIVE, 'calm.jsonl': calm, 'crashed.jsonl': crashed };
const measure = ['objective', 'measure', 'up.objective.toml'];

const SAID = `all sessions
  ✓ No node crashed: passed in 2 of 2

No node crashed is vacuous:
  no event matched \`crsh\` in any of 2 sessions; did you mean \`crash\`?

up.objective.toml:5:24: warning recorded/unknown-name: no recorded event has the name "crsh"; did you mean "crash"?

2 passed in 2 sessions
`;

test('a misspelt name is told over all sessions, and is a failure where that is asked for', async () => {
  const cwd = directoryWith(files);
  const both = [...measure, 'calm.jsonl', 'crashed.jsonl'];
  const shown = await perturb(both, { cwd });
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(SAID) });
  expect(shown.stdout).toContain('vacuous: no event matched `crsh`\n');
  const failing = await perturb([...both, '--fail-vacuous'], { cwd });
  const why = 'perturb: a measurement is vacuous, and --fail-vacuous is set\n';
  expect([failing.code, failing.stderr]).toEqual([1, why]);
  const junit = await perturb([...both, '--fail-vacuous', '--format', 'junit'], { cwd });
  expect(junit.stdout).toContain('<testsuite name="calm.jsonl" tests="1" failures="1"');
  expect(junit.stdout).toContain(
    '<failure type="vacuous" message="no event matched `crsh` in any of 2 sessions; did you mean `crash`?"',
  );
  const told = directoryWith({ ...files, 'perturb.toml': '[measure]\nvacuous = "fail"\n' });
  expect((await perturb(both, { cwd: told })).code).toBe(1);
});

test('what matches in one of the sessions is no failure, nor what good sessions lack', async () => {
  const objective = OBJECTIVE.replace('crsh', 'crash').replace('count() = 0', 'count() <= 1');
  const cwd = directoryWith({ ...files, 'up.objective.toml': objective });
  const both = [...measure, 'calm.jsonl', 'crashed.jsonl', '--fail-vacuous'];
  expect((await perturb(both, { cwd })).code).toBe(0);
  const alone = [...measure, 'calm.jsonl', '--fail-vacuous'];
  expect((await perturb(alone, { cwd })).code).toBe(1);
  const expecting = { 'perturb.toml': '[recorded]\nexpected = ["crash"]\n' };
  const lacking = directoryWith({ ...files, 'up.objective.toml': objective, ...expecting });
  const { code, stdout } = await perturb(alone, { cwd: lacking });
  expect(code).toBe(0);
  expect(stdout).not.toContain('vacuous');
});

test('of sessions that say nothing for different reasons, no reason of one is told of all', async () => {
  const objective = OBJECTIVE.replace(
    /check = .*/,
    `check = "MATCH (name = 'stop') AS s, (name = 'crash') AS c"`,
  );
  const cwd = directoryWith({ ...files, 'up.objective.toml': objective });
  const { stdout } = await perturb([...measure, 'calm.jsonl', 'crashed.jsonl'], { cwd });
  expect(stdout).toContain(
    'No node crashed is vacuous:\n  nothing was left to test it on in any of 2 sessions\n',
  );
});

const TRY = (job: string, seq: number) =>
  `{"probe":"W","name":"try","seq":${seq},"attributes":{"job":"${job}"}}\n`;

test('groups: how many hold, and the worst', async () => {
  const jobs = ['a', 'a', 'b', 'c', 'c', 'c'].map(TRY).join('');
  const cwd = directoryWith({ 's.jsonl': jobs });
  const text = "MATCH (name = 'try') AS t AGGREGATE count() <= 1 BY t.job";
  const { code, stdout } = await perturb(['expression', 'eval', text, 's.jsonl'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toBe(`✗ fails
  ✗ count() <= 1
  satisfied by 1 of 3 groups, not by 2
  t.job 'c': count() <= 1: 3
  t.job 'a': count() <= 1: 2

LABEL  MATCHED  AFTER FILTER  AFTER WHEN
t      6        6             6

in the worst group:
W
●       t: try #3

t: job c
`);
  const json = await perturb(['expression', 'eval', text, 's.jsonl', '-f', 'json'], { cwd });
  const { groups, margin } = JSON.parse(json.stdout);
  expect(groups).toMatchObject({ all: 3, hold: 1 });
  expect(groups.worst[0]).toEqual({
    keys: [{ key: 't.job', value: "'c'" }],
    holds: false,
    measures: [{ text: 'count() <= 1', left: '3', right: '1', holds: false, margin: -2 / 3 }],
  });
  expect(margin).toBe(-2 / 3);
});

test('a baseline is read where it is given, and missed where it is not', async () => {
  const cwd = directoryWith({ ...files, 'more.jsonl': calm.repeat(1) });
  const text = "MATCH (name = 'start') AS s AGGREGATE count() <= 2 * baseline(count())";
  const args = ['expression', 'eval', text, 'crashed.jsonl'];
  const without = await perturb(args, { cwd });
  expect(without.code).toBe(4);
  expect(without.stdout).toContain('baseline(count()): there is no baseline session\n');
  const given = await perturb([...args, '--baseline', 'calm.jsonl', 'more.jsonl'], { cwd });
  expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining('1 and 2') });
});

const RESPONSES = (...statuses: readonly string[]) =>
  statuses
    .map((status, seq) => {
      const attributes = status === '' ? {} : { status };
      return `${JSON.stringify({ probe: 'WEB', name: 'resp', seq, attributes })}\n`;
    })
    .join('');

test('an operand that met nothing is named with why, in one session and over all', async () => {
  const objective = OBJECTIVE.replace(
    /check = .*/,
    `check = "MATCH (name = 'resp') AS r AGGREGATE share(r.status >= 500) <= 0.01, max(r.latency) < 5"`,
  );
  const cwd = directoryWith({
    'up.objective.toml': objective,
    'a.jsonl': RESPONSES('500', '200'),
    'b.jsonl': RESPONSES('503', ''),
  });
  const { stdout, code } = await perturb([...measure, 'a.jsonl', 'b.jsonl'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain("vacuous: r.status is text in all 2 events: compare with '500'\n");
  expect(stdout).toContain('vacuous: r.latency is missing from all 2 events\n');
  expect(stdout).toContain(`No node crashed is vacuous:
  r.status is text in 3 of 4 events of 2 sessions, and missing from the others: compare with '500'
  r.latency is missing from all 4 events of 2 sessions
`);
  const json = await perturb([...measure, 'a.jsonl', 'b.jsonl', '-f', 'json'], { cwd });
  expect(JSON.parse(json.stdout).all[0]).toMatchObject({
    vacuous: true,
    met_nothing: [
      {
        label: 'r',
        operand: 'r.status',
        events: 4,
        kinds: { string: 3 },
        help: "compare with '500'",
      },
      { label: 'r', operand: 'r.latency', events: 4, kinds: {} },
    ],
  });
  const junit = await perturb([...measure, 'a.jsonl', '--fail-vacuous', '-f', 'junit'], { cwd });
  expect(junit.stdout).toContain('vacuous: r.latency is missing from all 2 events');
});
