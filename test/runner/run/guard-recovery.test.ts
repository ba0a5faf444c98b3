import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openBench } from './bench.js';

/* What ends an attempt at once, and what the system must do once all is reset; with real commands. */

const OBJECTIVE = `name = "level"
[[measurement]]
name = "no late answer"
check = "MATCH (name = 'LATE') AS late AGGREGATE count() = 0"
[stopping_conditions]
attempts = 1
`;

const emit = (name: string, more = '') =>
  `echo '{"probe":"S","name":"${name}"${more}}' >> "$PERTURB_SESSION"\n`;
const whileMutated = 'while [ -f level ] || [ -f mode ]; do sleep 0.02; done\n';

async function benchWith(settings: string, script: string) {
  const bench = await openBench({ 'x.toml': OBJECTIVE, 'system.sh': script });
  writeFileSync(
    join(bench.directory, 'perturb.toml'),
    `[servers.bench]\nurl = "${bench.url}"\n${settings}`,
  );
  const run = async (...flags: readonly string[]) => {
    const args = ['x.toml', '--out', 'out', '--format', 'json', ...flags, '--', 'sh', 'system.sh'];
    const { code, stdout, stderr } = await bench.run(...args);
    return { code, result: JSON.parse(stdout || 'null'), stderr };
  };
  return { bench, run };
}

const GUARD = `[guard]\ncheck = "MATCH (name = 'LOW') AS low"\n`;

test('a guard resets everything while the command goes on, and its attempt counts nothing', async () => {
  // It heeds no signal: only a reset lets it see the end of its mutation.
  const script = `trap '' TERM
if [ -f again ]; then ${emit('FINE')} exit 0; fi
touch again
${emit('LOW')}${whileMutated}touch saw-reset\n`;
  const { bench, run } = await benchWith(GUARD, script);
  const { code, result } = await run();
  expect(existsSync(join(bench.directory, 'saw-reset'))).toBe(true);
  expect(code).toBe(0);
  const [guarded, second] = result.attempts;
  expect([guarded.outcome, guarded.measurements, second.outcome]).toEqual([
    'guarded',
    [],
    'passed',
  ]);
  expect(guarded.guard_ms).toEqual(expect.any(Number));
  expect(guarded.reasons[0]).toBe(
    `guard triggered: resets started ${guarded.guard_ms}ms after the event`,
  );
  expect(bench.active.size).toBe(0);
  const { stdout } = await bench.run('--resume', 'out');
  expect(stdout).toContain(
    'attempts   2: 1 passed, 0 failed, 0 skipped, 0 inconclusive; 1 guarded\n',
  );
  expect(stdout).toMatch(/^1 +guarded +.*guard triggered/m);
});

test('a guard that is true without mutations ends the run before its first attempt', async () => {
  const { bench, run } = await benchWith(GUARD, `${emit('LOW')}exec sleep 100\n`);
  const { code, stderr } = await run('--baseline', '1');
  expect(code).toBe(4);
  expect(stderr).toMatch(
    /^perturb: the system fails without mutations: guard triggered: resets started \d+ms after the event$/m,
  );
  expect(bench.changes).toEqual([]);
});

const recovery = (time: string) =>
  `[run]\nattempt_time = "1s"\nrecovery = "MATCH (name = 'READY') AS ready"\nrecovery_time = "${time}"\n`;
const READY = `echo "{\\"probe\\":\\"S\\",\\"name\\":\\"READY\\",\\"time\\":$(date +%s%N)}" >> "$PERTURB_SESSION"\n`;

test('a system that comes back after the resets has recovered, and its command is ended', async () => {
  // What was said before the resets does not count.
  const script = `${READY}${whileMutated}${READY}exec sleep 100\n`;
  const { run } = await benchWith(recovery('1min'), script);
  const { code, result } = await run();
  const [attempt] = result.attempts;
  expect([code, attempt.outcome, attempt.reasons]).toEqual([0, 'passed', []]);
  expect(attempt.recovery).toEqual({ recovered: true, ms: expect.any(Number) });
  expect(attempt.command.timed_out).toBe(false);
});

test('what shows it counts, though it came before the last reset was answered', async () => {
  const settings = recovery('1min').replace("'READY'", "'ready'");
  const script = 'echo "$OTEL_EXPORTER_OTLP_ENDPOINT" > part\nmv part endpoint\nexec sleep 100\n';
  const { bench, run } = await benchWith(settings, script);
  bench.answer = async (change) => {
    if (!change.startsWith('DELETE')) return undefined;
    const endpoint = join(bench.directory, 'endpoint');
    while (!existsSync(endpoint)) await pause(10);
    const url = `${readFileSync(endpoint, 'utf8').trim()}/v1/traces`;
    const startTimeUnixNano = `${BigInt(Date.now() + 1_000) * 1_000_000n}`;
    const span = { traceId: '5b8e', spanId: '01', name: 'ready', startTimeUnixNano };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200);
    return undefined;
  };
  const { code, result } = await run('--events', 'otlp:0');
  const [{ outcome, recovery: found }] = result.attempts;
  expect([code, outcome, found.recovered]).toEqual([0, 'passed', true]);
});

test('one that does not fails the attempt, whatever was measured', async () => {
  const { bench, run } = await benchWith(recovery('500ms'), `${READY}exec sleep 100\n`);
  const { code, result } = await run('--format', 'junit=junit.xml');
  const [attempt] = result.attempts;
  const reason = /^the system did not recover within \d+(?:\.\d+)?(?:ms|s)$/;
  expect([code, attempt.outcome]).toEqual([1, 'failed']);
  expect(attempt.reasons).toEqual([expect.stringMatching(reason)]);
  expect(attempt.recovery.recovered).toBe(false);
  expect(attempt.measurements[0].passed).toBe(true);
  const { stdout } = await bench.run('--resume', 'out');
  expect(stdout).toMatch(/^1 +failed +.*the system did not recover within/m);
});

test('one whose command has ended cannot show whether it recovers', async () => {
  const { run } = await benchWith(recovery('1min'), emit('FINE'));
  const { result } = await run('--attempts', '1');
  expect(result.attempts[0].outcome).toBe('inconclusive');
  expect(result.attempts[0].reasons).toEqual([
    'recovery could not be checked: the command had exited and there is no other event source',
  ]);
});

test('perturb.reset comes before what the system does after it', async () => {
  const script = `${READY}${whileMutated}${READY}exec sleep 100\n`;
  const { bench } = await benchWith(recovery('1min'), script);
  const check = `MATCH (name = 'perturb.reset') AS reset, (name = 'READY') AS ready WHEN reset -> ready AGGREGATE count() = 1`;
  writeFileSync(
    join(bench.directory, 'x.toml'),
    OBJECTIVE.replace(/check = .*/, `check = "${check}"`),
  );
  const { code, stdout, stderr } = await bench.run('x.toml', '--', 'sh', 'system.sh');
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining('1 passed, 0 failed')]);
});

test('an expression in perturb.toml that cannot be watched is wrong usage', async () => {
  const { run } = await benchWith(`[guard]\ncheck = "MATCH (name = 'LOW'"\n`, '');
  const { code, stderr } = await run();
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^perturb: perturb\.toml: "check" of \[guard\] cannot be evaluated during a run: expected /,
    ),
  ]);
});
