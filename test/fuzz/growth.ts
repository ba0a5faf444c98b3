import type { Target } from './target.js';

/** An input that can be made as long as one likes: a piece of it is repeated. */
export interface Pump {
  readonly before: string;
  readonly piece: string;
  readonly after: string;
}

/** Times below this say more about the timer than about the input. */
const SHORTEST_MS = 3;
const FIRST_LENGTH = 1_000;
const LONGEST = 60_000;
const FACTOR = 4;
const MEASUREMENTS = 3;
/**
 * Four times the length takes four times as long when time is linear, sixteen
 * times when it is quadratic.
 */
const MOST_GROWTH = 9;

export function pumped({ before, piece, after }: Pump, times: number): string {
  return before + piece.repeat(times) + after;
}

/**
 * Whether the time for an input grows faster than its length: at two lengths
 * one after the other.
 */
export async function growsTooFast(target: Target, pump: Pump): Promise<boolean> {
  let times = Math.ceil(FIRST_LENGTH / Math.max(1, pump.piece.length));
  while (pump.piece !== '' && times * pump.piece.length <= LONGEST) {
    const short = await best(target, pump, times, SHORTEST_MS);
    const most = MOST_GROWTH * short;
    if (short < SHORTEST_MS) times *= 2;
    else if ((await best(target, pump, FACTOR * times, most)) <= most) return false;
    else {
      const longer = MOST_GROWTH * (await best(target, pump, 2 * times));
      return (await best(target, pump, 2 * FACTOR * times, longer)) > longer;
    }
  }
  return false;
}

function best(target: Target, pump: Pump, times: number, little?: number): Promise<number> {
  return timeOf(target, pumped(pump, times), little);
}

/**
 * The milliseconds that the processor spends on an input: the least of some
 * measurements. Unlike the time that passes, they are hardly longer on a busy machine.
 *
 * @param little it is not measured again once it took less than this
 */
export async function timeOf(target: Target, input: string, little = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let left = MEASUREMENTS; left > 0 && least >= little; left -= 1) {
    const start = process.cpuUsage();
    await target.run(input);
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
