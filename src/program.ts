import { main, tellUnwritten } from './cli/main.js';
import { LINT_THREAD } from './cli/thread-name.js';

const [, program, ...argv] = process.argv;

function runProgram(): void {
  // A reader that goes away (`perturb ... | head`) ends the output, not in an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.exit(tellUnwritten(error, process.stderr));
  });
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

async function runThread(): Promise<void> {
  const { runLintThread } = await import('./cli/lint-threads.js');
  // A user may type the word too.
  if (!runLintThread()) runProgram();
}

if (argv[0] === LINT_THREAD) void runThread();
else runProgram();
