/* Preloaded into a process whose memory is measured: tells its peak, in kB, on descriptor 3. */
const { existsSync, readFileSync, writeSync } = require('node:fs');

const STATUS = '/proc/self/status';

if (require('node:worker_threads').isMainThread) {
  process.on('exit', () => writeSync(3, String(peak())));
}

function peak() {
  // On Linux the usage that is told begins with that of the process that started this one.
  const status = existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : '';
  return Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
