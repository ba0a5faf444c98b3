import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

const SESSION = `{"probe":"GAZEBO","name":"GUST","seq":0,"attributes":{"force":14.5}}
{"probe":"GAZEBO","name":"GUST","seq":1,"attributes":{"force":9}}
{"probe":"AUTOPILOT","name":"HEARTBEAT","seq":0}
{"probe":"AUTOPILOT","name":"HEARTBEAT","seq":1}
{"from":["GAZEBO",0],"to":["AUTOPILOT",1]}
`;
const TEXT = "MATCH (name = 'GUST') AS gust, (name = 'HEARTBEAT') AS beat WHEN gust -> beat";
const files = { 'f7.jsonl': SESSION, 'beat.trace': TEXT };
const evaluate = ['expression', 'eval'];

const HOLDS = `✓ holds
  there is a binding

LABEL  MATCHED  AFTER FILTER  AFTER WHEN
gust   2        2             1
beat   2        2             1

a binding:
GAZEBO     AUTOPILOT
●          │            gust: GUST #0
├─────────▶●            beat: HEARTBEAT #1
`;

test('a text, a file and stdin', async () => {
  const cwd = directoryWith(files);
  const expected = { code: 0, stdout: HOLDS, stderr: '' };
  expect(await perturb([...evaluate, TEXT, 'f7.jsonl'], { cwd })).toEqual(expected);
  expect(await perturb([...evaluate, 'beat.trace', 'f7.jsonl'], { cwd })).toEqual(expected);
  const piped = { cwd, stdin: TEXT };
  expect(await perturb([...evaluate, '-', 'f7.jsonl'], piped)).toEqual(expected);
});

test('one that does not hold', async () => {
  const cwd = directoryWith(files);
  expect(
    await perturb([...evaluate, `${TEXT} AGGREGATE count() > 1`, 'f7.jsonl'], { cwd }),
  ).toEqual({
    code: 1,
    stdout: `✗ fails
  ✗ count() > 1: 1

LABEL  MATCHED  AFTER FILTER  AFTER WHEN
gust   2        2             1
beat   2        2             1

in no binding:
GAZEBO
●         gust: GUST #1

near miss: nothing orders HEARTBEAT at AUTOPILOT after GUST at GAZEBO, and 1 more:
AUTOPILOT  GAZEBO
●          │            beat: HEARTBEAT #0
│          ●            gust: GUST #1
`,
    stderr: '',
  });
});

test('--bindings lists the first ones', async () => {
  const cwd = directoryWith(files);
  const text =
    "MATCH (name = 'GUST') AS gust, (name = 'HEARTBEAT') AS beat FILTER gust.seq = beat.seq";
  const { stdout } = await perturb([...evaluate, text, 'f7.jsonl', '--bindings', '9'], { cwd });
  expect(stdout.slice(stdout.indexOf('\n\ngust') + 2)).toBe(`gust       beat
GAZEBO #0  AUTOPILOT #0
GAZEBO #1  AUTOPILOT #1
`);
});

test('json', async () => {
  const cwd = directoryWith(files);
  const args = [...evaluate, TEXT, 'f7.jsonl', '--format', 'json', '--bindings', '5'];
  const { code, stdout } = await perturb(args, { cwd });
  const binding = { gust: { probe: 'GAZEBO', seq: 0 }, beat: { probe: 'AUTOPILOT', seq: 1 } };
  const described = {
    gust: { ...binding.gust, attributes: { name: 'GUST' } },
    beat: { ...binding.beat, attributes: { name: 'HEARTBEAT' } },
  };
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    version: 1,
    status: 'holds',
    vacuous: false,
    measures: [],
    labels: [
      { label: 'gust', matched: 2, filtered: 2, ordered: 1 },
      { label: 'beat', matched: 2, filtered: 2, ordered: 1 },
    ],
    evidence: [{ why: 'first', binding: described }],
    method: 'reachability',
    listed: [binding],
  });
});

test('a fix is for programs: the report for people has no --fix to offer', async () => {
  const wrong = [...evaluate, "MATCH (name == 'GUST') AS gust", 'f7.jsonl'];
  const cwd = directoryWith(files);
  const { code, stdout } = await perturb(wrong, { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain('help: write "="');
  expect(stdout).not.toContain('--fix');
  const { findings } = JSON.parse((await perturb([...wrong, '-f', 'json'], { cwd })).stdout);
  expect(findings[0].fix.edits[0].text).toBe('=');
});

test('an expression with errors, and a session that cannot be read', async () => {
  const cwd = directoryWith({ ...files, 'broken.jsonl': '{"probe":\n' });
  const wrong = await perturb([...evaluate, "MATCH (name = 'A') AS a WHEN a -> b", 'f7.jsonl'], {
    cwd,
  });
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toMatch(
    /^error\[expression\/unknown-label\](?:.*\n)*1 error in 1 expression\n$/,
  );
  const broken = await perturb([...evaluate, TEXT, 'broken.jsonl'], { cwd });
  expect(broken).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^broken\.jsonl:1:/),
  });
});

test('the evidence of a group without bindings is its own event, then near misses', async () => {
  const cwd = directoryWith(files);
  const args = [...evaluate, `${TEXT} AGGREGATE count() >= 1 BY gust`, 'f7.jsonl', '-f', 'json'];
  const { code, stdout } = await perturb(args, { cwd });
  expect(code).toBe(1);
  const gust = { probe: 'GAZEBO', seq: 1, attributes: { name: 'GUST' } };
  const start = TEXT.indexOf('->');
  expect(JSON.parse(stdout).evidence).toEqual([
    { why: 'group', binding: { gust } },
    {
      why: 'near',
      binding: { gust, beat: { probe: 'AUTOPILOT', seq: 0, attributes: { name: 'HEARTBEAT' } } },
      near: {
        text: 'nothing orders HEARTBEAT at AUTOPILOT after GUST at GAZEBO, and 1 more',
        ...{ part: 'gust -> beat', span: { start, end: start + 2 }, distance: 1, count: '2' },
      },
    },
  ]);
});

test('where no label can be looked at, only why is shown', async () => {
  const cwd = directoryWith(files);
  const text = `MATCH (force ${'* force '.repeat(5000)} > 1) AS gust`;
  expect(await perturb([...evaluate, text, 'f7.jsonl'], { cwd })).toEqual({
    code: 4,
    stdout: `? undecided
  the calculation with force: it needs numbers with more than 4096 bits
  help: multiply or divide fewer numbers
`,
    stderr: '',
  });
});

test('what has no verdict is refused, also where its rule is silenced', async () => {
  const off =
    '[lint.rules]\n"expression/unknown-label" = "off"\n"expression/wrong-arguments" = "off"\n';
  const cwd = directoryWith({ ...files, 'perturb.toml': off });
  const refused = (why: string, rule: string) => ({
    code: 1,
    stdout: '',
    stderr: `perturb: an expression cannot be evaluated: ${why}
Correct the expression. expression/${rule} is silenced, but an expression with this finding has no meaning.
`,
  });
  expect(await perturb([...evaluate, `${TEXT} FILTER z.id = 1`, 'f7.jsonl'], { cwd })).toEqual(
    refused('no pattern has the label "z"', 'unknown-label'),
  );
  const windows = `${TEXT} AGGREGATE count() = 1 BY window(gust.time, 0s)`;
  expect(await perturb([...evaluate, windows, 'f7.jsonl'], { cwd })).toEqual(
    refused('"window()" needs a time above zero', 'wrong-arguments'),
  );
});

test('a window is named by the time when it begins', async () => {
  const event = (time: string) => `{"probe":"P","name":"beat","time":${time}}\n`;
  const session = ['1700000000000000000', '1700000000500000000', '1700000002000000000'];
  const cwd = directoryWith({ 's.jsonl': session.map(event).join('') });
  const text = "MATCH (name = 'beat') AS b AGGREGATE count() >= 1 BY window(b.time, 1s)";
  const { code, stdout } = await perturb([...evaluate, text, 's.jsonl'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain(
    '  satisfied by 1 of 2 groups, not by 1\n  1 event lies in the last window, which the end of the session cuts short\n  window(b.time, 1s) 2023-11-14T22:13:21.000Z: count() >= 1: 0\n',
  );
});

test('where all labels are absent, no binding is drawn', async () => {
  const cwd = directoryWith(files);
  const { code, stdout } = await perturb(
    [...evaluate, "MATCH NOT (name = 'STOP') AS s", 'f7.jsonl'],
    {
      cwd,
    },
  );
  expect(code).toBe(0);
  expect(stdout).not.toContain('a binding:');
});
