import { isOrphaned } from '../../durable/index.js';

/** Interval between checks of the parent. Resets must begin within two seconds of the parent's death. */
const CHECK_MS = 500;

/**
 * Watches for the death of this process's parent. The system then reports another parent, which need not be process 1.
 * Another process may already have the old pid.
 *
 * @param expected the parent's pid
 * @param onGone called once, after the parent's death
 * @returns a function that stops watching
 */
export function watchParent(
  process: Pick<NodeJS.Process, 'ppid'>,
  expected: number | undefined,
  onGone: () => void,
): () => void {
  const { ppid } = process;
  if (ppid !== (expected ?? ppid) || isOrphaned()) {
    onGone();
    return () => {};
  }
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    onGone();
  }, CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
