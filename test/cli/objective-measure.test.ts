import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { writeMcap } from '../session/write-mcap.js';
import { directoryWith, perturb, WRONG } from './program.js';

const SESSION = `{"session":1,"name":"flight 7"}
{"probe":"GAZEBO","name":"GUST","attributes":{"force":14.5}}
{"probe":"GAZEBO","name":"GUST","attributes":{"force":9}}
{"probe":"AUTOPILOT","name":"HEARTBEAT","attributes":{"load":5}}
{"probe":"AUTOPILOT","name":"HEARTBEAT","attributes":{"load":40}}
{"probe":"AUTOPILOT","name":"HEARTBEAT","attributes":{"load":7}}
{"from":["GAZEBO",0],"to":["AUTOPILOT",1]}
{"from":["GAZEBO",1],"to":["AUTOPILOT",2]}
`.replace(/^(\{"probe":"(\w+)".*)\}$/gm, numbered());

/** Gives each event its `seq`, from 0 at each probe. */
function numbered() {
  const next = new Map<string, number>();
  return (_whole: string, event: string, probe: string) => {
    const seq = next.get(probe) ?? 0;
    next.set(probe, seq + 1);
    return `${event},"seq":${seq}}`;
  };
}

const OBJECTIVE = `name = "Drone in wind"

[[measurement]]
name = "Heartbeats follow gusts"
check = """
MATCH (name = 'GUST') AS gust, (name = 'HEARTBEAT') AS beat
WHEN gust -> beat
AGGREGATE count() = 3
"""

[[measurement]]
name = "The load stays low"
check = """
MATCH (name = 'GUST') AS gust, (name = 'HEARTBEAT') AS beat
WHEN gust -> beat
AGGREGATE max(beat.load) < 10
"""

[[measurement]]
name = "No crash"
should_pass = false
check = "MATCH (name = 'CRASH') AS crash"

[stopping_conditions]
attempts = 10
`;

const CALM = SESSION.replace('"load":40', '"load":6');
const files = { 'wind.objective.toml': OBJECTIVE, 'f7.jsonl': SESSION, 'calm.jsonl': CALM };
const measure = ['objective', 'measure'];

const NO_CRASH =
  'wind.objective.toml:22:24: warning recorded/unknown-name: no recorded event has the name "CRASH"; expected one of "HEARTBEAT", "GUST", "perturb.injected", "perturb.reset" or "perturb.command.ended"';

test('all passed', async () => {
  const cwd = directoryWith(files);
  expect(await perturb([...measure, 'wind.objective.toml', 'calm.jsonl'], { cwd })).toEqual({
    code: 0,
    stdout: `All 3 measurements passed; "The load stays low" came closest to failing: max(beat.load) < 10: 7, 70 % of its bound; "No crash" is vacuous.

calm.jsonl
  ✓ passed  Heartbeats follow gusts
      ✓ count() = 3: 3
  ✓ passed  The load stays low
      ✓ max(beat.load) < 10: 7
  ✓ passed  No crash (does not hold, as expected)
      there is no binding
      vacuous: no event matched \`CRASH\`

${NO_CRASH}

3 passed in 1 session
`,
    stderr: '',
  });
});

test('a failure shows the binding that is to blame', async () => {
  const cwd = directoryWith(files);
  const outcome = await perturb([...measure, 'wind.objective.toml', 'f7.jsonl'], { cwd });
  expect(outcome).toEqual({
    code: 1,
    stdout: `"The load stays low" failed: max(beat.load) was 40, wanted below 10.

f7.jsonl
  ✓ passed  Heartbeats follow gusts
      ✓ count() = 3: 3

  ✗ failed  The load stays low
      ✗ max(beat.load) < 10: 40

      the binding with max(beat.load):
      GAZEBO     AUTOPILOT
      ●          │            gust: GUST #0
      ├─────────▶●            beat: HEARTBEAT #1

      beat: load 40

  ✓ passed  No crash (does not hold, as expected)
      there is no binding
      vacuous: no event matched \`CRASH\`

${NO_CRASH}

2 passed, 1 failed in 1 session
`,
    stderr: '',
  });
});

test('several sessions: each, then all', async () => {
  const cwd = directoryWith(files);
  const args = [...measure, 'wind.objective.toml', 'calm.jsonl', 'f7.jsonl', '--evidence', '0'];
  const { code, stdout } = await perturb(args, { cwd });
  expect(code).toBe(1);
  expect(stdout.slice(stdout.indexOf('all sessions'))).toBe(`all sessions
  ✓ Heartbeats follow gusts: passed in 2 of 2
  ✗ The load stays low: passed in 1 of 2
  ✓ No crash: passed in 2 of 2

No crash is vacuous:
  no event matched \`CRASH\` in any of 2 sessions

${NO_CRASH}

5 passed, 1 failed in 2 sessions
`);
  expect(stdout).not.toContain('GAZEBO');
});

test('an empty result says how many events were left at each stage', async () => {
  const objective = OBJECTIVE.replace("'HEARTBEAT'", "'GUST' AND force > 100").replace(
    '= 3',
    '> 0',
  );
  const cwd = directoryWith({ ...files, 'wind.objective.toml': objective });
  const { stdout } = await perturb([...measure, 'wind.objective.toml', 'calm.jsonl'], { cwd });
  expect(
    stdout.slice(0, stdout.indexOf('  ✓')),
  ).toBe(`"Heartbeats follow gusts" failed: GUST at GAZEBO: force 9, wanted above 100.

calm.jsonl
  ✗ failed  Heartbeats follow gusts
      ✗ count() > 0: 0
      vacuous: no event matched the pattern of beat

      LABEL  MATCHED  AFTER FILTER  AFTER WHEN
      gust   2        2             0
      beat   0        0             0

      in no binding:
      GAZEBO
      ●         gust: GUST #0

      gust: force 14.5

      next:
      gust: GUST GAZEBO #1, force 9

      near miss: GUST at GAZEBO: force 9, wanted above 100:
      GAZEBO
      ●         gust: GUST #0
      ●         beat: GUST #1

      gust: force 14.5
      beat: force 9

`);
});

test('json', async () => {
  const cwd = directoryWith(files);
  const args = [...measure, 'wind.objective.toml', 'f7.jsonl', '--format', 'json'];
  const { code, stdout } = await perturb(args, { cwd });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    version: 1,
    objective: 'Drone in wind',
    headline: '"The load stays low" failed: max(beat.load) was 40, wanted below 10.',
    passed: false,
    sessions: [
      {
        session: 'f7.jsonl',
        passed: false,
        measurements: [
          {
            name: 'Heartbeats follow gusts',
            should_pass: true,
            status: 'holds',
            passed: true,
            bindings: '3',
            vacuous: false,
            measures: [{ text: 'count() = 3', left: '3', right: '3', holds: true, margin: 0 }],
            margin: 0,
            labels: [
              { label: 'gust', matched: 2, filtered: 2, ordered: 2 },
              { label: 'beat', matched: 3, filtered: 3, ordered: 2 },
            ],
            evidence: [
              {
                why: 'first',
                binding: {
                  gust: { probe: 'GAZEBO', seq: 0, attributes: { name: 'GUST' } },
                  beat: { probe: 'AUTOPILOT', seq: 1, attributes: { name: 'HEARTBEAT' } },
                },
              },
            ],
            method: 'join tree',
          },
          {
            name: 'The load stays low',
            should_pass: true,
            status: 'fails',
            passed: false,
            vacuous: false,
            measures: [
              {
                text: 'max(beat.load) < 10',
                left: '40',
                right: '10',
                holds: false,
                margin: -0.75,
              },
            ],
            margin: -0.75,
            labels: [
              { label: 'gust', matched: 2, filtered: 2, ordered: 2 },
              { label: 'beat', matched: 3, filtered: 3, ordered: 2 },
            ],
            evidence: [
              {
                why: 'max',
                of: 'max(beat.load)',
                binding: {
                  gust: { probe: 'GAZEBO', seq: 0, attributes: { name: 'GUST' } },
                  beat: {
                    probe: 'AUTOPILOT',
                    seq: 1,
                    attributes: { name: 'HEARTBEAT', load: 40 },
                  },
                },
              },
            ],
            method: 'reachability',
          },
          {
            name: 'No crash',
            should_pass: false,
            status: 'fails',
            passed: true,
            bindings: '0',
            vacuous: true,
            measures: [],
            labels: [{ label: 'crash', matched: 0, filtered: 0, ordered: 0 }],
            evidence: [],
            method: 'reachability',
          },
        ],
      },
    ],
    findings: [expect.objectContaining({ rule: 'recorded/unknown-name', severity: 'warning' })],
    all: [
      { name: 'Heartbeats follow gusts', passed: 1, failed: 0, undecided: 0, vacuous: false },
      { name: 'The load stays low', passed: 0, failed: 1, undecided: 0, vacuous: false },
      {
        name: 'No crash',
        ...{ passed: 1, failed: 0, undecided: 0, vacuous: true },
        unmatched: [{ label: 'crash', names: ['CRASH'] }],
      },
    ],
  });
});

test('junit: a suite for each session, and an error for one that cannot be read', async () => {
  const cwd = directoryWith({ ...files, 'broken.jsonl': '{"probe":"A","name":"X"}\n{"probe":\n' });
  const args = [...measure, 'wind.objective.toml', 'broken.jsonl', 'f7.jsonl', '-f', 'junit'];
  const { code, stdout, stderr } = await perturb(args, { cwd });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^broken\.jsonl:2:\d+: .+\n$/);
  const said = stderr.trimEnd().replaceAll('"', '&quot;');
  expect(stdout).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Drone in wind" tests="4" failures="1" errors="1">
  <testsuite name="broken.jsonl" tests="1" failures="0" errors="1" skipped="0">
    <testcase classname="broken.jsonl" name="the session can be read">
      <error type="unread" message="${said}">${said}</error>
    </testcase>
  </testsuite>
  <testsuite name="f7.jsonl" tests="3" failures="1" errors="0" skipped="0">
    <testcase classname="f7.jsonl" name="Heartbeats follow gusts"/>
    <testcase classname="f7.jsonl" name="The load stays low">
      <failure type="fails" message="max(beat.load) &lt; 10: 40">max(beat.load) &lt; 10: 40

the binding with max(beat.load):
GAZEBO     AUTOPILOT
●          │            gust: GUST #0
├─────────▶●            beat: HEARTBEAT #1

beat: load 40
</failure>
    </testcase>
    <testcase classname="f7.jsonl" name="No crash">
      <properties>
        <property name="vacuous" value="true"/>
      </properties>
      <system-out>vacuous: no event matched \`CRASH\`
${NO_CRASH.replaceAll('"', '&quot;')}</system-out>
    </testcase>
  </testsuite>
</testsuites>
`);
});

test('a session that cannot be read ends with 2, and the others are measured', async () => {
  const cwd = directoryWith(files);
  const args = [...measure, 'wind.objective.toml', 'none.jsonl', 'calm.jsonl'];
  const { code, stdout, stderr } = await perturb(args, { cwd });
  expect(code).toBe(2);
  expect(stderr).toBe('perturb: cannot read none.jsonl: no such file or directory\n');
  expect(stdout).toMatch(/^calm\.jsonl\n(?:.*\n)*3 passed, 1 not read in 2 sessions\n$/);
});

test('an objective with errors is reported, and nothing is measured', async () => {
  const cwd = directoryWith({
    ...files,
    'bad.toml': OBJECTIVE.replace('gust -> beat', 'gust -> bat'),
  });
  const { code, stdout } = await perturb([...measure, 'bad.toml', 'f7.jsonl'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^error\[expression\/unknown-label\]: (?:.*\n)*1 error in 1 file\n$/);
});

test('a file that does not exist, and an engine that there is not', async () => {
  const cwd = directoryWith(files);
  expect(await perturb([...measure, 'none.toml', 'f7.jsonl'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: cannot read none.toml: no such file or directory\n',
  });
  const args = [...measure, 'wind.objective.toml', 'f7.jsonl', '--engine', 'duckdb'];
  expect(await perturb(args, { cwd })).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'perturb: --engine must be embedded or a URL, as in clickhouse:http://db.example:8123/perturb\n',
  });
});

test('a report is one file, with a picture for what failed, and says all that was measured', async () => {
  const cwd = directoryWith(files);
  const sessions = ['calm.jsonl', 'f7.jsonl', 'none.jsonl'];
  const args = [...measure, 'wind.objective.toml', ...sessions, '--report', 'out/wind.html'];
  expect((await perturb(args, { cwd })).code).toBe(2);
  const html = readFileSync(join(cwd, 'out/wind.html'), 'utf8');
  const verdicts = html.matchAll(/<td><\w+ class="(\w+)">\1</g);
  expect([...verdicts].map(([, verdict]) => verdict)).toEqual([
    ...['passed', 'passed', 'passed', 'passed', 'failed', 'passed'],
  ]);
  expect(html).toContain('<p>5 passed, 1 failed.</p>');
  expect(html.match(/aria-label="[^"]*"/g)).toEqual([
    'aria-label="Space-time diagram: gust is GUST at GAZEBO; beat is HEARTBEAT at AUTOPILOT"',
  ]);
  expect(html).toContain('cannot read none.jsonl: no such file or directory');
  expect(html).not.toMatch(/<script|<link|<img|\sstyle=|url\(/i);
});

test('every format shows the near misses of a failure, and of a pass where nothing matched', async () => {
  const objective = `name = "Wind"
[[measurement]]
name = "Answered"
check = """
MATCH (name = 'GUST') AS gust, (HEARTBEAT @ AUTOPILOT) AS beat
WHEN gust -> beat WITHIN 100ms AGGREGATE count() >= 1 BY gust
"""
[[measurement]]
name = "No storm"
check = "MATCH (name = 'GUST' AND force > 30) AS storm AGGREGATE count() = 0"
[stopping_conditions]
attempts = 1
`;
  const session = `{"probe":"SIMULATOR","name":"GUST","id":"g","time":2000000000,"attributes":{"force":21}}
{"probe":"AUTOPILOT","name":"HEARTBEAT","after":["g"],"time":2250000000}
`;
  const cwd = directoryWith({ 'wind.objective.toml': objective, 's.jsonl': session });
  const reports = ['json', 'junit', 'html', 'pretty'].flatMap((one) => [
    ...['--format', one === 'pretty' ? one : `${one}=out.${one}`],
  ]);
  const { stdout } = await perturb([...measure, 'wind.objective.toml', 's.jsonl', ...reports], {
    cwd,
  });
  const written = (name: string) => readFileSync(join(cwd, `out.${name}`), 'utf8');
  const late = 'HEARTBEAT at AUTOPILOT came after 250ms, limit 100ms';
  const calm = 'GUST at SIMULATOR: force 21, wanted above 30';
  expect(stdout).toContain(`      near miss: ${late}:\n`);
  expect(stdout).toContain(`      near miss: ${calm}\n`);
  for (const text of [written('junit'), written('html')]) {
    expect(text).toMatch(new RegExp(`near miss: ${late}`, 'i'));
    expect(text).toContain(`near miss: ${calm}`);
  }
  expect(written('html').match(/aria-label="Space-[^"]*"/g)).toEqual([
    'aria-label="Space-time diagram: gust is GUST at SIMULATOR; beat is HEARTBEAT at AUTOPILOT"',
  ]);
  const [{ measurements }] = JSON.parse(written('json')).sessions;
  const near = measurements.map((one: { evidence: { near?: { text: string } }[] }) =>
    one.evidence.flatMap((piece) => piece.near?.text ?? []),
  );
  expect(near).toEqual([[late], [calm]]);
});

test('a format may go to a file, and several at once', async () => {
  const cwd = directoryWith(files);
  const run = (...flags: readonly string[]) =>
    perturb([...measure, 'wind.objective.toml', 'f7.jsonl', ...flags], { cwd });
  const alone = {
    pretty: await run(),
    json: await run('--format', 'json'),
    junit: await run('--format', 'junit'),
  };
  const all = ['json=out/a.json', 'junit=out/a.xml', 'html=out/a.html', 'pretty=out/a.txt'];
  expect(await run(...all.flatMap((one) => ['--format', one]))).toEqual(alone.pretty);
  const written = (name: string) => readFileSync(join(cwd, 'out', name), 'utf8');
  expect(written('a.json')).toBe(alone.json.stdout);
  expect(written('a.xml')).toBe(alone.junit.stdout);
  expect(written('a.txt')).toBe(alone.pretty.stdout);
  expect(written('a.html')).toContain('<title>');
  expect(await run('--format', 'json', '--format', 'junit')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('two reports cannot share stdout'),
  });
});

test('a report that cannot be written is said before anything is measured: 2', async () => {
  const cwd = directoryWith({ ...files, out: '' });
  const args = [...measure, 'wind.objective.toml', 'calm.jsonl', '--report', 'out/wind.html'];
  const { code, stdout, stderr } = await perturb(args, { cwd });
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toBe('perturb: cannot write out/wind.html: part of the path is not a directory\n');
});

test('a revision of the store', async () => {
  const cwd = directoryWith(files);
  await perturb(['objective', 'create', 'wind.objective.toml'], { cwd });
  for (const word of ['Drone in wind', 'Drone in wind@1']) {
    const { code, stdout } = await perturb([...measure, word, 'calm.jsonl'], { cwd });
    expect({ code, last: stdout.split('\n').at(-2) }).toEqual({
      code: 0,
      last: '3 passed in 1 session',
    });
  }
  expect((await perturb([...measure, 'Drone in wind@2', 'calm.jsonl'], { cwd })).code).toBe(2);
});

/** 2,000 events that no index helps with: the comparison of three labels tries them all. */
const MANY = Array.from(
  { length: 2_000 },
  (_, at) => `{"probe":"P","name":"E","attributes":{"x":${at}}}\n`,
).join('');

test('undecided, with the clause and what helps', async () => {
  const objective = `name = "Hard"
[[measurement]]
name = "Sums"
check = """
MATCH (name = 'E') AS a, (name = 'E') AS b, (name = 'E') AS c
FILTER a.x - b.x - c.x > 5000
AGGREGATE count() > 0
"""
[stopping_conditions]
attempts = 1
`;
  const cwd = directoryWith({ 'hard.toml': objective, 'many.jsonl': MANY });
  const { code, stdout } = await perturb(
    [...measure, 'hard.toml', 'many.jsonl', '--budget', '10000'],
    {
      cwd,
    },
  );
  expect(code).toBe(4);
  expect(stdout).toMatch(
    /^"Sums" is undecided \(.*a\.x - b\.x - c\.x > 5000.*\); nothing failed\.\n\nmany\.jsonl\n {2}\? undecided {2}Sums\n {6}\? count\(\) > 0: undecided\n {6}.*a\.x - b\.x - c\.x > 5000.*\n {6}help: .*\n\n1 undecided in 1 session\n$/,
  );
});

test('a flight of the drone: the mutations that led to the crash', async () => {
  const files = ['examples/drone/drone.objective.toml', 'examples/sessions/drone.session.jsonl'];
  const { code, stdout } = await perturb([...measure, ...files]);
  expect(code).toBe(1);
  expect(stdout).toBe(`"no crash" failed: it holds, but should not.

examples/sessions/drone.session.jsonl
  ✗ failed  no crash (holds, but should not)
      there is a binding

      a binding:
              perturb    SIMULATOR
           0  ●          │            mutation: perturb.injected #0
      +396ms  ├─────────▶●            telemetry #0
      +745ms  │          ●            crash: crash #25

      mutation: time 2026-11-22T05:08:22.821509Z
      crash: time 2026-11-22T05:08:23.567Z

  ✓ passed  the autopilot steers
      there is a binding

1 passed, 1 failed in 1 session
`);
});

test('a recording of ROS 2 whose robot moves on after its emergency stop fails', async () => {
  const log = 'uint8 level\nstring name\nstring msg';
  const twist = 'geometry_msgs/Vector3 linear\n===\nMSG: geometry_msgs/Vector3\nfloat64 x';
  const move = (ms: bigint) => ({
    ...{ topic: '/cmd_vel', type: 'geometry_msgs/msg/Twist', definition: twist },
    ...{ time: ms * 1_000_000n, fields: { linear: { x: 1 } } },
  });
  const recording = (...moves: readonly bigint[]) =>
    writeMcap([
      move(0n),
      {
        ...{ topic: '/rosout', type: 'rcl_interfaces/msg/Log', definition: log },
        ...{ time: 100_000_000n, fields: { level: 50, name: 'safety', msg: 'EMERGENCY STOP' } },
      },
      ...moves.map(move),
    ]);
  const cwd = directoryWith({
    'estop.objective.toml': `name = "stop"
[[measurement]]
name = "no motion from 300 ms after the stop"
check = """
MATCH (name = '/rosout' AND msg = 'EMERGENCY STOP') AS stop, (name = '/cmd_vel' AND linear.x > 0.0) AS move
WHEN stop -> move
FILTER move.time - stop.time > 300ms
AGGREGATE count() = 0"""
[stopping_conditions]
attempts = 1
`,
    'bad.mcap': await recording(150n, 400n, 450n, 1050n),
    'good.mcap': await recording(150n, 400n),
  });
  const measure = ['objective', 'measure', 'estop.objective.toml', '--format', 'json'];
  const statuses = async (name: string) => {
    const { code, stdout } = await perturb([...measure, name], { cwd });
    const [{ status }] = JSON.parse(stdout).sessions[0].measurements;
    return { code, status };
  };
  expect(await statuses('bad.mcap')).toEqual({ code: 1, status: 'fails' });
  expect(await statuses('good.mcap')).toEqual({ code: 0, status: 'holds' });
});

test('a real trace has the numbers that an independent count has', async () => {
  const counted = execFileSync(process.execPath, ['bench/peers/closure.js'], { encoding: 'utf8' });
  const objective = `name = "Chord"
[[measurement]]
name = "Lookups"
check = """
MATCH (name = 'Received GetNode request') AS lookup, (name = 'Responding to get') AS got
WHEN lookup -> got
AGGREGATE count() > 0, max(lookup.seq) > 0
"""
[[measurement]]
name = "Initializations"
check = """
MATCH
  (name = 'Received initialize request') AS init,
  (name = 'Received GetNode request') AS lookup
WHEN init -> lookup
FILTER init.probe = lookup.probe
AGGREGATE count() > 0
"""
[stopping_conditions]
attempts = 1
`;
  const cwd = directoryWith({ 'chord.toml': objective });
  const log = resolve('examples/sessions/chord.log');
  const { code, stdout } = await perturb([...measure, 'chord.toml', log, '-f', 'json'], { cwd });
  expect(code).toBe(0);
  const [lookups, initializations] = JSON.parse(stdout).sessions[0].measurements;
  expect(counted).toBe(`events: 1235
lookups before the get: ${lookups.measures[0].left} of ${lookups.labels[0].matched}
the latest of them: #${lookups.measures[1].left}
pairs of an initialization and a later lookup of its node: ${initializations.measures[0].left}
`);
});

test('--format html of an objective with errors writes no HTML, and the findings go to stderr', async () => {
  const cwd = directoryWith({ 'w.objective.toml': WRONG, 'a.session.jsonl': '' });
  const args = ['objective', 'measure', 'w.objective.toml', 'a.session.jsonl', '--format', 'html'];
  const { code, stdout, stderr } = await perturb(args, { cwd });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('error[objective/unknown-key]');
});
