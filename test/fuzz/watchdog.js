/*
 * Ends the fuzzer when an input does not come to its end, and shows the input.
 * A thread of its own, for the one that hangs cannot say so.
 */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const STILL_MS = 60_000;

/** @type {{ ticks: Int32Array, units: Uint8Array }} */
const { ticks, units } = workerData;
let last = -1;
setInterval(() => {
  const now = Atomics.load(ticks, 0);
  if (now === last) {
    const input = Buffer.from(units.slice(0, Atomics.load(ticks, 1))).toString('utf16le');
    writeSync(2, `no end after ${STILL_MS / 1_000} s: ${JSON.stringify({ input })}\n`);
    process.kill(process.pid, 'SIGKILL');
  }
  last = now;
}, STILL_MS);
