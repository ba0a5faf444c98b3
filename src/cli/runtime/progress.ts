import type { Output } from './io.js';

const QUIET_MS = 1_000;
const EVERY_MS = 100;

/** Shows the progress of long work, on a terminal only, once it has taken a second. */
export interface Progress {
  /** Notes that one more of the total is done. */
  step(): void;
  /** Notes how much of the one under way is done; may be called often. */
  part(done: number, total: number): void;
  /** Removes the line. */
  end(): void;
}

/** @param now a clock in milliseconds */
export function startProgress(
  output: Output,
  total: number,
  noun: string,
  now: () => number = () => performance.now(),
): Progress {
  if (output.isTTY !== true) return { step() {}, part() {}, end() {} };
  let done = 0;
  let next = now() + QUIET_MS;
  let shown = false;
  const show = (text: string): void => {
    next = now() + EVERY_MS;
    shown = true;
    output.write(`\r\x1b[K${text}`);
  };
  return {
    step() {
      done += 1;
      if (now() >= next) show(`${done} of ${total} ${noun}`);
    },
    part(partDone, partTotal) {
      if (now() < next) return;
      const share = `${Math.floor((100 * partDone) / partTotal)} %`;
      show(total === 1 ? share : `${done} of ${total} ${noun}, the next at ${share}`);
    },
    end() {
      if (shown) output.write('\r\x1b[K');
    },
  };
}
