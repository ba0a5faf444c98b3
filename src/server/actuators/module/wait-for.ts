import { systemClock } from '../../state/clock.js';

/** Why something is not waited for any longer. */
export type Interruption = 'timed-out' | 'aborted';

/** Waits for something until a time limit is over or a signal aborted. */
export function waitFor<T>(
  work: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<T | Interruption> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return resolve('aborted');
    const abort = () => resolve('aborted');
    const disarm = systemClock.after(ms, () => resolve('timed-out'));
    signal?.addEventListener('abort', abort, { once: true });
    const settle = () => {
      disarm();
      signal?.removeEventListener('abort', abort);
    };
    work.then(resolve, reject).finally(settle);
  });
}
