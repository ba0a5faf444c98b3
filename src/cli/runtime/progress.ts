import { setImmediate } from 'node:timers/promises';
import type { Output } from './command.js';

const QUIET_MS = 1_000;
const EVERY_MS = 100;
/** Interval between lines on an output that is not a terminal, in milliseconds. */
const LINE_MS = 10_000;

/** The output for progress. Short runs save time by never opening the stream. */
interface Shown {
  readonly stderr: Output;
}

/** Returns monotonic milliseconds. Avoids `performance`, which would load six Node modules. */
const monotonic = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/**
 * Creates a status line that appears after a second and is then updated. An output that is not a
 * terminal receives a new line every ten seconds instead.
 */
function statusLine(io: Shown, now = monotonic) {
  const begun = now();
  let next = begun + QUIET_MS;
  let shown = false;
  return {
    update(textOf: () => string): void {
      if (now() < next) return;
      const { stderr } = io;
      const isTerminal = stderr.isTTY === true;
      if (!isTerminal && now() < begun + LINE_MS) {
        next = begun + LINE_MS;
        return;
      }
      next = now() + (isTerminal ? EVERY_MS : LINE_MS);
      shown = isTerminal;
      stderr.write(isTerminal ? `\r\x1b[K${textOf()}` : `perturb: ${textOf()}\n`);
    },
    end(): void {
      if (shown) io.stderr.write('\r\x1b[K');
    },
  };
}

/**
 * The progress of a long task, shown after a second; without a terminal, printed every ten seconds.
 */
export type Progress = ReturnType<typeof startProgress>;

/**
 * Starts to show the progress of a task with `total` items.
 *
 * @param now a clock in milliseconds
 */
export function startProgress(io: Shown, total: number, noun: string, now?: () => number) {
  const line = statusLine(io, now);
  let done = 0;
  return {
    /** Counts one completed item. */
    step(): void {
      done += 1;
      line.update(() => `${done} of ${total} ${noun}`);
    },
    /** Reports the completed part of the current item. May be called often. */
    part(partDone: number, partTotal: number): void {
      line.update(() => {
        const share = `${Math.floor((100 * partDone) / partTotal)} %`;
        return total === 1 ? share : `${done} of ${total} ${noun}, the next at ${share}`;
      });
    },
    end: line.end,
  };
}

/** Starts to show the number of bytes read from a file, as a status line. */
export function startByteProgress(io: Shown, name: string) {
  const line = statusLine(io);
  return {
    at: (bytes: number) => line.update(() => `${name}: ${Math.round(bytes / 1e6)} MB`),
    end: line.end,
  };
}

/** The signals that end a process without a listener. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Defers the signals that end a process, so signals cannot interrupt a step.
 *
 * @param undo called before a signal ends the process
 */
export function holdInterrupts(undo?: () => void) {
  let received: NodeJS.Signals | undefined;
  const note = (signal: NodeJS.Signals) => {
    received = signal;
  };
  for (const signal of SIGNALS) process.on(signal, note);
  /** Stops deferring signals. */
  const release = () => {
    for (const signal of SIGNALS) process.off(signal, note);
  };
  return {
    /** Ends the process between two steps if a signal has arrived. */
    async pass(): Promise<void> {
      // Node delivers signals in a turn of the event loop.
      await setImmediate();
      if (received === undefined) return;
      undo?.();
      release();
      process.kill(process.pid, received);
      await setImmediate();
    },
    release,
  };
}
