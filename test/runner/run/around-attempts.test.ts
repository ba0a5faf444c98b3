import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { perturb } from '../../cli/program.js';
import { openBench, processesWith } from './bench.js';

/* Commands around attempts, and what must hold before anything is injected; with real commands. */

const OBJECTIVE = `name = "around"
[[measurement]]
name = "no fault too early"
check = "MATCH (name = 'early') AS early AGGREGATE count() = 0"
[stopping_conditions]
attempts = 1
`;

/** Notes a word, and whether a mutation is in force. */
const note = (word: string) =>
  `if [ -f level ] || [ -f mode ]; then echo ${word} mutated; else echo ${word}; fi >> log`;
const emit = (name: string) => `echo '{"probe":"S","name":"${name}"}' >> "$PERTURB_SESSION"`;
const command = (script: string) => `[["sh", "-c", """${script}"""]]`;

async function around(settings: string, script: string, objective = OBJECTIVE) {
  const bench = await openBench({ 'x.toml': objective, 'system.sh': script });
  const write = (lines: string) =>
    writeFileSync(
      join(bench.directory, 'perturb.toml'),
      `[servers.bench]\nurl = "${bench.url}"\n[run]\n${lines}\n`,
    );
  write(settings);
  const run = async (...flags: readonly string[]) => {
    const args = ['x.toml', '--out', 'out', '--format', 'json', ...flags, '--', 'sh', 'system.sh'];
    const { code, stdout, stderr } = await bench.run(...args);
    return { code, stderr, result: JSON.parse(stdout || 'null') };
  };
  const log = () => readFileSync(join(bench.directory, 'log'), 'utf8').trim().split('\n');
  return { bench, run, log, write };
}

const SETUP = `setup = ${command(note('setup $PERTURB_ATTEMPT'))}`;
const TEARDOWN = `teardown = ${command(note('teardown $PERTURB_ATTEMPT'))}`;
const BOTH = `${SETUP}\n${TEARDOWN}`;
const SYSTEM = `${note('run')}\n${emit('end')}\n`;

test('commands run around each attempt and each baseline, without faults, and are printed first', async () => {
  const collect = `collect = ${command(note('collect'))}`;
  const twice = OBJECTIVE.replace('attempts = 1', 'attempts = 2');
  const { run, log } = await around(`${BOTH}\n${collect}`, SYSTEM, twice);
  const { code, stderr } = await run('--baseline', '1');
  expect(code).toBe(0);
  expect(log()).toEqual([
    ...['setup 0', 'run', 'collect', 'teardown 0'],
    ...['setup 1', 'run mutated', 'collect', 'teardown 1'],
    ...['setup 2', 'run mutated', 'collect', 'teardown 2'],
  ]);
  const printed = stderr
    .split('\n')
    .flatMap((line) => /^perturb: (\w+): sh -c/.exec(line)?.[1] ?? []);
  expect(printed.slice(0, 3)).toEqual(['setup', 'collect', 'teardown']);
});

test('a setup that fails makes the attempt inconclusive; its teardown runs all the same', async () => {
  const setup = `setup = ${command('[ -f once ] || { touch once; echo no such database >&2; exit 3; }')}`;
  const { bench, run, log } = await around(`${setup}\n${TEARDOWN}`, SYSTEM);
  const { code, result } = await run();
  const [failed, judged] = result.attempts;
  expect([failed.outcome, failed.reasons]).toEqual([
    'inconclusive',
    ['the "setup" command "sh" exited with status 3: no such database'],
  ]);
  expect([code, judged.outcome]).toEqual([0, 'passed']);
  expect(log()).toEqual(['teardown 1', 'run mutated', 'teardown 2']);
  expect(bench.changes).toHaveLength(2);
});

test('what setup leaves running ends with it', async () => {
  const setup = `setup = ${command('PERTURB_TEST_LEFT=$PWD sleep 100 &')}`;
  const { bench, run } = await around(setup, SYSTEM);
  const { code } = await run();
  expect(code).toBe(0);
  expect(processesWith(`PERTURB_TEST_LEFT=${bench.directory}`)).toEqual([]);
});

test('a teardown that fails ends the run, whose attempt counts; resumed, it is torn down first', async () => {
  const failing = `${SETUP}\nteardown = ${command('[ -f fixed ] || { echo still in use >&2; exit 1; }; echo torn down >> log')}`;
  const { bench, run, log } = await around(failing, SYSTEM);
  const { code, result, stderr } = await run();
  expect([code, result.attempts[0].outcome, result.end]).toEqual([
    4,
    'passed',
    {
      reason: 'teardown-failed',
      detail: 'the "teardown" command "sh" exited with status 1: still in use',
    },
  ]);
  expect(stderr).toContain(
    'perturb: the teardown of an attempt failed: the "teardown" command "sh" exited with status 1: still in use\n',
  );
  expect((await bench.run('--resume', 'out')).code).toBe(4);
  writeFileSync(join(bench.directory, 'fixed'), '');
  expect((await bench.run('--resume', 'out')).code).toBe(0);
  expect(log()).toEqual(['setup 1', 'run mutated', 'torn down']);
});

/** A run whose attempt goes on until it is ended. */
async function endless() {
  const script = `[ ! -f again ] || { ${emit('end')}; exit 0; }\n${emit('begun')}\nexec sleep 100\n`;
  const started = await around(BOTH, script);
  const { child, ended } = started.bench.start('x.toml', '--out', 'out', '--', 'sh', 'system.sh');
  while (!started.bench.journal().some(({ step }) => step === 'injected')) await pause(5);
  return { ...started, child, ended };
}

test('an interrupted run tears down, once all is reset', async () => {
  const { bench, child, ended, log } = await endless();
  child.kill('SIGTERM');
  expect(await ended).toBe(4);
  expect(log()).toEqual(['setup 1', 'teardown 1']);
  expect(bench.active.size).toBe(0);
});

test('a run that was killed is torn down when it is resumed, before its attempt is repeated', async () => {
  const { bench, child, ended, log } = await endless();
  child.kill('SIGKILL');
  await ended;
  expect(log()).toEqual(['setup 1']);
  writeFileSync(join(bench.directory, 'again'), '');
  expect((await bench.run('--resume', 'out')).code).toBe(0);
  expect(log()).toEqual(['setup 1', 'teardown 1', 'setup 1', 'teardown 1']);
});

test('a replay sets up and tears down as its run did, whatever perturb.toml says by then', async () => {
  const { bench, run, log, write } = await around(BOTH, SYSTEM);
  await run();
  rmSync(join(bench.directory, 'log'));
  write('');
  const again = await perturb(['runs', 'replay', 'out', '--attempt', '1'], {
    cwd: bench.directory,
  });
  expect(again.code).toBe(0);
  expect(log()).toEqual(['setup 1', 'run mutated', 'teardown 1']);
});

/** The system is up once it was asked for, and must not be mutated before. */
const BOOTING = `until [ -f asked ]; do sleep 0.01; done
[ ! -f level ] && [ ! -f mode ] || ${emit('early')}
touch up
${emit('READY')}
until [ -f level ] || [ -f mode ]; do sleep 0.01; done
${emit('end')}
`;

test('nothing is injected before a command says that the system is ready', async () => {
  const ready = 'ready = ["sh", "-c", "touch asked; [ -f up ]"]';
  const { run } = await around(ready, BOOTING);
  const { code, result, stderr } = await run();
  const [attempt] = result.attempts;
  expect([code, attempt.outcome, attempt.reasons]).toEqual([0, 'passed', []]);
  expect(stderr).toContain('perturb: ready: sh -c touch asked; [ -f up ]\n');
});

test('nothing is injected before an expression is true of the events so far', async () => {
  const { run } = await around(
    `ready = "MATCH (name = 'READY') AS ready"`,
    BOOTING.replace(/^until .*\n/, ''),
  );
  const { code, result } = await run();
  expect([code, result.attempts[0].outcome]).toEqual([0, 'passed']);
});

test.each([
  [
    'a command',
    'ready = ["sh", "-c", "echo starting >&2; exit 7"]\nready_time = "2s"',
    'exec sleep 100',
    'the system was not ready within 2s: the "ready" command "sh" exited with status 7: starting',
  ],
  [
    'an expression',
    `ready = "MATCH (name = 'READY') AS ready"\nready_time = "300ms"`,
    `${emit('booting')}\nexec sleep 100`,
    'the system was not ready within 300ms: the events so far do not satisfy "ready" in [run]',
  ],
  [
    'a command that ends first',
    `ready = "MATCH (name = 'READY') AS ready"`,
    emit('booting'),
    'the command exited before the system was ready',
  ],
])(
  'a system that is not ready makes the attempt inconclusive: %s',
  async (_, settings, script, reason) => {
    const { bench, run } = await around(settings, `${script}\n`);
    const { code, stderr } = await run('--baseline', '1');
    expect(code).toBe(4);
    expect(stderr).toContain(`perturb: the baseline is inconclusive: ${reason}\n`);
    // Nor is anything injected into it.
    expect(bench.changes).toEqual([]);
    const once = OBJECTIVE.replace('attempts = 1', 'time = "1ms"');
    writeFileSync(join(bench.directory, 'x.toml'), once);
    const { result } = await run('--out', 'two');
    expect(
      result.attempts.map(({ outcome, reasons }: Record<string, unknown>) => [outcome, reasons]),
    ).toEqual([['inconclusive', [reason]]]);
    expect(bench.changes.filter((change) => change.startsWith('POST'))).toEqual([]);
  },
);

test.each([
  ['setup = [["true"]]\nsetup_time = "soon"', '"setup_time" of [run] is not a duration'],
  ['ready = "MATCH (name = "', '"ready" of [run] cannot be evaluated during a run'],
  ['ready = ["true"]\nready_time = "0s"', '"ready_time" of [run] is not a duration'],
])('what cannot be used is refused before anything starts: %s', async (settings, problem) => {
  const { bench, run } = await around(
    settings.replace('"MATCH (name = "', `'MATCH (name = '`),
    SYSTEM,
  );
  const { code, stderr } = await run();
  expect(code).toBe(2);
  expect(stderr).toContain(`perturb: perturb.toml: ${problem}`);
  expect(existsSync(join(bench.directory, 'out'))).toBe(false);
});
