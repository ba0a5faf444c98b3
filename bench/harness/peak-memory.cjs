/* Preloaded into a process whose memory is measured: writes its peak, in kB, to descriptor 3. */
const { existsSync, readFileSync, writeSync } = require('node:fs');

const STATUS = '/proc/self/status';

if (require('node:worker_threads').isMainThread) {
  process.on('exit', () => writeSync(3, String(peak())));
}

function peak() {
  // On Linux the reported usage begins with that of the process that started this one.
  const status = existsSync(STATUS) ? readFileSync(STATUS, 'utf8') : '';
  return Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
