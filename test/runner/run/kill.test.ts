import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { roll } from '../../dice.js';
import { type Bench, OBJECTIVE, openBench, processesWith } from './bench.js';

const KILLS = 100;
const ATTEMPTS = 40;

/** What each attempt was to do and what came of it, without times. */
function resultsOf(bench: Bench, out: string): readonly unknown[] {
  const journal = bench.journal(out);
  return journal
    .filter(({ step }) => step === 'measured')
    .map(({ n, outcome, measurements }) => {
      const plans = journal.filter((one) => one['step'] === 'attempt' && one['n'] === n);
      return { n, outcome, measurements, plans: plans.map(({ plan }) => plan) };
    });
}

test('a run that is killed 100 times comes to what an undisturbed one does', {
  timeout: 900_000,
}, async () => {
  const objective = OBJECTIVE.replace('attempts = 12', `attempts = ${ATTEMPTS}`);
  const bench = await openBench({ 'level.objective.toml': objective });
  const common = ['level.objective.toml', '-s', bench.url, '--seed', '11'];
  const command = ['--', 'sh', 'system.sh'];
  await bench.run(...common, '--out', 'whole', ...command);
  const dice = roll(2_026);
  let kills = 0;
  let resumed = false;
  while (kills < KILLS) {
    const run = resumed
      ? bench.start('--resume', 'out')
      : bench.start(...common, '--out', 'out', ...command);
    const ended = await Promise.race([
      run.ended,
      // At the start too, but mostly in the middle of some attempt.
      pause(100 + dice.upTo(900)).then(() => 'time' as const),
    ]);
    // The run has come to its end: another one is killed.
    if (ended !== 'time') break;
    run.child.kill('SIGKILL');
    await run.ended;
    kills += 1;
    resumed = bench.journal('out').length > 0;
  }
  if (bench.journal('out').at(-1)?.['step'] !== 'end') await bench.run('--resume', 'out');
  expect(bench.journal('out').at(-1)).toMatchObject({ step: 'end', reason: 'attempts' });
  expect(resultsOf(bench, 'out')).toEqual(resultsOf(bench, 'whole'));
  expect(resultsOf(bench, 'out').length).toBe(ATTEMPTS);
  expect(bench.active.size).toBe(0);
  expect(processesWith(join(bench.directory, 'out/attempts'))).toEqual([]);
  expect(kills).toBeGreaterThan(10);
});
