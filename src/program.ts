import { LINT_THREAD } from './cli/files/thread-name.js';

const [, program, ...argv] = process.argv;

async function runProgram(): Promise<void> {
  const { breakingLines, main, ofKnownWidth, tellUnwritten } = await import('./cli/main.js');
  // A reader that ends first (`perturb ... | head`) ends the output, and is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.exit(tellUnwritten(error, process.stderr));
  });
  process.exitCode = await main(argv, {
    // Opening a stream takes time, and most runs need neither of these.
    get stdin() {
      return process.stdin;
    },
    get stderr() {
      return breakingLines(ofKnownWidth(process.stderr));
    },
    stdout: ofKnownWidth(process.stdout),
    env: process.env,
    cwd: process.cwd(),
    ...(program !== undefined && { program }),
  });
}

async function runThread(): Promise<void> {
  const { runLintThread } = await import('./cli/files/lint-threads.js');
  // A user may type the word too.
  if (!runLintThread()) await runProgram();
}

void (argv[0] === LINT_THREAD ? runThread() : runProgram());
