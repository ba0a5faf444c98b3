import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { encodeJournal } from '../../../src/durable/index.js';
import { isLong } from '../../long.js';
import { OBJECTIVE, openBench, processesWith, withoutProgress } from './bench.js';

const FILE = 'level.objective.toml';
const withAttempts = (count: number) => OBJECTIVE.replace('attempts = 12', `attempts = ${count}`);
const PATIENT = { timeout: 120_000 };
const COMMAND = ['--', 'sh', 'system.sh'] as const;

test('carries an objective out: sets in force while the command runs, and none afterwards', async () => {
  const bench = await openBench();
  const { code, stdout, stderr } = await bench.run(
    ...[FILE, '--server', bench.url, '--seed', '3', '--out', 'out', '--format', 'json'],
    ...['--format', 'junit=junit.xml', ...COMMAND],
  );
  expect(withoutProgress(stderr)).toBe('');
  expect(stderr).toMatch(/^perturb: attempt \d+ failed: low$/m);
  const { attempts, summary, end } = JSON.parse(stdout);
  expect(end).toEqual({ reason: 'attempts' });
  expect(attempts.length).toBe(12);
  for (const { set, outcome, events } of attempts) {
    const level = set.find(({ id }: { id: string }) => id === 'level')?.params.value ?? 0;
    const mode = set.find(({ id }: { id: string }) => id === 'mode')?.params.to;
    expect(outcome).toBe(level >= 70 && mode !== 'c' ? 'failed' : 'passed');
    expect(events).toBe(2);
  }
  expect(summary.failed).toBeGreaterThan(0);
  expect(code).toBe(1);
  expect(bench.active.size).toBe(0);
  expect(bench.changes.filter((one) => one.startsWith('DELETE')).length).toBe(
    bench.changes.filter((one) => one.startsWith('POST')).length,
  );
  const session = readFileSync(join(bench.directory, 'out/attempts/1.jsonl'), 'utf8');
  expect(session).toContain('"perturb.injected"');
  expect(session).toContain('"perturb.reset"');

  // JUnit has a case for each attempt.
  const junit = readFileSync(join(bench.directory, 'junit.xml'), 'utf8');
  const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(junit);
  expect(testsuites.testsuite.testcase.length).toBe(12);
  const failures = testsuites.testsuite.testcase.filter(
    (one: { failure?: unknown }) => one.failure !== undefined,
  );
  expect(failures.length).toBe(Number(testsuites['@_failures']));
  expect(failures.length).toBe(summary.failed);
});

test('exit 0 when all passed', async () => {
  const bench = await openBench({ [FILE]: withAttempts(4).replace('< 70', '< 1000') });
  const { code, stdout } = await bench.run(FILE, '-s', bench.url, '--seed', '1', ...COMMAND);
  expect(stdout).toContain('4: 4 passed, 0 failed, 0 skipped, 0 inconclusive');
  expect(code).toBe(0);
});

test('--plan shows sets and coverage, and touches nothing', async () => {
  const bench = await openBench();
  const { code, stdout } = await bench.run(FILE, '-s', bench.url, '--seed', '3', '--plan');
  expect(stdout).toMatch(/^ATTEMPT {2}SET/m);
  expect(stdout).toMatch(/^12 +\d+ of 13 \(\d+ %\)/m);
  expect(bench.changes).toEqual([]);
  expect(code).toBe(0);
});

test('--plan writes where --format says, and makes no report of attempts', async () => {
  const bench = await openBench();
  const plan = [FILE, '-s', bench.url, '--seed', '3', '--plan'] as const;
  const { code, stdout } = await bench.run(...plan, '--format', 'json=plan.json');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^ATTEMPT {2}SET/m)]);
  const written = JSON.parse(readFileSync(join(bench.directory, 'plan.json'), 'utf8'));
  expect(written.seed).toBe('3');
  expect(await bench.run(...plan, '--report', 'plan.html')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--plan makes no attempts to report as html'),
  });
});

test('an objective with errors against the live listing ends with exit 1', async () => {
  const bench = await openBench({
    [FILE]: `${OBJECTIVE}[[mutator]]\nname = "levle"\n`,
  });
  const { code, stderr } = await bench.run(FILE, '-s', bench.url, ...COMMAND);
  expect(stderr).toContain('catalog/unknown-mutator');
  expect(code).toBe(1);
  expect(bench.changes).toEqual([]);
});

test('refuses what could judge nothing, and two runs in one directory', async () => {
  const bench = await openBench();
  const none = await bench.run(FILE, '-s', bench.url);
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no events would arrive'),
  });
  const slow = bench.start(FILE, '-s', bench.url, '--out', 'out', '--', 'sleep', '20');
  await expect.poll(() => bench.journal().length, PATIENT).toBeGreaterThan(3);
  const second = await bench.run(FILE, '-s', bench.url, '--out', 'out', ...COMMAND);
  expect(second.code).toBe(4);
  expect(second.stderr).toContain(`in use by another run (process ${slow.child.pid})`);
  slow.child.kill('SIGTERM');
  expect(await slow.ended).toBe(4);
  const third = await bench.run(FILE, '-s', bench.url, '--out', 'out', ...COMMAND);
  expect(third).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('already contains a run'),
  });
});

test('a signal ends the command, resets, and the run can go on', async () => {
  const bench = await openBench();
  const run = bench.start(
    ...[FILE, '-s', bench.url, '--seed', '3', '--out', 'out'],
    ...['--', 'sh', '-c', 'touch started; sleep 60'],
  );
  await expect
    .poll(() => bench.journal().some(({ step }) => step === 'injected'), PATIENT)
    .toBe(true);
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(4);
  expect(run.stderr()).toContain('perturb: SIGINT: resetting');
  expect(run.stderr()).toContain('continue with perturb objective run --resume out');
  expect(bench.active.size).toBe(0);
  expect(bench.journal().at(-1)).toMatchObject({ step: 'end', reason: 'interrupted' });
  expect(processesWith(join(bench.directory, 'out/attempts'))).toEqual([]);
});

/** Behind "injected" another test sends one. */
const STEPS = ['run', 'inject', 'measured', ...(isLong ? ['attempt', 'injected', 'reset'] : [])];

test.each(STEPS)(
  'a signal behind the step "%s" leaves nothing mutated, and the run goes on to its end',
  async (step) => {
    const bench = await openBench({ [FILE]: withAttempts(4) });
    const run = bench.start(...[FILE, '-s', bench.url, '--seed', '3', '--out', 'out'], ...COMMAND);
    // In the middle of the run, and at its very beginning.
    const least = step === 'run' ? 1 : 3;
    const seen = () => bench.journal().filter((one) => one['step'] === step).length >= least;
    await expect.poll(seen, { ...PATIENT, interval: 5 }).toBe(true);
    run.child.kill('SIGTERM');
    expect([1, 4]).toContain(await run.ended);
    expect(bench.active.size).toBe(0);
    if (bench.journal().at(-1)?.['reason'] === 'interrupted') await bench.run('--resume', 'out');
    const measured = bench.journal().filter((one) => one['step'] === 'measured');
    expect(measured.map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    expect(bench.active.size).toBe(0);
  },
);

test('a second signal ends at once, and says what may be left', async () => {
  const bench = await openBench();
  bench.answer = (change) => (change.startsWith('DELETE') ? 'hang' : undefined);
  const run = bench.start(FILE, '-s', bench.url, '--out', 'out', '--', 'sleep', '60');
  await expect
    .poll(() => bench.journal().some(({ step }) => step === 'injected'), PATIENT)
    .toBe(true);
  run.child.kill('SIGINT');
  await expect
    .poll(() => bench.changes.some((one) => one.startsWith('DELETE')), PATIENT)
    .toBe(true);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(4);
  expect(run.stderr()).toContain('These mutators may still be active:\n  perturb mutators reset ');
});

test('a run of another seed, objective or catalog is refused', async () => {
  const bench = await openBench();
  const run = bench.start(
    FILE,
    '-s',
    bench.url,
    '--seed',
    '3',
    '--out',
    'out',
    '--',
    'sleep',
    '60',
  );
  await expect
    .poll(() => bench.journal().some(({ step }) => step === 'injected'), PATIENT)
    .toBe(true);
  run.child.kill('SIGTERM');
  await run.ended;
  const other = await bench.run('--resume', 'out', '--seed', '4');
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('its seed is 3, not 4') });
  const strategy = await bench.run('--resume', 'out', '--strategy', 'uniform');
  expect(strategy).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('its strategy is guided'),
  });
  const records = bench.journal().map((one) => JSON.stringify(one));
  const form = {
    name: 'perturb-run',
    version: 1,
    encode: (one: string) => one,
    decode: (record: string) => ({ record }),
  };
  const rewrite = (from: string | RegExp, to: string) => {
    const text = encodeJournal(form, records.join('\n').replace(from, to).split('\n'));
    writeFileSync(join(bench.directory, 'out/journal'), text);
  };
  rewrite('< 70', '< 71');
  const objective = await bench.run('--resume', 'out');
  expect(objective).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('its objective has changed'),
  });
  rewrite(/"catalog":"[0-9a-f]{4}/, '"catalog":"zzzz');
  const catalog = await bench.run('--resume', 'out');
  expect(catalog).toMatchObject({ code: 2, stderr: expect.stringContaining('have changed since') });
});

test('a server that refuses, drops or hangs makes an attempt inconclusive, and all is reset', async () => {
  const bench = await openBench();
  // A set whose injection gets no answer twice is set aside.
  const answers = [500, 'drop', 'drop', 'hang', 'hang', 400] as const;
  bench.answer = (change, count) => (change === 'POST level' ? answers[count - 1] : undefined);
  const { code, stdout } = await bench.run(
    ...[FILE, '-s', bench.url, '--seed', '3', '--timeout', '1s', '--format', 'json'],
    ...COMMAND,
  );
  const { summary, attempts } = JSON.parse(stdout);
  expect(summary.inconclusive).toBe(4);
  const reasons = attempts.flatMap((one: { reasons: string[] }) => one.reasons);
  expect(reasons.map((one: string) => one.replace(/\S*:\/\/\S+ /, '').slice(0, 18))).toEqual([
    'returned 500: the ',
    'closed the connect',
    'the request to tim',
    'returned 400: the ',
  ]);
  expect(code).toBe(1);
  expect(bench.active.size).toBe(0);
});

test('ten inconclusive attempts in a row end a run with exit 4', async () => {
  const bench = await openBench();
  bench.answer = (change) => (change.startsWith('POST') ? 500 : undefined);
  const { code, stdout } = await bench.run(FILE, '-s', bench.url, '--out', 'out', ...COMMAND);
  expect(stdout).toContain('ten attempts in a row were inconclusive');
  expect(stdout).toContain('10: 0 passed, 0 failed, 0 skipped, 10 inconclusive');
  expect(code).toBe(4);
});

test('a server that dies and comes back is waited for', async () => {
  const bench = await openBench({ [FILE]: withAttempts(6) });
  let gone = false;
  bench.answer = (change) => {
    if (!change.startsWith('DELETE') || gone) return undefined;
    gone = true;
    void bench.stop().then(() => bench.resumeAfter(2));
    return 'drop';
  };
  const { code } = await bench.run(FILE, '-s', bench.url, '--seed', '3', ...COMMAND);
  expect(gone).toBe(true);
  expect(code).toBe(1);
  expect(bench.active.size).toBe(0);
});

test('an attempt within which a server dies is repeated when the server is back', async () => {
  const bench = await openBench({ [FILE]: withAttempts(6) });
  let gone = false;
  bench.answer = (change) => {
    if (change !== 'POST level' || gone) return undefined;
    gone = true;
    // It has acted, and dies before it can say so.
    writeFileSync(join(bench.directory, 'level'), '100');
    void bench.stop().then(() => bench.resumeAfter(2));
    return 'drop';
  };
  const { stdout } = await bench.run(
    ...[FILE, '-s', bench.url, '--seed', '3', '--out', 'out', '--format', 'json'],
    ...COMMAND,
  );
  const { attempts, summary } = JSON.parse(stdout);
  expect(summary).toMatchObject({ inconclusive: 0, attempts: 6 });
  const refused = bench.journal().filter(({ step }) => step === 'refused');
  expect(refused).toContainEqual(expect.objectContaining({ maybe: true }));
  const { attempt } = attempts.find(
    (one: { attempt: number }) => one.attempt === refused[0]?.['n'],
  );
  const steps = bench.journal().filter(({ n }) => n === attempt);
  expect(steps.filter(({ step }) => step === 'measured')).toHaveLength(1);
  expect(steps.filter(({ step, failed }) => step === 'reset' && failed !== undefined)).toEqual([]);
  expect(existsSync(join(bench.directory, 'level'))).toBe(false);
});

test('a command that floods its output and its session is judged by what are events', async () => {
  const bench = await openBench({ [FILE]: withAttempts(1) });
  const flood = `head -c 5000000 /dev/zero
yes 'no event' | head -n 20000 >> "$PERTURB_SESSION"
exec sh system.sh`;
  const { stdout } = await bench.run(
    ...[FILE, '-s', bench.url, '--seed', '3', '--out', 'out', '--format', 'json', '--tolerant'],
    ...['--', 'sh', '-c', flood],
  );
  const [attempt] = JSON.parse(stdout).attempts;
  expect(attempt).toMatchObject({
    outcome: 'passed',
    lost_lines: 20_000,
    events: 2,
    reasons: [expect.stringMatching(/^20000 lines were not events: /)],
  });
  const output = statSync(join(bench.directory, 'out/attempts/1.output'));
  expect(output.size).toBeLessThan(1024 * 1024 + 100);
});

test('a mutator that cannot be reset ends the run with exit 4, and is named', async () => {
  const bench = await openBench({ [FILE]: withAttempts(6) });
  bench.answer = (change) => (change.startsWith('DELETE') ? 500 : undefined);
  const { code, stderr } = await bench.run(FILE, '-s', bench.url, '--out', 'out', ...COMMAND);
  expect(code).toBe(4);
  expect(stderr).toContain('These mutators may still be active:\n  perturb mutators reset ');
  expect(bench.journal().filter(({ step }) => step === 'attempt').length).toBe(1);
  // Somebody has mended the server: the run goes on.
  bench.answer = () => undefined;
  const resumed = await bench.run('--resume', 'out');
  expect(resumed.code).toBe(1);
  expect(bench.active.size).toBe(0);
});

test('a command that never ends is ended with its time, one that is missing is inconclusive', async () => {
  const bench = await openBench({ [FILE]: withAttempts(1) });
  const endless = await bench.run(
    ...[FILE, '-s', bench.url, '--attempt-time', '5s', '--out', 'out'],
    ...['--', 'sh', '-c', `trap '' TERM; sh system.sh; sleep 60 & sleep 60`],
  );
  expect(endless.stdout).toContain('1 passed');
  expect(processesWith(join(bench.directory, 'out/attempts'))).toEqual([]);
  const missing = await bench.run(FILE, '-s', bench.url, '--out', 'two', '--', './missing');
  expect(missing.stdout).toContain('program not found');
  expect(missing.code).toBe(4);
  const silent = await bench.run(
    FILE,
    '-s',
    bench.url,
    '--out',
    'three',
    '--baseline',
    '1',
    '--',
    'true',
  );
  expect(silent.stdout).toContain('no event arrived');
  expect(silent.stderr).toContain(
    'perturb: the baseline is inconclusive: no event arrived in the file named by PERTURB_SESSION\n',
  );
  expect(silent.code).toBe(4);
});

test('a precondition holds an injection back', async () => {
  const objective = withPrecondition("MATCH (name = 'ready') AS ready").replace(
    'attempts = 12',
    'attempts = 2',
  );
  const system = `printf '{"probe":"S","name":"ready","seq":0}\\n' >> "$PERTURB_SESSION"
until [ -f level ] || [ -f mode ]; do sleep 0.02; done
exec sh system.sh`;
  const bench = await openBench({ 'ready.toml': objective, 'slow.sh': system });
  const ready = await bench.run(
    ...['ready.toml', '-s', bench.url, '--seed', '5', '--out', 'out', '--format', 'json'],
    ...['--', 'sh', 'slow.sh'],
  );
  const { attempts } = JSON.parse(ready.stdout);
  expect(attempts.map(({ outcome }: { outcome: string }) => outcome)).not.toContain('skipped');
  const steps = bench.journal().map(({ step }) => step);
  expect(steps).toContain('injected');
});

test('a precondition that never becomes true skips attempts, and does not keep a run going for ever', {
  timeout: 120_000,
}, async () => {
  const objective = withPrecondition("MATCH (name = 'never') AS never").replace(
    'attempts = 12',
    'attempts = 2',
  );
  const bench = await openBench({ 'never.toml': objective });
  const event = `echo '{"probe":"S","name":"other"}' > "$PERTURB_SESSION"`;
  const { code, stdout } = await bench.run(
    ...['never.toml', '-s', bench.url, '--seed', '5', '--format', 'json'],
    ...['--', 'sh', '-c', event],
  );
  const { summary, end } = JSON.parse(stdout);
  expect(summary).toEqual({
    attempts: 50,
    passed: 0,
    failed: 0,
    skipped: 50,
    inconclusive: 0,
    guarded: 0,
  });
  expect(end).toEqual({ reason: 'no-verdict' });
  expect(code).toBe(4);
  expect(bench.changes.filter((one) => one.startsWith('POST'))).toEqual([]);
});

test('a precondition over many events is found true, and the injection is made', {
  timeout: 300_000,
}, async () => {
  const chain = "MATCH (name = 'tick') AS tick, (name = 'tock') AS tock WHEN tick -> tock";
  const bench = await openBench({
    'many.toml': withPrecondition(chain).replace('attempts = 12', 'attempts = 1'),
    'many.cjs': MANY,
  });
  const { stdout } = await bench.run(
    ...['many.toml', '-s', bench.url, '--seed', '5', '--format', 'json'],
    ...['--', process.execPath, 'many.cjs'],
  );
  const [{ outcome, events }] = JSON.parse(stdout).attempts;
  expect(outcome).not.toBe('skipped');
  expect(outcome).not.toBe('inconclusive');
  expect(events).toBe(10_002);
});

/** Many events that match a label of the precondition, the one that makes it true, and a wait for what is injected. */
const MANY = `
const { appendFileSync, existsSync } = require('node:fs');
const add = (text) => appendFileSync(process.env.PERTURB_SESSION, text);
const event = (name, attributes = '{}') => \`{"probe":"SYSTEM","name":"\${name}","attributes":\${attributes}}\\n\`;
for (let batch = 0; batch < 100; batch++) add(event('tick').repeat(100));
add(event('tock'));
const wait = setInterval(() => {
  if (!existsSync('level') && !existsSync('mode')) return;
  clearInterval(wait);
  add(event('level', '{"value":1}'));
}, 5);
`;

/** The objective of the bench with a precondition of all mutations. */
function withPrecondition(expression: string): string {
  return OBJECTIVE.replace(
    '[[measurement]]',
    `mutation_precondition = "${expression}"\n[[measurement]]`,
  );
}

test('a full disk ends the run in order, and with room it goes on', async () => {
  const bench = await openBench();
  // The journal may have 8 blocks; what is beyond fails to be written, as on a full disk.
  const script = `ulimit -f 8; exec "${process.execPath}" "${resolve('dist/bin.cjs')}" "$@"`;
  const { status, output } = await spawned(bench.directory, script, [
    ...['objective', 'run', FILE, '-s', bench.url, '--seed', '3', '--out', 'out'],
    ...COMMAND,
  ]);
  // The summary has it, or the error message: that depends on the step that did not fit.
  expect(output).toContain('journal cannot be written (EFBIG): free some space');
  expect(status).toBe(4);
  expect(bench.active.size).toBe(0);
  const resumed = await bench.run('--resume', 'out', '--format', 'json');
  const { attempts } = JSON.parse(resumed.stdout);
  expect(attempts.map(({ attempt }: { attempt: number }) => attempt)).toEqual(
    Array.from({ length: 12 }, (_, at) => at + 1),
  );
});

test('a directory of attempts that goes away ends the run in order, and with it back it goes on', async () => {
  const bench = await openBench({ [FILE]: withAttempts(6) });
  const { code, stderr } = await bench.run(
    ...[FILE, '-s', bench.url, '--seed', '3', '--out', 'out'],
    ...['--', 'sh', '-c', 'sh system.sh; [ $PERTURB_ATTEMPT = 2 ] && mv out/attempts gone; true'],
  );
  expect(stderr).toContain('3.events.jsonl cannot be written (ENOENT)');
  expect(code).toBe(4);
  expect(bench.active.size).toBe(0);
  const resumed = await bench.run('--resume', 'out', '--format', 'json');
  const { attempts, summary } = JSON.parse(resumed.stdout);
  // What had been written when its session went away is not known.
  expect(attempts[1].reasons[0]).toBe(
    "the command's session file cannot be read: it no longer exists",
  );
  expect(summary).toMatchObject({ attempts: 7, inconclusive: 1 });
  expect(resumed.code).toBe(1);
});

/** Runs a shell script without blocking the server of the bench. */
async function spawned(cwd: string, script: string, args: readonly string[]) {
  const child = spawn('sh', ['-c', script, 'sh', ...args], {
    cwd,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [status] = await once(child, 'close');
  return { status, output };
}

test('makes a failing set smaller, with its rate and its border', async () => {
  const bench = await openBench({ [FILE]: withAttempts(6) });
  const { stdout } = await bench.run(
    ...[FILE, '-s', bench.url, '--seed', '3', '--shrink', '--format', 'json'],
    ...COMMAND,
  );
  const { shrunk, shrinking, summary } = JSON.parse(stdout);
  expect(shrunk).toMatchObject([
    {
      measurement: 'low',
      set: [{ id: 'level', params: { value: 72 } }],
      tried: 5,
      failed: 5,
      ended: 'found',
      smaller: true,
      borders: [{ id: 'level', key: 'value', ended: 'narrow', below: { failed: 0 }, odd: [] }],
    },
  ]);
  const [from, to] = shrunk[0].borders[0].interval;
  expect(from <= 70 && 70 <= to && to - from <= 8).toBe(true);
  // It counts for nothing else, and is not hidden either.
  expect(shrinking.attempts).toBe(shrunk[0].attempts);
  expect(shrinking.failed).toBeGreaterThan(5);
  expect(summary.attempts).toBe(6);
});
