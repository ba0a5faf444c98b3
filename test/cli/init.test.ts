import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { directoryWith, perturb, perturbProcess } from './program.js';
import { isInstalled } from './shells.js';

/* From an empty folder to the first fault, with the real program and the example that is shipped. */

const KEY = ['--key', 'settings.json:warehouse.delay_ms=0..3000'];
const SLOW = { timeout: 120_000 };
const LEVEL = '{ "level": 1 }\n';
const EVENT = `echo '{"probe":"S","name":"end"}' >> "$PERTURB_SESSION"`;
/** Waits in the attempt with the fault only, where the level is 9. */
const WAITING = `if grep -q 9 level.json; then echo $$ > pid; mv pid started; exec sleep 600; fi; ${EVENT}`;

const text = (cwd: string, name: string) => readFileSync(join(cwd, name), 'utf8');

test('the fault of the shipped service is found, and what is there is kept', SLOW, async () => {
  const cwd = directoryWith({});
  cpSync('examples/service', cwd, { recursive: true });
  const settings = text(cwd, 'settings.json');
  const args = ['init', ...KEY, '--question', '3', '--', 'node', 'service.mjs'];
  const { code, stdout, stderr } = await perturbProcess(args, { cwd });
  expect([code, stderr.match(/^perturb: attempt.*$/gm)]).toEqual([
    ...[1, ['perturb: attempt 1 failed: Is each message handled at most once?']],
  ]);
  expect(stdout.replace(/^time .*$/m, 'time')).toBe(`wrote mutators.toml: 1 mutator
  warehouse-delay-ms
wrote perturb.toml
created first.objective.toml
objective  The first fault
ended      attempt limit reached
attempts   1: 0 passed, 1 failed, 0 skipped, 0 inconclusive
sets       1 of 3001 judged
baseline   1 passed
time
strategy   guided, seed 1
kept in    .perturb/runs/first

MEASUREMENT                            PASSED  FAILED  UNDECIDED
Is each message handled at most once?  0       1       0

ATTEMPT  OUTCOME  SET                            WHY
1        failed   warehouse-delay-ms value=3000  Is each message handled at most once?
to repeat: perturb runs replay .perturb/runs/first --attempt 1

to continue: perturb objective run first.objective.toml -- COMMAND
`);
  expect(text(cwd, 'settings.json')).toBe(settings);
  expect(await perturb(['objective', 'lint'], { cwd })).toMatchObject({ code: 0, stderr: '' });

  const files = ['perturb.toml', 'mutators.toml', 'first.objective.toml'];
  const before = files.map((name) => text(cwd, name));
  const again = await perturbProcess(['init', ...KEY, '--question', '9', '--', 'sh', '-c', EVENT], {
    cwd,
  });
  expect(again.stdout).toMatch(
    /^kept mutators.toml, so --key changes nothing\nkept perturb.toml\nkept first.objective.toml, so --question changes nothing\n/,
  );
  expect(again.stdout).toContain('attempts   1: 1 passed, 0 failed, 0 skipped');
  expect(again.code).toBe(0);
  expect(files.map((name) => text(cwd, name))).toEqual(before);
  expect(readdirSync(join(cwd, '.perturb/runs'))).toHaveLength(2);
});

test.each([
  [[], 'perturb: init needs the command that runs the system, after --, or --address\n'],
  [['--', 'true'], 'perturb: init needs the setting to change, with --key, or --address\n'],
  [
    ['--address', 'http://127.0.0.1', '--key', 'a.json:a=1..2'],
    'perturb: --key and --address: init makes one fault at first, so give only one of them\n',
  ],
  [
    ['--address', 'https://127.0.0.1:1'],
    'perturb: "https://127.0.0.1:1" is not an address that a proxy can be put in front of\n',
  ],
  [
    ['--address', '8080'],
    'perturb: "8080" is not an address that a proxy can be put in front of\nIt takes http://HOST:PORT/PATH, or HOST:PORT.\n',
  ],
  [['--key', 'x.json:a=abc', '--', 'true'], 'perturb: "x.json:a=abc" is not a setting\n'],
  [['--key', 'level', '--', 'true'], 'perturb: "level" is not a setting\n'],
  [['--key', 'x.json:a=1..2', '--', 'true'], 'perturb: --key names x.json: no such file\n'],
  [
    ['--question', '99', '--', 'true'],
    "perturb: option '--question <question>' argument '99' is invalid. It takes a number from 1 to 29.\n",
  ],
])('off a terminal, %j is refused, and nothing is written', async (args, message) => {
  const cwd = directoryWith({});
  const { code, stderr } = await perturb(['init', '--yes', ...args], { cwd });
  expect([code, stderr.slice(0, message.length)]).toEqual([2, message]);
  expect(readdirSync(cwd)).toEqual([]);
});

test('a setting that is not in its file is named, and what to do', SLOW, async () => {
  const cwd = directoryWith({ 'a.json': '{"a": 1}' });
  const emit = `echo '{"probe":"S","name":"request"}' >> "$PERTURB_SESSION"`;
  const args = ['init', '--yes', '--key', 'a.json:b=0..9', '--', 'sh', '-c', emit];
  const { code, stderr } = await perturbProcess(args, { cwd });
  expect([code, stderr.split('\n').slice(-3)]).toEqual([
    4,
    [
      expect.stringMatching(
        /^perturb: the server says: ".*a\.json" has no single value at "b": only an existing value can be set and restored$/,
      ),
      'perturb: to try again, run perturb init; it keeps what is there: remove mutators.toml to change another setting',
      '',
    ],
  ]);
});

test('a command that writes no events ends it at once, with what is missing', SLOW, async () => {
  const cwd = directoryWith({ 'a.json': '{"a": 1}' });
  const args = ['init', '--yes', '--key', 'a.json:a=0..9', '--', 'true'];
  const { code, stdout, stderr } = await perturbProcess(args, { cwd });
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(
      /^perturb: the baseline is inconclusive: no event arrived in the file that PERTURB_SESSION names$/m,
    ),
  ]);
  expect(stdout).toMatch(/^attempts +0: .*\n.*\nbaseline +1 inconclusive: no event arrived$/m);
});

/** A service that runs; gives where. */
async function service(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test(
  'for a URL of a service, requests go through a proxy, and a fault of it is found',
  SLOW,
  async () => {
    const cwd = directoryWith({});
    const asked: (string | undefined)[] = [];
    const upstream = await service(
      createHttpServer(({ url }, response) => {
        asked.push(url);
        response.end('well');
      }),
    );
    const { code, stdout } = await perturbProcess(
      ['init', '--address', `http://${upstream}/a?b`, '--yes'],
      { cwd },
    );
    const [, words = '', address = ''] =
      /^the server starts: (node proxy\.mjs run proxy (\S+) \S+ http)$/m.exec(stdout) ?? [];
    expect(words).toBe(`node proxy.mjs run proxy ${address} ${upstream} http`);
    expect(stdout).toContain(
      'wrote perturb.toml\ncreated first.objective.toml\ncopied client.mjs\n',
    );
    expect(stdout).toContain('baseline   1 passed\n');
    expect(stdout).toMatch(
      /^1 +failed +proxy-latency delay=10000 jitter=0 direction=to share=100\.0/m,
    );
    expect(stdout.split('\n').slice(-3)).toEqual([
      '',
      `to continue: perturb objective run first.objective.toml -- node client.mjs http://${address}/a?b`,
      '',
    ]);
    // What waited may pass when the fault is reset.
    expect([code, asked.slice(0, 5)]).toEqual([1, Array(5).fill('/a?b')]);
    // The proxy has ended with it.
    const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
    const [error] = await once(socket, 'error').catch((failure) => [failure]);
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  },
);

test('for another service, the command finds the proxy in its environment', SLOW, async () => {
  const upstream = await service(
    createServer((socket) => void socket.on('error', () => {}).end('hello')),
  );
  // It ends with its connection, and where that does not end, later.
  const talk = `setTimeout(() => process.exit(), 10_000).unref(); require('net').connect(...process.env.PERTURB_PROXY.split(':').reverse()).resume().on('error', () => {}).on('data', (data) => { if (String(data) === 'hello') for (const name of ['request', 'response']) require('fs').appendFileSync(process.env.PERTURB_SESSION, JSON.stringify({ probe: 'C', name, attributes: { id: 1 } }) + '\\n'); })`;
  const cwd = directoryWith({ 'talk.js': talk });
  const args = ['init', '--yes', '--address', upstream];
  expect(await perturb(args, { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('init needs the command that uses the service, after --\n'),
  });
  expect(readdirSync(cwd)).toEqual(['talk.js']);
  const { stdout } = await perturbProcess([...args, '--', 'node', 'talk.js'], { cwd });
  expect(stdout).toContain('baseline   1 passed\n');
  expect(stdout).toMatch(/^to continue: PERTURB_PROXY=127\.0\.0\.1:\d+ perturb objective run /m);
  expect(text(cwd, 'first.objective.toml')).toContain('mutator_tags = ["tcp"]');
});

test('where nobody answers, it is said at once, and nothing is written', async () => {
  const cwd = directoryWith({});
  const closed = createServer();
  const upstream = await service(closed);
  closed.close();
  await once(closed, 'close');
  expect(await perturb(['init', '--address', upstream, '--', 'true'], { cwd })).toEqual({
    code: 4,
    stdout: '',
    stderr: `perturb: nothing answers at ${upstream}: ECONNREFUSED
Start the service first, or correct the address. Nothing was written.
`,
  });
  expect(readdirSync(cwd)).toEqual([]);
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

test.skipIf(!isInstalled('script'))('on a terminal it asks for the rest', SLOW, async () => {
  const cwd = directoryWith({ 'level.json': LEVEL, run: EVENT });
  const command = `"${process.execPath}" "${resolve('dist/bin.cjs')}" init`;
  const child = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null'], { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    said += piece;
  });
  const exit = once(child, 'close');
  for (const [question, answer] of [
    ['Which command', 'sh run'],
    ['Which setting', 'level.json:level=1..9'],
    ['Which question', ''],
  ] as const) {
    await expect.poll(() => said, SLOW).toMatch(new RegExp(`${question}[^>]*\n> `));
    said = '';
    child.stdin.write(`${answer}\r`);
  }
  await exit;
  expect(said).toContain('attempts   1: 1 passed');
  expect(text(cwd, 'first.objective.toml')).toContain('name = "Which requests had no response?"');
  expect(text(cwd, 'level.json')).toBe(LEVEL);
});

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
  expect(said).toContain('perturb: ended before anything was written');
  expect(readdirSync(cwd)).toEqual([]);
});
