import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Bench, OBJECTIVE, openBench } from './bench.js';

const FILE = 'level.objective.toml';
/** Never fails by its measurement. */
const TWO = OBJECTIVE.replace('attempts = 12', 'attempts = 2').replace('< 70', '< 1000');

async function run(bench: Bench, script: string, ...flags: readonly string[]) {
  const out = ['--out', 'out', '--format', 'json', ...flags];
  const { code, stdout } = await bench.run(FILE, '-s', bench.url, ...out, '--', 'sh', '-c', script);
  return { code, ...JSON.parse(stdout) };
}

describe('the end of the command', () => {
  test.each<[string, string, number, string, object]>([
    ['status 0 is good', 'sh system.sh', 0, 'passed', { status: 0, timed_out: false }],
    [
      'another status fails the attempt, with the last lines of stderr and where the output is',
      'sh system.sh; echo 1 >&2; echo 2 >&2; echo 3 >&2; echo worst >&2; exit 7',
      1,
      'failed',
      {
        status: 7,
        timed_out: false,
        failure:
          'the command exited with status 7: 2 | 3 | worst; its output is in attempts/1.output',
      },
    ],
    [
      'also where no event arrived',
      'exit 7',
      1,
      'failed',
      { status: 7, timed_out: false, failure: 'the command exited with status 7' },
    ],
    [
      'a signal that Perturb did not send',
      'sh system.sh; kill -SEGV $$',
      1,
      'failed',
      { signal: 'SIGSEGV', timed_out: false, failure: 'SIGSEGV terminated the command' },
    ],
  ])('%s', async (_, script, code, outcome, command) => {
    const bench = await openBench({ [FILE]: TWO });
    const { code: actual, attempts, summary } = await run(bench, script);
    expect(attempts[0]).toMatchObject({ outcome });
    expect(attempts[0].command).toEqual(command);
    expect(summary.attempts).toBe(2);
    expect(actual).toBe(code);
  });

  test('status 125 is inconclusive', async () => {
    const bench = await openBench({ [FILE]: TWO });
    const { code, attempts, end } = await run(bench, 'sh system.sh; exit 125');
    expect(attempts[0]).toMatchObject({
      outcome: 'inconclusive',
      reasons: ['the command exited with status 125 (inconclusive)'],
    });
    expect(end.reason).toBe('inconclusive');
    expect(code).toBe(4);
  });

  test('is an event after all events of the command, and none that arrived', async () => {
    const bench = await openBench({
      [FILE]: TWO.replace(
        /check = .*/,
        `check = """MATCH (name = 'level') AS level, (name = 'perturb.command.ended' AND probe = 'perturb' AND status = 7) AS ended,
        (name = 'perturb.reset') AS reset WHEN level -> ended AND ended -> reset"""`,
      ),
    });
    const { attempts } = await run(bench, 'sh system.sh; exit 7');
    expect(attempts[0]).toMatchObject({ outcome: 'failed', events: 2 });
    expect(attempts[0].measurements[0].status).toBe('holds');
  });

  test('passing and failing counts follow the measurements alone', async () => {
    const text = OBJECTIVE.replace('attempts = 12', 'passing_measurements = 2').replace(
      '< 70',
      '< 1000',
    );
    const bench = await openBench({ [FILE]: text });
    const { code, end, summary } = await run(bench, 'sh system.sh; exit 7');
    expect(end).toEqual({ reason: 'passing' });
    expect(summary).toMatchObject({ attempts: 2, failed: 2 });
    expect(code).toBe(1);
  });

  test('[run] command_status = "ignore" is for commands whose status means nothing', async () => {
    const bench = await openBench({
      [FILE]: TWO,
      'perturb.toml': '[run]\ncommand_status = "ignore"\n',
    });
    const { code, attempts } = await run(bench, 'sh system.sh; exit 7');
    expect(attempts[0]).toMatchObject({
      outcome: 'passed',
      command: { status: 7, timed_out: false },
    });
    expect(code).toBe(0);
  });

  test('--attempt-time ends it: that is no failure, and counted in the summary', async () => {
    const bench = await openBench({ [FILE]: TWO });
    const { stdout } = await bench.run(
      ...[FILE, '-s', bench.url, '--attempt-time', '2s', '--out', 'out'],
      ...[
        '--',
        'sh',
        '-c',
        `sh system.sh; printf '{"probe":"SYS' >> "$PERTURB_SESSION"; sleep 600`,
      ],
    );
    // The line that was cut is no loss.
    expect(stdout).toContain(
      '2: 2 passed, 0 failed, 0 skipped, 0 inconclusive; 2 timed out (--attempt-time)\n',
    );
    const session = readFileSync(join(bench.directory, 'out/attempts/1.jsonl'), 'utf8');
    expect(session).toMatch(/"perturb.command.ended".*"timed_out":true/);
  });

  test('finds from where on the command fails', async () => {
    const objective = OBJECTIVE.replace('< 70', '< 1000').replace('= 12', '= 6');
    const bench = await openBench({ [FILE]: objective });
    const script = 'sh system.sh; [ "$(cat level 2>/dev/null || echo 0)" -lt 70 ]';
    const { shrunk } = await run(bench, script, '--shrink');
    expect(shrunk).toEqual([
      expect.objectContaining({ set: [expect.objectContaining({ params: { value: 72 } })] }),
    ]);
  });
});
