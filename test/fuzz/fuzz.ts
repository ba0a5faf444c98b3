import { type Dice, roll } from '../dice.js';
import type { Fixture } from './fixture.js';
import { type Cost, growsTooFast, type Pump, timeOf } from './growth.js';
import { mutate } from './mutate.js';
import { shrink } from './shrink.js';
import type { Target } from './target.js';

export interface FuzzOptions {
  readonly seed: number;
  /** Whether to go on after so many inputs. */
  readonly goOn: (count: number) => boolean;
  /** Whether time is watched: not where a result must be the same every time. */
  readonly timed: boolean;
  /** Told of each kind of mistake once, as it is found. */
  readonly onFinding: (fixture: Fixture) => void;
  /** Told of each input before it is tried. */
  readonly onInput?: (input: string) => void;
}

export interface FuzzResult {
  readonly inputs: number;
  /** How many inputs made something happen that none before them did. */
  readonly interesting: number;
}

/** So many times as long as the slowest seed is too long for an input. */
const SLOW_FACTOR = 50;
/** One input in so many is repeated piece by piece, to see how time grows. */
const PUMP_ODDS = 200;
const MOST_SLOW_TRIES = 40;

/** Fuzzes a target: the same seed gives the same inputs. */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzResult> {
  const { seed, goOn, timed, onFinding, onInput } = options;
  const dice = roll(seed);
  const corpus = [...target.seeds];
  const seen = new Set<string>();
  const known = new Set<string>();
  let interesting = 0;
  let inputs = 0;

  const run = (input: string) => {
    onInput?.(input);
    return target.run(input);
  };
  const mistakeOf = async (input: string): Promise<string | undefined> => {
    try {
      await run(input);
      return undefined;
    } catch (error) {
      return describe(error);
    }
  };
  const report = async (input: string, mistake: string) => {
    if (known.has(mistake)) return;
    known.add(mistake);
    const smallest = await shrink(input, async (one) => (await mistakeOf(one)) === mistake);
    onFinding({ found: mistake, input: smallest });
  };

  const take = async (input: string): Promise<void> => {
    try {
      let isNew = false;
      for (const trait of await run(input)) {
        isNew ||= !seen.has(trait);
        seen.add(trait);
      }
      if (!isNew) return;
      interesting += 1;
      corpus.push(input);
    } catch (error) {
      await report(input, describe(error));
    }
  };

  const time = timeOf({ ...target, run });
  for (const input of target.seeds) await take(input);
  const slowest = timed ? await slowestOf(time, target.seeds) : undefined;
  for (; goOn(inputs); inputs += 1) {
    const input = mutate(dice, { corpus, tokens: target.tokens });
    const start = performance.now();
    await take(input);
    const ms = performance.now() - start;
    const pump = dice.upTo(PUMP_ODDS - 1) === 0 ? pumpOf(input, dice) : undefined;
    if (slowest === undefined) continue;
    if (ms > SLOW_FACTOR * slowest && !known.has('slow')) {
      const isSlow = async (one: string) =>
        (await mistakeOf(one)) === undefined && (await time.of(one)) > SLOW_FACTOR * slowest;
      if (!(await isSlow(input))) continue;
      known.add('slow');
      const smallest = await shrink(input, isSlow, MOST_SLOW_TRIES);
      onFinding({ found: 'takes far longer than the seeds do', input: smallest });
    }
    if (pump !== undefined) await tryPump(pump);
  }
  return { inputs, interesting };

  async function tryPump(pump: Pump): Promise<void> {
    const isSlow = async (one: Pump) => {
      try {
        return await growsTooFast(time, one);
      } catch (error) {
        await report(`${one.before}${one.piece.repeat(1_000)}${one.after}`, describe(error));
        return false;
      }
    };
    if (!(await isSlow(pump)) || !(await isSlow(pump))) return;
    let smallest = pump;
    for (const part of ['after', 'before', 'piece'] as const) {
      const text = await shrink(
        smallest[part],
        (one) => isSlow({ ...smallest, [part]: one }),
        MOST_SLOW_TRIES,
      );
      smallest = { ...smallest, [part]: text };
    }
    const found = `time grows faster than the input: ${JSON.stringify(smallest.piece)}`;
    if (known.has(found)) return;
    known.add(found);
    onFinding({ found, pump: smallest });
  }
}

/** What is wrong, the same for the same mistake; with the place in the code for what was thrown. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${typeof error}`;
  if (error.name === 'Broken') return error.message;
  const place = /^\s*at (?:async )?([\w.$<>]+)/m.exec(error.stack ?? '')?.[1] ?? 'somewhere';
  return `threw ${error.name} in ${place}`;
}

function pumpOf(input: string, dice: Dice): Pump {
  const start = dice.upTo(input.length);
  const end = Math.min(input.length, start + 1 + dice.upTo(dice.pick([0, 3, 12, 60])));
  return { before: input.slice(0, start), piece: input.slice(start, end), after: input.slice(end) };
}

/** The time of the seed that takes longest. */
async function slowestOf(time: Cost, seeds: readonly string[]): Promise<number> {
  let slowest = 0;
  for (const input of seeds) {
    try {
      slowest = Math.max(slowest, await time.of(input));
    } catch {
      // It has been reported.
    }
  }
  return slowest;
}
