import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/mutators/index.js';
import { ownPort } from '../../adversary/harness/systems.js';
import { directoryWith, perturb } from '../../cli/program.js';
import { buildProgram } from '../../server/programs/run-program.js';
import { startProgram, startServer } from '../../server/programs/server-program.js';
import { withoutProgress } from './bench.js';

/*
 * Runs at Perturb's own server, which says when it began anew, and which run uses it.
 */

const MANIFEST = (maxActive: string, more = '') => `[[mutator]]
name = "level"
max_active = "${maxActive}"
${more}
[[mutator.param]]
name = "value"
type = "integer"
hard_range = [0, 100]
[mutator.actuator]
kind = "file"
path = "level"
template = "{value}"
`;

const OBJECTIVE = `name = "level"
[[measurement]]
name = "ends"
check = "MATCH (name = 'end') AS end"
[stopping_conditions]
attempts = 1
`;

const END = `echo '{"probe":"S","name":"end"}' >> "$PERTURB_SESSION"`;

function setUp(manifest: string): string {
  return directoryWith({ 'mutators.toml': manifest, 'x.toml': OBJECTIVE });
}

function run(cwd: string, url: string, script: string, ...flags: readonly string[]) {
  const args = ['objective', 'run', 'x.toml', '-s', url, '--baseline', '0', ...flags];
  return perturb([...args, '--', 'sh', '-c', script], { cwd });
}

/** Starts a run in a process of its own; gives what it says when it has ended. */
function start(cwd: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = spawn(process.execPath, [resolve('dist/bin.cjs'), 'objective', 'run', ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text) => {
      texts[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code, ...texts }));
  return { child, texts, ended };
}

test('a mutation whose max_active expires before the command has ended makes it inconclusive', async () => {
  const cwd = setUp(MANIFEST('1s'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  // It sees the mutation come and go.
  const script = `[ -f level ] || exit 9; while [ -f level ]; do sleep 0.02; done; ${END}`;
  const { code, stdout, stderr } = await run(cwd, url, script, '--format', 'json');
  const [attempt] = JSON.parse(stdout).attempts;
  expect(attempt.outcome).toBe('inconclusive');
  expect(attempt.reasons[0]).toMatch(
    /^level: its max_active of 1s expired after 1s \d+ms, before the attempt ended$/,
  );
  expect(code).toBe(4);
  expect(stderr).toContain(
    'perturb: warning: "level": max_active is below --attempt-time: an attempt that continues after a mutation has expired is inconclusive\n',
  );
});

test('one that passes by its own description may expire', async () => {
  const cwd = setUp(MANIFEST('1s', 'statefulness = "transient"'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const script = `while [ -f level ]; do sleep 0.02; done; ${END}`;
  const { code, stderr } = await run(cwd, url, script);
  expect([code, withoutProgress(stderr)]).toEqual([0, '']);
});

/** Judges the moment at which a mutation ended by the times of the command's events. */
const ENDED = `name = "level"
[[measurement]]
name = "order"
check = """
MATCH (name = 'in force') AS before, (name = 'perturb.reset') AS reset, (name = 'over') AS after
WHEN before -> reset AND reset -> after
AGGREGATE count() = 1"""
[[measurement]]
name = "reason"
check = "MATCH (name = 'perturb.reset') AS reset FILTER reset.reason = 'REASON' AGGREGATE count() = 1"
[stopping_conditions]
attempts = 1
`;

/** Resets the mutator by hand: answered only once an earlier reset is over. */
const byHand = (url: string) =>
  `${process.execPath} -e 'fetch("${url}/mutator/level/mutation", {method: "DELETE"})'`;

/** Writes an event with a time while the mutation is in force, and another once it is over. */
const bothTimes = (url: string, between = 'true') =>
  `say() { printf '{"probe":"S","name":"%s","time":%s}\\n' "$1" "$(date +%s%N)" >> "$PERTURB_SESSION"; }
say 'in force'; ${between}; while [ -f level ]; do sleep 0.02; done; ${byHand(url)}; say over`;

// Long enough for the command to begin on a busy machine.
test('a mutation that expires has its reset at that moment, with the reason', async () => {
  const cwd = setUp(MANIFEST('5s', 'statefulness = "transient"'));
  writeFileSync(join(cwd, 'x.toml'), ENDED.replace('REASON', 'expired'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const { code, stdout } = await run(cwd, url, bothTimes(url), '--format', 'json', '--out', 'out');
  const [attempt] = JSON.parse(stdout).attempts;
  expect(attempt.measurements.map(({ status }: { status: string }) => status)).toEqual([
    'holds',
    'holds',
  ]);
  expect(code).toBe(0);
  const session = readFileSync(join(cwd, 'out/attempts/1.jsonl'), 'utf8');
  expect(session.match(/"perturb\.reset"/g)).toHaveLength(1);
});

test('a mutation with a duration is reset when that is over, and not before its max_active', async () => {
  const cwd = setUp(MANIFEST('10s'));
  writeFileSync(join(cwd, 'x.toml'), ENDED.replace('REASON', 'duration'));
  writeFileSync(join(cwd, 'perturb.toml'), '[run.timing]\nduration = "4s"\n');
  const { url } = await startServer(['mutators.toml'], { cwd });
  const { code, stdout, stderr } = await run(cwd, url, bothTimes(url), '--format', 'json');
  const [attempt] = JSON.parse(stdout).attempts;
  expect([code, attempt.outcome, attempt.reasons, stderr]).toEqual([0, 'passed', [], '']);
});

test('a mutation that somebody else resets makes the attempt inconclusive', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const script = `[ $PERTURB_ATTEMPT = 2 ] || ${byHand(url)}; ${END}`;
  const { code, stdout } = await run(cwd, url, script, '--format', 'json');
  const [attempt] = JSON.parse(stdout).attempts;
  expect(attempt.outcome).toBe('inconclusive');
  expect(attempt.reasons[0]).toMatch(
    /^level: another client reset it, after (?:\d+s ?)?(?:\d+ms)?$/,
  );
  expect(code).toBe(0);
  expect(existsSync(join(cwd, 'level'))).toBe(false);
});

test('of a transient mutator the reset by another hand is recorded with its reason', async () => {
  const cwd = setUp(MANIFEST('10min', 'statefulness = "transient"'));
  writeFileSync(join(cwd, 'x.toml'), ENDED.replace('REASON', 'reset'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const { code, stdout } = await run(cwd, url, bothTimes(url, byHand(url)));
  expect([code, stdout]).toEqual([0, expect.stringContaining('attempts   1: 1 passed')]);
});

test('an injection that failed and was undone says so', async () => {
  const cwd = setUp(`[[mutator]]
name = "level"
max_active = "1min"
[mutator.actuator]
kind = "exec"
inject = ["false"]
reset = ["true"]
`);
  const { url } = await startServer(['mutators.toml'], { cwd });
  const { stdout } = await run(cwd, url, END, '--format', 'json');
  expect(JSON.parse(stdout).attempts[0].reasons).toEqual([
    `${url}/mutator/level/mutation returned 500: the injection failed and was undone; check the server's log for the cause`,
  ]);
});

test('an attempt within which the server began anew is repeated, and it is said', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const port = `${await ownPort()}`;
  const first = await startServer(['--port', port, 'mutators.toml'], { cwd });
  const script = `touch begun; until [ -f go ]; do sleep 0.02; done; ${END}`;
  const running = run(cwd, first.url, script, '--format', 'json');
  await expect.poll(() => existsSync(join(cwd, 'begun'))).toBe(true);
  first.child.kill('SIGKILL');
  await first.exit;
  await startServer(['--port', port, 'mutators.toml'], { cwd });
  writeFileSync(join(cwd, 'go'), '');
  const { code, stdout, stderr } = await running;
  expect(withoutProgress(stderr)).toBe(
    `perturb: repeating attempt 1: level: ${first.url} was restarted, which ended the mutation\n`,
  );
  expect(JSON.parse(stdout).summary).toMatchObject({ attempts: 1, passed: 1 });
  expect(code).toBe(0);
  expect(existsSync(join(cwd, 'level'))).toBe(false);
});

test('a mutation that is lost with its server has its reset at that moment, with the reason', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const port = `${await ownPort()}`;
  const first = await startServer(['--port', port, 'mutators.toml'], { cwd });
  // The attempt is repeated, and its session written anew.
  const script = `[ ! -f out/attempts/1.jsonl ] || cp out/attempts/1.jsonl lost.jsonl
touch begun; until [ -f go ]; do sleep 0.02; done; ${END}`;
  const running = run(cwd, first.url, script, '--out', 'out');
  await expect.poll(() => existsSync(join(cwd, 'begun'))).toBe(true);
  first.child.kill('SIGKILL');
  await first.exit;
  await startServer(['--port', port, 'mutators.toml'], { cwd });
  writeFileSync(join(cwd, 'go'), '');
  expect((await running).code).toBe(0);
  const resets = (file: string) =>
    readFileSync(join(cwd, file), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"perturb.reset"'))
      .map((line) => JSON.parse(line).attributes.reason);
  expect([resets('lost.jsonl'), resets('out/attempts/1.jsonl')]).toEqual([['lost'], [undefined]]);
});

test('a file that the system removes while it is mutated is put back, and its attempt is inconclusive', async () => {
  const target = 'path = "v.json"\nkey = ["v"]\nvalue = "{value}"\n';
  const manifest = MANIFEST('10min').replace('path = "level"\ntemplate = "{value}"\n', target);
  const cwd = setUp(manifest);
  writeFileSync(join(cwd, 'v.json'), '{"v": 0}');
  const { url, stderr } = await startServer(['mutators.toml'], { cwd });
  const script = `[ $PERTURB_ATTEMPT = 2 ] || rm v.json; ${END}`;
  const { code, stdout } = await run(cwd, url, script, '--out', 'out', '--format', 'json');
  const { attempts, end } = JSON.parse(stdout);
  expect(attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'inconclusive',
    'passed',
  ]);
  expect(attempts[0].reasons).toEqual(['level: its target was removed during the attempt']);
  expect([code, end.reason]).toEqual([0, 'attempts']);
  expect(readFileSync(join(cwd, 'v.json'), 'utf8')).toBe('{"v": 0}');
  expect(stderr()).toContain('"v.json" had been removed, and was recreated');
  const session = readFileSync(join(cwd, 'out/attempts/1.jsonl'), 'utf8');
  expect(session).toContain('"reason":"gone"');
});

test('one run at a time uses a server: another is refused, or waits', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const script = `touch begun; until [ -f go ]; do sleep 0.02; done; ${END}`;
  const flags = ['x.toml', '-s', url, '--baseline', '0'];
  const first = start(cwd, {}, ...flags, '--out', 'first', '--', 'sh', '-c', script);
  await expect.poll(() => existsSync(join(cwd, 'begun'))).toBe(true);
  const inUse = new RegExp(
    `^perturb: ${url} is in use by a run that began at \\d{4}-\\S+Z: wait for that run to end, or pass --wait\n$`,
  );
  // By the lock of this machine, and by the lease where that is not seen.
  mkdirSync(join(cwd, 'tmp'));
  const elsewhere = { TMPDIR: join(cwd, 'tmp') };
  for (const second of [
    await run(cwd, url, END),
    await start(cwd, elsewhere, ...flags, '--', 'sh', '-c', END).ended,
  ]) {
    expect([second.code, second.stdout]).toEqual([4, '']);
    expect(second.stderr).toMatch(inUse);
  }
  const other = createClient({ url, timeoutMs: 60_000, run: 'other' });
  const mutation = { id: '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e', params: new Map() };
  const [{ id } = { id: '' }] = (await other.list()).mutators;
  await expect(other.inject(id, mutation)).rejects.toThrow(
    'another run has been using the server since',
  );
  const third = start(cwd, {}, ...flags, '--wait', '--out', 'third', '--', 'sh', '-c', END);
  await expect.poll(() => third.texts.stderr).toMatch(/^perturb: waiting: .* is in use by a run/);
  expect(readFileSync(join(cwd, 'level'), 'utf8')).toMatch(/^\d+$/);
  writeFileSync(join(cwd, 'go'), '');
  expect((await first.ended).code).toBe(0);
  expect((await third.ended).code).toBe(0);
});

test('--resume keeps the name of a run that was killed, and with it the server', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const script = `touch begun; until [ -f go ]; do sleep 0.02; done; ${END}`;
  const flags = ['x.toml', '-s', url, '--baseline', '0', '--out', 'out'];
  const first = start(cwd, {}, ...flags, '--', 'sh', '-c', script);
  await expect.poll(() => existsSync(join(cwd, 'begun'))).toBe(true);
  first.child.kill('SIGKILL');
  await first.ended;
  writeFileSync(join(cwd, 'go'), '');
  const other = await run(cwd, url, END);
  expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining('is in use by a run') });
  const resumed = await perturb(['objective', 'run', '--resume', 'out'], { cwd });
  expect(resumed.code).toBe(0);
  expect((await run(cwd, url, END)).code).toBe(0);
});

/** A way to a server that keeps back its first answer to a request for a lease, and `granted` resolves. */
async function leaseProxy(url: string) {
  const [lease, hears] = [/^HEAD /, new EventEmitter()];
  const granted = once(hears, 'lease');
  let isFirst = true;
  const proxy = createServer(async (socket) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1');
    for (const one of [socket, upstream]) one.on('error', () => {});
    const [head] = (await once(socket, 'data')) as [Buffer];
    upstream.write(head);
    if (isFirst && lease.test(head.toString())) {
      isFirst = false;
      upstream.once('data', () => hears.emit('lease'));
      return;
    }
    socket.pipe(upstream).pipe(socket);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, granted };
}

test('--resume of a run that was killed while it began is not refused by its own lease', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const proxy = await leaseProxy(url);
  const flags = ['x.toml', '-s', proxy.url, '--baseline', '0', '--out', 'out'];
  const first = start(cwd, {}, ...flags, '--', 'sh', '-c', END);
  await proxy.granted;
  first.child.kill('SIGKILL');
  await first.ended;
  expect(await run(cwd, url, END)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('is in use by a run'),
  });
  const resumed = await perturb(['objective', 'run', '--resume', 'out'], { cwd });
  expect(resumed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('attempts   1: 1 passed'),
  });
});

test('a run that could not begin leaves no journal, and can be begun in the same directory', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const other = createClient({ url, timeoutMs: 60_000, run: 'other' });
  await other.list();
  await other.lease();
  const refused = await run(cwd, url, END, '--out', 'out');
  expect([refused.code, readdirSync(join(cwd, 'out'))]).toEqual([4, []]);
  await other.lease('end');
  expect((await run(cwd, url, END, '--out', 'out')).code).toBe(0);
});

test('--resume gives up the lease of a bench that it goes on without', async () => {
  const [cwd, other] = [setUp(MANIFEST('10min')), setUp(MANIFEST('10min'))];
  const a = await startServer(['mutators.toml'], { cwd });
  const b = await startServer(['mutators.toml'], { cwd: other });
  writeFileSync(
    join(cwd, 'perturb.toml'),
    `[benches.a]\nservers = ["${a.url}"]\n[benches.b]\nservers = ["${b.url}"]\n`,
  );
  const script = `touch begun-$PERTURB_BENCH; until [ -f go ]; do sleep 0.02; done; ${END}`;
  const flags = ['x.toml', '--bench', 'all', '--attempts', '2', '--baseline', '0', '--out', 'out'];
  const first = start(cwd, {}, ...flags, '--', 'sh', '-c', script);
  await expect.poll(() => ['a', 'b'].every((x) => existsSync(join(cwd, `begun-${x}`)))).toBe(true);
  first.child.kill('SIGKILL');
  await first.ended;
  expect((await run(other, b.url, END)).stderr).toContain('is in use by a run');
  rmSync(join(cwd, 'begun-a'));
  const resumed = start(cwd, {}, '--resume', 'out', '--bench', 'a');
  await expect.poll(() => existsSync(join(cwd, 'begun-a'))).toBe(true);
  expect(existsSync(join(other, 'level'))).toBe(false);
  expect((await run(other, b.url, END)).code).toBe(0);
  writeFileSync(join(cwd, 'go'), '');
  expect(await resumed.ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('attempts   2: 2 passed'),
  });
});

test('what a run has left is reset when it is refused to go on, and others use the server at once', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const flags = ['x.toml', '-s', url, '--seed', '3', '--baseline', '0', '--out', 'out'];
  const first = start(cwd, {}, ...flags, '--', 'sh', '-c', 'touch begun; sleep 600');
  await expect.poll(() => existsSync(join(cwd, 'begun'))).toBe(true);
  first.child.kill('SIGKILL');
  await first.ended;
  expect((await run(cwd, url, END)).code).toBe(4);
  const refused = await perturb(['objective', 'run', '--resume', 'out', '--seed', '4'], { cwd });
  expect(refused.stderr).toContain('resetting mutators left active: level\n');
  expect((await run(cwd, url, END)).code).toBe(0);
});

/** Starts a server that misses a run very soon. */
async function impatientServer(cwd: string) {
  const program = await buildProgram('orphan-program', cwd);
  const args = [program, join(cwd, 'mutators.toml'), '1000'];
  const server = startProgram(args, { cwd, executable: process.execPath });
  const [, url = ''] = await server.said(/ at (http\S+)\n/);
  return { ...server, url };
}

test('a server that misses a run resets what it injected; the run wakes up, and its attempt is inconclusive', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const server = await impatientServer(cwd);
  const script = `touch begun; until [ -f go ]; do sleep 0.02; done; ${END}`;
  const flags = ['x.toml', '-s', server.url, '--baseline', '0', '--format', 'json'];
  const running = start(cwd, {}, ...flags, '--', 'sh', '-c', script);
  await expect.poll(() => existsSync(join(cwd, 'begun'))).toBe(true);
  running.child.kill('SIGSTOP');
  await server.said(/ reset level .*orphaned/);
  expect(existsSync(join(cwd, 'level'))).toBe(false);
  writeFileSync(join(cwd, 'go'), '');
  running.child.kill('SIGCONT');
  const { code, stdout } = await running.ended;
  const { attempts } = JSON.parse(stdout);
  expect([attempts[0].outcome, attempts[0].reasons]).toEqual([
    'inconclusive',
    [
      expect.stringMatching(
        /^level: http\S+ reset it at \d{4}-\S+Z after receiving no requests from this run$/,
      ),
    ],
  ]);
  expect([attempts.at(-1).outcome, code]).toEqual(['passed', 0]);
});

test('a server that misses a run that was killed resets what it injected', async () => {
  const cwd = setUp(MANIFEST('10min'));
  const server = await impatientServer(cwd);
  const flags = ['x.toml', '-s', server.url, '--baseline', '0'];
  const running = start(cwd, {}, ...flags, '--', 'sh', '-c', 'touch begun; sleep 600');
  await expect.poll(() => existsSync(join(cwd, 'begun'))).toBe(true);
  running.child.kill('SIGKILL');
  await server.said(/ reset level .*orphaned/);
  expect(existsSync(join(cwd, 'level'))).toBe(false);
});

test('perturb mutators stop ends a run, which begins no other and can be resumed', async () => {
  const cwd = setUp(MANIFEST('1min'));
  const { url } = await startServer(['mutators.toml'], { cwd });
  const script = `[ -f stop ] && { touch began; while [ -f level ]; do sleep 0.05; done; }; ${END}`;
  const flags = ['x.toml', '-s', url, '--baseline', '0', '--out', 'run'];
  writeFileSync(join(cwd, 'stop'), '');
  const first = start(cwd, {}, ...flags, '--', 'sh', '-c', script);
  while (!existsSync(join(cwd, 'began'))) await new Promise((done) => setTimeout(done, 20));
  expect((await perturb(['mutators', 'stop', '-s', url])).code).toBe(0);
  const { code, stderr } = await first.ended;
  expect(code).toBe(4);
  expect(withoutProgress(stderr)).toBe(
    `perturb: a server was stopped by perturb mutators stop (${url})\nperturb: continue with perturb objective run --resume run\n`,
  );
  const again = await perturb(['objective', 'run', '--resume', 'run'], { cwd });
  expect([again.code, again.stderr.replace(/stopped at \S+/, 'stopped at TIME')]).toEqual([
    4,
    `perturb: ${url} was stopped at TIME and refuses mutations until you run "perturb mutators stop --release"\n`,
  ]);
  rmSync(join(cwd, 'stop'));
  expect((await perturb(['mutators', 'stop', '--release', '-s', url])).code).toBe(0);
  const { code: last, stdout } = await perturb(['objective', 'run', '--resume', 'run'], { cwd });
  expect([last, stdout]).toEqual([0, expect.stringContaining('attempts   1: 1 passed')]);
});
