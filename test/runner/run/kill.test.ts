import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Dice, roll } from '../../dice.js';
import { isLong } from '../../long.js';
import { type Bench, OBJECTIVE, openBench, processesWith } from './bench.js';

const KILLS = isLong ? 100 : 6;
const ATTEMPTS = isLong ? 40 : 12;
/** A kill comes after so many more steps at most: two attempts. */
const MOST_STEPS = 16;
/** And so much later at most: between two steps, in the middle of an act. */
const MOST_MS = 40;

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

test(`a run that is killed ${KILLS} times comes to what an undisturbed one does`, {
  timeout: 900_000,
}, async () => {
  const objective = OBJECTIVE.replace('attempts = 12', `attempts = ${ATTEMPTS}`);
  const bench = await openBench({ 'level.objective.toml': objective });
  const common = ['level.objective.toml', '-s', bench.url, '--seed', '11'];
  const command = ['--', 'sh', 'system.sh'];
  await bench.run(...common, '--out', 'whole', ...command);
  const whole = resultsOf(bench, 'whole');
  expect(whole.length).toBe(ATTEMPTS);
  const dice = roll(2_026);
  let kills = 0;
  for (let round = 1; kills < KILLS; round += 1) {
    const out = `out-${round}`;
    kills += await killOften(
      bench,
      out,
      [...common, '--out', out, ...command],
      dice,
      KILLS - kills,
    );
    expect(bench.journal(out).at(-1)).toMatchObject({ step: 'end', reason: 'attempts' });
    expect(resultsOf(bench, out)).toEqual(whole);
    expect(bench.active.size).toBe(0);
    expect(processesWith(join(bench.directory, out, 'attempts'))).toEqual([]);
  }
  expect(kills).toBe(KILLS);
});

/** Begins a run, and kills and resumes it until it ends; gives how often. */
async function killOften(
  bench: Bench,
  out: string,
  begin: readonly string[],
  dice: Dice,
  most: number,
): Promise<number> {
  let kills = 0;
  while (kills < most) {
    const begun = bench.journal(out).length > 0;
    const run = begun ? bench.start('--resume', out) : bench.start(...begin);
    // By steps, not by time: on a slow machine too, most kills come in the middle of some attempt.
    const before = bench.journal(out).length;
    const steps = dice.upTo(MOST_STEPS);
    const later = dice.upTo(MOST_MS);
    let hasEnded = false;
    void run.ended.then(() => {
      hasEnded = true;
    });
    while (!hasEnded && bench.journal(out).length < before + steps) await pause(5);
    await Promise.race([run.ended, pause(later)]);
    if (hasEnded) return kills;
    run.child.kill('SIGKILL');
    await run.ended;
    kills += 1;
  }
  const journal = bench.journal(out);
  // The last kill may have come before the run had begun.
  if (journal.length === 0) await bench.run(...begin);
  else if (journal.at(-1)?.['step'] !== 'end') await bench.run('--resume', out);
  return kills;
}
