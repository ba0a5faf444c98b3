import { setImmediate } from 'node:timers/promises';
import type { Output } from './command.js';

const QUIET_MS = 1_000;
const EVERY_MS = 100;
/** Where there is no terminal, so no line can be replaced. */
const LINE_MS = 10_000;

/** Where the progress of work goes: opened only when there is some to show, so a short run pays nothing. */
interface Shown {
  readonly stderr: Output;
}

/** Milliseconds; `performance` would load six modules of Node. */
const monotonic = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** Creates a status line that appears after a second. A terminal overwrites it; any other output gets new lines. */
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

/** The progress of long work, once it has taken a second; without a terminal, a line every ten seconds. */
export type Progress = ReturnType<typeof startProgress>;

/** @param now a clock in milliseconds */
export function startProgress(io: Shown, total: number, noun: string, now?: () => number) {
  const line = statusLine(io, now);
  let done = 0;
  return {
    /** Notes that one more of the total is done. */
    step(): void {
      done += 1;
      line.update(() => `${done} of ${total} ${noun}`);
    },
    /** Notes how much of the one under way is done; may be called often. */
    part(partDone: number, partTotal: number): void {
      line.update(() => {
        const share = `${Math.floor((100 * partDone) / partTotal)} %`;
        return total === 1 ? share : `${done} of ${total} ${noun}, the next at ${share}`;
      });
    },
    end: line.end,
  };
}

/** Shows how much of a file is read, in the same way. */
export function startByteProgress(io: Shown, name: string) {
  const line = statusLine(io);
  return {
    at: (bytes: number) => line.update(() => `${name}: ${Math.round(bytes / 1e6)} MB`),
    end: line.end,
  };
}

/** The signals that end a process unless it listens to them. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Holds back the signals that end a process, so that none ends it within a step.
 *
 * @param undo runs before one of them ends the process
 */
export function holdInterrupts(undo?: () => void) {
  let received: NodeJS.Signals | undefined;
  const note = (signal: NodeJS.Signals) => {
    received = signal;
  };
  for (const signal of SIGNALS) process.on(signal, note);
  /** Lets signals act as before. */
  const release = () => {
    for (const signal of SIGNALS) process.off(signal, note);
  };
  return {
    /** Between two steps: ends the process if it was asked to. */
    async pass(): Promise<void> {
      // Signals are delivered in a turn of the event loop.
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
