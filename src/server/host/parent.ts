import { isOrphaned } from '../../durable/index.js';

/** Interval of checking the parent: resets must begin within two seconds of its death. */
const CHECK_MS = 500;

/**
 * Watches for the death of this process's parent. The system then reports another parent, which need not be process
 * 1; the old pid may belong to another process by now.
 *
 * @param expected the parent's pid
 * @param onGone called once
 * @returns a function that ends the watch
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
