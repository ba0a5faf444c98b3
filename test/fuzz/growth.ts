import { stepsOf } from '../steps.js';
import type { Target } from './target.js';

/** An input that can be made as long as one likes: a piece of it is repeated. */
export interface Pump {
  readonly before: string;
  readonly piece: string;
  readonly after: string;
}

/** What an input costs: time in the fuzzer, steps in the tests. */
export interface Cost {
  /** Costs below this say more about the measure than about the input. */
  readonly least: number;
  /** @param little an input that costs less than this is not measured again */
  of(input: string, little?: number): Promise<number>;
}

const FIRST_LENGTH = 1_000;
const LONGEST = 60_000;
const FACTOR = 4;
const MEASUREMENTS = 3;
/**
 * Four times the length costs four times as much when the cost is linear,
 * sixteen times when it is quadratic.
 */
const MOST_GROWTH = 9;

export function pumped({ before, piece, after }: Pump, times: number): string {
  return before + piece.repeat(times) + after;
}

/**
 * Whether the cost of an input grows faster than its length: at two lengths
 * one after the other.
 */
export async function growsTooFast(cost: Cost, pump: Pump): Promise<boolean> {
  const of = (times: number, little?: number) => cost.of(pumped(pump, times), little);
  let times = Math.ceil(FIRST_LENGTH / Math.max(1, pump.piece.length));
  while (pump.piece !== '' && times * pump.piece.length <= LONGEST) {
    const short = await of(times, cost.least);
    const most = MOST_GROWTH * short;
    if (short < cost.least) times *= 2;
    else if ((await of(FACTOR * times, most)) <= most) return false;
    else {
      const longer = MOST_GROWTH * (await of(2 * times));
      return (await of(2 * FACTOR * times, longer)) > longer;
    }
  }
  return false;
}

/**
 * The milliseconds that the processor spends on an input: the least of some
 * measurements. Unlike the time that passes, they are hardly longer on a busy machine.
 */
export function timeOf(target: Target): Cost {
  return {
    least: 3,
    async of(input, little = 0) {
      let least = Number.POSITIVE_INFINITY;
      for (let left = MEASUREMENTS; left > 0 && least >= little; left -= 1) {
        const start = process.cpuUsage();
        await target.run(input);
        const { user, system } = process.cpuUsage(start);
        least = Math.min(least, (user + system) / 1_000);
      }
      return least;
    },
  };
}

/** The steps that a counted target takes for an input. */
export function stepsFor(target: Target): Cost {
  return { least: 100_000, of: (input) => stepsOf(() => target.run(input)) };
}
