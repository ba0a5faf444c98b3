/* Preloaded into a process whose memory is measured: tells its peak, in kB, on descriptor 3. */
if (require('node:worker_threads').isMainThread) {
  process.on('exit', () => {
    require('node:fs').writeSync(3, String(process.resourceUsage().maxRSS));
  });
}
