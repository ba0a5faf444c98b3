import {
  exitCodes,
  type Io,
  main,
  printWriteFailure,
  withKnownWidth,
  withWrappedLines,
} from './cli/main.js';

// A write error is not a failure if the reader exits first (`perturb ... | head`) or the terminal
// closes.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || process.stdout.isTTY) process.exit();
  process.exit(printWriteFailure(error, io.stderr));
});
const ignore = (): void => {};

const io: Io = {
  // Opening a stream takes time, and most runs need neither stdin nor stdout.
  get stdin() {
    return process.stdin;
  },
  get stderr() {
    if (!process.stderr.listeners('error').includes(ignore)) process.stderr.on('error', ignore);
    return withWrappedLines(withKnownWidth(process.stderr));
  },
  stdout: withKnownWidth(process.stdout),
  env: process.env,
  cwd: workingDirectory(),
};

void main(process.argv.slice(2), io).then((code) => {
  process.exitCode = code;
});

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write(
      'perturb: the working directory no longer exists\nChange to another one.\n',
    );
    process.exit(exitCodes.usage);
  }
}
