import { describe, expect, test } from 'vitest';
import { OBJECTIVE, openBench } from './bench.js';

const FILE = 'level.objective.toml';
const COMMAND = ['--', 'sh', 'system.sh'] as const;
const attempts = (count: number) => OBJECTIVE.replace('attempts = 12', `attempts = ${count}`);
const ALWAYS = attempts(2).replace('< 70', '< 1000');
const NEVER = attempts(2).replace('< 70', '< -1');

describe('the exit code says what a run has come to', () => {
  test.each<[string, number, string, readonly string[]]>([
    ['all passed', 0, ALWAYS, COMMAND],
    ['some failed', 1, NEVER, COMMAND],
    ['the objective has errors', 1, ALWAYS.replace('name = "level"', ''), COMMAND],
    ['no command and no events', 2, ALWAYS, []],
    ['events of a directory', 2, ALWAYS, ['--events', '.']],
    ['events of a port that there is not', 2, ALWAYS, ['--events', 'otlp:65536']],
    ['a report in place of a directory', 2, ALWAYS, ['--report', '.', ...COMMAND]],
    ['a report below a file', 2, ALWAYS, ['--report', `${FILE}/x.html`, ...COMMAND]],
    ['a run in place of a file', 4, ALWAYS, ['--out', FILE, ...COMMAND]],
    ['a flag that does not exist', 2, ALWAYS, ['--no-such-flag', ...COMMAND]],
    ['inconclusive throughout', 4, ALWAYS, ['--', 'true']],
  ])('%s: %d', async (_, code, text, rest) => {
    const bench = await openBench({ [FILE]: text });
    const run = await bench.run(FILE, '-s', bench.url, '--seed', '3', ...rest);
    expect(run.code).toBe(code);
    expect(bench.active.size).toBe(0);
  });

  test('no server: 2, and one that is away: 4', async () => {
    const bench = await openBench({ [FILE]: ALWAYS });
    expect((await bench.run(FILE, ...COMMAND)).code).toBe(2);
    await bench.stop();
    const away = await bench.run(FILE, '-s', bench.url, ...COMMAND);
    expect(away.code).toBe(4);
    expect(away.stderr).toContain('refused the connection');
    await bench.resume();
  });

  test('given up after some passed, for nothing more is learnt: 4', async () => {
    const bench = await openBench({ [FILE]: ALWAYS.replace('attempts = 2', 'attempts = 5') });
    bench.answer = (change, count) => (change.startsWith('POST') && count > 2 ? 500 : undefined);
    const { code, stdout } = await bench.run(FILE, '-s', bench.url, '--seed', '3', ...COMMAND);
    expect(stdout).toMatch(/[1-9]\d* passed, 0 failed, 0 skipped, 1\d inconclusive/);
    expect(stdout).toContain('ten attempts in a row were inconclusive');
    expect(code).toBe(4);
  });
});
