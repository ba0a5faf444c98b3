import type { Output } from '../runtime/io.js';

const QUIET_MS = 1_000;
const EVERY_MS = 100;

/** Shows how much of a file is read, on a terminal only, once it has taken a second. */
export function startByteProgress(
  output: Output,
  name: string,
  now: () => number = () => performance.now(),
): { readonly at: (bytes: number) => void; readonly end: () => void } {
  if (output.isTTY !== true) return { at() {}, end() {} };
  let next = now() + QUIET_MS;
  let shown = false;
  return {
    at(bytes) {
      if (now() < next) return;
      next = now() + EVERY_MS;
      shown = true;
      output.write(`\r\x1b[K${name}: ${Math.round(bytes / 1e6)} MB`);
    },
    end() {
      if (shown) output.write('\r\x1b[K');
    },
  };
}
