import { breakingLines, main, ofKnownWidth, printUnwritten } from './cli/main.js';

// A reader that ends first (`perturb ... | head`) ends the output, and is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.exit(printUnwritten(error, process.stderr));
});

void main(process.argv.slice(2), {
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
}).then((code) => {
  process.exitCode = code;
});
