import type { Output } from './io.js';

const QUIET_MS = 1_000;
const EVERY_MS = 100;

/** Shows how far long work has come, on a terminal only, from its second second on. */
export interface Progress {
  /** Tells that one more of the total is done. */
  step(): void;
  /** Takes the line away again. */
  end(): void;
}

/** @param now a clock in milliseconds */
export function startProgress(
  output: Output,
  total: number,
  noun: string,
  now: () => number = () => performance.now(),
): Progress {
  if (output.isTTY !== true) return { step() {}, end() {} };
  let done = 0;
  let next = now() + QUIET_MS;
  let shown = false;
  return {
    step() {
      done += 1;
      if (now() < next) return;
      next = now() + EVERY_MS;
      shown = true;
      output.write(`\r\x1b[K${done} of ${total} ${noun}`);
    },
    end() {
      if (shown) output.write('\r\x1b[K');
    },
  };
}
