import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  watch,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { directoryWith, perturb, perturbProcess } from './program.js';

const CHORD = 'examples/sessions/chord.log';
const BROKEN = '{"probe":"A","name":"x"}\n{"probe"\n{"from":"a","to":"b"}\n';

test.each([
  ['chord.log', 'pretty', 'chord.txt'],
  ['chord.log', 'json', 'chord.json'],
  ['yelp.zipkin.json', 'pretty', 'yelp.txt'],
])('inspect %s as %s', async (source, format, golden) => {
  const path = `examples/sessions/${source}`;
  const { code, stdout, stderr } = await perturb(['session', 'inspect', path, '-f', format]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await expect(stdout).toMatchFileSnapshot(`../../fixtures/sessions/golden/inspect-${golden}`);
});

test('an empty session has nothing to list', async () => {
  const cwd = directoryWith({ 'empty.session.jsonl': '' });
  const args = ['session', 'inspect', 'empty.session.jsonl', '--tolerant'];
  expect(await perturb(args, { cwd })).toEqual({
    code: 0,
    stdout: `events        0
probes        0
interactions  0
ordered       0 of 0 pairs of probes
`,
    stderr: 'empty.session.jsonl: the file contains no events\n',
  });
});

test('the commonest names of events are listed, and how many others there are', async () => {
  const names = Array.from({ length: 22 }, (_, at) => `n${at}`);
  const lines = [...names, 'n21', 'n21', 'n7'].map(
    (name, seq) => `{"probe":"P","name":"${name}","seq":${seq}}\n`,
  );
  const cwd = directoryWith({ 's.jsonl': lines.join('') });
  const args = ['session', 'inspect', 's.jsonl'];
  const { stdout } = await perturb(args, { cwd });
  expect(stdout).toContain('\nEVENT  PROBE  EVENTS  ATTRIBUTES\nn21    P      3       seq\n');
  expect(stdout).toMatch(/\nn6 {5}P {6}1 {7}seq\nand 2 more\n\nATTRIBUTE/);
  const { files } = JSON.parse((await perturb([...args, '-f', 'json'], { cwd })).stdout);
  const [{ session }] = files;
  expect(session.names).toHaveLength(22);
  expect(session.names[1]).toEqual({
    ...{ name: 'n7', probe: 'P', events: 2 },
    attributes: [{ name: 'seq', kinds: { integer: 2 } }],
  });
});

describe('a session of no events, and lines that are none, are errors in every command', () => {
  const NO_CRASH = `name = "no crash"

[[measurement]]
name = "no node crashed"
check = "MATCH (name = 'crash') AS crash"
should_pass = false

[stopping_conditions]
attempts = 1
`;
  const written = () =>
    directoryWith({
      'o.toml': NO_CRASH,
      'empty.jsonl': '',
      'app.log': 'INFO start\nINFO crash\nINFO stop\n',
      'half.log': 'a {"a":1}\nstart\n  at once\n  at last\n',
      'perturb.toml': '[reading.clocks]\nfiles = ["*.clocks"]\nfrom = "shiviz"\n',
    });
  const EXPRESSION = "MATCH (name = 'x') AS x";
  const COMMANDS = {
    import: ['session', 'import'],
    inspect: ['session', 'inspect'],
    load: ['session', 'load', '--engine', 'clickhouse:http://127.0.0.1:9/x'],
    measure: ['objective', 'measure', 'o.toml'],
    eval: ['expression', 'eval', EXPRESSION],
  };
  const FILES = {
    'empty.jsonl': ['empty.jsonl: the file contains no events'],
    'app.log': [
      'app.log: unknown format: it looks like text, which begins with "INFO start"',
      'app.log: supported formats: session JSON Lines; traces: OTLP as JSON or protobuf, Tempo, Jaeger, Zipkin, Chrome; CSV; ROS 2 recordings as MCAP; logs: ShiViz vector clocks, pino, bunyan, winston, zap, logrus, structlog, python, log4j, java, rust, dotnet, ruby, monolog, elixir, spdlog, go, klog, docker, kubernetes, journald, syslog, nginx, apache, haproxy, envoy, postgresql, redis, mongodb, elasticsearch, rabbitmq, nats, openstack, supervisord, k6, ros, logcat, candump, kernel, esp-idf, logfmt',
      "app.log: if the format is supported, name it with --from, or describe a line: --pattern '^(?<level>\\w+) (?<name>.*)$'",
    ],
    'app.log --reading clocks': [
      'app.log:1: 3 lines, from here on, without an event and its clock: "INFO start"',
    ],
    'half.log': ['half.log:3: 2 lines, from here on, without an event and its clock: "at once"'],
  };
  const cases = Object.keys(COMMANDS).flatMap((command) =>
    Object.keys(FILES).map((file) => [command, file] as const),
  );

  test.each(cases)('%s %s', async (command, file) => {
    const cwd = written();
    const args = [...COMMANDS[command as keyof typeof COMMANDS], ...file.split(' ')];
    const { code, stdout, stderr } = await perturb(args, { cwd });
    const told = FILES[file as keyof typeof FILES];
    const said = `${stdout}${stderr}`.split('\n');
    expect(said.filter((line) => told.includes(line))).toEqual(told);
    expect(said.join('\n')).not.toMatch(/passed|holds,|valid,|"probe"/);
    expect(code).toBe(['measure', 'eval'].includes(command) ? 2 : 1);
  });

  test.each(cases.filter(([, file]) => file.startsWith('app')))(
    '%s %s, where nothing is left to tolerate',
    async (command, file) => {
      const cwd = written();
      const args = [...COMMANDS[command as keyof typeof COMMANDS], ...file.split(' ')];
      const plain = await perturb(args, { cwd });
      expect(`${plain.stdout}${plain.stderr}`).not.toMatch('--tolerant');
      expect(await perturb([...args, '--tolerant'], { cwd })).toEqual(plain);
      const undone = { import: 'nothing was written: ', load: 'nothing was loaded: ', inspect: '' };
      const said = undone[command as keyof typeof undone];
      if (said !== undefined)
        expect(plain.stderr).toContain(`\nperturb: ${said}no event was read\n`);
    },
  );

  test('tolerated, what is left is used, and what was left out stays visible', async () => {
    const cwd = written();
    expect(await perturb(['session', 'import', 'half.log', '--tolerant'], { cwd })).toEqual({
      code: 0,
      stdout:
        '{"session":1,"source":"half.log","interactions":true}\n{"probe":"a","name":"start","seq":1}\n',
      stderr: `${FILES['half.log']}\nperturb: skipped 2 records\n`,
    });
    const measured = await perturb(['objective', 'measure', 'o.toml', 'half.log', '--tolerant'], {
      cwd,
    });
    expect(measured).toMatchObject({ code: 0, stderr: `${FILES['half.log']}\n` });
    expect(await perturb(['session', 'import', 'empty.jsonl'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'empty.jsonl: the file contains no events\nperturb: nothing was written: no event was read\n',
    });
    expect(await perturb(['session', 'inspect', 'empty.jsonl'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'empty.jsonl: the file contains no events\nperturb: no event was read\n',
    });
  });
});

test('what is imported is the same session, also packed', async () => {
  const directory = directoryWith({});
  const plain = await perturb(['session', 'import', resolve(CHORD)], { cwd: directory });
  expect(plain.stdout.split('\n', 1)).toEqual(['{"session":1,"source":"chord.log"}']);
  for (const out of ['a.session.jsonl', 'a.session.jsonl.gz']) {
    const args = ['session', 'import', resolve(CHORD), '--out', out];
    expect(await perturb(args, { cwd: directory })).toEqual({ code: 0, stdout: '', stderr: '' });
    const bytes = readFileSync(join(directory, out));
    expect((out.endsWith('gz') ? gunzipSync(bytes) : bytes).toString()).toBe(plain.stdout);
    const again = await perturb(['session', 'import', out], { cwd: directory });
    expect(again.stdout).toBe(plain.stdout);
  }
  expect(readdirSync(directory).sort()).toEqual(['a.session.jsonl', 'a.session.jsonl.gz']);
});

test('what is imported into a link goes where it leads, with the mode of the file there', async () => {
  const directory = directoryWith({ 'a.session.jsonl': '' });
  chmodSync(join(directory, 'a.session.jsonl'), 0o600);
  symlinkSync('a.session.jsonl', join(directory, 'link'));
  const args = ['session', 'import', resolve(CHORD), '--out', 'link'];
  expect((await perturb(args, { cwd: directory })).code).toBe(0);
  expect(readlinkSync(join(directory, 'link'))).toBe('a.session.jsonl');
  const { mode, size } = statSync(join(directory, 'a.session.jsonl'));
  expect([mode & 0o777, size > 0]).toEqual([0o600, true]);
});

test('an import that is interrupted while it writes leaves no file', {
  timeout: 120_000,
}, async () => {
  const events = Array.from({ length: 300_000 }, (_, at) => `{"probe":"A","name":"n${at % 7}"}\n`);
  const directory = directoryWith({ 'large.session.jsonl': events.join('') });
  const seen = watch(directory);
  const args = [
    resolve('dist/bin.cjs'),
    'session',
    'import',
    'large.session.jsonl',
    '--out',
    'out',
  ];
  const child = spawn(process.execPath, args, { cwd: directory });
  const ended = once(child, 'exit');
  // The first thing that happens in the directory is that a file is begun there.
  const [, begun] = await once(seen, 'change');
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
  seen.close();
  expect(begun).toBe(`.out.${child.pid}.tmp`);
  expect(readdirSync(directory)).toEqual(['large.session.jsonl']);
});

describe('what memory does not hold', { timeout: 120_000 }, () => {
  const env = { NODE_OPTIONS: '--max-old-space-size=48' };
  const raise = /set NODE_OPTIONS=--max-old-space-size=\d+, in MB\n$/;

  test('of lines is an error that says what to do', async () => {
    const lines = Array.from(
      { length: 70_000 },
      (_, at) => `{"probe":"A","name":"${at}${'x'.repeat(1000)}"}\n`,
    );
    const directory = directoryWith({ 'large.session.jsonl': lines.join('') });
    const args = ['session', 'import', 'large.session.jsonl', '--out', 'out'];
    const { code, stderr } = await perturbProcess(args, { cwd: directory, env });
    expect(stderr).toMatch(raise);
    expect(stderr).toContain(
      "perturb: large.session.jsonl: the data exceeds Node's memory limit of 48 MB: read fewer files at a time, split the file, or set",
    );
    expect(code).toBe(2);
    expect(readdirSync(directory)).toEqual(['large.session.jsonl']);
  });

  test('of one document is an error that says what to do', async () => {
    const spans = Array.from({ length: 400_000 }, (_, at) => ({
      traceId: 't',
      id: `${at}`,
      timestamp: at,
      tags: {},
    }));
    const directory = directoryWith({ 'traces.json': JSON.stringify(spans, null, 1) });
    const { code, stderr } = await perturbProcess(['session', 'inspect', 'traces.json'], {
      cwd: directory,
      env,
    });
    expect(stderr).toMatch(raise);
    expect(stderr).toContain(
      "perturb: traces.json: the document is too large for Node's memory limit of 48 MB: write it as JSON Lines, one document per line, split it, or set",
    );
    expect(code).toBe(2);
  });
});

test('what is broken is told with its line, and nothing is written', async () => {
  const directory = directoryWith({ 'b.jsonl': BROKEN });
  const problems =
    "b.jsonl:2:9: not JSON: Colon ':' expected after property name but reached end of input\n" +
    'b.jsonl:3: the sender "a" of an interaction does not exist\n';
  const args = ['session', 'import', 'b.jsonl', '--out', 'c.jsonl'];
  expect(await perturb(args, { cwd: directory })).toEqual({
    code: 1,
    stdout: '',
    stderr: `${problems}perturb: nothing was written: --tolerant would skip 1 record and 1 interaction\n`,
  });
  expect(readdirSync(directory)).toEqual(['b.jsonl']);
  expect(await perturb([...args, '--tolerant'], { cwd: directory })).toEqual({
    code: 0,
    stdout: '',
    stderr: `${problems}perturb: skipped 1 record and 1 interaction\n`,
  });
  expect(readFileSync(join(directory, 'c.jsonl'), 'utf8')).toBe(
    '{"session":1,"source":"b.jsonl"}\n{"probe":"A","name":"x"}\n',
  );
});

test('inspect shows each session, and fails if one is broken', async () => {
  const directory = directoryWith({ 'a.jsonl': '{"probe":"A","name":"x"}\n', 'b.jsonl': BROKEN });
  const page = `events        1
probes        1
interactions  0
ordered       0 of 0 pairs of probes

PROBE  EVENTS  RECEIVES
A      1       0

EVENT  PROBE  EVENTS  ATTRIBUTES
x      A      1       -

ATTRIBUTE  EVENTS  KINDS   TEXTS
name       1       string  -
probe      1       string  -
`;
  const good = await perturb(['session', 'inspect', 'a.jsonl'], { cwd: directory });
  expect(good).toEqual({ code: 0, stdout: page, stderr: '' });
  const both = await perturb(['session', 'inspect', 'a.jsonl', 'b.jsonl'], { cwd: directory });
  expect(both).toEqual({
    code: 1,
    stdout: `a.jsonl: 1 event\n${page}\n`,
    stderr: `b.jsonl:2:9: not JSON: Colon ':' expected after property name but reached end of input
b.jsonl:3: the sender "a" of an interaction does not exist
perturb: b.jsonl: --tolerant would skip 1 record and 1 interaction
`,
  });
  const { code, stdout } = await perturb(['session', 'inspect', 'b.jsonl', '-f', 'json'], {
    cwd: directory,
  });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    files: [
      { file: 'b.jsonl', format: 'session', whole: false, broken: { records: 1, events: 0 } },
    ],
  });
});

test('what is wrong with the command line, and files that cannot be read', async () => {
  const directory = directoryWith({ 'a.log': 'a {"a":1}\nx\n' });
  const run = (...args: string[]) => perturb(['session', ...args], { cwd: directory });
  expect(await run('inspect', 'nothing')).toMatchObject({
    code: 2,
    stderr:
      'perturb: no session found at nothing\nName a file, a glob, or a directory with *.session.jsonl or with the runs of an objective.\n',
  });
  expect(await run('import', 'a.log', '--pattern', '(')).toMatchObject({ code: 2 });
  expect(await run('import', 'a.log', '--pattern', '(?<host>a)')).toMatchObject({
    code: 2,
    stderr: 'perturb: --pattern: the pattern lacks a group (?<name>...)\n',
  });
  const mapped = (...args: string[]) => run('import', 'a.log', ...args);
  expect(await mapped('--map', 'name=msg')).toMatchObject({
    code: 2,
    stderr: `perturb: --map: name: expected a path such as $.msg or a 'text', found "msg"\n`,
  });
  const flags: [string[], string][] = [
    [['--map', ''], '--map: expected fields such as name=$.msg,time=$.ts, found ""'],
    [
      ['--map', 'msg.toml'],
      '--map: expected fields such as name=$.msg,time=$.ts, found "msg.toml"',
    ],
    [
      ['--map', 'name=$.m,sned=$.a'],
      '--map: sned: did you mean "send"? Any other name is an attribute',
    ],
    [['--map', 'time=$.m'], "--map: it lacks the path of an event's name, such as name=$.msg"],
    [
      ['--map', 'name=$.a,name=$.b'],
      '--map: name: it occurs twice: to use the first path that is present, write $.a|$.b',
    ],
    [
      ['--map', 'name=$.a', '--receive', '$.b'],
      '--receive: receive: set both --send and --receive, or neither',
    ],
    [['--pattern', '('], '--pattern: Invalid regular expression: /(/: Unterminated group'],
  ];
  for (const [args, told] of flags) {
    expect((await mapped(...args)).stderr).toBe(`perturb: ${told}\n`);
  }
  expect(await run('import', 'a.log', '--out', 'no/where.jsonl')).toMatchObject({
    code: 2,
    stderr: 'perturb: cannot write no/where.jsonl: no such file or directory\n',
  });
});

test('names that act on a terminal are shown, not done', async () => {
  const directory = directoryWith({
    'a.jsonl':
      '{"probe":"\\u001b[2J","name":"x","attributes":{"\\u0007":1}}\n{"probe":"A","a\\u001b":1}',
  });
  const { stdout, stderr } = await perturb(['session', 'inspect', 'a.jsonl', '--tolerant'], {
    cwd: directory,
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('how a file is read stands in perturb.toml or in flags, which replace its values', async () => {
  const fields = 'name=$.m,probe=$.m,time=$.at,order.id=$.id';
  const cwd = directoryWith({
    'app.jsonl':
      '{"m":"send","at":"1970-01-01T00:00:01Z","id":"k"}\n{"m":"get","at":"1970-01-01T00:00:02Z","id":"k"}\n',
    'perturb.toml': `[reading.app]\nfiles = ["app.*"]\nmap = "${fields}"\nsend = "$.id"\nreceive = "$.no"\n`,
    'bare/perturb.toml': '',
  });
  const imported = {
    code: 0,
    stdout: `{"session":1,"source":"app.jsonl","recorders":[[0,2]]}
{"probe":"send","name":"send","time":1000000000,"attributes":{"order.id":"k"}}
{"probe":"get","name":"get","time":2000000000,"attributes":{"order.id":"k"}}
{"from":["send",0],"to":["get",0]}
`,
    stderr: '',
  };
  const run = (...args: string[]) => perturb(['session', 'import', 'app.jsonl', ...args], { cwd });
  expect(await run('--receive', '$.id')).toEqual(imported);
  const keys = ['--send', '$.id', '--receive', '$.id'];
  expect(await run('--config', 'bare/perturb.toml', '--map', fields, ...keys)).toEqual(imported);
});

test.each([['Nowhere/City'], ['+15:00'], ['+02:75'], ['']])(
  '%j is not a time zone',
  async (zone) => {
    const cwd = directoryWith({
      'a.log': '2026-01-01T10:00:00 x\n',
      'perturb.toml': `[reading.a]\nfiles = ["a.log"]\npattern = "^(?<time>.*) (?<name>.)$"\nzone = "${zone}"\n`,
      'bare/perturb.toml': '',
    });
    const why = `${JSON.stringify(zone)} is not a time zone: write an offset such as +02:00, or a name such as Europe/Berlin`;
    const table = await perturb(['session', 'inspect', 'a.log'], { cwd });
    expect([table.code, table.stdout]).toEqual([2, '']);
    if (zone === '') expect(table.stderr).toContain('error[config/');
    else expect(table.stderr).toContain(`error[config/invalid-reading]: ${why}`);
    const flags = ['--pattern', '^(?<time>.*) (?<name>.)$', '--config', 'bare/perturb.toml'];
    const flag = await perturb(['session', 'import', 'a.log', ...flags, `--zone=${zone}`], { cwd });
    expect([flag.code, flag.stdout]).toEqual([2, '']);
    if (zone !== '') expect(flag.stderr).toBe(`perturb: --zone: ${why}\n`);
  },
);

test('which table reads a file', async () => {
  const cwd = directoryWith({
    'logs/a.log': '1 x\n',
    'perturb.toml':
      '[reading.all]\nfiles = ["*.log"]\npattern = "^(?<time>.) (?<name>.)$"\n[reading.a]\nfiles = ["logs/a*"]\npattern = "^(?<probe>.) (?<name>.)$"\n',
  });
  const run = (...args: string[]) =>
    perturb(['session', 'inspect', 'logs/a.log', ...args, '--format', 'json'], { cwd });
  expect(await run()).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'perturb: logs/a.log matches [reading.all] and [reading.a] of perturb.toml\nNarrow the globs of one table, or select a table with --reading.\n',
  });
  const { stdout } = await run('--reading', 'a');
  expect(JSON.parse(stdout)).toMatchObject({
    files: [{ session: { probes: [{ probe: '1', events: 1 }] } }],
  });
  expect(await run('--reading', 'al')).toMatchObject({
    code: 2,
    stderr:
      'perturb: there is no table [reading.al] in perturb.toml\nexpected one of "all" or "a"\n',
  });
});

test('how often a clock contradicts the calls is told', async () => {
  const span = (traceId: string, id: string, at: number, service: string, parentId?: string) => ({
    ...{
      traceId,
      id,
      name: id,
      timestamp: at,
      duration: 1,
      localEndpoint: { serviceName: service },
    },
    ...(parentId !== undefined && { parentId }),
  });
  const spans = ['7', '8'].flatMap((trace) => [
    ...[span(trace, 'a1', 30, 'A'), span(trace, 'b1', 5, 'B', 'a1')],
    ...[span(trace, 'b2', 10, 'B'), span(trace, 'a2', 2, 'A', 'b2')],
  ]);
  const directory = directoryWith({ 'back.json': JSON.stringify(spans) });
  const args = ['session', 'import', 'back.json', '--out', 'out.session.jsonl'];
  expect(await perturb(args, { cwd: directory })).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'back.json: the clock of "A" contradicts cause and effect, perhaps because it was set back: 2 orders of events by that clock are left out\n',
  });
});

test.each([
  [['9'], '1 span has a parent that is not in the input, so nothing orders it after the caller'],
  [
    ['9', '8'],
    '2 spans have a parent that is not in the input, so nothing orders them after the caller',
  ],
])('parents that are missing are counted: %j', async (parents, told) => {
  const spans = parents.map((parentId, at) => ({
    traceId: 'a',
    id: `${at}`,
    parentId,
    timestamp: 1,
  }));
  const directory = directoryWith({ 'cut.json': JSON.stringify(spans) });
  const args = ['session', 'import', 'cut.json', '--out', 'out.session.jsonl'];
  expect(await perturb(args, { cwd: directory })).toEqual({
    code: 0,
    stdout: '',
    stderr: `cut.json: ${told}\n`,
  });
});

test('how the order of lines and files was taken is told', async () => {
  const line = (time: number) => `2026-11-23T01:31:0${time}Z,cart,n${time}\n`;
  const head = 'time,service,event\n';
  const cwd = directoryWith({
    'new.csv': head + line(9) + line(8) + line(7),
    'old.csv': head + line(1) + line(3) + line(2),
  });
  const { code, stderr } = await perturb(['session', 'import', 'new.csv', 'old.csv'], { cwd });
  expect([code, ...stderr.trim().split('\n')]).toEqual([
    0,
    'new.csv: its lines are newest first, so they are read from last to first',
    'old.csv: 1 of 2 steps from one event to the next go back in time, but events keep the order of their lines: sort the lines by time, the oldest first, or give the events a seq',
    'old.csv: older than new.csv, whose events come first: name the oldest file first',
  ]);
});

test('several files are one session, and what is wrong with one has its name', async () => {
  const cwd = directoryWith({
    'a.jsonl': '{"probe":"A","name":"x","id":"i"}\n',
    'b.jsonl': '{"probe":"B","name":"y","after":["i"]}\n',
    'c.log':
      'ts=1970-01-01T00:00:01Z level=info msg=z\noh\nts=1970-01-01T00:00:02Z level=info msg=z\n',
  });
  const run = (...files: string[]) => perturb(['session', 'import', ...files], { cwd });
  expect(await run('a.jsonl', 'b.jsonl')).toEqual({
    code: 0,
    stdout: `{"session":1,"source":"a.jsonl, b.jsonl"}
{"probe":"A","name":"x"}
{"probe":"B","name":"y"}
{"from":["A",0],"to":["B",0]}
`,
    stderr: '',
  });
  expect(await run('a.jsonl', 'c.log', '--tolerant')).toEqual({
    code: 0,
    stdout: `{"session":1,"source":"a.jsonl, c.log"}
{"probe":"A","name":"x"}
{"probe":"c","name":"z","time":1000000000,"attributes":{"level":"info"}}
{"probe":"c","name":"z","time":2000000000,"attributes":{"level":"info"}}
`,
    stderr: 'c.log:2: a line without key=value: "oh"\nperturb: skipped 1 record\n',
  });
  expect(await run('a.jsonl', 'no.log')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: cannot read no.log: no such file or directory\n',
  });
});

test.each([
  ['pino', '--map', 'name=$.text'],
  ['logfmt', '--pattern', '(?<name>.*)'],
])('--from %s does not go with %s', async (format, flag, value) => {
  expect(await perturb(['session', 'import', CHORD, '--from', format, flag, value])).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: --from: "${flag.slice(2)}" describes its own format: remove this key\n`,
  });
});

test('stdin is a session too, packed or not, and can be read once', async () => {
  const packed = gzipSync(readFileSync(CHORD));
  const plain = await perturb(['session', 'import', CHORD]);
  const piped = await perturb(['session', 'import', '-'], { stdin: packed });
  expect(piped).toEqual({
    code: 0,
    stdout: plain.stdout.replace('{"session":1,"source":"chord.log"}\n', ''),
    stderr: '',
  });
  for (const args of [
    ['session', 'inspect', '-'],
    ['expression', 'eval', "MATCH (name = 'x') AS x", '-'],
  ]) {
    const file = args.with(-1, 'a.session.jsonl');
    const cwd = directoryWith({ 'a.session.jsonl': plain.stdout });
    const { stdout } = await perturb(args, { stdin: plain.stdout });
    expect(stdout).toBe((await perturb(file, { cwd })).stdout);
  }
  expect(await perturb(['session', 'inspect', '-', '-'], { stdin: plain.stdout })).toMatchObject({
    code: 2,
    stderr: 'perturb: stdin can be read only once: pass only one -\n',
  });
  expect(
    await perturb(['session', 'load', '-', '--engine', 'clickhouse:http://127.0.0.1:9/x']),
  ).toEqual({
    code: 2,
    stdout: '',
    stderr:
      "perturb: a session must be loaded from a file, because the file's name is part of the id\n",
  });
});
