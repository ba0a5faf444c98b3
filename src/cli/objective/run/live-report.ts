/** A report of a run that is under way is written at most so often. */
const LEAST_MS = 2_000;
/** Writing it may take at most this share of the time: a run with many attempts must not wait for its report. */
const SHARE = 0.05;

/**
 * Writes something anew whenever it has changed, but not too often.
 *
 * @param write what it throws is thrown by `end`: nothing more is written then
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
    /** Says that there is something new to write. */
    change: schedule,
    /** Writes nothing more, and waits for what is being written. */
    async end(): Promise<void> {
      clearTimeout(timer);
      isChanged = false;
      await writing;
      if (failure !== undefined) throw failure.error;
    },
  };
}
