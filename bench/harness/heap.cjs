/*
 * Preloaded into a process whose memory is measured while it runs: for each byte on descriptor 3 it
 * collects garbage, and writes what is left to descriptor 4, in megabytes.
 */
const { createReadStream, writeSync } = require('node:fs');

createReadStream('', { fd: 3 }).on('data', () => {
  globalThis.gc?.();
  writeSync(4, `${process.memoryUsage().heapUsed / 2 ** 20}\n`);
});
