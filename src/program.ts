import { isMainThread } from 'node:worker_threads';
import { main, tellUnwritten } from './cli/main.js';

function runProgram(): void {
  // A reader that goes away (`perturb ... | head`) ends the output, not in an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.exit(tellUnwritten(error, process.stderr));
  });
  const [, program, ...argv] = process.argv;
  void main(argv, {
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
    ...(program !== undefined && { program }),
  }).then((code) => {
    process.exitCode = code;
  });
}

if (isMainThread) runProgram();
else void import('./cli/lint-threads.js').then(({ runLintThread }) => runLintThread());
