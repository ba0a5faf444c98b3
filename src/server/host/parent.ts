import { isAdopted } from '../../durable/index.js';

/** How often the parent is checked: resets are to begin within two seconds of its death. */
const CHECK_MS = 500;

/**
 * Watches for the death of this process's parent. The system then names another parent, which need
 * not be process 1; a pid that merely exists may be another process by now.
 *
 * @param expected the parent's pid
 * @param onGone called once
 * @returns ends the watch
 */
export function watchParent(
  process: Pick<NodeJS.Process, 'ppid'>,
  expected: number | undefined,
  onGone: () => void,
): () => void {
  const { ppid } = process;
  if (ppid !== (expected ?? ppid) || isAdopted()) {
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
