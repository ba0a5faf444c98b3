import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { bundleFile } from '../../../scripts/bundle.js';

/** Builds a program that stands beside the tests into a directory; gives its path. */
export async function buildProgram(name: string, directory: string): Promise<string> {
  const outfile = join(directory, `${name}.mjs`);
  await bundleFile(join(import.meta.dirname, `${name}.ts`), outfile);
  return outfile;
}

/** A program that runs until the test ends at the latest. */
export interface Running {
  readonly child: ChildProcess;
  /** The next line of its output; undefined when there is none any more. */
  readonly line: () => Promise<string | undefined>;
  /** Ends it as a power failure would. */
  readonly kill: () => Promise<void>;
}

/** Runs a command; what it says on stderr goes to the test's. */
export function run(command: string, args: readonly string[]): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    return done === true ? undefined : (value as string);
  };
  return { child, line, kill };
}
