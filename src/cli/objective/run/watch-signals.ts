const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The terminal sends Ctrl-C to a wrapper such as npm too, which passes it on: it arrives twice, and means one. */
const ECHO_MS = 250;

/** Waits for signals to end. */
export interface Signals {
  /** Aborted by the first one; the reason is its name. */
  readonly signal: AbortSignal;
  /** Lets signals end the process again. */
  stop(): void;
}

/** @param onSecond called for a second signal, from somebody who does not want to wait */
export function watchSignals(onSecond: (signal: string) => void): Signals {
  const controller = new AbortController();
  let first: { readonly name: string; readonly at: number } | undefined;
  const receive = (name: string): void => {
    if (first === undefined) {
      first = { name, at: performance.now() };
      controller.abort(name);
    } else if (name !== first.name || performance.now() - first.at > ECHO_MS) onSecond(name);
  };
  for (const name of SIGNALS) process.on(name, receive);
  return {
    signal: controller.signal,
    stop() {
      for (const name of SIGNALS) process.off(name, receive);
    },
  };
}
