/** Minimum interval between reports of a run in progress. */
const LEAST_MS = 2_000;
/**
 * Maximum share of the run's time for writing reports, because attempts wait while a report is
 * written.
 */
const SHARE = 0.05;

/**
 * Rewrites a report after changes, at a limited rate.
 *
 * @param write writes the report; if it throws, writing stops, and `end` throws the same error
 */
export function startLiveReport(write: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isChanged = false;
  let failure: { readonly error: unknown } | undefined;
  let next = 0;
  const begin = () => {
    timer = undefined;
    isChanged = false;
    const began = performance.now();
    writing = write()
      .catch((error: unknown) => {
        failure = { error };
      })
      .then(() => {
        const now = performance.now();
        next = now + Math.max(LEAST_MS, (now - began) / SHARE);
        writing = undefined;
        if (isChanged) schedule();
      });
  };
  const schedule = () => {
    isChanged = true;
    if (failure !== undefined || writing !== undefined || timer !== undefined) return;
    timer = setTimeout(begin, Math.max(0, next - performance.now()));
  };
  return {
    /** Schedules a write after a change. */
    change: schedule,
    /** Stops writing, and waits for a write in progress. */
    async end(): Promise<void> {
      clearTimeout(timer);
      isChanged = false;
      await writing;
      if (failure !== undefined) throw failure.error;
    },
  };
}
