import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withSteadyBorder } from '../../docs/steady-border.js';
import { unusedPort } from '../../docs/unused-port.js';
import { directoryWith, perturb, perturbProcess } from '../program.js';
import { isInstalled } from '../shells.js';

/* From an empty folder to the first fault, with the real program and the example that is shipped. */

const KEY = ['--key', 'settings.json:warehouse.delay_ms=0..3000'];
const SLOW = { timeout: 300_000 };
const LEVEL = '{ "level": 1 }\n';
const EVENT = `echo '{"probe":"S","name":"end"}' >> "$PERTURB_SESSION"`;
/** Waits in the attempt with the fault only, where the level is 9. */
const WAITING = `if grep -q 9 level.json; then echo $$ > pid; mv pid started; exec sleep 600; fi; ${EVENT}`;

const text = (cwd: string, name: string) => readFileSync(join(cwd, name), 'utf8');

/** A service that charges twice if it had to wait for more than 70 ms. */
const CHARGING = {
  'wait.json': '{ "wait": { "ms": 0 } }\n',
  'charge.sh': `charge() { echo '{"probe":"PAY","name":"charged","attributes":{"id":7}}' >> "$PERTURB_SESSION"; }
charge
ms=$(sed -n 's/.*"ms": \\([0-9]*\\).*/\\1/p' wait.json)
[ "$ms" -le 70 ] || charge
`,
};

test(
  'the mistake of the shipped shop is found, with questions that its own events suggest',
  SLOW,
  async () => {
    const cwd = directoryWith({});
    cpSync('examples/service', cwd, { recursive: true });
    const args = ['init', ...KEY, '--', 'node', 'service.mjs'];
    const { code, stdout } = await perturbProcess(args, { cwd });
    const value = / value=(\d+) /.exec(stdout)?.[1];
    expect([code, withSteadyBorder(stdout)]).toEqual([
      1,
      `wrote mutators.toml: 1 mutator
  warehouse-delay-ms
wrote perturb.toml
wrote first.objective.toml: 4 questions
  handled at WAREHOUSE once for each id
  every sent at SHOP is followed by handled at WAREHOUSE
  no new error at WAREHOUSE, SHOP
  the command succeeds

From 1020 ms of warehouse delay on, "handled at WAREHOUSE once for each id" fails; at worst, handled came twice for id 1, wanted once.
It fails with warehouse-delay-ms value=1031 (5 of 5 times).
warehouse-delay-ms value begins to fail between 960 and 1020 (97 %); it never failed from 0 to 937, in 11 attempts.
To see why: perturb runs show .perturb/runs/first --attempt 1
To continue: perturb objective run first.objective.toml -- node service.mjs
`,
    ]);
    expect(Number(value)).toBeLessThan(3000);
    expect(await perturb(['objective', 'lint'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  },
);

test(
  'the least fault is found, the setting put back, and what is there is kept',
  SLOW,
  async () => {
    const cwd = directoryWith(CHARGING);
    const key = ['--key', 'wait.json:wait.ms=0..999'];
    const args = ['init', ...key, '--', 'sh', './charge.sh'];
    const { code, stdout, stderr } = await perturbProcess(args, { cwd });
    expect([code, stderr.match(/^perturb: attempt.*$/gm)]).toEqual([
      ...[1, ['perturb: attempt 1 failed: charged at PAY once for each id']],
    ]);
    expect(stdout.split('\n').slice(-7)).toEqual([
      '',
      expect.stringMatching(
        /^From [78]\d ms of wait on, "charged at PAY once for each id" fails; at worst, charged came twice for id 7, wanted once\.$/,
      ),
      expect.stringMatching(/^It fails with wait-ms value=\d+ \(5 of 5 times\)\.$/),
      expect.stringMatching(
        /^wait-ms value begins to fail between [4-7]\d and [78]\d \(97 %\); it never failed/,
      ),
      'To see why: perturb runs show .perturb/runs/first --attempt 1',
      'To continue: perturb objective run first.objective.toml -- sh ./charge.sh',
      '',
    ]);
    expect(text(cwd, 'wait.json')).toBe(CHARGING['wait.json']);
    expect(text(cwd, 'first.objective.toml')).toContain(`name = "charged at PAY once for each id"
# The expected result of the check.
should_pass = true
check = """
MATCH (name = 'charged' AND probe = 'PAY') AS effect
AGGREGATE count() = 1 BY effect.id
"""`);
    // What it proposes works as it is printed.
    const shown = await perturb(['runs', 'show', '.perturb/runs/first', '--attempt', '1'], { cwd });
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('effect.id 7: count() = 1: 2\n'),
    });
    const further = ['objective', 'run', 'first.objective.toml', '--', 'sh', './charge.sh'];
    expect(await perturbProcess(further, { cwd })).toMatchObject({ code: 1 });
  },
);

test('what is there is kept, and a run that finds nothing says so', SLOW, async () => {
  const cwd = directoryWith({
    ...CHARGING,
    'perturb.toml': '[lint]\nmutators = ["mutators.toml"]\n',
  });
  const manifest = ['key', '--file', 'wait.json', '--key', 'wait.ms', '--range', '0..9'];
  expect(await perturb(['mutators', 'new', ...manifest], { cwd })).toMatchObject({ code: 0 });
  const objective = ['objective', 'new', 'x', '--question', '1', '-o', 'first.objective.toml'];
  expect(await perturb(objective, { cwd })).toMatchObject({ code: 0 });
  const files = ['perturb.toml', 'mutators.toml', 'first.objective.toml'];
  const edited = text(cwd, 'first.objective.toml').replace('attempts = 100', 'attempts = 1');
  writeFileSync(join(cwd, 'first.objective.toml'), edited);
  const before = files.map((name) => text(cwd, name));
  const given = [
    '--key',
    'wait.json:wait.ms=0..9',
    '--poll',
    'http://127.0.0.1:1/',
    '--question',
    '9',
  ];
  const { code, stdout } = await perturbProcess(['init', ...given, '--', 'sh', '-c', EVENT], {
    cwd,
  });
  expect([code, stdout]).toEqual([
    0,
    `kept mutators.toml, so --key has no effect
kept perturb.toml, so --poll has no effect
kept first.objective.toml, so --question has no effect

Nothing failed in 1 attempt; "Which requests had no response?" is vacuous.
To continue: perturb objective run first.objective.toml --serve mutators.toml -- sh -c '${EVENT.replaceAll("'", `'\\''`)}'
`,
  ]);
  expect(files.map((name) => text(cwd, name))).toEqual(before);
});

test.each([
  [[], 'perturb: init needs the command that runs the system (after --) or --address\n'],
  [['--', 'true'], 'perturb: init needs a setting to change (--key) or --address\n'],
  [
    ['--address', 'http://127.0.0.1', '--key', 'a.json:a=1..2'],
    'perturb: --key and --address cannot be combined, because init injects only one kind of fault\n',
  ],
  [
    ['--address', 'https://127.0.0.1:1'],
    'perturb: cannot put a proxy in front of "https://127.0.0.1:1"\n',
  ],
  [
    ['--address', '8080'],
    'perturb: cannot put a proxy in front of "8080"\nExpected http://HOST:PORT/PATH or HOST:PORT.\n',
  ],
  [['--key', 'x.json:a=abc', '--', 'true'], 'perturb: "x.json:a=abc" is not a setting\n'],
  [
    ['--key', 's.json:a.b=1..2', '--', 'true'],
    'perturb: s.json has no value at "a.b"\ndid you mean "a.bc"?\n',
  ],
  [
    ['--key', 's.json:a.bc=1..x', '--', 'true'],
    'perturb: --range 1..x: expected two numbers, as in 0..40\n',
  ],
  [
    ['--key', 's.txt:a=1..2', '--', 'true'],
    'perturb: "s.txt" is not a file of a supported format (.json, .toml, .yaml, .env)\n',
  ],
  [['--key', 'level', '--', 'true'], 'perturb: "level" is not a setting\n'],
  [
    ['--key', 'x.json:a=1..2', '--', 'true'],
    'perturb: cannot read x.json: no such file or directory\n',
  ],
  [
    ['--question', '99', '--', 'true'],
    "perturb: option '--question <question>' argument '99' is invalid. Expected a number from 1 to 29.\n",
  ],
])('off a terminal, %j is refused, and nothing is written', async (args, message) => {
  const files = { 's.json': '{ "a": { "bc": 1 } }', 's.txt': '' };
  const cwd = directoryWith(files);
  const { code, stderr } = await perturb(['init', '--yes', ...args], { cwd });
  expect([code, stderr.slice(0, message.length)]).toEqual([2, message]);
  expect(readdirSync(cwd).sort()).toEqual(Object.keys(files));
});

test('a command that writes no events ends it at once, with what is missing', SLOW, async () => {
  const cwd = directoryWith({ 'a.json': '{"a": 1}' });
  const args = ['init', '--yes', '--key', 'a.json:a=0..9', '--', 'true'];
  const { code, stdout, stderr } = await perturbProcess(args, { cwd });
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(
      /^perturb: the baseline is inconclusive: no event arrived in the file named by PERTURB_SESSION$/m,
    ),
  ]);
  expect(stdout).toMatch(/^attempts +0: .*\n.*\nbaseline +1 inconclusive: no event arrived$/m);
  expect(readdirSync(cwd).sort()).toEqual(['.perturb', 'a.json', 'mutators.toml', 'perturb.toml']);
});

/** A service that runs; gives where. */
async function service(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test(
  'for a URL, the service is asked beside the proxy, so that no fault of it is the answer',
  SLOW,
  async () => {
    // It has room for twelve connections, and nothing ends one that is silent.
    const crowded = createHttpServer((_, response) => {
      response.setHeader('connection', 'close').end('well');
    });
    crowded.maxConnections = 12;
    const upstream = await service(crowded);
    const use = `import { connect } from 'node:net';
const [host, port] = process.env.PERTURB_PROXY.split(':');
for (let n = 0; n < 20; n += 1) {
  const socket = connect(port, host).on('error', () => {}).resume();
  socket.write('GET / HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n');
  await new Promise((done) => {
    socket.on('close', done);
    setTimeout(done, 100);
  });
}
process.exit();
`;
    const config = `[run]
serve = "mutators.toml"
command_status = "ignore"
[polls.service]
http = "http://${upstream}/a"
every = "100ms"
`;
    const cwd = directoryWith({ 'use.mjs': use, 'perturb.toml': config });
    const proxy = `127.0.0.1:${await unusedPort()}`;
    const kind = ['proxy', '--listen', proxy, '--upstream', upstream];
    expect(await perturb(['mutators', 'new', ...kind], { cwd })).toMatchObject({ code: 0 });
    const [head = '', ...mutators] = text(cwd, 'mutators.toml').split(/(?=^\[\[mutator\]\])/m);
    const halfOpen = mutators.find((one) => one.includes('"proxy-half-open"')) ?? '';
    const whole = halfOpen.replace('usual_range = [1.0,', 'usual_range = [100.0,');
    writeFileSync(join(cwd, 'mutators.toml'), head + whole);
    const args = ['init', '--address', `http://${upstream}/a`, '--', 'node', 'use.mjs'];
    const { code, stdout } = await perturbProcess(args, { cwd });
    expect([code, stdout.replace(/(?<=count\(\) was )\d+/, 'N')]).toEqual([
      1,
      `kept mutators.toml, so --address has no effect
kept perturb.toml
wrote first.objective.toml: 2 questions
  every request at service is answered
  no new error at service

With proxy half open share at 100 %, "no new error at service" fails; at worst, count() was N, wanted 0.
It fails with proxy-half-open share=100.0 (4 of 4 times).
To see why: perturb runs show .perturb/runs/first --attempt 1
To continue: PERTURB_PROXY=${proxy} perturb objective run first.objective.toml -- node use.mjs
`,
    ]);
  },
);

test('for another service, the command finds the proxy in its environment', SLOW, async () => {
  const upstream = await service(
    createServer((socket) => void socket.on('error', () => {}).end('hello')),
  );
  // It waits for an answer, but not long.
  const talk = `const { appendFileSync } = require('fs');
const record = (name) => appendFileSync(process.env.PERTURB_SESSION, JSON.stringify({ probe: 'C', name, attributes: { id: 1 } }) + '\\n');
setTimeout(() => process.exit(), 400);
record('request');
require('net').connect(...process.env.PERTURB_PROXY.split(':').reverse()).on('error', () => {}).on('data', () => { record('response'); process.exit(); });
`;
  const cwd = directoryWith({ 'talk.js': talk });
  const args = ['init', '--yes', '--address', upstream];
  expect(await perturb(args, { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('init needs the command that uses the service, after --\n'),
  });
  expect(readdirSync(cwd)).toEqual(['talk.js']);
  const poll = ['--poll', `up=tcp://${upstream}`];
  const { stdout } = await perturbProcess([...args, ...poll, '--', 'node', 'talk.js'], { cwd });
  expect(stdout).toMatch(/^(?:From|With) .*\bproxy .*, "every request at C is answered" fails/m);
  const [, port] =
    /^To continue: +PERTURB_PROXY=127\.0\.0\.1:(\d+) perturb objective run /m.exec(stdout) ?? [];
  // Any port above may become a client's before the next run.
  expect(Number(port)).toBeLessThan(32_768);
  expect(text(cwd, 'first.objective.toml')).toContain('mutator_tags = ["late"]');
  expect(text(cwd, 'perturb.toml')).toContain(`[run]
serve = "mutators.toml"
# A service runs until Perturb stops it.
attempt_time = "5s"
# The command may fail because the proxy fails.
command_status = "ignore"

# Polled during attempts; responses are events at the probe of this name.
[polls.up]
tcp = "${upstream}"
every = "50ms"
`);
});

test('where nobody answers, nothing is written', SLOW, async () => {
  const cwd = directoryWith({});
  const closed = createServer();
  const upstream = await service(closed);
  closed.close();
  await once(closed, 'close');
  expect(await perturb(['init', '--address', upstream, '--', 'true'], { cwd })).toEqual({
    code: 4,
    stdout: '',
    stderr: `perturb: cannot connect to ${upstream}: ECONNREFUSED
Start the service first, or correct the address. Nothing was written.
`,
  });
  expect(readdirSync(cwd)).toEqual([]);
});

test('a service that was started just before is waited for', SLOW, async () => {
  const port = await unusedPort();
  const cwd = directoryWith({});
  const late = `setTimeout(() => require('net').createServer((s) => s.on('error', () => {})).listen(${port}, '127.0.0.1'), 300)`;
  const child = spawn(process.execPath, ['-e', late], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const args = ['init', '--yes', '--address', `127.0.0.1:${port}`];
  expect(await perturb(args, { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('init needs the command that uses the service, after --\n'),
  });
});

test.each(['SIGINT', 'SIGKILL'] as const)(
  '%s in the attempt leaves nothing mutated',
  SLOW,
  async (signal) => {
    const cwd = directoryWith({ 'level.json': LEVEL });
    const args = ['init', '--key', 'level.json:level=1..9', '--', 'sh', '-c', WAITING];
    const child = spawn(process.execPath, [resolve('dist/bin.cjs'), ...args], {
      cwd,
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    await expect.poll(() => existsSync(join(cwd, 'started')), SLOW).toBe(true);
    expect(text(cwd, 'level.json')).toBe('{ "level": 9 }\n');
    const system = Number(text(cwd, 'started'));
    child.kill(signal);
    expect(await exit).toEqual(signal === 'SIGINT' ? [4, null] : [null, signal]);
    await expect.poll(() => text(cwd, 'level.json'), SLOW).toBe(LEVEL);
    // A run that is killed cannot end its command.
    if (signal === 'SIGKILL') process.kill(system);
  },
);

test.skipIf(!isInstalled('script'))(
  'on a terminal it asks one thing at a time, and again after a wrong answer',
  SLOW,
  async () => {
    const cwd = directoryWith({ 'level.json': LEVEL, run: `${EVENT}; grep -q 1 level.json` });
    const command = `"${process.execPath}" "${resolve('dist/bin.cjs')}" init`;
    const child = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], {
      cwd,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      said += piece;
    });
    const exit = once(child, 'close');
    for (const [before, answer] of [
      ['Which command ', '127.0.0.1:1'],
      ['cannot connect to 127.0.0.1:1: ECONNREFUSED[^]*Which command ', 'sh run'],
      ['Which file ', 'levels.json'],
      ['cannot read levels.json: no such file or directory[^]*Which file ', 'level.json'],
      ['  level = 1[^]*Which setting to change', 'leval'],
      ['has no value at "leval"\\s+did you mean "level"\\?[^]*Which setting ', 'level'],
      ['Between which values\\? [^>]*now 1', '1'],
      ['"1" is neither LOW..HIGH nor A,B,...[^]*Between ', '1..9'],
      ['Any other source of events', ''],
    ] as const) {
      await expect.poll(() => said, SLOW).toMatch(new RegExp(`${before}[^>]*\n> `));
      said = '';
      child.stdin.write(`${answer}\r`);
    }
    await exit;
    expect(said).toContain('"the command succeeds" fails');
    expect(text(cwd, 'level.json')).toBe(LEVEL);
  },
);

test.skipIf(!isInstalled('script')).each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s at a question ends it, and nothing is written', SLOW, async (_, key) => {
  const cwd = directoryWith({});
  const command = `"${process.execPath}" "${resolve('dist/bin.cjs')}" init`;
  const words = ['--quiet', '--flush', '--return', '--command', command, '/dev/null'];
  const child = spawn('script', words, { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    said += piece;
  });
  const exit = once(child, 'close');
  await expect.poll(() => said, SLOW).toMatch(/Which command[^>]*\n> /);
  child.stdin.write(key);
  expect(await exit).toEqual([4, null]);
  expect(said).toContain('perturb: cancelled; nothing was written');
  expect(readdirSync(cwd)).toEqual([]);
});
