import { setImmediate } from 'node:timers/promises';
import type { Output } from './command.js';

const QUIET_MS = 1_000;
const EVERY_MS = 100;

/** A line on a terminal that is replaced now and then, once the work has taken a second. */
interface StatusLine {
  /** Shows a text if it is time to. */
  update(textOf: () => string): void;
  /** Removes the line. */
  end(): void;
}

function statusLine(output: Output, now: () => number = () => performance.now()): StatusLine {
  if (output.isTTY !== true) return { update() {}, end() {} };
  let next = now() + QUIET_MS;
  let shown = false;
  return {
    update(textOf) {
      if (now() < next) return;
      next = now() + EVERY_MS;
      shown = true;
      output.write(`\r\x1b[K${textOf()}`);
    },
    end() {
      if (shown) output.write('\r\x1b[K');
    },
  };
}

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
  now?: () => number,
): Progress {
  const line = statusLine(output, now);
  let done = 0;
  return {
    step() {
      done += 1;
      line.update(() => `${done} of ${total} ${noun}`);
    },
    part(partDone, partTotal) {
      line.update(() => {
        const share = `${Math.floor((100 * partDone) / partTotal)} %`;
        return total === 1 ? share : `${done} of ${total} ${noun}, the next at ${share}`;
      });
    },
    end: line.end,
  };
}

/** Shows how much of a file is read, in the same manner. @param now a clock in milliseconds */
export function startByteProgress(
  output: Output,
  name: string,
  now?: () => number,
): { readonly at: (bytes: number) => void; readonly end: () => void } {
  const line = statusLine(output, now);
  return {
    at: (bytes) => line.update(() => `${name}: ${Math.round(bytes / 1e6)} MB`),
    end: line.end,
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Holds back the signals that end a process, so that none ends it within a step. */
export interface Interrupts {
  /** Between two steps: ends the process if it was asked to. */
  pass(): Promise<void>;
  /** Lets signals act as before. */
  release(): void;
}

export function holdInterrupts(): Interrupts {
  let received: NodeJS.Signals | undefined;
  const note = (signal: NodeJS.Signals) => {
    received = signal;
  };
  for (const signal of SIGNALS) process.on(signal, note);
  const release = () => {
    for (const signal of SIGNALS) process.off(signal, note);
  };
  return {
    async pass() {
      // Signals are heard in a turn of the event loop.
      await setImmediate();
      if (received === undefined) return;
      release();
      process.kill(process.pid, received);
      await setImmediate();
    },
    release,
  };
}
