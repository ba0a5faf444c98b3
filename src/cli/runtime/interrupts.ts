import { setImmediate } from 'node:timers/promises';

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
