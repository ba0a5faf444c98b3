import { main, tellUnwritten } from './cli/main.js';

// A reader that goes away (`perturb ... | head`) ends the output, not in an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.exit(tellUnwritten(error, process.stderr));
});

void main(process.argv.slice(2), {
  // Opening a stream takes time, and most runs need neither of these.
  get stdin() {
    return process.stdin;
  },
  get stderr() {
    return process.stderr;
  },
  stdout: process.stdout,
  env: process.env,
  cwd: process.cwd(),
}).then((code) => {
  process.exitCode = code;
});
